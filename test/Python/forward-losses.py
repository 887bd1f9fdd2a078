"""A loss that the forward computes itself, of targets among its inputs; and models whose inputs have a fixed number of rows.

RUN: %{python} %s
"""

import math

import numpy

import halfstep
from halfstep import losses, nn, ops

random = numpy.random.default_rng(8)
X = random.standard_normal((24, 6)).astype("float32")
LABELS = random.integers(0, 4, 24)


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


class Classifier(nn.Module):
    """Gives its loss, as language models do."""

    def __init__(self, returns):
        self.hidden, self.head, self.returns = nn.Dense(8, "relu"), nn.Dense(4), returns

    def forward(self, x, labels):
        logits = self.head(self.hidden(x))
        return self.returns(ops.softmax_cross_entropy(logits, labels), logits)


KINDS = ((lambda loss, logits: {"loss": loss, "logits": logits}, "loss"), (lambda loss, logits: (loss, logits), "output0"),
         (lambda loss, logits: {"logits": logits, "total": loss}, losses.Output("total")))


def given(kind, x, labels):
    return {"x": x, "labels": labels} if kind == "names" else (x, labels)


def hits(outputs, inputs):
    logits = outputs["output1"] if isinstance(outputs, dict) else outputs
    return ops.cast(ops.argmax(logits) == ops.cast(inputs["labels"], "int32"), "float32")


def start(model):
    """Has the first values of one of them in the other, whose parameters have other names."""
    first = nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dense(4)).state_dict()
    model.load_state_dict({name.replace("dense1", "hidden").replace("dense2", "head"): value for name, value in first.items()})


# The bits of the same model beside its targets, in fit, step, evaluate and predict, by names and as inputs and targets, of a batch of any size.
plain = nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dense(4))
plain.compile(halfstep.Adam(0.01), loss="cross_entropy", policy="mixed_bfloat16", threads=1)
wanted = plain.fit(X, LABELS, 8, 2, validation_data=(X, LABELS), verbose=False).history
stepped, scores, predicted = plain.trainer.step(X[:8], LABELS[:8]), plain.evaluate(X, LABELS), plain.predict(X)
for returns, loss in KINDS:
    for kind in ("names", "pairs"):
        model = Classifier(returns)
        model.compile(halfstep.Adam(0.01), loss=loss, metrics={"accuracy": hits}, policy="mixed_bfloat16", threads=1)
        data = given(kind, X, LABELS)
        arrays = (data,) if kind == "names" else data
        model.specify(x=nn.Input((6,)), labels=nn.Input((), "int64"))
        start(model)
        rest = {"batch_size": 8, "epochs": 2, "validation_data": data, "verbose": False}
        found = model.fit(*arrays, **rest).history
        assert found == wanted, (loss, kind, found, wanted)
        part = given(kind, X[:8], LABELS[:8])
        assert model.trainer.step(*((part,) if kind == "names" else part)) == stepped and model.evaluate(*arrays) == scores
        for x in (X, {"x": X}, {"x": X[:5]}):
            assert (model.predict(x) == predicted[: len(x["x"] if isinstance(x, dict) else x)]).all(), (loss, kind)
        batches = [given(kind, X[i : i + 8], LABELS[i : i + 8]) for i in (0, 8, 16)]
        model.fit(batches, epochs=1, validation_data=batches, verbose=False)
        assert math.isclose(model.evaluate(batches)["loss"], model.evaluate(*arrays)["loss"], rel_tol=1e-6)

# Before it is trained, it predicts without targets, too.
model = Classifier(KINDS[0][0]).specify(x=nn.Input((6,)), labels=nn.Input((), "int64"))
assert set(model.predict({"x": X, "labels": LABELS})) == {"loss", "logits"}
assert "mp.softmax_cross_entropy" in model.to_mlir()
model.compile("sgd", policy="float32", threads=1)  # the output called "loss" is it, where the outputs are known
assert model.predict(X).shape == (24, 4) and set(model.fit({"x": X, "labels": LABELS}, batch_size=8, verbose=False).history) == {"loss"}
alone = Classifier(lambda loss, logits: loss)
alone.compile("sgd", loss="output0", policy="float32", threads=1)
refused("the loss is the output 'output0', and the outputs are 'output'", alone.fit, {"x": X, "labels": LABELS}, batch_size=8, verbose=False)

# Padded and accumulated batches.
for how in ({"last_batch": "pad"}, {}):
    results = []
    for own in (False, True):
        model = Classifier(KINDS[0][0]) if own else nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dense(4))
        model.compile("sgd", loss="loss" if own else "cross_entropy", metrics=[], policy="float32", threads=1, **({} if how else {"accumulate": 2}))
        if own:
            model.specify(x=nn.Input((6,)), labels=nn.Input((), "int64"))
            start(model)
        results.append(model.fit({"x": X[:22], "labels": LABELS[:22]} if own else X[:22], None if own else LABELS[:22], 4, 2, verbose=False, **how).history)
    assert results[0] == results[1], (how, results)

# Errors.
model = Classifier(KINDS[0][0])
model.compile("sgd", policy="float32")
refused('compile(loss="loss") trains by the output of that name', model.fit, {"x": X, "labels": LABELS}, LABELS, 8, verbose=False)
refused("the metric 'accuracy' is of targets, which are among the inputs", model.compile, "sgd", loss="loss", metrics=["accuracy"])
model.compile("sgd", loss="loss", policy="float32")
refused("the targets are among the inputs, x, labels: give all of them by name", model.fit, {"x": X, "labels": LABELS}, LABELS, 8, verbose=False)
for call in (model.trainer.step, lambda data: model.fit(data, batch_size=24, verbose=False), model.evaluate):
    refused("out of range: input 'labels' has 4 classes", call, {"x": X, "labels": LABELS + 1})
wide = Classifier(lambda loss, logits: {"loss": logits, "logits": logits})
wide.compile("sgd", loss="loss", policy="float32")
refused("expected one float", wide.fit, {"x": X, "labels": LABELS}, batch_size=8, verbose=False)


# Targets of inputs whose rows are fixed have as many, in steps, batches and scores; specify says other rows.
def fixed(policy="float32", loss="cross_entropy", **how):
    model = nn.Sequential(nn.Input((8, 6), batched=False), nn.Dense(4))
    model.compile("sgd", loss=loss, policy=policy, threads=1, **how)
    return model


values = random.standard_normal((8, 4)).astype("float32")
for loss, targets in (("cross_entropy", LABELS[:8]), ("mse", values), ("huber", values), ("BCEWithLogitsLoss", values), ("mae", values),
                      ("CrossEntropyLoss", numpy.eye(4, dtype="float32")[LABELS[:8]])):
    open_, model = nn.Sequential(nn.Input((6,)), nn.Dense(4)), fixed(loss=loss)
    open_.compile("sgd", loss=loss, policy="float32", threads=1)
    for call in (lambda one: one.evaluate(X[:8], targets), lambda one: one.trainer.step(X[:8], targets), lambda one: one.trainer.step(X[:8], targets),
                 lambda one: one.fit([(X[:8], targets)] * 3, verbose=False).history, lambda one: one.evaluate([(X[:8], targets)])):
        first, second = call(open_), call(model)
        assert set(first) == set(second) and all(numpy.allclose(first[name], second[name], 1e-6, 0) for name in first), (loss, first, second)
    assert (model.predict(X[:8]) == open_.predict(X[:8])).all()
    # Arrays are cut into such batches, in their order.
    whole = fixed(loss=loss)
    assert whole.fit(X[:24], numpy.concatenate([targets] * 3), verbose=False, validation_data=(X[:8], targets)).history["loss"]
    refused("'x' has 20 rows, and the model takes batches of 8 rows of 'x' alone: give rows for a whole number of batches", whole.fit, X[:20], targets, verbose=False)


class Whole(nn.Module):
    """One number for all rows, or a number for each column."""

    def __init__(self, of):
        self.of, self.head = of, nn.Dense(3)

    def forward(self, x):
        return self.of(self.head(x))


for of, targets in ((lambda y: ops.mean(y, 0), numpy.ones(3, "float32")), (lambda y: ops.mean(y), numpy.float32(2)),
                    (lambda y: ops.transpose(y, (1, 0)), numpy.ones((3, 8), "float32"))):
    model = Whole(of).specify(x=nn.Input((8, 6), batched=False))
    model.compile("sgd", loss="mse", policy="float32", threads=1)
    expected = float(((model.predict(X[:8]) - targets) ** 2).mean())
    assert math.isclose(model.trainer.step(X[:8], targets)["loss"], expected, rel_tol=1e-5)
model = nn.Sequential(nn.Dense(3)).specify(x=nn.Input((6,)), y=nn.Input((3,), batched=False))
model.compile("sgd", loss=lambda outputs, targets: ops.mse_loss(ops.reshape(ops.mean(outputs, 0), (1, 3)), ops.reshape(targets, (1, 3))), metrics=[], policy="float32", threads=1)
first = model.trainer.step(X[:8], numpy.ones(3, "float32"))["loss"]
assert model.fit([(X[:8], numpy.ones(3, "float32"))] * 3, verbose=False).history["loss"][0] < first
refused("'z' is none of them", type("Own", (nn.Module,), {"forward": lambda self, x: x})().specify, x=nn.Input((2,)), y=nn.Input((2,)), z=nn.Input((2,)))
