"""A model that was given wrong data first knows nothing of them: with the right ones it trains as if they had been the first.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
from halfstep import nn

random = numpy.random.default_rng(1)
X = random.standard_normal((32, 8, 8, 3)).astype("float32")
Y = random.integers(0, 3, 32)
WRONG = {
    "elements of uint8": (X.astype("uint8"), Y),
    "expected floats": (X.astype("int32"), Y),
    "differ in type": (X.astype("float16"), Y),
    "a window spans": (X.transpose(0, 3, 1, 2).copy(), Y),
    "given 2 dimensions": (X.reshape(32, -1), Y),
    "given 3 dimensions": (X[0], Y[:8]),
    "labels of shape (None, 5)": (X, numpy.eye(5, dtype="float32")[Y]),
}
CALLS = {
    "fit": lambda model, x, y: model.fit(x, y, 8, verbose=False),
    "fit with batches": lambda model, x, y: model.fit([(x, y)], verbose=False),
    "step": lambda model, x, y: model.trainer.step(x, y),
    "evaluate": lambda model, x, y: model.evaluate(x, y),
    "predict": lambda model, x, y: model.predict(x),
    "compare": lambda model, x, y: halfstep.compare(model, (x, y), ["float32"], batch_size=8),
}


class Lazy(nn.Module):
    """Makes its parameter in its forward."""

    def __init__(self):
        self.kernel = None

    def forward(self, x):
        self.kernel = self.kernel or nn.Parameter((x.shape[-1], 3), "glorot_uniform")
        return x @ self.kernel


def make(head=nn.Dense):
    model = nn.Sequential(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(2), nn.Flatten(), Lazy() if head is Lazy else nn.Dense(3))
    model.compile("adam", policy="float32", threads=1)
    return model


for kind, call in CALLS.items():
    for said, (x, y) in WRONG.items():
        if kind == "predict" and said.startswith("labels"):
            continue
        model = make()
        for _ in range(2):
            try:
                call(model, x, y)
                raise AssertionError((kind, said))
            except halfstep.Error as error:
                assert said in str(error), (kind, said, error)
            assert not list(model.named_leaves()) and not model.__dict__.get("_inputs"), (kind, said)
        call(model, X, Y)
        assert model.predict(X).shape == (32, 3)

# What training gives is the same, with or without them.
for head in (nn.Dense, Lazy):
    fresh, tried = make(head), make(head)
    for x, y in WRONG.values():
        try:
            tried.fit(x, y, 8, verbose=False)
            raise AssertionError(head)
        except halfstep.Error:
            pass
    losses = [model.fit(X, Y, 8, 2, verbose=False, seed=3).history["loss"] for model in (fresh, tried)]
    assert losses[0] == losses[1], losses

# What the user said stays: inputs, first values; and what a model was built for before.
model = nn.Sequential(nn.Input((4,)), nn.Dense(2))
model.compile("sgd", policy="float32", threads=1)
model.load_state_dict({"dense1.kernel": numpy.full((4, 2), 3.0), "dense1.bias": numpy.ones(2)})
ones = numpy.ones((8, 4), "float32")
try:
    model.fit(ones, numpy.zeros((8, 5), "float32"), 8, verbose=False)
    raise AssertionError
except halfstep.Error as error:
    assert "labels of shape (None, 5)" in str(error), error
assert (model.predict(ones) == 13).all()
model.fit(ones, numpy.zeros(8, "int64"), 8, verbose=False)
assert (model.predict(ones)[:, 0] > 12.9).all()
