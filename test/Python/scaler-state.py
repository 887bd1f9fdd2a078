"""The state of a loss scale is that of torch.amp.GradScaler: each loads the other's, and goes on as the other would.

REQUIRES: pytorch
RUN: %{torch_python} -W error %s
"""

import warnings

import numpy
import torch

import halfstep
from halfstep import nn

X = numpy.random.default_rng(2).standard_normal((64, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")
KEYS = ["scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"]
OWN = {"init_scale": 2.0**10, "growth_factor": 4.0, "backoff_factor": 0.25, "growth_interval": 3}


def make(policy="mixed_float16", loss_scaler=None, **named):
    model = nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dense(2))
    model.compile("adam", policy=policy, loss_scaler=loss_scaler, threads=1, **named)
    return model


def refused(expected, function, *arguments):
    try:
        function(*arguments)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def update(scaler, found=False):
    """A step of GradScaler's, whose gradient may not be finite."""
    parameter = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([parameter], 0.1)
    scaler.scale(parameter.sum() * (float("inf") if found else 1.0)).backward()
    scaler.step(optimizer)
    scaler.update()


# Every way to say the settings; trained, and before.
WAYS = [dict(loss_scaler=halfstep.LossScaler(**OWN)), dict(loss_scale="dynamic:init-scale=2^10,growth-factor=4,backoff-factor=0.25,growth-interval=3"),
        dict(loss_scale="dynamic", init_scale="2^10", growth_factor=4, backoff_factor="0.25", growth_interval=3)]
for named in WAYS:
    assert make(**named).trainer.scaler.state_dict() == torch.amp.GradScaler("cpu", **OWN).state_dict()
model, scaler = make(**WAYS[0]), torch.amp.GradScaler("cpu", **OWN)
for steps in range(3):
    ours, theirs = model.trainer.scaler.state_dict(), scaler.state_dict()
    assert list(ours) == KEYS and ours == theirs and type(ours["_growth_tracker"]) is int, (steps, ours, theirs)
    scaled = torch.amp.GradScaler("cpu", **OWN)
    scaled.load_state_dict(ours)
    loaded = make(**WAYS[0])
    loaded.trainer.scaler.load_state_dict(theirs)
    for _ in range(4):
        assert loaded.trainer.scaler.state_dict() == scaled.state_dict()
        loaded.trainer.step(X[:8], Y[:8])
        update(scaled)
    assert loaded.trainer.scaler.state_dict() == scaled.state_dict() and scaled.get_scale() > 2.0**10
    model.trainer.step(X[:8], Y[:8])
    update(scaler)
default = make("mixed_float16").trainer.scaler.state_dict()
assert default == torch.amp.GradScaler("cpu").state_dict() == halfstep.LossScaler().state_dict(), default
overflow = make(loss_scaler=halfstep.LossScaler(**{**OWN, "init_scale": 2.0**40}))
overflow.trainer.step(X[:8], Y[:8])
assert overflow.trainer.scaler.state_dict()["scale"] == 2.0**38

# What was saved before loads.
model = make()
model.trainer.scaler.load_state_dict({"scale": 8.0, "growth_tracker": 3, "skipped_steps": 2})
assert model.trainer.scaler.state_dict() == {**default, "scale": 8.0, "_growth_tracker": 3}
model.trainer.step(X[:8], Y[:8])
assert model.trainer.session.state["skipped_steps"] == 2 and model.trainer.scaler.state_dict()["_growth_tracker"] == 4

# What is compiled in is refused with what to write, whatever part of it differs, and nothing is loaded.
for is_trained in (False, True):
    model = make()
    if is_trained:
        model.trainer.step(X[:8], Y[:8])
    before = model.trainer.scaler.state_dict()
    for name, value in (("growth_factor", 4.0), ("backoff_factor", 0.25), ("growth_interval", 3)):
        refused(f"{name} is {value!r}, and ", model.trainer.scaler.load_state_dict, {**default, "scale": 2.0, name: value})
    foreign = torch.amp.GradScaler("cpu", **OWN).state_dict()
    refused("compile with loss_scaler=LossScaler(growth_factor=4.0, backoff_factor=0.25, growth_interval=3)", model.trainer.scaler.load_state_dict, foreign)
    refused("there is no 'scales'", model.trainer.scaler.load_state_dict, {**default, "scales": 2.0})
    refused("'scale' is missing", model.trainer.scaler.load_state_dict, {"growth_factor": 2.0})
    assert model.trainer.scaler.state_dict() == before

# A scale that stays has factors under which GradScaler's stays, and loads no other's.
static = make(loss_scaler=128.0)
for _ in range(2):
    state = static.trainer.scaler.state_dict()
    assert state == {**default, "scale": 128.0, "growth_factor": 1.0, "backoff_factor": 1.0}, state
    scaler = torch.amp.GradScaler("cpu")
    scaler.load_state_dict(state)
    for found in (False, True):
        update(scaler, found)
    assert scaler.get_scale() == 128.0
    refused("growth_factor is 2.0, and 1 is compiled in, backoff_factor is 0.5, and 1 is compiled in; compile with loss_scaler=LossScaler(",
            static.trainer.scaler.load_state_dict, default)
    refused("compile with loss_scaler of a number, that of the scale", make().trainer.scaler.load_state_dict, state)
    static.trainer.scaler.load_state_dict({**state, "scale": 128.0})
    static.trainer.step(X[:8], Y[:8])

# A scaler that is not enabled has {}: where there is none it is nothing, else a scale of 1 that stays, which is said.
disabled = torch.amp.GradScaler("cpu", enabled=False)
for none in (make("mixed_bfloat16"), make(loss_scaler=halfstep.LossScaler(enabled=False))):
    assert none.trainer.scaler.state_dict() == disabled.state_dict() == {} and not none.trainer.scaler.is_enabled()
    none.trainer.scaler.load_state_dict({})
    disabled.load_state_dict(none.trainer.scaler.state_dict())
    none.trainer.step(X[:8], Y[:8])
    none.trainer.scaler.load_state_dict(disabled.state_dict())
    refused("the model has no loss scale; compile it with a loss_scaler", none.trainer.scaler.load_state_dict, default)
for is_trained in (False, True):
    model = make(loss_scaler=halfstep.LossScaler(**{**OWN, "growth_interval": 1}))
    other = make(loss_scaler=1.0)
    if is_trained:
        for one in (model, other):
            one.trainer.step(X[:8], Y[:8])
        other.load_state_dict(model.state_dict())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.trainer.scaler.load_state_dict(disabled.state_dict())
    assert [str(one.message) for one in said] == ["load_state_dict: {} is the state of a GradScaler that is not enabled; the loss scale is 1 and stays"]
    assert said[0].filename == __file__ and model.trainer.scaler.get_scale() == 1.0
    for _ in range(3):
        model.trainer.step(X[:8], Y[:8])
        assert model.trainer.scaler.get_scale() == 1.0
    assert model.trainer.steps == 3 + is_trained and model.trainer.scaler.state_dict()["growth_factor"] == 1.0
