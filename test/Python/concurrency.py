"""Threads, forks and interrupts: sessions side by side, one for several threads, in a child, and a training that Ctrl-C ends.

RUN: %{python} %s
"""

import os
import signal
import sys
import threading
import time

import numpy

import halfstep
from halfstep import nn

ROUNDS = 50


def network():
    return nn.Sequential(nn.Input((12,)), nn.Dense(16, "relu"), nn.Dense(3))


def in_threads(*functions):
    """Runs functions at the same time; what one raises is raised here."""
    raised = []

    def guarded(function):
        try:
            function()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(one,), daemon=True) for one in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads), "a thread waits forever"
    if raised:
        raise raised[0]


def in_child(function):
    """How a forked child ends that runs a function: its exit status, or the signal that it died of, negative."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits forever ends, too
        try:
            os._exit(0 if function() else 1)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


random = numpy.random.default_rng(0)
x = random.standard_normal((37, 12)).astype(numpy.float32)
y = (x[:, 0] > 0).astype(numpy.int64)
executable = halfstep.compile(network().to_mlir(), training=False, policy="mixed_bfloat16", batch_size=16)


def session_of(seed, threads=1):
    session = halfstep.Session(executable, threads=threads)
    session.initialize(seed)
    return session


# A session for each of two threads: each has the results that it has alone.
pair = [session_of(seed) for seed in (1, 2)]
alone = [session.run("infer", x=x)["output"] for session in pair]
assert (alone[0] != alone[1]).any()


def repeat(session, expected):
    for _ in range(ROUNDS):
        assert (session.run("infer", x=x)["output"] == expected).all()


in_threads(*(lambda session=session, expected=expected: repeat(session, expected) for session, expected in zip(pair, alone)))

# One for both: calls wait for each other, and every result is of one state or the other, never of parts of both.
states = [{name: session.state[name] for name in session.state} for session in pair]
shared = session_of(1)


def change():
    for i in range(ROUNDS):
        shared.state["dense2.kernel"] = states[i % 2]["dense2.kernel"]


def read():
    kernels = [one["dense2.kernel"] for one in states]
    for _ in range(ROUNDS):
        kernel = shared.state["dense2.kernel"]
        assert any((kernel == one).all() for one in kernels)


in_threads(change, read, change)

# It is closed under those that use it: their calls end as before, or say that it is closed.
ended = []


def use():
    try:
        while True:
            assert (shared.run("infer", x=x)["output"].shape) == (37, 3)
    except ValueError as error:
        ended.append(str(error))


def close():
    time.sleep(0.05)
    shared.close()


in_threads(use, close, use)
assert ended == ["the session is closed"] * 2, ended

# Two models train at the same time with the bits that they have alone.


def trained(seed):
    model = network()
    model.compile("adam", policy="mixed_float16", threads=1)
    model.fit(x, y, batch_size=8, epochs=3, seed=seed, verbose=False)
    return model.state_dict()


expected = [trained(1), trained(2)]
found: dict = {}
in_threads(*(lambda seed=seed: found.update({seed: trained(seed)}) for seed in (1, 2)))
for one, seed in zip(expected, (1, 2)):
    assert all((found[seed][name] == value).all() for name, value in one.items())

# A child has the parent's session on one thread, its own sessions, and leaves those of the parent alone when it ends.
kept = pair[0]
assert in_child(lambda: True) == 0
assert in_child(lambda: (kept.run("infer", x=x)["output"] == alone[0]).all()) == 0
assert in_child(lambda: (session_of(2).run("infer", x=x)["output"] == alone[1]).all()) == 0
assert in_child(lambda: kept.close() or True) == 0
assert in_child(lambda: (kept.run("infer", x=x)["output"] != alone[0]).any()) == 1  # what a child finds is told
assert (kept.run("infer", x=x)["output"] == alone[0]).all()

# Ctrl-C ends a training on batches, too, as what the batches raise does; the model goes on after it.
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs this may ignore it


class Batches:
    """Interrupts the process, or raises, in its third batch."""

    def __init__(self, action):
        self.action = action

    def __iter__(self):
        for i in range(6):
            if i == 2:
                self.action()
            yield x[:8], y[:8]


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)


def fail():
    raise LookupError("no more batches")


model = network()
model.compile("adam", policy="mixed_float16", threads=1)
for action, kind in ((interrupt, KeyboardInterrupt), (fail, LookupError)):
    before = model.trainer.steps
    try:
        model.fit(Batches(action), verbose=False)
    except kind:
        assert model.trainer.steps == before + 2
    else:
        raise AssertionError(f"{kind.__name__} is lost")
model.fit(Batches(lambda: None), verbose=False)
assert model.trainer.steps == 10 and numpy.isfinite(model.predict(x)).all()
