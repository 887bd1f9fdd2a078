"""What a model looks up, or takes for a class, is checked where a user gives it; what a model makes of it is its own business.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
from halfstep import nn, ops

TOKENS = numpy.random.default_rng(0).integers(0, 20, (32, 5)).astype("int32")
Y = (TOKENS[:, 0] > 9).astype("int64")


class Words(nn.Module):
    """Two tables, of which one has fewer rows."""

    def __init__(self, change=None):
        self.many, self.few, self.head, self.change = nn.Embedding(30, 4), nn.Embedding(20, 4), nn.Dense(2), change

    def forward(self, tokens):
        tokens = self.change(tokens) if self.change else tokens
        return self.head(ops.mean(self.many(tokens) + self.few(tokens), 1))


def compiled(change=None):
    model = Words(change)
    model.compile("adam", policy="mixed_bfloat16", threads=1)
    return model


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def with_index(index, row=3):
    tokens = TOKENS.copy()
    tokens[row, 2] = index
    return tokens


def batches(tokens):
    return [(tokens[i : i + 8], Y[i : i + 8]) for i in range(0, 32, 8)]


model = compiled()
model.fit(TOKENS, Y, 8, verbose=False)
before = model.state_dict()
for index in (20, 29, 30, -1, 2**31 - 1, -(2**31)):
    tokens = with_index(index)
    said = f"index {index} of row 3 is out of range: input 'tokens' takes 0 to 19"
    refused(said, model.predict, tokens)
    refused(said, model.evaluate, tokens, Y)
    refused(said, model.fit, tokens, Y, 8, verbose=False)
    refused(said, model.fit, TOKENS, Y, 8, verbose=False, validation_data=(tokens, Y))
    refused(said, model.fit, batches(tokens), verbose=False)
    refused(said, model.trainer.step, tokens, Y)
assert all((before[name] == value).all() for name, value in model.state_dict().items())
refused("index 20 of row 31 is out of range", model.predict, with_index(20, 31))
refused("index 20 of row 3 is out of range", halfstep.compare, compiled(), (with_index(20), Y), ["float32"], batch_size=8)
assert numpy.isfinite(model.predict(with_index(19))).all()

# A model that has never been compiled, and an executable by itself.
refused("index 20 of row 3 is out of range", Words().predict, with_index(20))
executable = halfstep.compile(model.to_mlir(), training=False, policy="float32", batch_size=8)
with halfstep.Session(executable) as session:
    session.initialize()
    refused("index 20 of row 3 is out of range", session.run, "infer", tokens=with_index(20))

# An index that the model changes first is not the user's: out of range it gives NaN, as ops.gather says.
assert numpy.isfinite(compiled(lambda tokens: ops.select(tokens > 19, 0, tokens)).predict(with_index(99))).all()
shifted = compiled(lambda tokens: tokens + 1).predict(with_index(19))
assert numpy.isnan(shifted[3]).all() and numpy.isnan(shifted).any(1).sum() == (TOKENS == 19).any(1).sum() + (TOKENS[3] != 19).all()

# Labels of a program that is run by itself are classes; and data at random are in range.
session = model.trainer.session
refused("label 2 of row 1 is out of range: input 'y' has 2 classes", session.run, "train_step", tokens=TOKENS[:8], y=numpy.arange(8) + 1)
session._handle.time_kernels("train_step", 0, 1)
assert all(numpy.isfinite(session.state[name]).all() for name in before)
