"""Training on batches tells how far it is, on standard error alone: rewritten on a terminal, as wide as that is, and at times elsewhere.

REQUIRES: pty
RUN: %{python} -W error %s
"""

import os
import pty
import re
import subprocess
import sys
import time

import numpy

import halfstep
import halfstep._progress
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


EPOCHS = re.compile(r"epoch 1: loss \d.\d{4}, accuracy \d.\d{4}\nepoch 2: loss .*\n")
for is_sized, line in ((True, r"epoch [12]/2, step \d/8: loss \d.\d{4}, \d+ rows/s, \d+:\d\d, \d+:\d\d left"),
                       (False, r"epoch [12]/2, step \d: loss \d.\d{4}, \d+ rows/s, \d+:\d\d")):
    stdout, stderr = told(is_sized, True, 120)
    assert EPOCHS.fullmatch(stdout), stdout
    lines = [one.removesuffix("\033[K") for one in stderr.split("\r")]
    assert len(lines) > 3 and stderr.count("\033[K") == len(lines) - 1 and "\n" not in stderr, stderr
    assert all(re.fullmatch(line, one) for one in lines if one), lines
    for columns in (20, 2):
        _, narrow = told(is_sized, True, columns)
        assert max(len(one.removesuffix("\033[K")) for one in narrow.split("\r")) == columns - 1, narrow
    stdout, stderr = told(is_sized, True)
    assert EPOCHS.fullmatch(stdout) and stderr == "", (stdout, stderr)  # it is over before five seconds
assert told(True, False, 120) == told(True, False) == ("", "")


# A cell of a notebook is no terminal, and draws over a line that returns to its start: no code of a terminal's, and blanks over what was longer.
class Cell:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return False


Cell.__module__ = "ipykernel.iostream"
before, sys.stderr = sys.stderr, Cell()
try:
    progress = halfstep._progress.Progress([0] * 8, 1, 1, 1)
    progress._pause = 0
    progress.step(1, 4, 1234.5, 1e6)
    progress.step(1, 5, 1.0, 1.0)
    progress.clear()
    assert halfstep._progress.in_notebook()
    text = sys.stderr.text
finally:
    sys.stderr = before
first, second, blank = re.fullmatch(r"\r(epoch 1/1, step 4/8: .*left)\r(epoch 1/1, step 5/8: .*left *)\r( +)\r", text).groups()
assert len(first) == len(second) and len(blank) == len(second.rstrip()) and not halfstep._progress.in_notebook(), text
