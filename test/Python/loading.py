"""What is loaded is loaded whole or not at all, by numbers of any type that hold the values; weights are files of the model, state of all that
training goes on from.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import pathlib
import sys

import ml_dtypes
import numpy

import halfstep
from halfstep import nn, ops
from halfstep_runtime._tensor_files import read_metadata, read_tensors, write_tensors

folder = pathlib.Path(sys.argv[1])
X = numpy.random.default_rng(2).standard_normal((48, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


class Counting(nn.Module):
    """Has parameters, running statistics, and a count of its own of 64 bits."""

    def __init__(self):
        self.hidden, self.norm, self.drop, self.head = nn.Dense(8), nn.BatchNorm(), nn.Dropout(0.25), nn.Dense(2)
        self.seen = nn.State((), 0, dtype="int64")

    def forward(self, x):
        self.seen.assign(self.seen + 1)
        return self.head(self.drop(ops.relu(self.norm(self.hidden(x)))))


def make(optimizer="adam", is_trained=True, policy="mixed_float16", **named):
    model = Counting().specify(x=nn.Input((6,)))
    model.compile(optimizer, policy=policy, threads=1, **named)
    if is_trained:
        model.fit(X, Y, 8, verbose=False, seed=3)
    return model


def refused(expected, function, *arguments):
    try:
        function(*arguments)
    except halfstep.Error as error:
        missing = [one for one in ([expected] if isinstance(expected, str) else expected) if one not in str(error)]
        assert not missing, (missing, error)
        return
    raise AssertionError(f"expected: {expected}")


def same(a, b):
    return set(a) == set(b) and all((numpy.asarray(a[name]) == numpy.asarray(b[name])).all() for name in a)


def kept(model):
    """What a model has been given, or trained: quicker than its first values."""
    return model.state_dict() if model.trainer.session is not None else {name: leaf.value for name, leaf in model.named_leaves()}


def states(model):
    return {name: value for name, value in dict(model.trainer.session.state).items() if "bf16" not in name and "f16" not in name}


given = make().state_dict()
LAST = list(given)[-1]

# Whatever is wrong, with whichever entry, and however many, nothing is replaced, and all of it is said at once.
WRONG = {
    "shape": (lambda value: numpy.zeros((3, *value.shape), "float32"), "has shape (3"),
    "no numbers": (lambda value: numpy.full(value.shape, "a"), "has elements of"),
    "complex": (lambda value: value * 1j, "has elements of complex"),
    "no array": (lambda value: object(), "expected an array of numbers"),
    "too large": (lambda value: numpy.full(value.shape, 1e300), "1e+300, which no"),
}
for is_trained in (False, True):
    model = make(is_trained=is_trained)
    model.to_mlir()
    before = kept(model)
    for wrong, said in WRONG.values():
        for name in given:
            refused([f"'{name}'", said], model.load_state_dict, {**given, name: wrong(numpy.asarray(given[name]))})
            assert same(before, kept(model)), name
    refused(["'hidden.kernel'", "'head.bias'", "has shape"], model.load_state_dict,
            {**given, **{name: numpy.zeros((1, 1, 1)) for name in ("hidden.kernel", "head.bias")}})
    for names in (("hidden.kernel", "seen"), (LAST,)):
        fewer = {name: value for name, value in given.items() if name not in names}
        refused([*(repr(name) for name in names), "'more'", "missing key", "unexpected key"], model.load_state_dict, {**fewer, "more": X})
    assert same(before, kept(model))
    model.load_state_dict(given)
    assert same(given, model.state_dict())

# Numbers of another type and width are taken where the own type holds them.
model = make()
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64", "float16", "float32", "float64", ml_dtypes.bfloat16):
    model.load_state_dict({**given, "seen": numpy.array(6, dtype), "head.bias": numpy.array([1, 2], dtype)})
    assert model.state_dict()["seen"] == 6 and model.state_dict()["seen"].dtype == numpy.int64
    assert (model.state_dict()["head.bias"] == [1, 2]).all() and model.state_dict()["head.bias"].dtype == numpy.float32
model.load_state_dict({**given, "seen": 2**60 + 1, "head.bias": [True, False]})
assert model.state_dict()["seen"] == 2**60 + 1 and (model.state_dict()["head.bias"] == [1, 0]).all()
for name, value in (("seen", 0.5), ("seen", numpy.nan), ("seen", 2.0**63), ("seen", numpy.uint64(2**63)), ("seen", 2**64 - 1), ("head.bias", numpy.array([1, 2**24 + 1]))):
    refused(f"'{name}' has ", model.load_state_dict, {**given, name: value})
model.load_state_dict({**given, "head.bias": numpy.array([0.1, numpy.inf])})  # floats are rounded
assert model.state_dict()["head.bias"][0] == numpy.float32(0.1)

# Files, by the runtime's reader: the same, for models and sessions.
model = make()
session = model.trainer.session
before = states(model)
calls = (model.load_weights, session.load_weights, make(is_trained=False).load_weights)
for name, value, said in (("hidden.kernel", numpy.zeros((2, 2), "float32"), "tensor 'hidden.kernel' is tensor<2x2xf32>, the model has tensor<6x8xf32>"),
                          ("seen", numpy.array(0.5), "0.5, which no "),
                          ("seen", numpy.array(2.0**63), ", which no "),
                          ("head.bias", numpy.array([2**24 + 1, 1]), "element 0 is 16777217, which no tensor<f32> holds"),
                          ("head.bias", numpy.array([1e300, 1]), "which no tensor<f32> holds")):
    write_tensors(folder / "wrong.safetensors", {**given, name: value})
    for call in calls:
        refused(said, call, folder / "wrong.safetensors")
    assert same(before, states(model)), name
write_tensors(folder / "fewer.safetensors", {name: value for name, value in given.items() if not name.startswith("head.") and name != "hidden.bias"})
for call in calls:
    refused("has no tensors 'hidden.bias', 'head.kernel', 'head.bias'", call, folder / "fewer.safetensors")
assert same(before, states(model))
wide = {"seen": numpy.array(7.0), "head.bias": numpy.array([1, 2], "int64"), "hidden.bias": numpy.full(8, 0.1), "norm.scale": numpy.ones(8, ml_dtypes.bfloat16)}
write_tensors(folder / "wide.safetensors", {**given, **wide})
for call, loaded in ((model.load_weights, model), (session.load_weights, model), ((fresh := make(is_trained=False)).load_weights, fresh)):
    call(folder / "wide.safetensors")
    found = loaded.state_dict()
    assert same(found, {**given, **{name: value.astype(given[name].dtype) for name, value in wide.items()}})
    loaded.load_state_dict(given)

# Weights are parameters and states of the model; state is all of it.
model = make(halfstep.AdamW(0.01), loss_scaler=halfstep.LossScaler(growth_interval=4))
for save in (model.save_weights, model.trainer.session.save_weights, make(is_trained=False).save_weights):
    save(folder / "weights.safetensors")
    assert read_tensors(folder / "weights.safetensors").keys() == given.keys()
# Whose a state is, its name does not say: of one beside another, or called as what another optimizer keeps.
names = ("w/scale", "w/scale/last", "adam.step", "nadam.momentum_product", "w/adam.m")
states_of_model = ", ".join(f'%s{i}: tensor<2xf32> {{mp.state = "{name}", mp.initializer = #mp.constant<{i}.0 : f64>}}' for i, name in enumerate(names))
kept = "".join(f"  %n{i} = mp.add %s{i}, %s{i} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>\n" for i in range(len(names)))
text = f"""func.func @model(%x: tensor<?x2xf32> {{mp.input = "x"}}, %w: tensor<2xf32> {{mp.parameter = "w", mp.initializer = #mp.ones}}, {states_of_model})
    -> (tensor<f32> {{mp.loss}}, {", ".join(f'tensor<2xf32> {{mp.next = "{name}"}}' for name in names)}) attributes {{mp.program = "model"}} {{
{kept}  %y = mp.mul %x, %w : tensor<?x2xf32>, tensor<2xf32> -> tensor<?x2xf32>
  %loss = mp.reduce_mean %y dimensions [0, 1] : tensor<?x2xf32> -> tensor<f32>
  return %loss, {", ".join(f"%n{i}" for i in range(len(names)))} : tensor<f32>, {", ".join(["tensor<2xf32>"] * len(names))}
}}
"""
for settings in ({"optimizer": "lion"}, {"optimizer": "adamw", "policy": "mixed_float16"}, {"optimizer": "adamw", "accumulate": 2}):
    session = halfstep.Session(halfstep.compile(text, batch_size=4, **settings))
    session.save_weights(folder / "weights.safetensors")
    assert read_tensors(folder / "weights.safetensors").keys() == {"w", *names}, settings
    assert len(session.state) > len(names) + 1, settings

model.save_weights(folder / "weights.safetensors")
model.save_state(folder / "state.safetensors")
saved = read_tensors(folder / "state.safetensors")
assert given.keys() < saved.keys() and {"loss_scale", "growth_tracker", "learning_rate", "rng", "adamw.step"} <= saved.keys(), saved.keys()
assert same(saved, states(model)) and (read_metadata(folder / "state.safetensors")["step"], read_metadata(folder / "state.safetensors")["epoch"]) == ("6", "1")


def again(is_trained=False, **named):
    return make(halfstep.AdamW(0.01), is_trained, loss_scaler=halfstep.LossScaler(growth_interval=4), **named)


def step(model, rate=None):
    if rate is not None:
        model.learning_rate = rate
    model.trainer.step(X[:8], Y[:8], seed=9)
    return states(model)


# A training goes on from its state with every bit, from that of a checkpoint's folder, too, before the first step and after others.
wanted = step(model)
assert model.trainer.steps == 7
for is_trained in (False, True):
    other = again(is_trained)
    if is_trained:
        step(other, 0.5)
    other.load_state(folder / "state.safetensors")
    assert (other.trainer.steps, other.trainer.epochs, other.learning_rate) == (6, 1, numpy.float32(0.01))
    assert other.predict(X[:3]).shape == (3, 2) and same(other.state_dict(), {name: saved[name] for name in given})
    assert same(step(other), wanted) and other.trainer.steps == 7
kept = again()
kept.fit(X, Y, 8, 2, verbose=False, seed=3, checkpoint=folder / "run")
unknown = nn.Sequential(nn.Dense(2))  # which does not know its inputs yet
unknown.compile("sgd", policy="float32", threads=1)
unknown.trainer.step(X[:8], Y[:8])
unknown.trainer.save(folder / "unknown.safetensors")
other = nn.Sequential(nn.Dense(2))
other.compile("sgd", policy="float32", threads=1)
other.trainer.load(folder / "unknown.safetensors")
for one in (unknown, other):
    one.trainer.step(X[8:16], Y[8:16])
assert same(unknown.state_dict(), other.state_dict()) and other.trainer.steps == 2
other = again()
kept.learning_rate, kept.trainer.session.state["loss_scale"] = 0.25, 512.0
kept.trainer.save(folder / "rate.safetensors")
other.trainer.load(folder / "rate.safetensors")  # asked before the first step it says what that has
assert (other.learning_rate, other.trainer.scaler.get_scale()) == (0.25, 512)
other = again()
kept.trainer.load(folder / "run")
other.trainer.load(folder / "run")
assert other.trainer.steps == 12 and other.trainer.epochs == 2 and same(step(other), step(kept))

# What was saved before holds the optimizer's state among weights: both ways to load take it. A rate that is set behind it is that of the next.
weights = again()
weights.load_weights(folder / "state.safetensors")
assert same(weights.state_dict(), {name: saved[name] for name in given}) and weights.trainer.steps == 0
write_tensors(folder / "before.safetensors", saved)
other = again()
other.load_state(folder / "before.safetensors")
assert same(step(other), wanted)
other.load_state(folder / "state.safetensors")
before = other.state_dict()["head.kernel"]
step(other, 0.0)
assert (other.state_dict()["head.kernel"] == before).all()

# State of something else is refused whole, with all that is missing and all that is too many.
for model in (make("sgd"), make("sgd", policy="mixed_bfloat16")):
    before = states(model)
    refused(["hidden.kernel/", "and ", "which this run does not; go on with the model, the optimizer and the loss scale that it was made with"],
            model.load_state, folder / "state.safetensors")
    assert same(before, states(model)) and model.trainer.steps == 6
write_tensors(folder / "fewer.safetensors", {name: value for name, value in saved.items() if name not in ("adamw.step", "rng")})
model = again(True)
before = states(model)
refused(["'adamw.step'", "'rng'"], model.load_state, folder / "fewer.safetensors")
refused(["'adamw.step'", "'hidden.kernel/"], model.load_state, folder / "weights.safetensors")
write_tensors(folder / "wrong.safetensors", {**saved, "loss_scale": numpy.float32(-1)})
refused("state 'loss_scale' is -1", model.load_state, folder / "wrong.safetensors")
assert same(before, states(model))
refused("the model has not been trained yet", again().save_state, folder / "none.safetensors")
assert not (folder / "none.safetensors").exists()
