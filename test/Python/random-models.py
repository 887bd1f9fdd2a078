"""Models that hypothesis draws print, parse and give the same module, and predict what NumPy computes.

RUN: %{python} %s %if long %{400%} %else %{40%}
"""

import subprocess
import sys

import numpy
from hypothesis import HealthCheck, given, settings, strategies

import halfstep
from halfstep import nn, ops

# The same models every time; a failure is made small, and printed.
EXAMPLES = int(sys.argv[1])
ROWS = 3


def softmax(x):
    powers = numpy.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


# What the ops do, by NumPy.
UNARY = {
    "abs": numpy.abs,
    "exp": lambda x: numpy.exp(numpy.minimum(x, 3.0)),
    "floor": numpy.floor,
    "neg": numpy.negative,
    "relu": lambda x: numpy.maximum(x, 0.0),
    "sigmoid": lambda x: 1.0 / (1.0 + numpy.exp(-x)),
    "softmax": softmax,
    "softplus": lambda x: numpy.logaddexp(0.0, x),
    "tanh": numpy.tanh,
}
BINARY = {"add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "max": numpy.maximum, "min": numpy.minimum}
REDUCED = {"sum": numpy.sum, "mean": numpy.mean}


@strategies.composite
def models(draw):
    """Steps of a model, each of an op, what it reads and what it is told."""
    shapes = [tuple(draw(strategies.lists(strategies.integers(1, 4), min_size=1, max_size=3)))]
    steps = []
    for _ in range(draw(strategies.integers(1, 8))):
        read = draw(strategies.integers(0, len(shapes) - 1))
        shape = shapes[read]
        kinds = ["unary", "binary", "number", "region"]
        if shape:  # rows that are more than a number
            kinds += ["dense", "transpose", "reshape", "reduce"]
        kind = draw(strategies.sampled_from(kinds))
        if kind in ("unary", "region"):
            what = draw(strategies.sampled_from(sorted(UNARY if shape else set(UNARY) - {"softmax"})))
        elif kind == "binary":
            alike = [i for i, one in enumerate(shapes) if one == shape]
            what = draw(strategies.sampled_from(sorted(BINARY))), draw(strategies.sampled_from(alike))
        elif kind == "number":
            what = draw(strategies.sampled_from(sorted(BINARY))), draw(strategies.integers(-8, 8)) / 4
        elif kind == "dense":
            what = draw(strategies.integers(1, 4))
            shape = (*shape[:-1], what)
        elif kind == "transpose":
            what = draw(strategies.permutations(range(len(shape))))
            shape = tuple(shape[i] for i in what)
        elif kind == "reshape":
            shape = what = (int(numpy.prod(shape)),)
        else:
            axis = draw(strategies.integers(0, len(shape) - 1))
            what = draw(strategies.sampled_from(sorted(REDUCED))), axis, draw(strategies.booleans())
            shape = (*shape[:axis], *([1] if what[2] else []), *shape[axis + 1 :])
        steps.append((kind, read, what))
        shapes.append(shape)
    return shapes[0], steps


class Drawn(nn.Module):
    def __init__(self, steps):
        self.steps = steps
        self.layers = {str(i): nn.Dense(what) for i, (kind, _, what) in enumerate(steps) if kind == "dense"}

    def forward(self, x):
        values = [x]
        for i, (kind, read, what) in enumerate(self.steps):
            values.append(self.compute(i, kind, values[read], what, values))
        return values[-1]

    def compute(self, i, kind, x, what, values):
        if kind == "unary":
            return getattr(ops, what)(ops.min(x, 3.0) if what == "exp" else x)
        if kind == "region":
            with halfstep.autocast(enabled=False):
                return self.compute(i, "unary", x, what, values)
        if kind == "binary":
            return getattr(ops, what[0])(x, values[what[1]])
        if kind == "number":
            return getattr(ops, what[0])(x, what[1])
        if kind == "dense":
            return self.layers[str(i)](x)
        if kind == "transpose":
            return ops.transpose(x, [0, *(one + 1 for one in what)])
        if kind == "reshape":
            return ops.reshape(x, (None, *what))
        return getattr(ops, what[0])(x, what[1] + 1, what[2])


def by_numpy(steps, weights, x):
    values = [x.astype(numpy.float64)]
    for i, (kind, read, what) in enumerate(steps):
        y = values[read]
        if y is None or (kind == "binary" and values[what[1]] is None) or (kind == "dense" and f"layers.{i}.kernel" not in weights):
            y = None  # not used by the result, so that its weights are no state
        elif kind in ("unary", "region"):
            y = UNARY[what](y)
        elif kind == "binary":
            y = BINARY[what[0]](y, values[what[1]])
        elif kind == "number":
            y = BINARY[what[0]](y, what[1])
        elif kind == "dense":
            y = y @ weights[f"layers.{i}.kernel"] + weights[f"layers.{i}.bias"]
        elif kind == "transpose":
            y = y.transpose(0, *(one + 1 for one in what))
        elif kind == "reshape":
            y = y.reshape(len(y), *what)
        else:
            y = REDUCED[what[0]](y, axis=what[1] + 1, keepdims=what[2])
        values.append(y)
    return values[-1]


def parsed(text):
    command = ["mp-opt", "-", "--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(models())
def check(drawn):
    sizes, steps = drawn
    model = Drawn(steps).specify(x=nn.Input(sizes))
    text = model.to_mlir(locations=True)
    assert text == model.to_mlir(locations=True)
    assert parsed(text).strip() == text.strip()
    executable = halfstep.compile(text, training=False, policy="float32", batch_size=ROWS)
    # Quarters, of which sums and products are exact: what rounds is what has to.
    x = numpy.random.default_rng(0).integers(-8, 8, (ROWS, *sizes)).astype(numpy.float32) / 4
    with halfstep.Session(executable, threads=1) as session:
        session.initialize(seed=1)
        weights = dict(session.state)
        (result,) = session.run("infer", x=x).values()
    expected = by_numpy(steps, weights, x)
    assert result.shape == expected.shape
    floors = any(what == "floor" for _, _, what in steps)  # where a last place makes a whole one
    largest = numpy.abs(expected).max() if expected.size else 0.0
    assert floors or numpy.abs(result - expected).max() <= 2.0**-18 * max(largest, 1.0), (result, expected)


check()
