"""What is written in a first hour works, or is an error that says what to write instead.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import copy
import math
import pathlib
import pickle
import sys

import numpy

import halfstep
from halfstep import nn, ops

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(0)
X = random.standard_normal((256, 8)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


def refused(expected, function, *arguments, kind=halfstep.Error, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        for part in [expected] if isinstance(expected, str) else expected:
            assert part in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def make(**settings):
    model = nn.Sequential(nn.Input((8,)), nn.Dense(4, "relu"), nn.BatchNorm(), nn.Dense(2))
    model.compile("adam", policy="float32", threads=1, **settings)
    return model


def same(a, b):
    return set(a) == set(b) and all((numpy.asarray(a[name]) == numpy.asarray(b[name])).all() for name in a)


# The accuracy of one column is that of two classes, by what the loss takes.
for labels in (Y, Y[:, None], Y.astype("float32"), Y[:, None].astype("float32")):
    for loss, activation, limit in (("BCEWithLogitsLoss", None, 0), ("binary_crossentropy", "sigmoid", 0.5)):
        for metrics in ("accuracy", {"accuracy": "accuracy"}, ["mae", "accuracy"]) if labels is Y else (["accuracy"],):
            model = nn.Sequential(nn.Dense(1, activation))
            model.compile(halfstep.SGD(0.5), loss, metrics=metrics, policy="float32", threads=1)
            model.fit(X, labels, epochs=1, verbose=False)
            hits = ((model.predict(X)[:, 0] > limit) == (Y > 0)).mean()
            assert math.isclose(model.evaluate(X, labels)["accuracy"], hits, rel_tol=1e-6) and 0.5 < hits < 1
flat = nn.Sequential(nn.Dense(1), lambda x: x.reshape(None))
flat.compile(halfstep.SGD(0.5), "BCEWithLogitsLoss", metrics=["accuracy"], policy="float32", threads=1)
flat.fit(X, Y, verbose=False)
assert math.isclose(flat.evaluate(X, Y)["accuracy"], ((flat.predict(X) > 0) == Y).mean(), rel_tol=1e-6)
for settings in ({"loss": "mse", "metrics": ["accuracy"]}, {}, {"loss": lambda a, b: ops.mse_loss(a, a), "metrics": "accuracy"}):
    model = nn.Sequential(nn.Dense(1))
    model.compile("adam", policy="float32", **settings)
    refused(("one column", "'BCEWithLogitsLoss'", "binary_accuracy, sigmoid_accuracy"), model.fit, X, Y, verbose=False)

# Weights are there before training, and what is loaded is what it starts from.
first, trained = make(), make()
before = first.state_dict()
first.save_weights(folder / "first.safetensors")
trained.fit(X, Y, epochs=0, verbose=False)
assert same(before, trained.state_dict())
trained.fit(X, Y, verbose=False)
trained.save_weights(folder / "trained.safetensors")
after = trained.state_dict()
assert not same(before, after)
for prepare in (lambda model: None, lambda model: model.predict(X), lambda model: model.state_dict()):
    loaded = make()
    prepare(loaded)
    loaded.load_weights(folder / "trained.safetensors")
    assert same(loaded.state_dict(), after) and (loaded.predict(X) == trained.predict(X)).all()
    loaded.save_weights(folder / "again.safetensors")
    loaded.fit(X, Y, epochs=0, seed=3, verbose=False)
    assert same(loaded.state_dict(), after)
again = make()
again.load_weights(folder / "again.safetensors")
assert same(again.state_dict(), after)
trained.load_weights(folder / "first.safetensors")
assert same(trained.state_dict(), before)
unknown = nn.Sequential(nn.Dense(2))
for call in (unknown.state_dict, lambda: unknown.save_weights(folder / "x"), lambda: unknown.load_weights(folder / "first.safetensors")):
    refused("does not know its inputs yet: train it, begin a Sequential with nn.Input(shape, dtype)", call)
refused("cannot open", make().load_weights, folder / "none.safetensors")


class Counts(nn.Module):
    """A state that no output depends on."""

    def __init__(self):
        self.steps, self.layer = nn.State((), 2.0), nn.Dense(2)

    def forward(self, x):
        self.steps.assign(ops.add(self.steps, 1.0))
        return self.layer(x)


counts = Counts().specify(x=nn.Input((8,)))
assert counts.state_dict()["steps"] == 2.0

# Keys that are missing or unexpected are named; numbers of any type are taken.
names = ", ".join(name for name, _ in first.named_leaves())
for model in (first, trained):
    refused(f"load_state_dict: unexpected key 'foo'; the model has {names}", model.load_state_dict, {**after, "foo": 1})
    refused("missing keys 'dense1.kernel', 'dense2.kernel'", model.load_state_dict,
            {name: value for name, value in after.items() if "kernel" not in name})
    refused("'dense1.bias' has shape (3,), expected (4,)", model.load_state_dict, {**after, "dense1.bias": numpy.zeros(3)})
    for convert in (lambda value: value.astype("float64"), lambda value: value.tolist()):
        model.load_state_dict({name: numpy.zeros_like(value) for name, value in after.items()})
        model.load_state_dict({name: convert(value) for name, value in after.items()})
        assert same(model.state_dict(), after)

# A copy starts from the same values, and goes its own way.
for model in (make(), trained, unknown):
    copied = copy.deepcopy(model)
    if model is not unknown:
        assert same(copied.state_dict(), model.state_dict())
    kept = trained.state_dict()
    copied.compile("adam", policy="float32", threads=1)
    copied.fit(X, Y, verbose=False)
    assert same(trained.state_dict(), kept)
    assert model is not trained or not same(copied.state_dict(), kept)
    refused("is not pickled: model.save_weights(path) keeps its parameters", pickle.dumps, model, kind=TypeError)
shared = nn.Dense(8)
twice = copy.deepcopy(nn.Sequential(nn.Input((8,)), shared, shared))
assert twice.layers[1] is twice.layers[2] is not shared and len(twice.state_dict()) == 2
assert copy.copy(trained).layers is trained.layers

# Optimizers by any spelling, and what their arguments are called elsewhere.
for optimizer in ("AdamW", "SGD", "RMSprop", halfstep.Adam, halfstep.Adam(clip_norm=1.0, log_gradient_norm=True)):
    unknown.compile(optimizer)
for optimizer, wrong, meant in ((halfstep.Adam, "lr", "learning_rate"), (halfstep.AdamW, "eps", "epsilon"), (halfstep.SGD, "momemtum", "momentum"),
                                (halfstep.Adam, "clipnorm", "clip_parameter_norm")):
    refused(f"{optimizer.__name__}: unknown setting '{wrong}'; did you mean '{meant}'? arguments are learning_rate", optimizer, **{wrong: 0.9})

# Losses of other libraries are known by where their classes are from.
for library, name, ours in (("torch.nn.modules.loss", "CrossEntropyLoss", 'loss "cross_entropy", or halfstep.losses.CrossEntropy(...)'),
                            ("torch.nn.modules.loss", "MSELoss", 'give loss "mse"'),
                            ("keras.src.losses.losses", "SparseCategoricalCrossentropy",
                             'loss "sparse_categorical_crossentropy", or halfstep.losses.SparseCategoricalCrossentropy(...)'),
                            ("torch.nn.modules.loss", "CTCLoss", "a function of outputs and targets, made of halfstep.ops")):
    foreign = type(name, (), {"__module__": library, "__call__": lambda self, a, b: None})
    for given in (foreign(), foreign):
        refused((f"loss: {library.partition('.')[0]}'s {name} takes no tensors of a compiled model", ours), unknown.compile, loss=given)

# What is no array, what returns nothing, and what other frameworks have.
Rows = type("TensorDataset", (type("Dataset", (), {"__module__": "torch.utils.data.dataset"}),), {})
Streamed = type("IterableDataset", Rows.__mro__[1:2], {"__module__": "torch.utils.data.dataset", "__iter__": lambda self: iter([(X, Y)])})
for call in (trained.fit, trained.evaluate):
    refused("a TensorDataset gives rows one by one; wrap it in a DataLoader", call, Rows())
trained.evaluate(Streamed())
for call in (trained.fit, trained.evaluate, trained.predict):
    refused("x is None, expected an array", call, None)


class Nothing(nn.Module):
    def forward(self, x):
        ops.relu(x)


class Number(nn.Module):
    def forward(self, x):
        return {"logits": 3}


refused("Nothing: forward returned None; it has to return its outputs", Nothing().predict, X)
refused("Number: forward returned int, expected a tensor", Number().predict, X)
for name, said in (("parameters", "state_dict()"), ("train", "fit trains"), ("eval", "predict and evaluate"),
                   ("train_on_batch", "model.trainer.step(x, y)"), ("save", "save_weights")):
    assert not hasattr(trained, name)
    refused((f"a module has no '{name}'", said), getattr, trained, name, kind=AttributeError)
