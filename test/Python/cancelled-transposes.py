"""What is left of transposes computes what they did: random chains of ops between transposes, with the pass and without, to the bit; where there are sums, whose
terms kernels add up in other parts then, within their rounding.

RUN: %{python} -W ignore %s
"""

import itertools

import numpy

import halfstep
from halfstep import nn, ops

DIFFERENT = (3, 6, 4, 5)  # so that what is in the wrong order does not fit
EQUAL = (3, 4, 4, 4)  # so that a value meets its own transposes


class Chain(nn.Module):
    """Ops drawn by `seed` on two images, whose channels come second, and on what is made of them; channels go last again. With `sums`, sums, too."""

    def __init__(self, seed, sums):
        self.seed, self.sums = seed, sums

    def forward(self, x, y):
        self.random = numpy.random.default_rng(self.seed)
        values, self.drawn = [ops.transpose(x, (0, 3, 1, 2)), ops.transpose(y, (0, 3, 1, 2))], []
        for _ in range(10):
            made = self.made(values[self.random.integers(len(values))], values)
            if made is not None and numpy.prod(made.shape[1:]) < 4000:
                values.append(made)
        return x + y, *[ops.transpose(one, (0, 2, 3, 1)) if len(one.shape) == 4 else one for one in values[-4:]]

    def made(self, x, values):
        rank, draw = len(x.shape), self.random
        kinds = ["transpose", "unary", "binary", "row", "constant", "concat", "slice", "pad", "flip", "tile", "split", "largest", "reshape", "broadcast",
                 "gather", "softmax", "turned", "whole", "scatter", "cumsum" if self.sums else "unary", *(["mean", "product"] if self.sums else [])]
        kind = kinds[draw.integers(len(kinds))]
        self.drawn.append(kind)
        at = int(draw.integers(1, rank)) if rank > 1 else None
        if at is None or None in x.shape[1:]:
            return None
        each = lambda number: [number if i == at else 0 for i in range(rank)]
        match kind:
            case "transpose":
                return ops.transpose(x, [0, *(1 + draw.permutation(rank - 1)).tolist()])
            case "turned":
                order = [0, *(1 + draw.permutation(rank - 1)).tolist()]
                turned = ops.transpose(x, order)
                return [x + turned, ops.max(ops.relu(turned), x)][draw.integers(2)] if turned.shape == x.shape else None
            case "whole":
                return [ops.floor, ops.round][draw.integers(2)](x * 3.0)
            case "scatter":  # what is no place writes nothing
                places, scatter = ops.cast(ops.round(x), "int32"), ops.scatter_add_elements if self.sums else ops.scatter_elements
                return scatter(x, at, places, ops.neg(x))
            case "unary":
                return [ops.relu, ops.neg, ops.tanh][draw.integers(3)](x)
            case "binary":
                fitting = [one for one in values if one.shape == x.shape]
                return fitting[draw.integers(len(fitting))] * x
            case "row":  # of as many dimensions as are left, some of them 1
                sizes = [size if draw.integers(2) else 1 for size in x.shape[int(draw.integers(1, rank + 1)):]]
                return x + ops.constant(draw.standard_normal(sizes), "float32")
            case "constant":
                return ops.max(x, 0.25)
            case "concat":
                return ops.concat([x, ops.exp(ops.min(x, 1.0))], at)
            case "slice":
                return x[tuple(slice(1, None, 2) if i == at and x.shape[i] > 1 else slice(None) for i in range(rank))]
            case "pad":
                return ops.pad(x, each(1), each(2), value=0.5)
            case "flip":
                return ops.flip(x, [at])
            case "tile":
                return ops.tile(x, [2 if i == at else 1 for i in range(rank)])
            case "split":
                return ops.split(x, [1, x.shape[at] - 1], at)[1] if x.shape[at] > 1 else None
            case "largest":
                return ops.reduce_max(x, [at], keep_dims=bool(draw.integers(2)))
            case "reshape":
                if draw.integers(2) and rank > 2:
                    at = int(draw.integers(1, rank - 1))
                    return ops.reshape(x, (None, *x.shape[1:at], x.shape[at] * x.shape[at + 1], *x.shape[at + 2:]))
                return ops.reshape(x, (None, *x.shape[1:at], 2, x.shape[at] // 2, *x.shape[at + 1:])) if x.shape[at] % 2 == 0 and rank < 6 else None
            case "broadcast":
                return ops.broadcast(ops.constant(draw.standard_normal([*x.shape[at:]]), "float32"), like=x)
            case "gather":
                return ops.gather(x, ops.constant(draw.integers(0, x.shape[at], 3), "int32"), at)
            case "softmax":
                return ops.softmax(x)
            case "cumsum":
                return ops.cumsum(x, at)
            case "mean":
                return ops.reduce_mean(x, [at], keep_dims=bool(draw.integers(2)))
            case "product":
                return ops.matmul(x, ops.constant(draw.standard_normal((x.shape[-1], 3)), "float32"))


class Turned(nn.Module):
    """Steps that each add a value to its own transpose, in `order`, or in orders drawn by `seed` if it is not 0."""

    def __init__(self, order, seed):
        self.order, self.seed = order, seed

    def forward(self, x):
        x, draw = ops.relu(x), numpy.random.default_rng(self.seed)
        for _ in range(4):
            x = ops.transpose(x, [0, *(1 + draw.permutation(3)).tolist()] if self.seed else self.order) + x
        return x


def both_ways(model, values, sizes, name, is_same):
    """How many transposes there are without the pass and with it, which are no more; what is inferred is the same."""
    text = model.to_mlir({input: nn.Input(sizes[1:]) for input in values})
    counts, results = [], []
    for cancel in (False, True):
        settings = {"policy": "float32", "batch_size": sizes[0], "training": False, "cancel_transposes": cancel}
        counts.append(halfstep.compile(text, to="inference", **settings).count("mp.transpose "))
        with halfstep.Session(halfstep.compile(text, **settings)) as session:
            results.append(session.run("infer", values))
    assert counts[1] <= counts[0], (name, counts)
    for output, value in results[0].items():
        assert is_same(value, results[1][output]), (name, output)
    return counts


def same_bits(one, other):
    return numpy.array_equal(one, other, equal_nan=True)


def close(one, other):
    return numpy.allclose(one, other, 1e-5, 1e-5, equal_nan=True)


fewer = dict.fromkeys((DIFFERENT, EQUAL), 0)
for sizes, seed in itertools.product(fewer, range(60)):
    x, y = (numpy.random.default_rng(number).standard_normal(sizes).astype("float32") for number in range(2))
    sums = seed % 3 == 0
    before, after = both_ways(Chain(seed, sums), {"x": x, "y": y}, sizes, (sizes, seed), close if sums else same_bits)
    fewer[sizes] += after < before
assert min(fewer.values()) > 50, fewer
print(fewer, "of 60 chains each have fewer transposes")

# Small whole numbers, whose sums are exact in any order.
x = numpy.random.default_rng(0).integers(-9, 10, EQUAL).astype("float32")
for order, seed in [*((list(order), 0) for order in itertools.permutations(range(1, 4))), *(([], seed) for seed in range(1, 11))]:
    both_ways(Turned([0, *order], seed), {"x": x}, EQUAL, (order, seed), same_bits)
