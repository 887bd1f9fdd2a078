"""What fit, compile and layers are told is checked where it is said, with the argument, the value and what to do.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import inspect
import math
import pathlib
import pickle
import resource
import signal
import sys
import warnings

import numpy

import halfstep
from halfstep import nn, ops
from halfstep.callbacks import Callback, CSVLogger, EarlyStopping, JSONLinesLogger, LearningRateScheduler, ModelCheckpoint

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(2)
X = random.standard_normal((72, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


def make(*, optimizer=None, batch_norm=False, **settings):
    layers = [nn.Input((6,)), nn.Dense(8, "relu"), *[nn.BatchNorm()] * batch_norm, nn.Dense(2)]
    model = nn.Sequential(*layers)
    model.compile(optimizer or halfstep.SGD(0.1), threads=1, **{"policy": "float32", **settings})
    return model


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as error:
        assert expected in str(error) and "--" not in str(error), error
        return error
    raise AssertionError(f"expected: {expected}")


def near(a, b, tolerance=1e-6):
    return set(a) == set(b) and all(numpy.abs(a[name] - b[name]).max() <= tolerance for name in a)


class Batches:
    """Some rows at a time, of all or of those given."""

    def __init__(self, size, rows=72, y=Y):
        self.size, self.rows, self.y = size, rows, y

    def __iter__(self):
        for start in range(0, self.rows, self.size):
            yield X[start : min(start + self.size, self.rows)], self.y[start : min(start + self.size, self.rows)]


# Epochs, rows and seeds are whole numbers.
for given in (-1, 1.5, "2", True, None, math.nan):
    for data in ((X, Y), (Batches(8),)):
        refused(f"epochs is {given!r}, expected a whole number of at least 0", make().fit, *data, epochs=given, verbose=False)
trained = make()
trained.fit(X, Y, numpy.int64(8), numpy.int32(1), verbose=False)
for given in (0, -1, 1.5, True, "8"):
    said = f"batch_size is {given!r}, expected a whole number of at least 1"
    for model in (make(), trained):
        refused(said, model.fit, X, Y, given, verbose=False)
        refused(said, model.evaluate, X, Y, batch_size=given)
        refused(said, model.evaluate, Batches(8), batch_size=given)
    refused(said, halfstep.compare, make(), (X, Y), ["float32"], batch_size=given)
for given in (-1, 0.5):
    refused(f"seed is {given!r}, expected a whole number of at least 0", make().fit, X, Y, 8, verbose=False, seed=given)
    refused(f"seed is {given!r}", make().fit, Batches(8), verbose=False, seed=given)
    refused(f"threads is {given!r}", nn.Sequential(nn.Dense(2)).compile, threads=given)
refused("last_batch is 'keep', expected 'drop' or 'pad'", make().fit, X, Y, 8, last_batch="keep")


class Told(Callback):
    def __init__(self):
        self.seen = []

    def on_train_begin(self, logs=None):
        self.seen.append("begin")

    def on_epoch_begin(self, epoch, logs=None):
        self.seen.append(epoch)

    def on_train_end(self, logs=None):
        self.seen.append("end")


# No epochs train nothing, as in Keras.
for data in ((X, Y), (Batches(8),)):
    before, told = trained.state_dict(), Told()
    history = trained.fit(*data, batch_size=8, epochs=0, verbose=False, callbacks=[told])
    assert history.history == {} and history.epoch == [] and told.seen == ["begin", "end"] and near(before, trained.state_dict(), 0)
fresh = make()
fresh.fit(X, Y, 8, 0, verbose=False)
assert fresh.state_dict().keys() == trained.state_dict().keys() and fresh.trainer.steps == 0

# Settings by their names, at compile; what fit has is fit's.
for wrong, meant in (("polcy", "policy"), ("lerning_rate", "learning_rate"), ("acumulate", "accumulate")):
    error = refused(f"compile: unknown argument '{wrong}'; did you mean '{meant}'? arguments are optimizer, loss, metrics, policy", make, **{wrong: 1})
    assert "loss_scale" in str(error) and isinstance(error, TypeError), error
refused("LossScaler: unknown setting 'grow_interval'; did you mean 'growth_interval'?", halfstep.LossScaler, grow_interval=3)
for wrong in ({"init_scale": -1}, {"init_scale": math.nan}, {"growth_factor": 0.5}, {"backoff_factor": 2}, {"growth_interval": 1.5}, {"hysteresis": 0}):
    refused(f"LossScaler: {next(iter(wrong))}={next(iter(wrong.values()))}: expected a", halfstep.LossScaler, **wrong)
halfstep.LossScaler("2^24", hysteresis=2, floor=4.0)
assert "did you mean 'mixed_float16'?" in str(refused("unknown policy 'mixed_floot16'", halfstep.Policy, "mixed_floot16", deny=["mp.exp"]))
refused("there is no policy ['a']; expected a name, as 'mixed_bfloat16'", halfstep.Policy, ["a"])
refused("Policy: unknown setting 'denny'; did you mean 'deny'?", halfstep.Policy, "mixed_float16", denny=["mp.exp"])
refused("there is no policy 3", halfstep.Policy, 3)
refused("unknown setting 'lr'", halfstep.Adam, lr=0.1)
refused("compile: unknown argument 'zork'; arguments are optimizer", make, zork=None)
refused("compile: unknown argument 'batch_size'; it is an argument of fit; arguments are optimizer", make, batch_size=8)
make(accumulate=2, allow_tf32=True, deny=["mp.exp"], skip_limit=3, plan_in=None)

# One step on several micro-batches is one on all their rows, for trainer.step and for batches.
for settings in ({}, {"policy": "mixed_bfloat16"}):
    whole, parts, given = (make(accumulate=count, **settings) for count in (1, 4, "4"))
    whole.trainer.step(X[:32], Y[:32], seed=5)
    logs = parts.trainer.step(X[:32], Y[:32], seed=5)
    history = given.fit(Batches(8, 32), seed=5, verbose=False)
    tolerance = 2e-2 if settings else 1e-6
    assert near(whole.state_dict(), parts.state_dict(), tolerance) and parts.trainer.steps == given.trainer.steps == 1
    assert near(parts.state_dict(), given.state_dict(), 0) and history.history["loss"] == [logs["loss"]]
    for model in (whole, parts):
        model.trainer.step(X[32:64], Y[32:64])
    assert near(whole.state_dict(), parts.state_dict(), tolerance)
assert parts.trainer.session.executable._handle.text("micro_batches") == "4"
refused("accumulate=4: a batch of 30 rows is not 4 micro-batches of as many rows each", make(accumulate=4).trainer.step, X[:30], Y[:30])
refused("'x' has 31 rows, 'y' has 32", make(accumulate=4).trainer.step, X[:31], Y[:32])
refused("accumulate is 0, expected a whole number of at least 1", make(accumulate=0).trainer.step, X, Y)
refused("accumulate is 1.5", make(accumulate=1.5).fit, Batches(8))

# A step that is interrupted between two of its parts leaves nothing of the first.
clean, broken = make(accumulate=2, batch_norm=True), make(accumulate=2, batch_norm=True)
session = broken.trainer.prepare({"x": X[:8], "y": Y[:8]}, 8, 5)
run = session.run


def interrupt(program, arrays):
    session.run = lambda *_: signal.raise_signal(signal.SIGINT)
    return run(program, arrays)


session.run = interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    broken.trainer.step(X[:16] * 3, Y[:16])
except KeyboardInterrupt:
    session.run = run
for model in (clean, broken):
    model.trainer.step(X[:16], Y[:16], seed=5)
assert near(clean.state_dict(), broken.state_dict(), 0) and broken.trainer.steps == 1

# Batches that do not fill a step are dropped, which is said once, or filled up with rows that weigh nothing.
for count, size, steps, said in ((1, 16, 4, "a batch of 8 rows is dropped: the first had 16; last_batch=\"pad\" fills it up"),
                                 (4, 8, 2, "the last 1 batches of an epoch are dropped: a step has accumulate=4")):
    model = make(accumulate=count)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model.fit(Batches(size), epochs=3, verbose=False)
    assert model.trainer.steps == 3 * steps
    assert len(warned) == 1 and said in str(warned[0].message), [str(one.message) for one in warned]
    assert warned[0].filename == __file__ and ("pad" in str(warned[0].message)) == (count == 1)
    if count > 1:
        for data in ((X, Y), (Batches(size),)):
            refused("last_batch=pad and accumulate exclude each other", model.fit, *data, batch_size=8, verbose=False, last_batch="pad")
        assert model.trainer.steps == 3 * steps
        continue
    scores = model.fit(Batches(size), verbose=False, last_batch="pad").history  # after a fit that dropped
    assert model.trainer.steps == 4 * steps + 1 and set(scores) == {"loss", "accuracy"}
    before = model.evaluate(X, Y)
    model.learning_rate = 0.0
    scores = model.fit(Batches(size), verbose=False, last_batch="pad").history
    assert math.isclose(scores["loss"][0], before["loss"], rel_tol=1e-5), (scores, before)
    assert math.isclose(scores["accuracy"][0], before["accuracy"], rel_tol=1e-6), (scores, before)

# Batches of no rows are none, wherever they are; no others are an epoch of none.
for last_batch in ("drop", "pad"):
    for count in (1, 2):
        if last_batch == "pad" and count > 1:
            continue
        model, told = make(accumulate=count), make(accumulate=count)
        some = [(X[i : i + 8], Y[i : i + 8]) for i in range(0, 32, 8)]
        model.fit([(X[:0], Y[:0]), *some[:3], (X[:0], Y[:0]), some[3], (X[:0], Y[:0])], verbose=False, last_batch=last_batch, seed=5)
        told.fit(some, verbose=False, last_batch=last_batch, seed=5)
        assert model.trainer.steps == told.trainer.steps == 4 // count and near(model.state_dict(), told.state_dict(), 0)
        refused("epoch 1 has no batches", make(accumulate=count).fit, [(X[:0], Y[:0])] * 3, verbose=False, last_batch=last_batch)

# Labels are classes in batches, too, and a step that has others is none.
wrong = numpy.where(numpy.arange(72) == 11, 2, 0)
for model, said in ((make(), "label 2 of row 11"), (make(accumulate=2), "label 2 of row 11")):
    refused(f"{said} is out of range: input 'y' has 2 classes", model.trainer.step, X[:24], wrong[:24])
    model.trainer.step(X[:24], Y[:24])
    before = model.state_dict()
    for y in (wrong, wrong - 2):
        refused("is out of range: input 'y' has 2 classes", model.trainer.step, X[:24], y[:24])
        refused("is out of range: input 'y' has 2 classes", model.fit, [(X[:24], y[:24])] * 2, verbose=False)
    assert model.trainer.steps == 1 and near(before, model.state_dict(), 0)
refused("a batch has 16 rows, the first had 8", make().fit, [(X[:8], Y[:8]), (X[:16], Y[:16])], verbose=False)
refused("'x' has 8 rows, 'y' has 7", make().fit, [(X[:8], Y[:7])], verbose=False)

# Rows that fill up weigh nothing in the step either: it is one on the rows that are there.
for batch_norm in (False, True):
    short, filled = make(batch_norm=batch_norm), make(batch_norm=batch_norm)
    for start, end in ((0, 16), (16, 21)):
        short.trainer.step(X[start:end], Y[start:end], seed=5)
    filled.fit(Batches(16, 21), seed=5, verbose=False, last_batch="pad")
    assert filled.trainer.steps == 2 and near(short.state_dict(), filled.state_dict(), 2e-6)

# A model that dropped pads when it is told to, from the same state.
for batch in (16, 20):
    model, other = make(), make(pad=True)
    for one in (model, other):
        one.fit(X, Y, 20, verbose=False)
        one.fit(X, Y, batch, verbose=False, last_batch="pad")
        assert one.trainer.steps == 3 + math.ceil(72 / batch)
    assert near(model.state_dict(), other.state_dict())
    model.fit(X, Y, batch, verbose=False)
refused('last_batch="pad": the model was compiled with pad=False; leave that out', make(pad=False).fit, X, Y, 16, last_batch="pad")

# What the compiler warns of is a warning, at the line that had it compiled; not where diagnostics are asked for.
for call in (lambda one: one.fit(X, Y, 8, verbose=False), lambda one: one.fit(Batches(8), verbose=False),
             lambda one: halfstep.compile(one.to_mlir(), training=False, policy="mixed_bfloat16", deny=["loc:nosuch"])):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        call(make(policy="mixed_bfloat16", deny=["loc:nosuch"]))
    (one,) = warned
    assert one.filename == __file__ and "'loc:nosuch' matches the location of no op" in str(one.message), one
diagnostics = []
halfstep.compile(make().to_mlir(), training=False, policy="mixed_bfloat16", deny=["loc:nosuch"], on_diagnostic=diagnostics.append)
assert [one.severity for one in diagnostics] == ["warning"]

# A model that is compiled again keeps its parameters and states, and nothing else.
for again in ({"optimizer": "sgd"}, {"optimizer": halfstep.AdamW(0.1), "policy": "mixed_bfloat16"}):
    model = make(optimizer="adam", batch_norm=True)
    model.fit(X, Y, 8, 2, verbose=False)
    state, outputs = model.state_dict(), model.predict(X)
    for _ in range(2):
        model.compile(**{"policy": "float32", **again}, threads=1)
    assert near(state, model.state_dict(), 0) and numpy.abs(model.predict(X) - outputs).max() < (0.1 if "policy" in again else 1e-5)
    model.fit(X, Y, 8, 0, verbose=False, seed=7)
    assert near(state, model.state_dict(), 0) and model.trainer.steps == 0
    kept = model.trainer.session.state
    assert all(not numpy.any(kept[name]) for name in kept if "/adam." in name or name == "adam.step")

# Steps that are skipped one after another end training, however it is trained.
nan = numpy.full_like(X, math.nan)
skipping = {"policy": "mixed_float16", "skip_limit": 3}
said = "3 consecutive steps were skipped, the last is step 3"
refused(said, make(**skipping).fit, nan, Y, 8, verbose=False)
refused(said, make(**skipping).fit, [(nan[:8], Y[:8])] * 5, verbose=False)
refused(said, make(**skipping, accumulate=2).fit, [(nan[:8], Y[:8])] * 10, verbose=False)
for settings in (skipping, {**skipping, "loss_scale": 8.0}):
    model = make(**settings)
    for x in (nan, nan, X, nan, nan):
        assert model.trainer.step(x[:8], Y[:8])["skipped"] == (x is nan)
    refused("3 consecutive steps were skipped, the last is step 6", model.trainer.step, nan[:8], Y[:8])
unlimited = make(policy="mixed_float16", skip_limit=0)
assert all(unlimited.trainer.step(nan[:8], Y[:8])["skipped"] for _ in range(60))
usual = make(policy="mixed_float16")
refused("50 consecutive steps were skipped", lambda: [usual.trainer.step(nan[:8], Y[:8]) for _ in range(60)])
assert usual.trainer.steps == 50
floor = make(policy="mixed_float16", loss_scaler=halfstep.LossScaler(4.0, floor=2.0, raise_error_at_min_scale=True))
floor.trainer.step(nan[:8], Y[:8])
refused("step 2 overflowed at loss scale 2, and its floor is 2", floor.trainer.step, nan[:8], Y[:8])

# Layers, when they are made.
LAYERS = [
    ("Dense: units is -1, expected a whole number of at least 1", lambda: nn.Dense(-1)),
    ("Dense: units is 2.5", lambda: nn.Dense(2.5)),
    ("Dense: units is True", lambda: nn.Dense(True)),
    ("MultiHeadAttention: heads is 0", lambda: nn.MultiHeadAttention(0)),
    ("MultiHeadAttention: dropout is 1.5", lambda: nn.MultiHeadAttention(2, 1.5)),
    ("Dropout: rate is -0.1, expected a number of at least 0 and less than 1", lambda: nn.Dropout(-0.1)),
    ("Conv2D: filters is 0", lambda: nn.Conv2D(0, 3)),
    ("Conv2D: kernel_size is 0", lambda: nn.Conv2D(3, 0)),
    ("Conv2D: kernel_size is (3, 3, 3), expected a whole number of at least 1, or one for each of two dimensions", lambda: nn.Conv2D(3, (3, 3, 3))),
    ("Conv2D: strides is 1.5", lambda: nn.Conv2D(3, 3, 1.5)),
    ("Conv2D: groups is -1", lambda: nn.Conv2D(3, 3, groups=-1)),
    ("MaxPool2D: pool_size is 0", lambda: nn.MaxPool2D(0)),
    ("Conv2D: kernel_size is '33', expected a whole number of at least 1, or one for each of two dimensions", lambda: nn.Conv2D(4, "33")),
    ("MaxPool2D: pool_size is '2'", lambda: nn.MaxPool2D("2")),
    ("Conv2D: kernel_size is (3, 'a')", lambda: nn.Conv2D(4, (3, "a"))),
    ("Conv2D: kernel_size is (3, 0)", lambda: nn.Conv2D(4, (3, 0))),
    ("Conv3D: dilation is '111'", lambda: nn.Conv3D(4, 3, dilation="111")),
    ("Conv1D: kernel_size is (3, 3), expected a whole number of at least 1, or one for each of one dimension", lambda: nn.Conv1D(3, (3, 3))),
    ("Conv3D: padding is [1, 2], expected 'valid', 'same', a number of at least 0, one for each of three dimensions, or [front, back, top, bottom, left, right]",
     lambda: nn.Conv3D(3, 3, padding=[1, 2])),
    ("MaxPool1D: strides is 0", lambda: nn.MaxPool1D(2, 0)),
    ("AvgPool3D: pool_size is (2, 2)", lambda: nn.AvgPool3D((2, 2))),
    ("AvgPool2D: strides is 0", lambda: nn.AvgPool2D(2, 0)),
    ("Embedding: columns is 0", lambda: nn.Embedding(5, 0)),
    ("GroupNorm: groups is 0", lambda: nn.GroupNorm(0)),
    # Sizes, as PyTorch's layers begin with.
    ("LayerNorm: epsilon is 64, expected a number below 1; how many features or channels there are is found from the input", lambda: nn.LayerNorm(64)),
    ("GroupNorm: epsilon is 64", lambda: nn.GroupNorm(4, 64)),
    ("BatchNorm: momentum is 1,", lambda: nn.BatchNorm(1)),
    ("Conv2D: padding is [1, 2, 3]", lambda: nn.Conv2D(8, 3, padding=[1, 2, 3])),
    # Words of padding, in another spelling or of other frameworks, with the numbers that are meant.
    ("Conv2D: padding is 'sme', expected 'valid', 'same', a number of at least 0, one for each of two dimensions, or [top, bottom, left, right]; did "
     "you mean 'same'?", lambda: nn.Conv2D(4, 3, padding="sme")),
    ("AvgPool3D: padding is 'VALID', expected 'valid', 'same', a number of at least 0, one for each of three dimensions, or [front, back, top, bottom, "
     "left, right]; did you mean 'valid'?", lambda: nn.AvgPool3D(padding="VALID")),
    ("Conv1D: padding is 'causal', expected 'valid', 'same', a number of at least 0, or [left, right]; zeros before alone are padding=[6, 0]",
     lambda: nn.Conv1D(4, 4, padding="causal", dilation=2)),
    ("; zeros before alone are numbers, with 0 for what is behind", lambda: nn.Conv2D(4, 3, padding="causal")),
    ("; that is padding=(2, 4)", lambda: nn.Conv2D(4, (3, 5), padding="full")),
    ("; what is around an image is zeros, and of a pooling nothing", lambda: nn.Conv2D(4, 3, padding="reflect")),
    ("Reshape: shape: a size is 2.5, expected a whole number", lambda: nn.Reshape(2.5)),
    ("Reshape: (-1, 2, -1) has two sizes that are -1, expected at most one", lambda: nn.Reshape(-1, 2, -1)),
    ("Conv2D: padding is -1", lambda: nn.Conv2D(8, 3, padding=-1)),
    ("MaxPool2D: padding is 0.5", lambda: nn.MaxPool2D(2, padding=0.5)),
    ("Input: shape is 2.5", lambda: nn.Input(2.5)),
    ("a size is 2.5", lambda: nn.Parameter((2.5,))),
    ("State: shape is None", lambda: nn.State(None)),
    ("there is no loss ['mse']", lambda: make(loss=["mse"])),
    ("there is no optimizer ['adam']", lambda: make(optimizer=["adam"])),
    (": list is no dictionary", lambda: make().load_state_dict([1])),
    ("batches have different inputs; the first has x", lambda: make().evaluate([({"x": X}, Y), ({"z": X}, Y)])),
]
for expected, function in LAYERS:
    refused(expected, function)
for expected, layer, shape in (("Conv2D: 3 channels and 4 filters are not divided by 2 groups", nn.Conv2D(4, 3, groups=2), (8, 8, 3)),
                               ("Conv1D: 3 channels and 4 filters are not divided by 2 groups", nn.Conv1D(4, 3, groups=2), (8, 3)),
                               ("Conv1D takes [rows, length, channels], given 4 dimensions: [", nn.Conv1D(4, 3), (8, 8, 3)),
                               ("Conv2D takes [rows, height, width, channels], given 3 dimensions: [", nn.Conv2D(4, 3), (8, 3)),
                               ("GlobalAvgPool3D takes [rows, depth, height, width, channels], given 4 dimensions: [", nn.GlobalAvgPool3D(), (8, 8, 3)),
                               ("MaxPool1D takes [rows, length, channels], given 2 dimensions: [", nn.MaxPool1D(), (8,)),
                               ("GroupNorm: 6 channels are not divided by 4 groups", nn.GroupNorm(4), (5, 6)),
                               ("MultiHeadAttention: 6 features are not divided by 4 heads", nn.MultiHeadAttention(4), (5, 6)),
                               ("Reshape: a row is [5], of 5 elements, which [2, -1] does not have", nn.Reshape(2, -1), (5,)),
                               ("Reshape: a row is [8, 8, 3], of 192 elements, which [4, 4] does not have", nn.Reshape((4, 4)), (8, 8, 3))):
    refused(expected, nn.Sequential(nn.Input(shape), layer).to_mlir)

for optimizer in (halfstep.Adam, halfstep.AdamW, halfstep.NAdam, halfstep.LAMB, halfstep.Lion):
    for betas in (0.9, (0.9,), (0.9, 0.99, 0.999), "ab", None, (0.9, None)):
        refused(f"{optimizer.__name__}: betas is {betas!r}, expected two numbers, as in (0.9, 0.999)", optimizer, betas=betas)
    assert make(optimizer=optimizer(betas=[0.5, numpy.float32(0.75)])).trainer._job.settings["beta2"] == 0.75

# One metric or callback is several.
single, told = make(), Told()
single.compile("sgd", metrics="accuracy", policy="float32")
assert set(single.fit(X, Y, 8, verbose=False, callbacks=told).history) == {"loss", "accuracy"} and told.seen == ["begin", 0, "end"]
single.compile("sgd", metrics=lambda outputs, targets: ops.cast(targets, "float32"), policy="float32")
assert set(single.fit(X, Y, 8, verbose=False).history) == {"loss", "<lambda>"}
refused("metrics has 3, expected names and functions", single.compile, metrics=3)
for given in (-0.5, 1, math.nan, "a"):
    refused(f"validation_split is {given!r}, expected a number of at least 0 and less than 1", trained.fit, X, Y, 8, validation_split=given)

# Accuracies are better upwards, among them those of the first few; all else is better downwards.
UPWARDS = ("accuracy", "val_accuracy", "sparse_categorical_accuracy", "val_top5", "top1", "top10_words", "val_accuracy_of_mine")
DOWNWARDS = ("loss", "val_loss", "val_mse", "top", "topology", "val_top5th", "stop5", "top_speed", "laptop5")
for name in UPWARDS + DOWNWARDS:
    early, worse = EarlyStopping(name), make()
    early.model, worse.stop_training = worse, False
    early.on_train_begin()
    for epoch, value in enumerate((0.5, 0.75, 0.625)):
        early.on_epoch_end(epoch, {name: value if name in UPWARDS else -value})
        assert worse.stop_training == (epoch == 2), (name, epoch)

# One metric's scores are chosen by that rule, too: the table of a comparison has an accuracy, or none.
def top2(outputs, targets):
    return ops.cast(targets, "float32") * 0 + 0.25


for metrics, wanted in (([top2], 0.25), ({"topology": top2}, None), ({"mse": top2, "top2": top2}, 0.25)):
    compared = make(metrics=metrics)
    (policy,) = halfstep.compare(compared, (X, Y), ["float32"], validation_data=(X, Y), batch_size=8).policies
    assert policy.get("test_accuracy") == wanted, policy

# Names that are not there are KeyErrors, whose text says which are.
state = trained.trainer.session.state
for error in (refused("there is no state 'dense1.kernl'; did you mean 'dense1.kernel'?", lambda: state["dense1.kernl"]),
              refused("there is no state 'zork'; expected one of dense1.kernel, ", lambda: state.__setitem__("zork", 1)),
              refused("there is no score 'val_loss', only loss, accuracy", trained.fit, X, Y, 8, verbose=False, callbacks=[EarlyStopping()]),
              refused("there is no score 'val_los' for the path", trained.fit, X, Y, 8, verbose=False,
                      callbacks=[ModelCheckpoint(folder / "{epoch}-{val_los}.safetensors")])):
    assert isinstance(error, KeyError), error
assert "zork" not in state and state.get("zork") is None

# Files that are something else, or cannot be written.
for name, data in (("empty", b""), ("text", b"not a safetensors file at all"), ("short", b"abc")):
    path = folder / name
    path.write_bytes(data)
    error = refused(f"{path}: is", trained.load_weights, path)
    assert "is no safetensors file, as save_weights writes it, nor the folder of a checkpoint" in str(error), error
    error = refused(f"{path}: is {'empty' if name == 'empty' else 'not JSON at byte '}", halfstep.Comparison.load, path)
    assert "expected what Comparison.to_json or fit(log=...) wrote" in str(error), error


class Failing(Callback):
    """Of one of the methods of callbacks, which fails."""

    def __init__(self, where):
        self.where = where

    def __getattribute__(self, name):
        if name == object.__getattribute__(self, "where"):
            raise halfstep.Error(f"failed in {name}")
        return super().__getattribute__(name)

    def on_train_batch_end(self, batch, logs=None): ...


class Ended(Callback):
    def __init__(self):
        self.count = 0

    def on_train_end(self, logs=None):
        self.count += 1


# However training ends, and whatever of it fails, what has begun is ended, once, and the first error is told.
for data in ((X, Y), (Batches(8),)):
    for where in ("on_train_begin", "on_epoch_begin", "on_train_batch_end", "on_epoch_end", "on_train_end", None):
        loggers, first, last = [CSVLogger(folder / "log.csv"), JSONLinesLogger(folder / "log.json")], Ended(), Ended()
        callbacks = [first, *loggers, Failing(where), Failing("on_train_end"), last]
        refused(f"failed in {where or 'on_train_end'}", make().fit, *data, batch_size=8, verbose=False, callbacks=callbacks)
        assert all(one._file.closed for one in loggers) and first.count == 1 and last.count == (where != "on_train_begin"), where
    ended = Ended()
    broken, said = ((X, Y + 9), "is out of range") if len(data) == 2 else (([(X[:8], Y[:8]), (X[:8], Y[:7])],), "'x' has 8 rows, 'y' has 7")
    refused(said, make().fit, *broken, batch_size=8, verbose=False, callbacks=[ended])
    assert ended.count == 1 and make().fit(*data, batch_size=8, verbose=False, callbacks=[ended]) and ended.count == 2
for callback in (CSVLogger, JSONLinesLogger):
    refused("/dev/full: cannot write: No space left on device", make().fit, X, Y, 8, verbose=False, callbacks=[callback("/dev/full")])
refused("/dev/full: cannot write: No space left on device", make().fit, X, Y, 8, verbose=False, log="/dev/full")
trained = make()
trained.fit(X, Y, 8, 2, verbose=False, checkpoint=folder / "run")
refused("go on from it with resume=True, or remove it", make().fit, X, Y, 8, verbose=False, checkpoint=folder / "run")
refused("this run has 'mixed_float16'; train under that one, or anew from its load_weights", make(policy="mixed_float16").fit, X, Y, 8, verbose=False,
        checkpoint=folder / "run", resume=True)

# With resume, epochs are those of the whole run: with none the checkpoint is loaded, all of it, and nothing is trained.
refused("resume needs checkpoint=DIR", make().fit, X, Y, 8, 0, verbose=False, resume=True)
loaded, told = make(), Told()
history = loaded.fit(X, Y, 8, 0, verbose=False, checkpoint=folder / "run", resume=True, callbacks=[told], validation_data=(X, Y), log=folder / "none.jsonl")
assert history.epoch == [] and told.seen == ["begin", "end"] and not (folder / "none.jsonl").exists()
assert (loaded.trainer.steps, loaded.trainer.epochs) == (18, 2)
assert near(dict(loaded.trainer.session.state), dict(trained.trainer.session.state), 0)
for model in (trained, loaded):
    model.fit(X, Y, 8, verbose=False)
assert near(trained.state_dict(), loaded.state_dict(), 0) and (loaded.trainer.steps, loaded.trainer.epochs) == (27, 3)
for epochs, ends in ((3, 3), (4, 4), (2, 4)):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        loaded.fit(X, Y, 8, epochs, verbose=False, checkpoint=folder / "run", resume=True)
    assert len(warned) == (epochs < ends)
    assert (loaded.trainer.steps, loaded.trainer.epochs) == (9 * ends, ends)
anew = make()
anew.fit(X, Y, 8, 0, verbose=False, checkpoint=folder / "none", resume=True)
assert anew.trainer.steps == 0 and not (folder / "none").exists()

# The loss scale is there before the first step, and is loaded by the names of torch.amp.GradScaler.
for policy, scaler, scale in (("mixed_float16", None, 65536.0), ("mixed_float16", halfstep.LossScaler(512.0), 512.0), ("mixed_float16", "none", 1.0),
                              ("float32", None, 1.0), ("float32", 1024.0, 1024.0), ("mixed_float16", "dynamic:init-scale=2^12", 4096.0),
                              ("pytorch", None, 65536.0), ("pytorch", halfstep.LossScaler(512.0), 512.0), (halfstep.Policy("pytorch", type="bf16"), None, 1.0),
                              (halfstep.Policy("mixed_bfloat16", type="f16"), None, 65536.0), ("float32", halfstep.LossScaler(256.0), 256.0),
                              ("mixed_bfloat16", halfstep.LossScaler(enabled=False), 1.0)):
    model = make(policy=policy, loss_scaler=scaler)
    for _ in range(2):
        assert model.trainer.scaler.get_scale() == scale and model.trainer.scaler.is_enabled() == (scale != 1)
        model.fit(X, Y, 8, 0, verbose=False)
for is_early in (True, False):
    model = make(policy="mixed_float16", loss_scaler=halfstep.LossScaler(growth_interval=10))
    if not is_early:
        model.trainer.step(X[:8], Y[:8])
    given = {"scale": 256.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 10, "_growth_tracker": 8}
    model.trainer.scaler.load_state_dict(given)
    assert model.trainer.scaler.state_dict() == given
    for scale in (256.0, 512.0):
        model.trainer.step(X[:8], Y[:8])
        assert model.trainer.scaler.get_scale() == scale, (is_early, scale)
    model.trainer.scaler.load_state_dict(model.trainer.scaler.state_dict())
    load = model.trainer.scaler.load_state_dict
    refused("growth_interval is 20, and 10 is compiled in; compile with loss_scaler=LossScaler(growth_factor=2.0, backoff_factor=0.5, growth_interval=20)",
            load, {**given, "growth_interval": 20})
    refused("there is no 'scal'; expected scale, ", load, {**given, "scal": 1})
    refused("'scale' is missing", load, {"growth_interval": 10})
    refused("scale is 1e+39, expected a finite number of float32, greater than 0", load, {**given, "scale": 1e39})
    refused("scale is True, expected a finite number", load, {**given, "scale": True})
    refused("scale is -1, expected a finite number of float32, greater than 0", load, {**given, "scale": -1})
    refused(": list is no dictionary", load, [])
    assert model.trainer.scaler.get_scale() == 512.0
refused("the model has no loss scale; compile it with a loss_scaler", make().trainer.scaler.load_state_dict, given)
make().trainer.scaler.load_state_dict({})

# A file that is not there is one error whoever reads it, and Python's own, too.
missing = folder / "nowhere" / "file"
known = make()
known.specify(x=nn.Input(X.shape[1:]))
for read in (halfstep.compile, halfstep.Executable.load, halfstep.Session, halfstep.Comparison.load, known.load_weights, trained.load_weights,
             trained.trainer.session.load_weights, known.fit, trained.evaluate, lambda path: halfstep.Policy(str(path)),
             lambda path: halfstep.set_global_policy(str(path))):
    error = refused(f"{missing}: cannot open: No such file or directory", read, missing)
    assert isinstance(error, halfstep.MissingFile) and isinstance(error, FileNotFoundError), read
    assert (error.errno, error.filename, error.strerror) == (2, str(missing), "No such file or directory")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
assert isinstance(refused("my.policy: cannot open: No such file", make, policy="my.policy"), halfstep.MissingFile)
refused(f"{folder}: cannot open: Is a directory", halfstep.compile, folder)
refused("model is a Sequential, expected MLIR text or the path of a file of it: model.to_mlir() gives it", halfstep.compile, known)
refused("model is a int, expected MLIR text", halfstep.compile, 3)

# Files are written whole: where a disk is full, what was there stays.
whole = halfstep.compile(make().to_mlir(), training=False, policy="float32")
compared = halfstep.compare(make(), (X, Y), "float32", batch_size=8)
for write in (whole.save, compared.to_json, compared.to_html):
    path = folder / "written"
    path.write_text("old")
    link = folder / "link"
    link.unlink(missing_ok=True)
    link.symlink_to("written")
    refused("/dev/full: No space left on device", write, "/dev/full")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        refused(f"{path}: File too large", write, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "old" and not list(folder.glob("written.*"))
    write(link)
    assert link.is_symlink() and path.stat().st_size > 64

# A folder that is not there is one error whoever writes to it, before anything is trained; the folder of a checkpoint is made.
nowhere = str(missing.parent)
for write in (whole.save, compared.to_json, compared.to_html, known.save_weights, trained.save_weights, trained.trainer.session.save_weights,
              lambda path: halfstep.compile(known.to_mlir(), training=False, plan_out=path)):
    error = refused(f"{missing}: folder does not exist: {nowhere}; make it before, as by os.makedirs({nowhere!r})", write, missing)
    assert isinstance(error, halfstep.MissingFile) and error.filename == str(missing), write
for data in ((X, Y), (Batches(8),)):
    for given in [{"callbacks": [callback(missing)]} for callback in (CSVLogger, JSONLinesLogger, ModelCheckpoint)] + [{"log": missing}] * (len(data) == 2):
        model = make()
        error = refused(f"{missing}: folder does not exist: {nowhere}", model.fit, *data, batch_size=8, verbose=False, **given)
        assert isinstance(error, halfstep.MissingFile) and model.trainer.steps == 0, given
model = make()  # of a folder that scores name, what is trained stays
refused(f"{nowhere}-1/x: folder does not exist", model.fit, X, Y, 8, 2, verbose=False, callbacks=[ModelCheckpoint(f"{nowhere}-{{epoch}}/x")])
assert model.trainer.steps == 9 and model.trainer.epochs == 1
make().fit(X, Y, 8, verbose=False, checkpoint=missing)
assert (missing / "manifest.json").exists()

# What is no array of numbers is an error that names the argument, whoever is given it.
model, swapped = make(), make()
for given, said in ((None, "None"), ("abc", "'abc'"), ([[1], [2, 3]], "of type list"), (object(), "of type object")):
    if given is not None:
        refused(f"'x' is {said}, expected an array of numbers", model.predict, given)
        refused(f"'y' is {said}, expected an array of numbers", model.trainer.step, X, given)
    refused(f"'x' is {said}, expected an array of numbers", model.predict, {"x": given})
    for call in (model.trainer.step, model.fit):
        refused(f"'x' is {said}, expected an array of numbers", call, given, Y)
refused("input 'x' is tensor<f32>, expected tensor<?x6xf32>", model.predict, numpy.float32(1))
refused("'x' is one number, expected a row for each sample", model.trainer.step, 1.0, Y)
refused("an input's name is 1, expected a string, one of x", model.predict, {1: X})
for call in (model.fit, model.evaluate, lambda one: model.fit(X, Y, 8, validation_data=one)):
    refused(" is 5, expected an array with y, or what gives batches (x, y)", call, 5)
for call in (model.predict, lambda one: model.trainer.step(one, Y), lambda one: model.fit(one, Y, 8), lambda one: model.fit([(one, Y)], verbose=False)):
    refused("'x' is a masked array, whose mask nothing here reads; fill it, as in x.filled(0)", call, numpy.ma.masked_array(X, X > 1))
    refused("'x' has elements of object" if call == model.predict else "", call, numpy.array([[None]] * 72))
model.fit(X, Y, 8, verbose=False)
swapped.fit(X.astype(">f4"), Y.astype(">i8"), 8, verbose=False)
assert near(model.state_dict(), swapped.state_dict(), 0) and (model.predict(X) == swapped.predict(X.astype(">f4"))).all()
for given, said in (([[1], [2, 3]], "an operand is of type list, expected an array of numbers"), ("abc", "an operand is 'abc'"),
                    (numpy.ma.masked_array(X[0], X[0] > 0), "an operand is a masked array"), (numpy.array([None] * 6), "elements of object")):
    refused(said, nn.Sequential(nn.Input((6,)), lambda x, given=given: x + given).to_mlir)


# Inputs by name are those of forward, all of them, where a model learns of them by data; where it takes any, they have any names.
class Two(nn.Module):
    def __init__(self):
        self.first, self.second = nn.Dense(2), nn.Dense(2)

    def forward(self, a, b):
        return self.first(a) + self.second(b)


class Perhaps(nn.Module):
    def forward(self, a, b=0.0, c=0.0):
        return a + 2 * b + 3 * c


class Any(nn.Module):
    def forward(self, *inputs):
        return inputs[0] - inputs[1]


def compiled(model):
    model.compile("sgd", policy="float32", threads=1)
    return model


WRONG = "Two: inputs have the names of forward's parameters, a, b; 'c' is none of them, and 'a' is missing"
refused(WRONG, Two().predict, {"b": X, "c": X})
refused(WRONG, compiled(Two()).fit, {"b": X, "c": X}, Y, 8, verbose=False)
refused(WRONG, compiled(Two()).fit, [({"b": X, "c": X}, Y)], verbose=False)
refused(WRONG, Two().specify, b=nn.Input((6,)), c=nn.Input((6,)))
refused("Two: inputs have the names of forward's parameters, a, b; 'b' is missing", Two().predict, X)
for call in (Two().predict, lambda both: compiled(Two()).fit(both, Y, 8, verbose=False)):
    for both in ((X, X), [X, X]):
        refused(f"x is a {type(both).__name__} of 2 arrays, and the inputs are a, b; use a dictionary, as {{'a': ..., 'b': ...}}", call, both)
swapped, given = compiled(Two()), compiled(Two())
swapped.fit({"b": X, "a": 2 * X}, Y, 8, verbose=False)
given.fit({"a": 2 * X, "b": X}, Y, 8, verbose=False)
assert near(swapped.state_dict(), given.state_dict(), 0)
assert numpy.allclose(Perhaps().predict({"c": X, "a": X}), 4 * X) and numpy.allclose(Perhaps().predict(X), X)
assert (Any().predict({"p": 3 * X, "q": X}) == 3 * X - X).all()
assert nn.Sequential(nn.Dense(2)).predict({"anything": X}).shape == (72, 2)
refused("a Sequential takes one input, under any name; 'p', 'q' are given", nn.Sequential(nn.Dense(2)).predict, {"p": X, "q": X})
assert nn.Sequential(nn.Dense(2)).specify(p=nn.Input((6,))).predict(X).shape == (72, 2)
refused("Sequential: layer 1 is 3, expected a module, a function of a tensor", nn.Sequential, nn.Dense(3), 3)
refused("Sequential: layer 0 is the class Dense; write Dense(...)", nn.Sequential, nn.Dense)

# A learning rate is one, whenever it is said.
for rate in (-1, math.nan, math.inf, 1e40, "fast", None):
    refused(f"learning_rate is {rate!r}, expected a finite number of float32, of at least 0", setattr, trained, "learning_rate", rate)
    refused(f"learning_rate is {rate!r}", setattr, trained.trainer, "learning_rate", rate)
trained.learning_rate = numpy.float32(0.125)
assert trained.learning_rate == 0.125

# Losses and metrics are tensors, callbacks objects with methods.
for one, told in (((1, 2), "tuple of 2"), (0.5, "float"), ("mse", "str"), (None, "None")):
    refused(f"the loss gives {told}, expected a tensor: return ops.mean(...)", make(loss=lambda outputs, targets, one=one: one).fit, X, Y, 8)
    refused(f"the metric 'own' gives {told}, expected a tensor", make(metrics={"own": lambda outputs, targets, one=one: one}).fit, X, Y, 8)
for kind in (halfstep.losses.SparseCategoricalCrossentropy, halfstep.losses.NLL):
    refused("expected a tensor: call what makes the loss where it is given, as loss=halfstep.losses.CrossEntropy()", make(loss=kind).fit, X, Y, 8)
for loss in ("cross_entropy", "nll_loss", halfstep.losses.CrossEntropy(weight=[1, 2])):
    refused("labels are float32, one for each row, and classes are whole numbers: give y.astype('int64')", make(loss=loss).fit, X, Y.astype("float32"), 8)
for data in ((X, Y), (Batches(8),)):
    for wrong in (EarlyStopping, [EarlyStopping]):
        refused("callbacks has the class EarlyStopping, expected an object of it: EarlyStopping(...)", make().fit, *data, callbacks=wrong)
    refused("which has no on_train_begin; derive it from halfstep.callbacks.Callback", make().fit, *data, callbacks=[object()])
make().fit(X, Y, 8, callbacks=None, verbose=False)

# Padding as PyTorch's layers have it, and as ours do; what PyTorch says of sizes twice is no number of layers.
for given, meant in ((1, "[1, 1, 1, 1]"), ((1, 2), "[1, 1, 2, 2]"), ([0, 1, 2, 3], "[0, 1, 2, 3]"), ("same", "[1, 1, 1, 1]")):
    assert f"padding = {meant}" in str(nn.Sequential(nn.Input((8, 8, 2)), nn.Conv2D(2, 3, padding=given))), given
for recurrent in (nn.RNN, nn.LSTM, nn.GRU):
    try:
        recurrent(28, 32)
        raise AssertionError(recurrent)
    except TypeError:
        pass

# Data without the dimensions that a layer takes, and values of other kinds.
ONE = numpy.float32(1)
for layer, given, takes in ((nn.Conv1D(2, 3), (X[:, 0], ONE), "Conv1D takes [rows, length, channels]"),
                            (nn.Conv2D(2, 3), (X[:, 0], ONE), "Conv2D takes [rows, height, width, channels]"),
                            (nn.Dense(2), (X[:, 0], ONE), "Dense takes [rows, ..., features]"), (nn.BatchNorm(), (X[:, 0], ONE), "BatchNorm takes"),
                            (nn.LayerNorm(), (X[:, 0], ONE), "LayerNorm takes"), (nn.GroupNorm(1), (X[:, 0], ONE), "GroupNorm takes"),
                            (nn.MultiHeadAttention(2), (X, X[:, 0], ONE), "MultiHeadAttention takes [rows, positions, features]")):
    for one in given:
        refused(takes, nn.Sequential(layer).predict, one)
refused("Flatten takes [rows, ...] whose other dimensions are known, given [6, None]", nn.Sequential(ops.transpose, nn.Flatten()).predict, X)
refused("the outputs are one number, expected [rows, classes]", lambda: (scalar := nn.Sequential(ops.mean), scalar.compile("sgd"), scalar.fit(X, Y)))
for given in (0, None):
    refused(f"device is {given!r}, expected a name, as 'cpu' or 'cuda'", make, device=given)
    refused(f"device is {given!r}, expected a name", halfstep.Session, "a.mpx", given)
for given in (-1, 1.5, "two"):
    refused(f"threads is {given!r}, expected a whole number of at least 0", lambda: halfstep.Session("a.mpx", threads=given))
predicting = halfstep.Session(halfstep.compile(make().to_mlir(), policy="float32", training=False), threads=1)
predicting.initialize()
refused("run: inputs are of type ndarray, expected a dictionary of arrays by name, or arrays by keyword, as run('infer', x=x)", predicting.run, "infer", X)
refused("run: the program is of type ndarray, expected a name, one of infer", predicting.run, X)
refused("specify: x is of type tuple, expected an nn.Input, as x=nn.Input(shape, dtype)", nn.Sequential(nn.Dense(2)).specify, x=(8, 8, 3))
for keeper in (make(), predicting):
    for method in (keeper.save_weights, keeper.load_weights):
        refused("path is None, expected that of a file", method, None)
refused("LearningRateScheduler: schedule is 0.1, expected a function of the epoch", LearningRateScheduler, 0.1)

# Every switch of every layer is True or False, Python's or NumPy's.
switches = 0
for layer in [one for one in vars(nn).values() if inspect.isclass(one) and issubclass(one, nn.Module)]:
    own = inspect.signature(layer).parameters.values()
    needed = [2 for one in own if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
    for switch in [one.name for one in own if isinstance(one.default, bool)]:
        switches += 1
        for wrong in ("no", 1, None):
            refused(f"{layer.__name__}: {switch} is {wrong!r}, expected True or False", layer, *needed, **{switch: wrong})
        layer(*needed, **{switch: numpy.bool_(True)})
assert switches >= 15, switches
