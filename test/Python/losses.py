"""Losses by the names of ops, of Keras and of PyTorch, against NumPy; callbacks that write; batches of somebody else.

RUN: rm -rf %t && mkdir %t
RUN: %{python} %s %t
"""

import csv
import json
import math
import pathlib
import struct
import sys

import numpy

import halfstep
from halfstep import nn

folder = sys.argv[1]
random = numpy.random.default_rng(2)
X = random.standard_normal((48, 5)).astype(numpy.float32)
Y = (X @ random.standard_normal((5, 1)) + 0.3).astype(numpy.float32)
LABELS = (Y[:, 0] > 0).astype(numpy.int64)


def refused(expected, function, *arguments, kind=halfstep.Error, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def cross_entropy(z, y, smoothing=0.0):
    logs = z - z.max(1, keepdims=True)
    logs -= numpy.log(numpy.exp(logs).sum(1, keepdims=True))
    wanted = (1 - smoothing) * numpy.eye(z.shape[1])[y] + smoothing / z.shape[1]
    return -(wanted * logs).sum(1).mean()


def binary(p, y):
    return -(y * numpy.log(p) + (1 - y) * numpy.log(1 - p)).mean()


def huber(z, y, delta=1.0):
    error = numpy.abs(z - y)
    return numpy.where(error <= delta, error**2 / 2, delta * (error - delta / 2)).mean()


def fit(loss, outputs, targets, activation=None, **named):
    model = nn.Sequential(nn.Input((5,)), nn.Dense(outputs, activation))
    model.compile(halfstep.SGD(0.1), loss=loss, policy="float32", **named)
    history = model.fit(X, targets, batch_size=16, epochs=3, verbose=False)
    assert history.history["loss"][-1] < history.history["loss"][0], loss
    return model, model.evaluate(X, targets), model.predict(X).astype(numpy.float64)


# Each by all of its names; targets [rows] are those of outputs [rows, 1], and integers are numbers.
FAMILIES = [
    (("mse", "mean_squared_error", "mse_loss", "MSELoss"), 1, Y, None, lambda z: ((z - Y) ** 2).mean()),
    (("mae", "mean_absolute_error", "l1_loss", "L1Loss"), 1, Y[:, 0], None, lambda z: numpy.abs(z - Y).mean()),
    (("huber", "huber_loss", "HuberLoss"), 1, Y, None, lambda z: huber(z, Y)),
    ((halfstep.losses.Huber(delta=0.25),), 1, Y, None, lambda z: huber(z, Y, 0.25)),
    (("binary_crossentropy", "binary_cross_entropy", "BCELoss"), 1, LABELS, "sigmoid", lambda p: binary(p, LABELS[:, None])),
    (("sigmoid_cross_entropy", "binary_cross_entropy_with_logits", "BCEWithLogitsLoss"), 1, LABELS, None,
     lambda z: binary(sigmoid(z), LABELS[:, None])),
    (("cross_entropy", "CrossEntropyLoss", halfstep.losses.SparseCategoricalCrossentropy(from_logits=True)), 2, LABELS, None, lambda z: cross_entropy(z, LABELS)),
    ((halfstep.losses.CrossEntropy(label_smoothing=0.2),), 2, LABELS, None, lambda z: cross_entropy(z, LABELS, 0.2)),
]
for names, outputs, targets, activation, expected in FAMILIES:
    for name in names:
        model, scores, predicted = fit(name, outputs, targets, activation)
        assert math.isclose(scores["loss"], expected(predicted), rel_tol=2e-6), (name, scores, expected(predicted))
        assert ("accuracy" in scores) == (outputs == 2), (name, scores)

# Keras' classes are named as its functions are, and weights may be its dictionary.
for name in ("SparseCategoricalCrossentropy", "MeanSquaredError", "KLDivergence", "CosineSimilarity", "kullback_leibler_divergence"):
    assert halfstep.losses._losses.find(halfstep.losses._losses.LOSSES, "loss", name)
refused("there is no loss 'kl_dive'; did you mean 'kl_div'? There are cross_entropy", fit, "kl_dive", 2, LABELS)
scores = [fit(halfstep.losses.CrossEntropy(weight=weight), 2, LABELS)[1] for weight in ({1: 3.0}, [1.0, 3.0])]
assert scores[0] == scores[1], scores
refused("cross_entropy: weight: there is no class 2 of 2", fit, halfstep.losses.CrossEntropy(weight={2: 1.0}), 2, LABELS)
refused("did you mean losses.CrossEntropy?", lambda: halfstep.losses.CrossEntropyLoss, kind=AttributeError)
refused('compile(loss="mean_squared_error") takes it by its name', lambda: halfstep.losses.MeanSquaredError, kind=AttributeError)


class Two(nn.Module):
    def __init__(self):
        self.a, self.b = nn.Dense(2), nn.Dense(2)

    def forward(self, x):
        return {"a": self.a(x), "b": self.b(x)}


refused("the model has several outputs, 'a', 'b', and the loss is of one: "
        "give a function of a dictionary of them", lambda: (model := Two()).compile(halfstep.SGD(0.1)) or model.fit(X, LABELS, batch_size=16, verbose=False))

# A label is the number that it is, in whichever type it comes next; one that the first type does not have is refused.
model, scores, predicted = fit("cross_entropy", 2, LABELS.astype("uint8"))
for dtype in ("int64", "int32", "bool", "int8"):
    assert model.evaluate(X, LABELS.astype(dtype)) == scores, dtype
assert (model.predict(X.astype("float64")) == predicted.astype("float32")).all()
refused("input 'y' is tensor<16xui8>, a row of the data is tensor<i64>", model.evaluate, X, LABELS + 300)

model, scores, predicted = fit("mse", 1, Y, metrics=["mae", "mse"])
assert math.isclose(scores["mae"], numpy.abs(predicted - Y).mean(), rel_tol=1e-5) and math.isclose(scores["mse"], scores["loss"], rel_tol=1e-5)
model, scores, predicted = fit("BCELoss", 1, LABELS, "sigmoid", metrics=["binary_accuracy"])
assert math.isclose(scores["binary_accuracy"], ((predicted[:, 0] > 0.5) == LABELS).mean(), rel_tol=1e-6)
model, scores, predicted = fit("BCEWithLogitsLoss", 1, LABELS, metrics=["sigmoid_accuracy"])
assert math.isclose(scores["sigmoid_accuracy"], ((predicted[:, 0] > 0) == LABELS).mean(), rel_tol=1e-6)

# Files of epochs.
callbacks = halfstep.callbacks
model = nn.Sequential(nn.Input((5,)), nn.Dense(2))
model.compile(halfstep.SGD(0.1), policy="float32")
written = [
    callbacks.CSVLogger(f"{folder}/log.csv"), callbacks.JSONLinesLogger(f"{folder}/log.jsonl"),
    callbacks.ModelCheckpoint(f"{folder}/{{epoch}}-{{val_loss:.2f}}.safetensors"),
    callbacks.ModelCheckpoint(f"{folder}/best.safetensors", save_best_only=True),
    callbacks.TensorBoard(f"{folder}/runs", update_freq="batch"),
]
history = model.fit(X, LABELS, batch_size=16, epochs=2, validation_data=(X, LABELS), callbacks=written, verbose=False)
with open(f"{folder}/log.csv", newline="") as file:
    rows = list(csv.DictReader(file))
assert [row["epoch"] for row in rows] == ["0", "1"] and float(rows[1]["val_loss"]) == history.history["val_loss"][1]
with open(f"{folder}/log.jsonl") as file:
    lines = [json.loads(line) for line in file]
assert [line["loss"] for line in lines] == history.history["loss"] and lines[1]["epoch"] == 1
assert history.history["val_loss"][1] < history.history["val_loss"][0]
kernel = model.state_dict()["dense1.kernel"]
for name in (f"2-{history.history['val_loss'][1]:.2f}", "best"):
    model.load_weights(f"{folder}/{name}.safetensors")
    assert (model.state_dict()["dense1.kernel"] == kernel).all(), name
model.fit(X, LABELS, batch_size=16, epochs=3, initial_epoch=2, callbacks=[callbacks.CSVLogger(f"{folder}/log.csv", append=True)], verbose=False)
with open(f"{folder}/log.csv") as file:
    assert [line.split(",")[0] for line in file] == ["epoch", "0", "1", "2"]


def records(path):
    """A file of TensorBoard: lengths, each with a checksum, and messages, each with one."""
    data = path.read_bytes()
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        yield data[12 : 12 + length]
        data = data[16 + length :]


(events,) = pathlib.Path(folder, "runs").iterdir()
told = b"".join(records(events))
assert all(name in told for name in (b"epoch_loss", b"epoch_val_accuracy", b"batch_loss"))
refused("expected 'epoch' or 'batch'", callbacks.TensorBoard, update_freq="step")
sys.modules["tensorboardX"] = None
refused("pip install tensorboardX", callbacks.TensorBoard)


# Batches of somebody else: the same bits as those of arrays, in the order that they come in; the last is too small.
class Loader:
    def __init__(self, size=16):
        self.size = size

    def __iter__(self):
        for start in range(0, len(X) - 3, self.size):
            yield X[start : start + self.size], LABELS[start : start + self.size]


def make():
    model = nn.Sequential(nn.Input((5,)), nn.Dense(8, "relu"), nn.Dense(2))
    model.compile(halfstep.Adam(0.01), policy="mixed_bfloat16", threads=1)
    return model


by_loader, by_steps = make(), make()
seen = []


class Watch(callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        seen.append((batch, logs["step"]))
        self.model.stop_training = logs["step"] == 8


history = by_loader.fit(Loader(), epochs=2, validation_data=Loader(), callbacks=[Watch()], seed=4, verbose=False)
for _ in range(2):
    for x, y in list(Loader())[:3]:
        by_steps.trainer.step(x, y, seed=4)
assert by_loader.trainer.steps == 6 and by_loader.trainer.epochs == 2 and seen == [(step % 3, step + 1) for step in range(6)]
assert all((by_loader.state_dict()[name] == value).all() for name, value in by_steps.state_dict().items())
assert history.epoch == [0, 1] and math.isclose(history.history["val_loss"][1], by_steps.evaluate(Loader())["loss"], rel_tol=1e-6)
assert by_loader.fit(Loader(), epochs=2, callbacks=[Watch()], verbose=False).epoch == [] and by_loader.trainer.steps == 8
refused("a generator once", make().fit, iter(list(Loader())), epochs=2, verbose=False)
refused("x is to give batches (inputs, targets), not tuple of 3", make().fit, [(X, LABELS, X)], verbose=False)

# Of probabilities, computed in float32 under every policy; the op itself is refused where autocast makes float16.
for policy in ("float32", "mixed_float16", "mixed_bfloat16"):
    model = nn.Sequential(nn.Input((5,)), nn.Dense(1, "sigmoid"))
    model.compile("sgd", loss="binary_crossentropy", policy=policy, threads=1)
    model.fit(X, LABELS, 16, verbose=False)
    p = model.predict(X).astype(numpy.float64)[:, 0]
    wanted = -numpy.mean(LABELS * numpy.log(p) + (1 - LABELS) * numpy.log(1 - p))
    assert math.isclose(model.evaluate(X, LABELS)["loss"], wanted, rel_tol=1e-5 if policy == "float32" else 1e-2), policy
unsafe = nn.Sequential(nn.Input((5,)), nn.Dense(1, "sigmoid"))
unsafe.compile("sgd", loss=lambda outputs, targets: halfstep.ops.binary_cross_entropy(outputs, targets), policy="mixed_float16", threads=1)
refused("'mp.binary_cross_entropy' op is unsafe in f16 and refused", unsafe.fit, X, Y, 16, verbose=False)
