"""A model as a file: what is in it is what the model has, and a step of mp-exec has the bits of one of Python.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import os
import pathlib
import subprocess
import sys

import numpy

import halfstep
from halfstep import nn, ops
from halfstep_runtime._tensor_files import read_tensors

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(11)
X = random.standard_normal((64, 6)).astype("float32")
Y = random.integers(0, 3, 64)


def bits(value):
    return numpy.ascontiguousarray(value).tobytes()


def same(values, others, names):
    for name in names:
        assert bits(values[name]) == bits(others[name]), name


def refused(expected, call, kind=halfstep.Error):
    try:
        call()
    except kind as error:
        assert expected in str(error), error
        assert "\n" not in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def run(*words, fails=False):
    done = subprocess.run(["mp-exec", *map(str, words)], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout + done.stderr


def network():
    return nn.Sequential(nn.Input((6,)), nn.Dense(16, "relu"), nn.BatchNorm(), nn.Dropout(0.25), nn.Dense(3))


def compiled(policy="mixed_float16", **settings):
    model = network()
    model.compile(halfstep.AdamW(0.01), policy=policy, threads=1, **settings)
    return model


def opened(path):
    session = halfstep.Session(halfstep.Executable.load(path), threads=1)
    session.initialize(5)
    return session


# What was trained is in the file: weights and running statistics, and no optimizer's state.
model = compiled()
model.fit(X, Y, 16, 2, verbose=False)
path = folder / "step.mpx"
made = model.export(path, batch_sizes=[16, 2])
read = halfstep.Executable.load(path)
leaves = [name for name, _ in model.named_leaves()]
assert len(leaves) == 8 and {*read.stored} == {*leaves}, read.stored
assert read.batch_sizes == made.batch_sizes == (2, 16) and [*read.programs] == ["train_step", "eval", "infer", "derive"]
assert made.to_bytes() == path.read_bytes() == read.to_bytes()
session = opened(path)
same(session.state, model.trainer.session.state, leaves)
assert not numpy.any(session.state["dense1.kernel/adamw.m"]) and numpy.any(model.trainer.session.state["dense1.kernel/adamw.m"])
# Copies in a low type are made of them, as everywhere.
derived = [name for name, of in session.executable.state.items() if of.role == "derived" and "@" not in name]
assert derived
for name in derived:
    same(session.state, {name: session.state[name.rpartition("/")[0]].astype("float16")}, [name])
# A prediction of as many rows as a batch has is that of the model, bit for bit; few rows have code of their own.
assert bits(session.run("infer", x=X[:16])["output"]) == bits(model.predict(X[:16]))
assert numpy.abs(session.run("infer", x=X[:1])["output"] - model.predict(X[:16])[:1]).max() < 1e-2
assert bits(session.run("infer", x=X)["output"]) == bits(numpy.concatenate([model.predict(X[i : i + 16]) for i in range(0, 64, 16)]))
# What it is, for people.
text = run("info", path)
assert "\ncode for cpu " in text and "\nbatch sizes 2, 16\n" in text and "\nweights in the file: 8 states, " in text, text
assert "dense1.kernel tensor<6x16xf32> Parameter, stored" in text and "adamw.m tensor<6x16xf32> State\n" in text, text
assert "sse2" in text.splitlines()[1], text

# A second export has what more training made of it.
before = path.read_bytes()
model.fit(X, Y, 16, 1, verbose=False)
model.export(path, batch_sizes=[16, 2])
assert path.read_bytes() != before
same(opened(path).state, model.trainer.session.state, leaves)
numpy.savez(folder / "data.npz", x_train=X[:32], y_train=Y[:32].astype("uint8"), x_test=X[32:], y_test=Y[32:].astype("uint8"))


def trained_by_mp_exec(path, name, *words):
    run("train", path, f"--data={folder / 'data.npz'}", "--epochs=1", "--seed=5", f"--checkpoint={folder / name}", "--threads=1", "--quiet", *words)
    return read_tensors(folder / name)


# Steps of mp-exec have the bits of those of Python, from the same weights: one program, and micro-batches.
for number, (policy, settings) in enumerate([("mixed_float16", {}), ("mixed_bfloat16", {"accumulate": 2}), ("float32", {"loss_scale": 1024.0})]):
    one = compiled(policy, **settings)
    one.load_state_dict(model.state_dict())
    one.specify(x=nn.Input((6,)), y=nn.Input((), "uint8"))
    own = folder / f"own{number}.mpx"
    one.export(own, batch_sizes=[4, 16])
    saved = trained_by_mp_exec(own, f"run{number}", "--batch-size=16")
    assert one.trainer.session is None, "an export trains nothing"
    one.fit(X[:32], Y[:32].astype("uint8"), 16, 1, seed=5, verbose=False)
    state = one.trainer.session.state
    assert {*saved} == {name for name, of in one.trainer.session.executable.state.items() if of.role != "derived"}
    same(saved, state, saved)
    assert any(bits(saved[name]) != bits(opened(own).state[name]) for name in leaves), "it has trained"
    # The largest batch is training's where nobody says one, and scratch is scratch.
    same(trained_by_mp_exec(own, f"largest{number}"), saved, saved)
    scratch = trained_by_mp_exec(own, f"scratch{number}", "--from-scratch")
    assert bits(scratch["dense1.kernel"]) != bits(saved["dense1.kernel"])
    same(scratch, trained_by_mp_exec(own, f"without{number}", "--batch-size=16") if not one.export(own, batch_sizes=[16], weights=False).stored else {}, scratch)
error = run("train", folder / "step.mpx", f"--data={folder / 'data.npz'}", "--batch-size=8", "--quiet", fails=True)
assert error == "mp-exec: error: --batch-size=8: program train_step does not have code for batch 8; it has it for batches 2, 16\n", error
assert "starts from the weights in the executable, 8 states; --from-scratch starts without them" in run(
    "train", folder / "step.mpx", f"--data={folder / 'data.npz'}", "--batch-size=16")

# A step against NumPy: of a linear model by gradient descent.
linear = nn.Sequential(nn.Input((6,)), nn.Dense(3))
linear.compile(halfstep.SGD(0.5), policy="float32", threads=1)
linear.specify(x=nn.Input((6,)), y=nn.Input((), "uint8"))
w, b = random.standard_normal((6, 3)).astype("float32"), random.standard_normal(3).astype("float32")
linear.load_state_dict({"dense1.kernel": w, "dense1.bias": b})
linear.export(folder / "linear.mpx", batch_sizes=[32])
saved = trained_by_mp_exec(folder / "linear.mpx", "linear")
x, z = X[:32].astype("float64"), X[:32].astype("float64") @ w + b
p = numpy.exp(z - z.max(1, keepdims=True))
p = p / p.sum(1, keepdims=True) - numpy.eye(3)[Y[:32]]
assert numpy.abs(saved["dense1.kernel"] - (w - 0.5 * x.T @ p / 32)).max() < 1e-6
assert numpy.abs(saved["dense1.bias"] - (b - 0.5 * p.mean(0))).max() < 1e-6
y = opened(folder / "linear.mpx").run("infer", x=X[:7])["output"]
assert numpy.abs(y - (X[:7] @ w + b)).max() < 1e-5

# Programs of all batches have one state: what a step of one changes, packed copies of weights too, the others read.
wide = nn.Sequential(nn.Input((6,)), nn.Dense(256, "relu"), nn.Dense(256, "relu"), nn.Dense(3))
wide.compile(halfstep.SGD(0.1), policy="mixed_bfloat16", threads=1)
wide.specify(x=nn.Input((6,)), y=nn.Input((), "uint8"))
wide.export(folder / "wide.mpx", batch_sizes=[1, 32])
session = opened(folder / "wide.mpx")
saved = [name for name, of in session.executable.state.items() if of.role != "derived"]
for rows in (32, 1, 32):
    before = session.state["dense2.kernel"]
    session.run("train_step", x=X[:rows], y=Y[:rows].astype("uint8"))
    assert bits(session.state["dense2.kernel"]) != bits(before)
    fresh = opened(folder / "wide.mpx")
    fresh.set_states({name: session.state[name] for name in saved})
    same(session.state, fresh.state, [name for name in session.executable.state if name in session.state])
    for some in (1, 20, 32, 40):
        assert bits(session.run("infer", x=X[:some])["output"]) == bits(fresh.run("infer", x=X[:some])["output"])

# Predictions alone: not compiled, or asked for; without weights they start from initializers.
plain = network()
alone = plain.export(folder / "alone.mpx", batch_sizes=[2, 8])
assert [*alone.programs] == ["infer"] and alone.policy == "float32" and {*alone.stored} == {*leaves}
assert bits(opened(folder / "alone.mpx").run("infer", x=X[:2])["output"]) == bits(plain.predict(X[:2]))
alone = model.export(folder / "alone.mpx", training=False)
assert "train_step" not in alone.programs and alone.policy == "mixed_float16" and alone.batch_sizes == (16,)
assert bits(opened(folder / "alone.mpx").run("infer", x=X[:16])["output"]) == bits(model.predict(X[:16]))
assert model.export(folder / "alone.mpx", training=False, weights=False).stored == ()
assert network().export(folder / "alone.mpx").batch_sizes == (64,)


class Low(nn.Module):
    """Parameters of 16 bits, a counter, and a flag."""

    def __init__(self):
        self.w, self.v = nn.Parameter((6, 3), "glorot_uniform", dtype="float16"), nn.Parameter((3,), "ones", dtype="bfloat16")
        self.count, self.mask = nn.State((), dtype="int64"), nn.State((3,), dtype="bool")

    def forward(self, x):
        product = ops.cast(ops.where(self.mask, ops.cast(x, "float16") @ self.w, ops.cast(0.0, "float16")), "float32")
        return product * ops.cast(self.v, "float32") + ops.cast(self.count, "float32")


low = Low().specify(x=nn.Input((6,)))
low.load_state_dict({"w": numpy.arange(18).reshape(6, 3).astype("float16"), "v": numpy.array([1, 2, 3], "float32"), "count": numpy.int64(40),
                     "mask": numpy.array([True, False, True])})
low.export(folder / "low.mpx", batch_sizes=[4])
assert {*halfstep.Executable.load(folder / "low.mpx").stored} == {"w", "v", "count", "mask"}
y = opened(folder / "low.mpx").run("infer", x=X[:4])["output"]
expected = numpy.where([True, False, True], X[:4].astype("float16").astype("float32") @ numpy.arange(18).reshape(6, 3), 0) * [1, 2, 3] + 40
assert numpy.abs(y - expected).max() < 0.2, (y, expected)

# Targets by the words of mp-run compile.
for targets, expected in {None: "sse2", "cpu:sse2": "code for cpu sse2\n", ("cpu:avx2+sse2",): "code for cpu avx2, sse2\n",
                          ("cpu:sse2", "sm_80", "sm_90"): "code for cpu sse2; nvptx sm_80, sm_90\n", ("sm_75",): "code for nvptx sm_75\n"}.items():
    model.export(folder / "targets.mpx", batch_sizes=[16], targets=targets if targets is None or isinstance(targets, str) else list(targets))
    assert expected in run("info", folder / "targets.mpx"), run("info", folder / "targets.mpx")
error = run("infer", folder / "targets.mpx", "--input=x=1x6xf32=1", fails=True)
assert "program train_step does not have a variant that fits; variant for nvptx:sm_75 and batch 16: made for target nvptx, device cpu runs target cpu" in error

# What makes no sense, and what cannot be written, is one line; the file that was there stays.
good = path.read_bytes()
refused("export: batch_sizes has none, expected some, as [1, 32]", lambda: model.export(path, batch_sizes=[]))
refused("export: batch_sizes has 4 twice", lambda: model.export(path, batch_sizes=[4, 8, 4]))
for size in (0, -1, True, 2.5, "8", 1 << 64):
    refused("export: batch_sizes is", lambda: model.export(path, batch_sizes=[size]))
refused("", lambda: model.export(path, batch_sizes=[1 << 62]), halfstep.CompileError)
refused("has 1 value of each channel; expected at least 2", lambda: model.export(path, batch_sizes=[1, 16]), halfstep.CompileError)
refused("export: weights is 'no', expected True or False", lambda: model.export(path, weights="no"))
refused("export: training is 1, expected True or False", lambda: model.export(path, training=1))
refused("expected step.zip.mpx", lambda: model.export("step.zip"))
refused("export: targets is 3, expected words", lambda: model.export(path, targets=3))
refused("export: targets has none", lambda: model.export(path, targets=[]))
refused("; code for processors is cpu:LEVEL, as 'cpu:avx512+avx2'; for GPUs the chip", lambda: model.export(path, targets=["avx512"]))
refused("export: targets: sm_1:", lambda: model.export(path, targets=["sm_1"]))
refused("export: targets: cpu:mmx: unknown level of CPU features 'mmx'", lambda: model.export(path, targets=["cpu:mmx"]))
refused("export: targets: nvptx: needs a chip", lambda: model.export(path, targets=["nvptx"]))
refused("", lambda: model.export(folder / "none" / "step.mpx"), OSError)
refused("the model is not compiled", lambda: plain.export(path, training=True))
refused("the model has not seen targets yet", lambda: compiled().export(path))
refused("the model does not know its inputs yet", lambda: nn.Sequential(nn.Dense(2)).export(path))
fixed = nn.Sequential(nn.Dense(2)).specify(x=nn.Input((4, 6), batched=False))
refused("there is one batch: leave batch_sizes out", lambda: fixed.export(path, batch_sizes=[4]))
assert path.read_bytes() == good and [one for one in os.listdir(folder) if one.startswith("step.mpx")] == ["step.mpx"]
fixed.export(folder / "fixed.mpx")
assert "batch sizes none, sizes are fixed" in run("info", folder / "fixed.mpx")
if os.path.exists("/dev/full"):
    os.symlink("/dev/full", folder / "full.mpx")
    refused("full.mpx: No space left on device", lambda: model.export(folder / "full.mpx"))
by_cost = network()
by_cost.compile("adam", policy="auto", threads=1)
by_cost.fit(X, Y, 16, 1, verbose=False)
refused("policy=auto: other types may be the fastest for each batch", lambda: by_cost.export(path, batch_sizes=[1, 16]))
assert by_cost.export(folder / "cost.mpx").batch_sizes == (16,)
