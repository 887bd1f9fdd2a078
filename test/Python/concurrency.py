"""Threads, forks and interrupts: sessions side by side, one that several threads use, in a child, and a training that Ctrl-C ends.

RUN: %{python} %s
"""

import contextlib
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

# One for both, at any time: a call while another thread's is under way is an error, and every result is of one state or the other,
# never of parts of both. With a lock there is no error.
BUSY = "another thread uses the session; give each thread one of its own, or have them take turns by a lock"
states = [{name: session.state[name] for name in session.state} for session in pair]
shared = session_of(1)


def refused(function):
    """What another thread's call says to it, or None."""
    try:
        function()
    except halfstep.Error as error:
        assert str(error) == BUSY, error
        return BUSY
    return None


def change(turn):
    for i in range(ROUNDS):
        with turn:
            refused(lambda kernel=states[i % 2]["dense2.kernel"]: shared.state.__setitem__("dense2.kernel", kernel))


def read(turn):
    kernels = [one["dense2.kernel"] for one in states]
    found = []
    for _ in range(ROUNDS):
        with turn:
            refused(lambda: found.append(shared.state["dense2.kernel"]))
    assert all(any((kernel == one).all() for one in kernels) for kernel in found)
    return found


in_threads(*(lambda call=call: call(contextlib.nullcontext()) for call in (change, read, change)))
turn = threading.Lock()
in_threads(lambda: change(turn), lambda: [read(turn)[ROUNDS - 1]], lambda: change(turn))

# What a callback does by another thread, and waits for, is an error and not a wait without end; what it does itself is not.
told: list = []


class Elsewhere(halfstep.callbacks.Callback):
    """Uses what is trained by a thread of its own, and by this one."""

    def on_train_batch_end(self, batch, logs=None):
        calls = (lambda: self.model.predict(x), lambda: self.model.trainer.step(x[:8], y[:8]), lambda: self.model.evaluate(x, y, 8),
                 self.model.state_dict, lambda: self.model.fit(x, y, 8, verbose=False),
                 lambda: self.model.trainer.session._handle.time_kernels("infer", 1, 1))
        for call in calls:
            in_threads(lambda call=call: told.append(refused(call)))
        assert self.model.predict(x).shape == (37, 3)

    on_epoch_end = on_train_batch_end


watched = network()
watched.compile("adam", policy="mixed_float16", threads=1)
watched.fit(x, y, 8, verbose=False, callbacks=[Elsewhere()])
assert len(told) == 5 * 6 and set(told) == {BUSY}, told
assert watched.trainer.steps == 4 and numpy.isfinite(watched.predict(x)).all()

# It is closed under those that use it: their calls end as before, or say that it is closed.
ended = []


def use():
    try:
        while True:
            refused(lambda: shared.run("infer", x=x)["output"].sum())
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
