"""Losses under Keras' names take probabilities, and are those of the logits that a softmax or a sigmoid made them of; under PyTorch's names
they take logits.

RUN: %{python} -W error %s
"""

import itertools
import math
import warnings

import numpy

import halfstep
from halfstep import losses, nn, ops

random = numpy.random.default_rng(3)
X = random.standard_normal((24, 6)).astype("float32")
LABELS = random.integers(0, 4, 24)
HOT = numpy.eye(4, dtype="float32")[LABELS]
YES = random.integers(0, 2, (24, 1)).astype("float32")


def softmax(z):
    e = numpy.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


class Own(nn.Module):
    """What one writes who makes probabilities in a forward."""

    def __init__(self, makes, units=4):
        self.dense, self.makes = nn.Dense(units), makes

    def forward(self, x):
        return self.makes(self.dense(x))


def off(function):
    def made(z):
        with halfstep.autocast(enabled=False):
            return function(z)

    return made


class Low(nn.Module):
    def forward(self, x):
        with halfstep.autocast("bfloat16"):
            return ops.softmax(x)


# Ways in which a model ends in a softmax over classes, behind `dense`, which gives four.
SOFTMAX = {
    "layer": lambda: nn.Sequential(nn.Dense(4, "softmax")),
    "layer of float32": lambda: nn.Sequential(nn.Dense(4, "softmax", dtype="float32")),
    "activation": lambda: nn.Sequential(nn.Dense(4), nn.Activation("softmax")),
    "activation of float32": lambda: nn.Sequential(nn.Dense(4), nn.Activation("softmax", dtype="float32")),
    "function": lambda: nn.Sequential(nn.Dense(4), ops.softmax),
    "class": lambda: nn.Sequential(nn.Dense(4), Low()),
    "nested": lambda: nn.Sequential(nn.Sequential(nn.Dense(4), nn.Sequential(nn.Activation("softmax")))),
    "cast": lambda: Own(lambda z: ops.cast(ops.softmax(z), "float32")),
    "narrow and back": lambda: Own(lambda z: ops.cast(ops.cast(ops.softmax(z), "float16"), "float32")),
    "region": lambda: Own(off(ops.softmax)),
    "region, then cast": lambda: Own(lambda z: ops.cast(off(ops.softmax)(ops.cast(z, "float32")), "float32")),
    "reshape": lambda: Own(lambda z: ops.reshape(ops.softmax(ops.reshape(z, (None, 1, 4))), (None, 4))),
    "first dimension": lambda: Own(lambda z: ops.transpose(ops.softmax(ops.transpose(ops.reshape(z, (None, 1, 4)), (0, 2, 1)), 1), (0, 2, 1))[:, 0]),
    "last position": lambda: Own(lambda z: ops.softmax(ops.stack([z * 2, z], 1))[:, -1]),
}
for i, (name, make) in enumerate(SOFTMAX.items()):
    policy = ("float32", "mixed_float16", "mixed_bfloat16")[i % 3]
    model = make()
    model.compile(halfstep.SGD(0.1), loss="sparse_categorical_crossentropy", policy=policy, threads=1)
    scores, p = model.evaluate(X, LABELS), model.predict(X).astype("float64")
    assert p.shape == (24, 4) and numpy.abs(p.sum(1) - 1).max() < 1e-2, (name, p.sum(1))
    wanted = -numpy.log(p[numpy.arange(24), LABELS]).mean()
    loose = policy != "float32" or "narrow" in name or name == "class"
    assert math.isclose(scores["loss"], wanted, rel_tol=2e-2 if loose else 2e-6), (name, policy, scores, wanted)
    assert scores["accuracy"] == (p.argmax(1) == LABELS).mean(), (name, scores)

# They have the bits of logits, in training, too: what a softmax cannot hold is there.
far = (X * 1e3).astype("float32")
for keras, logits, targets, activation, units in (
        ("sparse_categorical_crossentropy", "cross_entropy", LABELS, "softmax", 4), ("categorical_crossentropy", "CrossEntropyLoss", HOT, "softmax", 4),
        ("SparseCategoricalCrossentropy", "cross_entropy", LABELS, "softmax", 4),
        ("binary_crossentropy", "BCEWithLogitsLoss", YES, "sigmoid", 1), ("BinaryCrossentropy", "BCEWithLogitsLoss", YES[:, 0], "sigmoid", 1),
        (losses.SparseCategoricalCrossentropy(), losses.CrossEntropy(), LABELS, "softmax", 4),
        (losses.SparseCategoricalCrossentropy(ignore_class=2), losses.CrossEntropy(ignore_label=2), LABELS, "softmax", 4),
        (losses.CategoricalCrossentropy(label_smoothing=0.1), losses.CrossEntropy(label_smoothing=0.1), HOT, "softmax", 4),
        (losses.BinaryCrossentropy(), "BCEWithLogitsLoss", YES, "sigmoid", 1),
        (losses.BinaryCrossentropy(label_smoothing=0.2), lambda z, y: ops.sigmoid_cross_entropy(z, y * (1 - 0.2) + 0.1), YES, "sigmoid", 1),
        (losses.CrossEntropy(from_logits=False, weight=[1, 2, 3, 4]), losses.CrossEntropy(weight=[1, 2, 3, 4]), LABELS, "softmax", 4)):
    for policy in ("float32",) if targets is HOT else ("mixed_bfloat16",):
        ended, bare = (nn.Sequential(nn.Input((6,)), nn.Dense(units, own)) for own in (activation, None))
        histories = []
        for model, loss in ((ended, keras), (bare, logits)):
            metrics = ["accuracy"] if isinstance(logits, str) else []
            model.compile(halfstep.SGD(0.1), loss=loss, metrics=metrics, policy=policy, threads=1)
            histories.append(model.fit(far, targets, 8, 2, validation_data=(X, targets), verbose=False).history)
        assert histories[0] == histories[1] and math.isfinite(histories[0]["loss"][-1]), (keras, policy, histories)
        assert all((ended.state_dict()[name] == value).all() for name, value in bare.state_dict().items()), (keras, policy)
        z = bare.predict(X).astype("float64")
        wanted = softmax(z) if activation == "softmax" else 1 / (1 + numpy.exp(-z))
        assert numpy.abs(ended.predict(X) - wanted).max() < 1e-2, (keras, policy)

# from_logits says that no softmax is there.
for loss, bare, targets, units in ((losses.SparseCategoricalCrossentropy(from_logits=True), "cross_entropy", LABELS, 4),
                                   (losses.CategoricalCrossentropy(from_logits=True), "cross_entropy", HOT, 4),
                                   (losses.BinaryCrossentropy(from_logits=True), "BCEWithLogitsLoss", YES, 1)):
    scores = []
    for one in (loss, bare):
        model = nn.Sequential(nn.Input((6,)), nn.Dense(units))
        model.compile("sgd", loss=one, metrics=["accuracy"], policy="float32", threads=1)
        scores.append(model.evaluate(X, targets))
    assert scores[0] == scores[1], (loss, scores)

# Logits under a name of Keras are an error that says so, and so are probabilities of another dimension.
NAMES = (("sparse_categorical_crossentropy", LABELS, "softmax"), ("categorical_crossentropy", HOT, "softmax"),
         (losses.CategoricalCrossentropy(), HOT, "softmax"), ("binary_crossentropy", HOT, "sigmoid"), (losses.BinaryCrossentropy(), HOT, "sigmoid"))
for (loss, targets, maker), make in itertools.product(NAMES, (lambda z: z, ops.log_softmax, lambda z: ops.softmax(z) + z)):
    model = Own(make)
    model.compile("sgd", loss=loss, policy="float32")
    for said in (f"no {maker} has made the outputs", "Crossentropy(from_logits=True) takes logits"):
        refused(said, model.fit, X, targets, 8, verbose=False)
model = Own(lambda z: ops.reshape(ops.softmax(ops.reshape(z, (None, 2, 2)), 1), (None, 4)))
model.compile("sgd", loss="sparse_categorical_crossentropy", policy="float32")
refused("no softmax has made the outputs", model.fit, X, LABELS, 8, verbose=False)

# Other probabilities are taken as they are: kept away from 0 and 1, of each class by itself, of a softmax that says yes or no.
for makes, loss, targets, expected in (
        (lambda z: ops.clamp(ops.softmax(z), 1e-7, 1 - 1e-7), "sparse_categorical_crossentropy", LABELS, lambda p: -numpy.log(p[numpy.arange(24), LABELS]).mean()),
        (ops.sigmoid, "categorical_crossentropy", HOT, lambda p: -(HOT * numpy.log(p / p.sum(1, keepdims=True))).sum(1).mean()),
        (ops.softmax, "binary_crossentropy", HOT, lambda p: -(HOT * numpy.log(p) + (1 - HOT) * numpy.log(1 - p)).mean()),
        (ops.hard_sigmoid, "binary_crossentropy", HOT, None),
        (lambda z: ops.softmax(z) * 0.5 + 0.125, losses.CrossEntropy(from_logits=False), LABELS, lambda p: -numpy.log(p[numpy.arange(24), LABELS]).mean()),
        (lambda z: ops.sigmoid(z) * 0.5 + 0.25, "BCELoss", HOT, lambda p: -(HOT * numpy.log(p) + (1 - HOT) * numpy.log(1 - p)).mean())):
    model = Own(makes)
    model.compile("sgd", loss=loss, metrics=[], policy="float32", threads=1)
    found, p = model.evaluate(X, targets)["loss"], model.predict(X).astype("float64")
    assert expected is None and math.isfinite(found) or math.isclose(found, expected(p), rel_tol=2e-6), (loss, found)

# Softmax of softmax, as PyTorch means it, is almost always a mistake, of which a model warns once.
for loss, activation, targets, units in (("cross_entropy", "softmax", LABELS, 4), (None, "softmax", LABELS, 4), ("CrossEntropyLoss", "softmax", LABELS, 4),
                                         (losses.SparseCategoricalCrossentropy(from_logits=True), "softmax", LABELS, 4),
                                         ("BCEWithLogitsLoss", "sigmoid", YES, 1), (losses.BinaryCrossentropy(from_logits=True), "sigmoid", YES, 1)):
    model = nn.Sequential(nn.Dense(units, activation))
    model.compile("sgd", loss=loss, metrics=[], policy="float32", threads=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = model.evaluate(X, targets)["loss"]
        model.fit(X, targets, 8, verbose=False)
        model.fit(X, targets, 12, verbose=False)
    assert len(caught) == 1 and f"ends in a {activation}, and the loss takes logits" in str(caught[0].message), [str(one.message) for one in caught]
    assert caught[0].filename == __file__
    if loss in ("cross_entropy", None):
        again = nn.Sequential(nn.Dense(units, activation))
        again.compile("sgd", loss=losses.CrossEntropy(from_logits=False), metrics=[], policy="float32", threads=1)
        again.evaluate(X, targets)
        p = again.predict(X).astype("float64")
        assert math.isclose(found, -numpy.log(softmax(p)[numpy.arange(24), LABELS]).mean(), rel_tol=2e-6)

# Metrics go with the loss: one column is what the loss takes, whichever of Keras' names the metric has.
for loss, activation in (("binary_crossentropy", "sigmoid"), (losses.BinaryCrossentropy(from_logits=True), None), ("BCEWithLogitsLoss", None)):
    model = nn.Sequential(nn.Dense(1, activation))
    model.compile("sgd", loss=loss, metrics=["accuracy", "binary_accuracy"], policy="float32", threads=1)
    scores, found = model.evaluate(X, YES), model.predict(X)
    wanted = ((found > (0 if activation is None else 0.5)) == YES).mean()
    assert scores["accuracy"] == scores["binary_accuracy"] and math.isclose(scores["accuracy"], wanted, rel_tol=1e-6), (loss, scores)

# A column of labels is one for each row, also where each row has one position.
for name, activation in (("cross_entropy", None), ("sparse_categorical_crossentropy", "softmax")):
    trained = []
    for shape in ((24, 6), (24, 1, 6)):
        model = nn.Sequential(nn.Dense(4, activation))
        model.compile(halfstep.SGD(0.5), loss=name, metrics=["accuracy"], policy="float32", threads=1)
        history = model.fit(X.reshape(shape), LABELS.reshape(24, 1), batch_size=8, epochs=2, verbose=False).history
        trained.append((history["loss"], history["accuracy"]))
    assert numpy.abs(numpy.subtract(*trained)).max() < 1e-6, (name, trained)
