"""Tensors of models are indexed, cut and put together as NumPy's arrays are.

RUN: %{python} %s
"""

import pathlib
import sys

import numpy

import halfstep
from halfstep import nn, ops

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from checks import model_of


def run(function, x):
    text = str(model_of(function, x.shape, x.dtype.name))
    executable = halfstep.compile(text, training=False, policy="float32", batch_size=len(x))
    session = halfstep.Session(executable, "cpu", threads=1)
    session.initialize()
    return session.run("infer", x=x)["output"]


x = numpy.arange(2 * 5 * 6, dtype="float32").reshape(2, 5, 6)
INDICES = [
    lambda x: x[:, 1:3],
    lambda x: x[:, -2:, ::2],
    lambda x: x[..., ::-1],
    lambda x: x[:, 4:0:-2, 1],
    lambda x: x[:, -1],
    lambda x: x[:, None, :, 3:],
    lambda x: x[..., 2:2],
    lambda x: x[:, :, None, 5],
]
for index in INDICES:
    found = run(index, x)
    assert found.shape == index(x).shape and (found == index(x)).all(), (found, index(x))

assert (run(lambda x: ops.concat([x, x[:, :1]], 1), x) == numpy.concatenate([x, x[:, :1]], 1)).all()
assert (run(lambda x: ops.stack([x, -x], -1), x) == numpy.stack([x, -x], -1)).all()
assert (run(lambda x: ops.split(x, [1, 3, 1], 1)[1], x) == x[:, 1:4]).all()
assert (run(lambda x: ops.split(x, 3)[2], x) == x[..., 4:]).all()
assert (run(lambda x: ops.flip(x, -1), x) == x[..., ::-1]).all()
padded = numpy.pad(x, ((0, 0), (1, 0), (0, 2)), constant_values=7)
assert (run(lambda x: ops.pad(x, (0, 1, 0), (0, 0, 2), value=7), x) == padded).all()
labels = numpy.array([3, 0, 9], "int32")
hot = run(lambda x: ops.one_hot(x, 5), labels)
assert (hot == (labels[:, None] == numpy.arange(5))).all() and hot.dtype == numpy.float32
both = run(lambda x: ops.cast((x > 3) & ~(x >= 40) | (x == 0), "float32"), x)
assert (both == ((x > 3) & ~(x >= 40) | (x == 0))).all()


def refused(expected, forward):
    try:
        model_of(forward, (2, 5, 6)).to_mlir()
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(expected)


refused("dimension 0 is the batch, whose size is open: it is taken whole", lambda x: x[1:])
refused("index 5 is outside of dimension 1 with 5 elements", lambda x: x[:, 5])
refused("there are 4 indices for 3 dimensions", lambda x: x[:, 0, 0, 0])
refused("ops.gather takes tensors", lambda x: x[:, [1, 2]])
refused("ops.split gives parts", lambda x: list(x)[0])
refused("30 elements cannot be split into 4 equal parts", lambda x: ops.split(x.reshape(None, 30), 4)[0])
refused("operands differ outside dimension 1", lambda x: ops.concat([x, x[..., 1:]], 1))


class Words(nn.Module):
    """The mean of the words' vectors, and a layer."""

    def __init__(self):
        self.embedding = nn.Embedding(50, 16)
        self.head = nn.Dense(2)

    def forward(self, tokens):
        return self.head(ops.mean(self.embedding(tokens), 1))


# Which of two words comes more often in eight.
random = numpy.random.default_rng(0)
tokens = random.integers(0, 50, (2000, 8)).astype("int32")
target = ((tokens == 7).sum(1) > (tokens == 11).sum(1)).astype("uint8")
words = Words().specify(tokens=nn.Input((8,), "int32"))
words.compile(optimizer=halfstep.Adam(0.02), policy="mixed_bfloat16")
words.fit(tokens, target, batch_size=50, epochs=8, verbose=False)
assert words.evaluate(tokens, target, batch_size=50)["accuracy"] > 0.97
