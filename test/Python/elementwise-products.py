"""einsum and outer of which nothing is summed multiply element by element: in float32 of float32 values under every policy, with their
gradients, as NumPy has them in float64.

RUN: %{python} %s
"""

import itertools

import numpy

import halfstep
from halfstep import nn, ops

random = numpy.random.default_rng(11)
SIZES = {"b": 3, "i": 4, "j": 5, "k": 1}


def equations():
    """Pairs of operands of none to three letters, shared or not, the result in two orders; a letter of one element may be summed: it is no sum."""
    for left, right in itertools.product(("", "b", "bi", "ib", "jbi"), ("", "i", "ib", "bij")):
        both = "".join(sorted({*left, *right}))
        yield from (f"{left},{right}->{output}" for output in {both, both[::-1]})
    yield from ("bk,ki->bi", "bik,bk->bi", "k,k->", "bik,jk->bij", "ik,jk->ij")


def large(letters):
    """Products of two are beyond what float16 has, and differ where bfloat16 has one."""
    shape = tuple(SIZES[one] for one in letters)
    return random.uniform(500, 1500, shape).astype("float32") * random.choice([-1, 1], shape).astype("float32")


EQUATIONS = list(equations())
PARTS = {one: one.partition("->")[0].split(",") for one in EQUATIONS}
VALUES = {f"{side}.{i}": large(PARTS[one][side == "right"]) for i, one in enumerate(EQUATIONS) for side in ("left", "right")}
WEIGHTS = [random.standard_normal(tuple(SIZES[letter] for letter in one.partition("->")[2])).astype("float32") for one in EQUATIONS]


class Products(nn.Module):
    def __init__(self):
        self.left, self.right = ([nn.Parameter(VALUES[f"{side}.{i}"].shape, "ones") for i in range(len(EQUATIONS))] for side in ("left", "right"))

    def forward(self, one):
        return {f"e{i}": ops.einsum(equation, self.left[i] * one, self.right[i]) for i, equation in enumerate(EQUATIONS)}


def loss(outputs, targets):
    terms = [ops.sum(outputs[f"e{i}"] * ops.constant(weight)) for i, weight in enumerate(WEIGHTS)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total + 0 * ops.mean(targets)


def close(found, equation, operands, what):
    """To the sum of products, within the rounding of its terms."""
    wanted, most = (numpy.einsum(equation, *given) for given in (operands, [abs(one) for one in operands]))
    assert found.shape == wanted.shape and numpy.abs(found - wanted).max(initial=0) <= 2e-6 * most.max(initial=0), (what, found, wanted)


RATE = 2.0**20  # so that what a parameter was is nothing beside its gradient
for policy in ("float32", "mixed_float16", "mixed_bfloat16", "pytorch", "tensorflow"):
    model = Products().specify(one=nn.Input((), batched=False))
    model.compile(halfstep.SGD(RATE), loss=loss, policy=policy, loss_scaler="none", threads=1)
    model.load_state_dict(VALUES)
    one = numpy.float32(1)
    for i, (name, found) in enumerate(model.predict(one).items()):
        equation = EQUATIONS[i]
        a, b = (VALUES[f"{side}.{i}"].astype("float64") for side in ("left", "right"))
        close(found, equation, (a, b), (policy, equation))
    assert not model.trainer.step(one, numpy.zeros(1, "float32"))["skipped"]
    after = model.state_dict()
    for i, equation in enumerate(EQUATIONS):
        (left, right), output = PARTS[equation], equation.partition("->")[2]
        a, b, w = (one.astype("float64") for one in (VALUES[f"left.{i}"], VALUES[f"right.{i}"], WEIGHTS[i]))
        for own, other, x, before, side in ((left, right, b, a, "left"), (right, left, a, b, "right")):
            extra = [letter for letter in own if letter not in output and letter not in other]
            gradient = ",".join([output, other, *extra]) + "->" + own
            close((before - after[f"{side}.{i}"]) / RATE, gradient, (w, x, *[numpy.ones(1)] * len(extra)), (policy, equation, side))


# Of rows of a batch of any size: angles of rotary embeddings, which are far from each other beyond 256, too.
class Angles(nn.Module):
    def __init__(self, frequencies, makes):
        self.frequencies, self.makes, self.scale = frequencies, makes, nn.Parameter((4,), "ones")

    def forward(self, positions):
        return ops.sin(self.makes(positions, ops.constant(self.frequencies))) * self.scale


frequencies = (1e4 ** -(numpy.arange(4) / 4)).astype("float32")
rows = numpy.arange(4 * 600, dtype="float32").reshape(4, 600)
for policy in ("mixed_float16", "mixed_bfloat16"):
    for makes, x, fixed in ((lambda p, f: ops.einsum("bl,d->bld", p, f), rows, False), (ops.outer, rows.reshape(-1), True)):
        model = Angles(frequencies, makes)
        if fixed:
            model.specify(positions=nn.Input(x.shape, batched=False))
        model.compile("sgd", loss="mse", metrics=[], policy=policy)
        wanted = numpy.sin(x.astype("float64")[..., None] * frequencies)
        assert numpy.abs(model.predict(x) - wanted).max() < 1e-3, (policy, fixed)


# What is summed over both is a product of matrices, in the low type, as is what PyTorch's autocast lists beside it.
class Matrices(nn.Module):
    def __init__(self, makes):
        self.makes, self.weight = makes, nn.Parameter((4, 4), "ones")

    def forward(self, x):
        return self.makes(x, self.weight)


for makes, is_matmul in ((lambda x, w: ops.einsum("bi,ij->bj", x, w), True), (lambda x, w: ops.addmm(x, x, w), True),
                         (lambda x, w: x + ops.addr(w, w[0], w[1])[0], True), (lambda x, w: x + ops.outer(w[0], w[1])[0], False),
                         (lambda x, w: ops.einsum("bi,j->bij", x, w[0]), False)):
    text = halfstep.compile(Matrices(makes).specify(x=nn.Input((4,))).to_mlir(), to="autocast", policy="mixed_bfloat16", training=False, batch_size=2)
    assert ("mp.matmul" in text) == is_matmul and ("bf16" in text) == is_matmul, text
