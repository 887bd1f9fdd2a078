"""fit on batches has what fit on arrays has: the log, checkpoints, going on from one, what is not finite, the header; by dictionaries, too.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import json
import pathlib
import re
import subprocess
import sys

import numpy

import halfstep
from halfstep import nn
from halfstep.callbacks import Callback

folder = pathlib.Path(sys.argv[-1])
random = numpy.random.default_rng(3)
X = random.standard_normal((72, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


def lines_of(name):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


class Batches:
    """Eight rows at a time; training may be interrupted in one of them."""

    def __init__(self, size=8, rows=64, form=lambda x, y: (x, y), fails_at=None):
        self.size, self.rows, self.form, self.fails_at, self.count = size, rows, form, fails_at, 0

    def __iter__(self):
        for start in range(0, self.rows, self.size):
            self.count += 1
            if self.count == self.fails_at:
                raise LookupError("the disk is gone")
            yield self.form(X[start : start + self.size], Y[start : start + self.size])

    def __len__(self):
        return -(-self.rows // self.size)


def make(policy="mixed_float16", **named):
    model = nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dropout(0.25), nn.Dense(2))
    scaler = {"loss_scaler": halfstep.LossScaler(growth_interval=4)} if policy == "mixed_float16" else {}
    model.compile(halfstep.Adam(0.1), policy=policy, threads=1, **scaler, **named)
    return model


def refused(expected, function, *arguments, kind=halfstep.Error, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert expected in str(error), error
        return error
    raise AssertionError(f"expected: {expected}")


def same(a, b):
    a, b = (dict(one.trainer.session.state) for one in (a, b))
    return set(a) == set(b) and all((a[name] == b[name]).all() for name in a)


if sys.argv[1] == "told":
    data = (Batches(),) if sys.argv[2] == "batches" else (X[:64], Y[:64])
    make().fit(*data, batch_size=8, epochs=2, validation_data=(X[64:], Y[64:]))
    sys.exit()

# What is told, on which stream, is that of arrays: the header, a line for each epoch.
told = {kind: subprocess.run([sys.executable, __file__, "told", kind, "."], capture_output=True, text=True, check=True) for kind in ("arrays", "batches")}
plain = {kind: re.sub(r"\d\.\d{4}", "N", one.stderr) for kind, one in told.items()}
assert plain["arrays"] == plain["batches"] and told["batches"].stdout == told["arrays"].stdout == "", plain
assert re.fullmatch(r"sequential: 74 parameters, policy mixed_float16, batch 8\ndevice cpu .*\n(epoch \d: loss N, accuracy N; test loss N, accuracy N\n){2}",
                    plain["batches"]), plain

# The log has the lines of arrays, with what steps were.
model, by_steps = make(), make()
history = model.fit(Batches(), epochs=2, validation_data=Batches(rows=72), seed=4, verbose=False, log=folder / "log.jsonl")
make().fit(X[:64], Y[:64], 8, 2, validation_data=(X, Y), seed=4, verbose=False, log=folder / "arrays.jsonl")
lines, others = lines_of("log.jsonl"), lines_of("arrays.jsonl")
keys = [[[name for name in line if name != "gradient"] for line in one] for one in (lines, others)]  # which skipped steps have
assert keys[0] == keys[1] and len(lines) == 18, (len(lines), len(others))
run, other = lines[0].pop("run"), others[0].pop("run")
assert {**run, "rows": 64} == other and run["rows"] == 0
steps = [line for line in lines if "loss" in line]
for epoch in range(2):
    for x, y in Batches():
        loss = by_steps.trainer.step(x, y, seed=4)["loss"]
        line = steps[by_steps.trainer.steps - 1]
        assert (line["step"], line["epoch"], line["loss"]) == (by_steps.trainer.steps, epoch + 1, loss), line
assert same(model, by_steps) and history.history["val_loss"] == [line["test_loss"] for line in lines if "test_loss" in line]
assert halfstep.Comparison.load(folder / "log.jsonl").policies

# A checkpoint is at the end of an epoch; a training that ended within one goes on from there, and is that of one that never ended.
for accumulate in ({}, {"accumulate": 2}):
    for stop in ("raise", "callback", "end"):
        name = folder / f"{stop}{len(accumulate)}"

        class Stop(Callback):
            def on_train_batch_end(self, batch, logs=None):
                self.model.stop_training = stop == "callback" and logs["step"] == 2 * 8 // (1 + len(accumulate)) + 1

        whole, parts, rest = make(**accumulate), make(**accumulate), make(**accumulate)
        whole.fit(Batches(), epochs=4, seed=5, verbose=False)
        named = {"seed": 5, "verbose": False, "checkpoint": name, "log": folder / "parts.jsonl", "callbacks": [Stop()]}
        if stop == "raise":
            refused("the disk is gone", parts.fit, Batches(fails_at=21), epochs=4, kind=LookupError, **named)
        else:
            parts.fit(Batches(), epochs=4 if stop == "callback" else 2, **named)
        count = 8 // (1 + len(accumulate))
        assert parts.trainer.steps == {"raise": 20 // (1 + len(accumulate)), "callback": 2 * count + 1, "end": 2 * count}[stop]
        refused("go on from it with resume=True", make(**accumulate).fit, Batches(), **named)
        told = []

        class Told(Callback):
            def on_epoch_begin(self, epoch, logs=None):
                told.append((epoch, self.model.learning_rate))

        rest.fit(Batches(), epochs=4, resume=True, **{**named, "callbacks": [Told()]})
        assert same(whole, rest) and rest.trainer.epochs == 4 and rest.trainer.steps == 4 * count
        assert told == [(2, numpy.float32(0.1)), (3, numpy.float32(0.1))], told
        assert [line["step"] for line in lines_of("parts.jsonl")] == list(range(1, 4 * count + 1))
loaded = make()
assert loaded.fit(Batches(), epochs=0, seed=5, verbose=False, checkpoint=folder / "end0", resume=True).epoch == [] and loaded.trainer.steps == 32
refused("was made with batches that a caller gave, this run has data of 64 rows", make().fit, X[:64], Y[:64], 8, seed=5, verbose=False,
        checkpoint=folder / "end0", resume=True)
make().fit(X[:64], Y[:64], 8, seed=5, verbose=False, checkpoint=folder / "arrays")
refused("was made with data of 64 rows, this run has batches that a caller gives", make().fit, Batches(), seed=5, verbose=False,
        checkpoint=folder / "arrays", resume=True)
refused("was made with seed 5, this run has 6", make().fit, Batches(), seed=6, verbose=False, checkpoint=folder / "end0", resume=True)
refused("resume needs checkpoint=DIR", make().fit, Batches(), verbose=False, resume=True)
refused("validation_split is for arrays", make().fit, Batches(), verbose=False, validation_split=0.5)

# What is not finite is looked for in the batch that was given, and found as in arrays.
broken = X.copy()
broken[19] = numpy.nan
for last_batch in ("drop", "pad"):
    given, arrays = make("float32"), make("float32")
    batches = [(broken[i : i + 8], Y[i : i + 8]) for i in range(0, 68, 8)][:8] + [(broken[64:68], Y[64:68])] * (last_batch == "pad")
    history = given.fit(batches, verbose=False, find_nonfinite=True, last_batch=last_batch)
    (found,) = history.nonfinite
    assert (found.step, found.op, found.skipped, found.result.nan, found.result.count) == (3, "x", True, 6, 48), found
    assert history.skipped_steps == 1 and given.trainer.steps == len(batches)
overflow = nn.Sequential(nn.Input((6,)), nn.Dense(8, init=nn.Normal(0.0, 1.0)), lambda x: x * x * 1e-5, nn.Dense(2))
overflow.compile("sgd", policy="mixed_float16", threads=1)
error = refused("50 consecutive steps were skipped", overflow.fit, [(X[:8] * 100, Y[:8])] * 60, verbose=False, find_nonfinite=True)
assert error.nonfinite[0].op == "mp.mul" and error.nonfinite[0].type == "f16" and error.nonfinite[0].step == 1

# A batch is a pair, or a dictionary of inputs and targets, under y or any one name that is no input's.
class Two(nn.Module):
    def __init__(self):
        self.first, self.second = nn.Dense(2), nn.Dense(2)

    def forward(self, a, b):
        return self.first(a) + self.second(b)


def two():
    model = Two()
    model.compile("adam", policy="float32", threads=1)
    return model


wanted = two()
for x, y in Batches():
    wanted.trainer.step({"a": x, "b": 2 * x}, y)
for form in (lambda x, y: ({"a": x, "b": 2 * x}, y), lambda x, y: {"a": x, "b": 2 * x, "y": y}, lambda x, y: {"labels": y, "b": 2 * x, "a": x}):
    model = two()
    model.fit(Batches(form=form), verbose=False)
    assert same(model, wanted)
    assert model.evaluate(Batches(form=form))["loss"] == wanted.evaluate({"a": X[:64], "b": 2 * X[:64]}, Y[:64])["loss"]
    assert numpy.array_equal(model.predict(Batches(form=form)), wanted.predict({"a": X[:64], "b": 2 * X[:64]}))
refused("of which the inputs are a, b; expected the targets under one other name, as 'y'", two().fit,
        Batches(form=lambda x, y: {"a": x, "b": x, "c": x, "d": y}), verbose=False)
refused("expected the targets under one other name", two().fit, Batches(form=lambda x, y: {"a": x, "b": x}), verbose=False)

# Predictions of batches: of arrays, of pairs, of any size; of a generator, once.
rows = make()
rows.trainer.step(X[:32], Y[:32])
for size in (32, 20, 72):
    batches = [X[i : i + size] for i in range(0, 72, size)]
    for given in ([(x, None) for x in batches], [[x] for x in batches], (x for x in batches), Batches(size, 72), map(lambda x: {"x": x}, batches)):
        found = rows.predict(given)
        assert numpy.allclose(found, rows.predict(X), rtol=0, atol=2.0**-8) and found.shape == (72, 2)
refused("x has no batches", rows.predict, iter(()))

# A learning rate that is set holds for exactly the next step: before the first, in a loop of one's own, in callbacks, with arrays and batches.
class Rates(Callback):
    """Says the rate of the next step, and what a weight was after each."""

    def __init__(self, rates):
        self.rates, self.weights = rates, []

    def on_train_begin(self, logs=None):
        self.model.learning_rate = self.rates[0]

    def on_train_batch_end(self, batch, logs=None):
        self.weights.append(self.model.state_dict()["dense1.kernel"])
        self.model.learning_rate = self.rates[logs["step"] % len(self.rates)]


for data in ((Batches(),), (X[:64], Y[:64])):
    told, model = Rates([0.0, 0.1, 0.0, 0.1]), make("float32")
    model.fit(*data, batch_size=8, verbose=False, callbacks=[told])
    first = make("float32")
    first.trainer.prepare({"x": X[:8], "y": Y[:8]}, 8)
    before, moved = first.state_dict()["dense1.kernel"], []
    for weight in told.weights:
        moved.append(bool((weight != before).any()))
        before = weight
    assert moved == [False, True] * 4, moved
model, other = make("float32"), make("float32")
model.trainer.learning_rate = 0.25
assert model.learning_rate == 0.25
model.trainer.step(X[:8], Y[:8])
other.trainer.prepare({"x": X[:8], "y": Y[:8]}, 8)
other.learning_rate = 0.25
other.trainer.step(X[:8], Y[:8])
assert same(model, other) and model.learning_rate == 0.25
refused("is not compiled", setattr, nn.Sequential(nn.Dense(2)), "learning_rate", 0.1)
