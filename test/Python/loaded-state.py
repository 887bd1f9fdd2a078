"""What a model keeps begins with what was loaded, however it was, whichever program runs first, with micro-batches, too.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import copy
import pathlib
import sys

import numpy

import halfstep
from halfstep import nn
from halfstep_runtime._tensor_files import write_tensors

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(4)
X = (random.standard_normal((48, 4)) * 3 + 1).astype("float32")
Y = random.integers(0, 3, 48)


class Net(nn.Module):
    """All that is kept: running statistics, a state of each step with a random first value, one that never changes, parameters."""

    def __init__(self):
        self.norm, self.dense = nn.BatchNorm(), nn.Dense(3)
        self.frozen = nn.State((4, 4), "glorot_uniform")
        self.moving = nn.State((3,), nn.Normal(stddev=1.0))

    def forward(self, x):
        y = self.dense(self.norm(x @ self.frozen))
        self.moving.assign(self.moving * 0.5 + 1.0)
        return y + self.moving


def compiled(accumulate, net=None):
    net = Net() if net is None else net
    # Nothing is learned, so that what is kept follows from the batches alone.
    net.compile(halfstep.SGD(0.0), policy="float32", accumulate=accumulate, threads=1)
    return net.specify(x=nn.Input((4,)))


first = compiled(2)
first.fit(X, Y, 8, 0, verbose=False)
executable = first.trainer.session.executable
names = [name for name, _ in first.named_leaves()]
values = {name: random.standard_normal(numpy.shape(value)).astype("float32") ** 2 + 1 for name, value in first.state_dict().items()}
write_tensors(folder / "values.safetensors", values)


def opened():
    session = halfstep.Session(executable, threads=1)
    session.initialize(3)
    return session


def by_setter():
    session = opened()
    for name in reversed(names):
        session.state[name] = values[name]
    return session


def by_weights():
    session = opened()
    session.load_weights(folder / "values.safetensors")
    return session


def by_all_state():
    session, other = opened(), by_setter()
    other.run("train_step", x=X[40:], y=Y[40:])
    for name in session.state:
        session.state[name] = other.state[name]
    return session


def by_saved_weights():
    session, other = opened(), by_setter()
    other.run("accumulate", x=X[40:], y=Y[40:])
    other.run("apply")
    other.save_weights(folder / "saved.safetensors")
    session.load_weights(folder / "saved.safetensors")
    return session


def run(session, programs):
    """Programs on batches in turn: what is kept then."""
    rows = 0
    for program in programs.split():
        given = {} if program == "apply" else {"x": X[rows: rows + 8]} | ({} if program == "infer" else {"y": Y[rows: rows + 8]})
        rows += 8 if program in ("train_step", "accumulate") else 0
        session.run(program, **given)
    return {name: session.state[name] for name in names}


def same(one, other, where):
    for name in names:
        numpy.testing.assert_array_equal(one[name], other[name], f"{where}: {name}")


for way in (opened, by_setter, by_weights, by_all_state, by_saved_weights):
    steps = [run(way(), " ".join(["train_step"] * count)) for count in range(5)]
    assert all((steps[0][name] != steps[2][name]).any() for name in names if "running" in name or "moving" in name)
    for programs, count in (("accumulate accumulate apply", 2), ("train_step accumulate accumulate apply", 3), ("apply", 0), ("apply train_step", 1),
                            ("apply accumulate accumulate apply", 2), ("eval infer accumulate accumulate apply train_step", 3),
                            ("accumulate accumulate apply accumulate accumulate apply", 4)):
        same(run(way(), programs), steps[count], f"{way.__name__}, {programs}")

# What a step that is not finished has made so far is kept where it is in the file.
half = by_setter()
run(half, "accumulate")
half.save_state(folder / "half.safetensors")
rest = opened()
rest.load_state(folder / "half.safetensors")
for session in (half, rest):
    session.run("accumulate", x=X[8:16], y=Y[8:16])
    session.run("apply")
same({name: rest.state[name] for name in names}, run(by_setter(), "train_step train_step"), "a step that goes on")


# Modules: an epoch of 6 batches, which are 3 steps of 2.
def trained(net):
    net.fit(X, Y, 8, 1, verbose=False, seed=5)
    return net.state_dict()


def load_dict(net):
    net.load_state_dict(values)


def load_file(net):
    net.load_weights(folder / "values.safetensors")


def nothing(net):
    net.fit(X, Y, 8, 0, verbose=False, seed=5)


for load in (load_dict, load_file):
    def made(accumulate, when, load=load):
        net = compiled(accumulate)
        if when != "untrained":
            nothing(net)
        load(net)
        if when == "compiled again":
            compiled(accumulate, net)
        return copy.deepcopy(net) if when == "copied" else net

    for when in ("untrained", "trained", "compiled again", "copied"):
        expected = trained(made(1, when))
        assert all((expected[name] == values[name]).all() == ("running" not in name and name != "moving") for name in names), when
        same(trained(made(2, when)), expected, f"{load.__name__}, {when}")


# Checkpoints.
def resumed(accumulate, name):
    for epochs in (1, 2):
        net = compiled(accumulate)
        load_dict(net)
        net.fit(X, Y, 8, epochs, verbose=False, seed=5, checkpoint=folder / name, resume=True)
    return net.state_dict()


same(resumed(2, "parts"), resumed(1, "whole"), "a checkpoint")

# A step that an error ends leaves nothing waiting.
net = compiled(2)
load_dict(net)
nothing(net)
try:
    net.trainer.step({"x": X[:16]}, numpy.full(16, 7))
    raise AssertionError("a label out of range")
except halfstep.Error as error:
    assert "out of range" in str(error), error
same(trained(net), trained(made(1, "untrained")), "after an error")
