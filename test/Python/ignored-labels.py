"""Rows whose label is ignored count in no loss and no accuracy, in steps, epochs and scores, beside weights and rows that fill a batch up.

RUN: %{python} %s
"""

import math

import numpy

import halfstep
from halfstep import losses, nn, ops

random = numpy.random.default_rng(6)
CLASSES, SIZE = 5, 8
X = random.standard_normal((22, 4)).astype("float32")
PLACES = random.standard_normal((22, 3, 4)).astype("float32")


def labels_of(shape, mark):
    labels = random.integers(0, CLASSES, shape)
    labels[random.random(shape) < 0.4] = mark
    labels[0] = mark
    labels[1::SIZE] = 1 if mark != 1 else 2  # no batch is of nothing
    return labels


def logs_of(z):
    z = z.astype("float64")
    z = z - z.max(-1, keepdims=True)
    return z - numpy.log(numpy.exp(z).sum(-1, keepdims=True))


def expected(logs, labels, mark, weight):
    """Loss and accuracy of batches, by their rows, as the runtime's are."""
    found = []
    for first in range(0, len(labels), SIZE):
        own, y = logs[first : first + SIZE], labels[first : first + SIZE]
        kept = y != mark
        w = numpy.asarray(weight)[numpy.where(kept, y, 0)] * kept
        taken = numpy.take_along_axis(own, numpy.where(kept, y, 0)[..., None], -1)[..., 0]
        found.append((len(y), -(taken * w).sum() / w.sum(), (own.argmax(-1) == y)[kept].mean()))
    rows = sum(one[0] for one in found)
    return [sum(one[0] * one[i] for one in found) / rows for i in (1, 2)]


def close(scores, wanted, what):
    assert math.isclose(scores["loss"], wanted[0], rel_tol=1e-5) and math.isclose(scores["accuracy"], wanted[1], rel_tol=1e-6), (what, scores, wanted)


class Watch(halfstep.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        self.loss = logs["loss"]


EVEN, UNEVEN = [1.0] * CLASSES, [1.0, 2.0, 0.5, 3.0, 1.0]
KINDS = (
    (losses.CrossEntropy(ignore_label=-100), -100, EVEN, None, ["accuracy"]), (losses.CrossEntropy(ignore_label=0), 0, EVEN, None, ["accuracy"]),
    (losses.CrossEntropy(ignore_label=-1, weight=UNEVEN), -1, UNEVEN, None, ["accuracy"]),
    (losses.CrossEntropy(ignore_label=-1, from_logits=False), -1, EVEN, "softmax", {"accuracy": "sparse_categorical_accuracy"}),
    (losses.SparseCategoricalCrossentropy(ignore_class=255), 255, EVEN, "softmax", ["accuracy"]),
    (losses.NLL(ignore_label=-100), -100, EVEN, "log_softmax", {"accuracy": "categorical_accuracy"}),
    (losses.NLL(UNEVEN, -100), -100, UNEVEN, "log_softmax", {"accuracy": "accuracy"}),
)
for i, (loss, mark, weight, activation, metrics) in enumerate(KINDS):
    x = PLACES if i % 2 else X
    y = labels_of(x.shape[:-1], mark)
    model = nn.Sequential(nn.Input(x.shape[1:]), nn.Dense(CLASSES, activation))
    model.compile(halfstep.SGD(0.1), loss=loss, metrics=metrics, policy="float32", threads=1)

    def logs(x):
        found = model.predict(x)
        return found.astype("float64") if activation == "log_softmax" else logs_of(numpy.log(found) if activation else found)

    close(model.evaluate(x, y, SIZE), expected(logs(x), y, mark, weight), (i, "evaluate, the last batch filled up"))
    before = logs(x[:SIZE])
    close(model.trainer.step(x[:SIZE], y[:SIZE]), expected(before, y[:SIZE], mark, weight), (i, "step"))
    before = logs(x[:SIZE])
    history = model.fit(x[:SIZE], y[:SIZE], SIZE, 1, verbose=False).history
    close({name: history[name][0] for name in ("loss", "accuracy")}, expected(before, y[:SIZE], mark, weight), (i, "fit"))
    if loss.func.__name__ != "nll_loss":
        padded = nn.Sequential(nn.Input(x.shape[1:]), nn.Dense(CLASSES, activation))
        padded.compile(halfstep.SGD(0.0), loss=loss, metrics=metrics, policy="float32", threads=1)
        history = padded.fit(x, y, SIZE, 1, last_batch="pad", validation_data=(x, y), verbose=False).history
        assert math.isclose(padded.evaluate(x, y)["accuracy"], history["val_accuracy"][0], rel_tol=1e-6)

# Without such a label accuracy is of each row; labels that are probabilities, or have no sign, ignore none below 0.
y = random.integers(0, CLASSES, 22)
for loss, targets in ((losses.CrossEntropy(), y), (losses.CrossEntropy(ignore_label=-100), numpy.eye(CLASSES, dtype="float32")[y]),
                      (losses.CrossEntropy(ignore_label=-100), y.astype("uint8"))):
    model = nn.Sequential(nn.Input((4,)), nn.Dense(CLASSES))
    model.compile(halfstep.SGD(0.1), loss=loss, policy="float32", threads=1)
    close(model.evaluate(X, targets, SIZE), expected(logs_of(model.predict(X)), y, -100, EVEN), loss)

# A label that is no class is an error, wherever it is met, which says how a loss would leave its rows out.
for mark, said in ((-100, "; a loss with ignore_label=-100 leaves such rows out"), (-1, "; a loss with ignore_label=-1 leaves"), (255, "; a loss with ignore_label=255 leaves"),
                   (CLASSES, "")):
    wrong = y.copy()
    wrong[3] = mark
    model = nn.Sequential(nn.Input((4,)), nn.Dense(CLASSES))
    model.compile(halfstep.SGD(0.1), loss="cross_entropy", policy="float32", threads=1)
    for call in (lambda: model.fit(X, wrong, SIZE, verbose=False), lambda: model.fit([(X[:SIZE], wrong[:SIZE])], verbose=False),
                 lambda: model.trainer.step(X[:SIZE], wrong[:SIZE]), lambda: model.evaluate(X, wrong)):
        try:
            call()
            raise AssertionError(mark)
        except halfstep.Error as error:
            assert f"label {mark} of row 3 is out of range: input 'y' has 5 classes{said}" in str(error), error
            assert bool(said) == ("ignore_label" in str(error)), error
