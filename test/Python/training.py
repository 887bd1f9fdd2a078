"""A model is trained on arrays: with the bits of mp-run, on from where it was, told and stopped by callbacks and signals.

RUN: rm -rf %t && mkdir %t
RUN: %{python} %s write %t
RUN: mp-run train %t/model.mlir --data=%t/data.npz --epochs=2 --batch-size=16 --optimizer=adamw --learning-rate=0.01 --weight-decay=0.01 --policy=mixed_float16 --loss-scale=dynamic --growth-interval=4 --seed=3 --quiet --checkpoint=%t/run
RUN: %{python} %s check %t
"""

import math
import os
import signal
import sys
import threading

import numpy

import halfstep
from halfstep import nn, ops

mode, folder = sys.argv[1:]
random = numpy.random.default_rng(1)
X = random.integers(0, 256, (203, 12), dtype=numpy.uint8)
Y = (X[:, :6].sum(axis=1, dtype=numpy.int64) > X[:, 6:].sum(axis=1, dtype=numpy.int64)).astype(numpy.int64)
XT, YT = X[:50], Y[:50]


def make():
    model = nn.Sequential(
        nn.Input((12,), "uint8"), nn.Rescaling(1 / 255), nn.Dense(32, "relu"), nn.Dropout(0.25), nn.LayerNorm(), nn.Dense(2))
    model.compile(
        halfstep.AdamW(0.01), policy="mixed_float16", loss_scaler=halfstep.LossScaler(growth_interval=4), threads=1)
    return model


if mode == "write":
    numpy.savez(f"{folder}/data.npz", x_train=X, y_train=Y, x_test=XT, y_test=YT)
    model = make()
    trainer = model.trainer
    trainer.prepare({"x": X, "y": Y}, 16)
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(model.to_mlir(objective=trainer._objective))
    sys.exit()


def refused(expected, function, *arguments, kind=halfstep.Error, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def same(a, b):
    return set(a) == set(b) and all((a[name] == b[name]).all() for name in a)


# The bits of mp-run, whose last checkpoint is read by a session.
once = make()
history = once.fit(X, Y, 16, 2, validation_data=(XT, YT), seed=3, verbose=False)
assert history.epoch == [0, 1] and set(history.history) == {"loss", "accuracy", "val_loss", "val_accuracy"}, history
other = make()
other.fit(X, Y, 16, 1, seed=5, verbose=False)
assert not same(other.state_dict(), once.state_dict())
other.load_weights(f"{folder}/run")
assert same(other.state_dict(), once.state_dict())
assert once.trainer.scaler.get_scale() > 65536 and once.trainer.scaler.is_enabled()

# Two fits are one.
twice = make()
for _ in range(2):
    last = twice.fit(X, Y, 16, 1, validation_data=(XT, YT), seed=3, verbose=False)
assert last.epoch == [0] and last.history["val_loss"] == history.history["val_loss"][1:]
assert same(twice.state_dict(), once.state_dict()) and (twice.trainer.steps, twice.trainer.epochs) == (24, 2)

# Scores are those of the runtime, for any number of rows; logits are what accuracy says.
scores = once.evaluate(XT, YT)
assert math.isclose(scores["loss"], history.history["val_loss"][-1], rel_tol=1e-6), (scores, history.history)
assert once.predict(XT).shape == (50, 2)
assert math.isclose((once.predict(XT).argmax(1) == YT).mean(), scores["accuracy"])

# Another batch size goes on from the same state; so does a step.
steps = twice.trainer.steps
twice.fit(X, Y[:, None], 32, 1, verbose=False, last_batch="pad")
assert twice.trainer.steps == steps + 7
logs = twice.trainer.step(X[:32], Y[:32])
assert set(logs) == {"loss", "accuracy", "skipped"} and twice.trainer.steps == steps + 8
twice.learning_rate = 0.0
before = twice.state_dict()
twice.trainer.step(X[:32], Y[:32])
assert twice.learning_rate == 0.0 and same(before, twice.state_dict())
twice.load_state_dict(once.state_dict())
twice.save_weights(f"{folder}/weights.safetensors")
assert same(twice.state_dict(), once.state_dict())
refused("that is not given", twice.load_state_dict, {})

# What has not been trained starts from what it is given, in predictions and in training, once it knows its inputs.
fresh = make()
refused("does not know its inputs yet", nn.Sequential(nn.Dense(2)).load_state_dict, {})
fresh.predict(XT)  # by first values
fresh.load_state_dict(once.state_dict())
assert numpy.abs(fresh.predict(XT) - once.predict(XT)).max() < 2.0**-6
learned = once.state_dict()
refused("has shape (1,), expected", fresh.load_state_dict, {name: numpy.zeros(1, "float32") for name in learned})
fresh.trainer.prepare({"x": X[:16], "y": Y[:16]}, 16)
assert same(fresh.state_dict(), learned)


class Watch(halfstep.callbacks.Callback):
    def __init__(self, action=None):
        self.seen = []
        self.action = action

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((batch, logs["loss"], logs["step"]))
        if self.action and batch == 4:
            self.action(self)

    def on_epoch_begin(self, epoch, logs=None):
        self.seen.append(epoch)

    def on_epoch_end(self, epoch, logs=None):
        self.rate = self.model.trainer.session.state["learning_rate"]


def fit(action=None, **named):
    watch, model = Watch(action), make()
    history = model.fit(X, Y, 16, 3, seed=3, verbose=False, callbacks=[watch], **named)
    return model, watch, history


def stop(watch):
    watch.model.stop_training = True


def fail(watch):
    raise LookupError("a callback's own")


# Steps are told in order; a callback stops, an exception and a signal pass through, and the model goes on after each.
model, watch, history = fit()
assert [one for one in watch.seen if not isinstance(one, tuple)] == [0, 1, 2] and len(watch.seen) == 39
assert [one[0] for one in watch.seen if isinstance(one, tuple)] == list(range(12)) * 3 and watch.rate == numpy.float32(0.01)
assert [one[2] for one in watch.seen if isinstance(one, tuple)] == list(range(1, 37))
history = model.fit(X, Y, 16, 7, initial_epoch=5, seed=3, verbose=False, callbacks=[again := Watch()])
assert history.epoch == [5, 6] == [one for one in again.seen if not isinstance(one, tuple)] and again.seen[1][::2] == (0, 37)
assert model.trainer.epochs == 5 and model.fit(X, Y, 16, 3, initial_epoch=3, verbose=False).epoch == []
refused("initial_epoch is -1, expected a whole number of at least 0", model.fit, X, Y, initial_epoch=-1)
refused("initial_epoch and resume exclude each other", model.fit, X, Y, initial_epoch=1, checkpoint=folder, resume=True)
model, watch, history = fit(stop)
assert model.trainer.steps <= 8 and history.epoch == []
refused("a callback's own", fit, fail, kind=LookupError)
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs this may ignore it
model, interrupt = make(), threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
refused("", model.fit, X, Y, 16, 100000, verbose=False, kind=KeyboardInterrupt,
        callbacks=[Watch(lambda watch: interrupt.is_alive() or interrupt.start())])
assert 4 < model.trainer.steps < 1200000
model.trainer.step(X[:16], Y[:16])

# Validation data from the end; the best weights come back; rates by epoch.
model = make()
early = halfstep.callbacks.EarlyStopping(patience=1, restore_best_weights=True)
rates = halfstep.callbacks.LearningRateScheduler(lambda epoch, rate: 0.01 / (1 + epoch))
history = model.fit(X, Y, 16, 60, validation_split=0.25, callbacks=[early, rates], verbose=False)
best = min(history.history["val_loss"])
assert math.isclose(model.evaluate(X[152:], Y[152:])["loss"], best, rel_tol=1e-5), (history, best)
assert model.learning_rate == numpy.float32(0.01 / len(history.epoch))
model.fit(X, Y, 16, 2, callbacks=[halfstep.callbacks.LearningRateScheduler(lambda epoch: 0.5 / (1 + epoch))], verbose=False)
assert model.learning_rate == 0.25


# Several inputs, arrays of floats, a loss of one's own, a state that the forward changes: softmax regression, by NumPy.
class Regression(nn.Module):
    def __init__(self):
        self.kernel = nn.Parameter((3, 2), "zeros")
        self.seen = nn.State((), "zeros")

    def forward(self, x, shift):
        self.seen.assign(ops.add(self.seen, 1.0))
        return x @ ops.add(self.kernel, 0.0) + shift


regression = Regression()
regression.compile(
    halfstep.SGD(0.1), loss=lambda logits, y: ops.softmax_cross_entropy(logits, y), metrics=[], policy="float32")
x, shift = random.standard_normal((64, 3)), random.standard_normal((64, 2))
labels = random.integers(0, 2, 64)
kernel = numpy.zeros((3, 2))
for _ in range(20):
    logits = x @ kernel + shift
    probability = numpy.exp(logits) / numpy.exp(logits).sum(1, keepdims=True)
    kernel -= 0.1 * x.T @ (probability - numpy.eye(2)[labels]) / 64
regression.fit({"x": x, "shift": shift}, labels, batch_size=64, epochs=20, verbose=False)
state = regression.state_dict()
assert numpy.abs(state["kernel"] - kernel).max() < 2e-6 and state["seen"] == 20, state
assert regression.predict({"x": x[:5], "shift": shift[:5]}).shape == (5, 2)

# Every optimizer learns, by name or with settings of its own; two ways of clipping are one too many.
for given in ["sgd", "rmsprop", "adagrad", "adam", "adamw", "nadam", "lamb", "lion",
              halfstep.RMSprop(0.01, 0.9, momentum=0.5, centered=True, clip_value=0.5),
              halfstep.Adagrad(0.1, 0.01, initial_accumulator_value=0.1, weight_decay=0.01),
              halfstep.NAdam(0.01, (0.8, 0.99), momentum_decay=0.1, clip_parameter_norm=1.0),
              halfstep.LAMB(0.01, weight_decay=0.01, clip_norm=1.0), halfstep.Lion(0.001, (0.9, 0.98))]:
    model = nn.Sequential(nn.Dense(16, "relu"), nn.Dense(2))
    model.compile(given, policy="float32")
    losses = model.fit((X / 255).astype(numpy.float32), Y, 29, 4, verbose=False).history["loss"]
    assert losses[-1] < losses[0], (given, losses)
refused("Adam: clip_value=1: clip_norm=1 is given, too; expected one of the two", lambda: halfstep.Adam(clip_norm=1.0, clip_value=1.0))
model.compile("adam", clip_norm=1.0, clip_value=1.0)
refused("clip_value=1: clip_norm=1 is given, too; expected one of the two", model.fit, X, Y, 16)

# Code is for the device that is said, a simulated GPU too.
model = nn.Sequential(nn.Dense(16, "relu"), nn.Dense(2))
model.compile(halfstep.SGD(0.1), policy="mixed_float16", device="simt")
history = model.fit((X / 255).astype(numpy.float32)[:64], Y[:64], 16, 1, verbose=False)
assert 0 < history.history["loss"][0] < 2 and model.trainer.session.executable.policy == "mixed_float16"
model.compile(device="toaster")
refused("unknown device 'toaster'", model.fit, X, Y)

# What is wrong is said before anything is trained.
refused("call model.compile", nn.Sequential(nn.Dense(2)).fit, X, Y)
model = make()
refused("'y' has 202 rows", model.fit, X, Y[1:], 16, kind=halfstep.Error)
refused("there is no input 'z'", model.fit, {"x": X, "z": X}, Y, 16)
refused(" of row 0 is out of range: input 'y' has 2 classes", model.fit, X, Y + 2, 16)
refused("expected at least the 512 of a step", model.fit, X, Y, 512)
refused("input 'x' is tensor<16x12xui8>, the data are floats", model.fit, X.astype(numpy.float32), Y, 16)
refused("leaves none on one side", model.fit, X, Y, 16, validation_split=0.999)
refused("there is no loss 'hinge'", model.compile, loss="hinge")
refused("there is no optimizer 'adadelta'", model.compile, "adadelta")
refused("unknown argument 'polic'; did you mean 'policy'?", lambda: (model.compile(polic="x"), model.fit(X, Y, 16)))
refused("elements of complex128", make().fit, X * 1j, Y)
assert halfstep.Policy("mixed_bfloat16").compute_dtype == "bfloat16" and halfstep.Policy().variable_dtype == "float32"
