"""Predictions of few rows run a program of the next power of two, compiled once; those of other programs differ by rounding alone.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
import halfstep.training.predictions
from halfstep import nn, ops

random = numpy.random.default_rng(3)
X = random.standard_normal((72, 33)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")
compiled = []
compile_traced = halfstep.training.predictions.compile_traced


def counting(model, name, device, **settings):
    compiled.append(settings["batch_size"])
    return compile_traced(model, name, device, **settings)


halfstep.training.predictions.compile_traced = counting


def make(policy="float32", **named):
    model = nn.Sequential(nn.Input((33,)), nn.Dense(128, "relu"), nn.LayerNorm(), nn.Dense(64, "gelu"), nn.Dense(10), nn.Activation("softmax"))
    model.compile("adam", loss=lambda outputs, targets: ops.mean(outputs * outputs), metrics=[], policy=policy, threads=1, **named)
    return model


def counted(function):
    """The batches that it has programs compiled for, and what it gives."""
    del compiled[:]
    result = function()
    return list(compiled), result


# Programs are compiled for the powers of two up to half of the batch, when they are needed, once; more rows run that of the training.
model = make()
model.fit(X, Y, 64, verbose=False)
for rows, batches in ((1, [1]), (1, []), (2, [2]), (3, [4]), (4, []), (17, [32]), (31, []), (5, [8]), (32, []), (33, []), (64, []), (72, []), (16, [16])):
    made, result = counted(lambda: model.predict(X[:rows]))
    assert made == batches and result.shape == (rows, 10), (rows, made)
small = make()
small.fit(X, Y, 4, verbose=False)
assert counted(lambda: [small.predict(X[:rows]) for rows in (1, 2, 3, 4, 72, 1)])[0] == [1]

# They have the state that the model has, whoever set it: steps, fits, evaluation, what is loaded, another batch.
weights = {name: value * 0.5 for name, value in model.state_dict().items()}
kernel = model.state_dict()["dense1.kernel"]
for change in (lambda: model.trainer.step(X[:64], Y[:64]), lambda: model.fit(X, Y, 64, verbose=False), lambda: model.fit([(X[:64], Y[:64])], verbose=False),
               lambda: model.load_state_dict(weights), lambda: model.trainer.session.state.update({"dense1.kernel": kernel}),
               lambda: model.fit(X, Y, 32, verbose=False), lambda: model.trainer.session.run("train_step", x=X[:32], y=Y[:32])):
    before = model.predict(X[:3])
    change()
    made, after = counted(lambda: model.predict(X[:3]))
    assert made == [] and (before != after).any() and numpy.allclose(after, model.predict(X)[:3], rtol=1e-5), change
untrained = make()
first = untrained.predict(X[:3])
assert numpy.allclose(first, untrained.predict(X)[:3], rtol=1e-5)
untrained.load_state_dict(weights)
made, after = counted(lambda: untrained.predict(X[:3]))
assert made == [] and (first != after).any() and numpy.allclose(after, untrained.predict(X)[:3], rtol=1e-5)
assert counted(lambda: nn.Sequential(nn.Input((33,)), nn.Dense(2)).predict(X[:1]))[0] == [1]

# A row's bits may be others in another program: by so many units of the last place of the row's largest output at most. Seen on CPUs with AVX-512,
# of this, convolutions, an LSTM and attention, is 0: kernels add in the same order there.
LARGEST = {"float32": 4, "mixed_bfloat16": 2, "mixed_float16": 2}
for policy, most in LARGEST.items():
    model = make(policy)
    model.fit(X, Y, 64, verbose=False)
    whole = model.predict(X).astype("float64")
    bits = 24 if policy == "float32" else 8 if "bfloat16" in policy else 11
    unit = 2.0 ** (numpy.floor(numpy.log2(abs(whole).max(1, keepdims=True))) - bits + 1)
    seen = {rows: (abs(model.predict(X[:rows]) - whole[:rows]) / unit[:rows]).max() for rows in (1, 2, 3, 17)}
    print(policy, seen)
    assert max(seen.values()) <= most, (policy, seen)

# A batch that is fixed is run as it is; so is one whose types follow from its size.
fixed = nn.Sequential(nn.Dense(2))
fixed.specify(x=nn.Input((8, 33), batched=False))
fixed.compile("adam", loss=lambda outputs, targets: ops.mean(outputs), metrics=[], policy="float32", threads=1)
assert counted(lambda: fixed.predict(X[:8]))[0] == [None]
joined = fixed.predict(X[i : i + 8] for i in range(0, 24, 8))
for rows in (3, 24):
    try:
        fixed.predict(X[:rows])
        raise AssertionError(rows)
    except halfstep.Error as error:
        assert f"predict: 'x' has {rows} rows, and the model takes 8 alone" in str(error), error
assert joined.shape == (24, 2) and (joined[8:16] == fixed.predict(X[8:16])).all()
auto = make("auto")
auto.fit(X, Y, 64, verbose=False)
assert counted(lambda: auto.predict(X[:1]))[0] == []


# Where rows depend on each other they are those that are given, however few.
class Centered(nn.Module):
    def __init__(self):
        self.head = nn.Dense(2)

    def forward(self, x):
        return self.head(x - ops.mean(x, 0, True))


centered = Centered().specify(x=nn.Input((33,)))
centered.compile("adam", policy="float32", threads=1)
kernel, bias = (numpy.asarray(centered.state_dict()[f"head.{name}"], "float64") for name in ("kernel", "bias"))
for rows in (1, 3, 64, 65):
    wanted = (X[:rows] - X[:rows].astype("float64").mean(0)) @ kernel + bias
    assert numpy.abs(centered.predict(X[:rows]) - wanted).max() < 1e-4, rows

# One row is normalized by running statistics, however few values of each channel it has; it cannot be trained on, as in PyTorch.
normed = nn.Sequential(nn.Input((33,)), nn.Dense(8), nn.BatchNorm(), nn.Dense(3))
normed.compile("adam", policy="float32")
normed.fit(X, Y % 3, 24, verbose=False)
assert numpy.allclose(normed.predict(X[:1]), normed.predict(X)[:1], rtol=1e-4, atol=1e-6)
try:
    normed.trainer.step(X[:1], Y[:1] % 3)
except halfstep.Error:
    pass
else:
    raise AssertionError("a batch of one value of each channel was trained on")
