"""Training on batches tells how far it is, on standard error alone: rewritten on a terminal, as wide as that is, and at times elsewhere.

REQUIRES: pty
RUN: %{python} -W error %s
"""

import io
import os
import pty
import re
import subprocess
import sys
import time

import numpy

import halfstep
import halfstep.compiler.progress
from halfstep import nn


class Slow:
    """Batches of which each takes some time."""

    def __init__(self, is_sized):
        if is_sized:
            self.__class__ = Sized

    def __iter__(self):
        x = numpy.random.default_rng(0).standard_normal((8, 6)).astype("float32")
        for _ in range(8):
            time.sleep(0.03)
            yield x, (x[:, 0] > 0).astype("int64")


class Sized(Slow):
    def __len__(self):
        return 8


def train(is_sized, verbose):
    model = nn.Sequential(nn.Dense(2))
    model.compile("sgd", policy="float32", threads=1)
    model.fit(Slow(is_sized), epochs=2, verbose=verbose)


if len(sys.argv) > 1:
    train(*(word == "1" for word in sys.argv[1:]))
    sys.exit()


def told(is_sized, verbose, columns=None):
    """What a training writes to standard output, and to standard error: a terminal of so many columns, or a pipe."""
    command = [sys.executable, __file__, str(int(is_sized)), str(int(verbose))]
    if columns is None:
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        return result.stdout, result.stderr
    own, its = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its, env={**os.environ, "COLUMNS": str(columns)}, text=True) as process:
        os.close(its)
        written = b""
        try:
            while part := os.read(own, 4096):
                written += part
        except OSError:  # its end is closed
            pass
        stdout = process.stdout.read()
    assert process.returncode == 0
    return stdout, written.decode()


NOTES = re.compile(r"sequential: 14 parameters, policy float32, batch 8|device cpu .*|epoch [12]: loss \d.\d{4}, accuracy \d.\d{4}")
TIME = r"(, \d+ rows/s)?, \d+:\d\d"
for is_sized, line in ((True, rf"epoch [12]/2 (\[=*>? *\] )?\d/8 loss \d.\d{{4}}{TIME}, \d+:\d\d left"), (False, rf"epoch [12]/2 step \d loss \d.\d{{4}}{TIME}")):
    stdout, stderr = told(is_sized, True, 120)
    lines = [one.strip() for part in stderr.split("\r") for one in part.replace("\033[K", "").split("\n")]
    drawn = [one for one in lines if one and not NOTES.fullmatch(one)]
    assert stdout == "" and len(lines) - len(drawn) >= 4 and len(drawn) > 1 and stderr.count("\n") == 4, (stdout, stderr)
    assert all(re.fullmatch(line, one) for one in drawn), drawn
    for columns in (20, 2):
        _, narrow = told(is_sized, True, columns)
        drawn = [one.removeprefix("\033[K") for one in narrow.replace("\n", "\r").split("\r") if one.startswith("\033[K")]
        assert max(len(one) for one in drawn if not NOTES.fullmatch(one)) <= columns - 1, narrow
    stdout, stderr = told(is_sized, True)
    assert stdout == "" and all(NOTES.fullmatch(one) for one in stderr.splitlines()), (stdout, stderr)  # it is over before five seconds
assert told(True, False, 120) == told(True, False) == ("", "")


# A cell of a notebook is no terminal, and draws over a line that returns to its start.
class Cell:
    pass


Cell.__module__ = "ipykernel.iostream"
before, sys.stderr = sys.stderr, Cell()
try:
    assert halfstep.compiler.progress.in_notebook()
finally:
    sys.stderr = before
assert not halfstep.compiler.progress.in_notebook()

# How far a compilation is: nothing in its first second, no more often than ten times in a second, and nothing left behind.
halfstep.compiler.progress._BEFORE = 0.0
stream = io.StringIO()
stream.isatty = lambda: True
before, sys.stderr = sys.stderr, stream
try:
    halfstep.compile(nn.Sequential(nn.Input((4,)), nn.Dense(8, "relu"), nn.Dense(2)).to_mlir(), training=False)
finally:
    sys.stderr = before
drawn = [one for one in stream.getvalue().split("\r") if one.strip()]
assert drawn and all(re.fullmatch(r"compiling: [a-z-]+( \d+/\d+)?, \d+ s *", one) for one in drawn), drawn
assert stream.getvalue().split("\r")[-2].strip() == "", stream.getvalue()
halfstep.compiler.progress._BEFORE = 100.0
stream.truncate(0)
sys.stderr = stream
try:
    halfstep.compile(nn.Sequential(nn.Input((4,)), nn.Dense(8, "relu"), nn.Dense(2)).to_mlir(), training=False)
finally:
    sys.stderr = before
assert stream.getvalue().strip("\0") == "", stream.getvalue()
