"""pin_threads keeps each of the CPU's threads on one processor while it computes, and changes no bit; of another device it is refused.

RUN: %{python} -W error %s
"""

import os
import threading
import time

import numpy

import halfstep
from halfstep import nn

X = numpy.random.default_rng(0).standard_normal((512, 256)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")
PROCESSORS = len(os.sched_getaffinity(0))


def network():
    return nn.Sequential(nn.Input((256,)), nn.Dense(256, "relu"), nn.Dense(2))


def is_on_one(session, seconds):
    """Whether the thread that computes is seen on one processor alone, within so many seconds."""
    is_over, end = threading.Event(), time.monotonic() + seconds

    def compute():
        while not is_over.is_set():
            session.run("infer", x=X)

    thread = threading.Thread(target=compute)
    thread.start()
    seen = False
    while not seen and time.monotonic() < end:
        seen = len(os.sched_getaffinity(thread.native_id)) == 1
    is_over.set()
    thread.join()
    return seen


executable = halfstep.compile(network().to_mlir(), training=False, policy="float32", batch_size=512)
results = []
for pinned in (False, True):
    with halfstep.Session(executable, threads=2, pin_threads=pinned) as session:
        session.initialize(1)
        results.append(session.run("infer", x=X)["output"])
        if PROCESSORS > 1:  # else each thread is on one anyway
            assert is_on_one(session, 60 if pinned else 0.5) == pinned, pinned
assert (results[0] == results[1]).all()

# A model that is trained, too.
states = []
for pinned in (False, True):
    model = network()
    model.compile("adam", policy="mixed_bfloat16", threads=2, pin_threads=pinned)
    model.predict(X)
    model.fit(X, Y, 64, verbose=False)
    states.append(model.state_dict())
assert all((states[0][name] == value).all() for name, value in states[1].items())

for call in (lambda: halfstep.Session(executable, "simt", pin_threads=True),
             lambda: halfstep.Session(executable, threads=10**6)):
    try:
        call()
    except halfstep.Error as error:
        assert str(error) in ("Session: pin_threads: is for device cpu, device simt runs no blocks on threads of its own",
                              "Session: threads=1000000: expected at most 1024, 0 for all of the machine"), error
    else:
        raise AssertionError("taken")
