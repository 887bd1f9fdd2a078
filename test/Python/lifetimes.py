"""What is made goes when nobody has it any more: sessions, executables, models after training; memory does not grow with their number.

RUN: %{python} %s 40
"""

import gc
import sys
import weakref

import numpy

import halfstep
from halfstep import nn

SESSIONS = int(sys.argv[1])
MEBIBYTE = 2**20


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def network(width=16):
    return nn.Sequential(nn.Input((12,)), nn.Dense(width, "relu"), nn.Dense(3))


x = numpy.random.default_rng(0).standard_normal((16, 12)).astype(numpy.float32)
y = (x[:, 0] > 0).astype(numpy.int64)


# A session has its executable, a view of state its session; an iterator of state ends with the session, by an error.
def view_of_state():
    session = halfstep.Session(halfstep.compile(network().to_mlir(), training=False, policy="float32", batch_size=16))
    session.initialize(3)
    return session.state


state = view_of_state()
gc.collect()
kernel = state["dense1.kernel"]
assert kernel.shape == (12, 16) and (kernel != 0).any() and set(state) >= {"dense1.kernel", "dense2.bias"}
session = state._session
session.close()
session.close()
for use in (lambda: state["dense1.kernel"], lambda: list(state), lambda: session.run("infer", x=x)):
    try:
        use()
    except ValueError as error:
        assert str(error) == "the session is closed"
    else:
        raise AssertionError("a closed session is used")
assert (kernel != 0).any()  # a copy


# A model that has trained goes, and what told of it: callbacks know it, it does not know them.
class Watch(halfstep.callbacks.Callback):
    pass


model, watch = network(), Watch()
model.compile("adam", policy="mixed_bfloat16", threads=1)
history = model.fit(x, y, batch_size=8, verbose=False, callbacks=[watch])
gone = [weakref.ref(one) for one in (model, model.trainer, model.trainer.session)]
del model
watch.model = history.model = None
gc.collect()
assert [one() for one in gone] == [None] * 3

# Memory: each session has 8 MiB of parameters, which would be 320 MiB of forty that stay.
WIDTH = 2**17
executable = halfstep.compile(network(WIDTH).to_mlir(), training=False, policy="float32", batch_size=16)


def use_one(seed):
    session = halfstep.Session(executable, threads=1)
    session.initialize(seed)
    results = session.run("infer", x=x)
    if seed % 2:
        session.close()  # or it is dropped
    return results["output"]


for seed in range(5):
    use_one(seed)
before = resident()
for seed in range(SESSIONS):
    assert use_one(seed).shape == (16, 3)
grown = resident() - before
assert grown < 32 * MEBIBYTE, f"{SESSIONS} sessions left {grown / MEBIBYTE:.0f} MiB"

# The measure sees what stays.
kept = [halfstep.Session(executable, threads=1) for _ in range(8)]
for session in kept:
    session.initialize(0)
assert resident() - before > 32 * MEBIBYTE
