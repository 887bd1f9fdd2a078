"""Compiling leaves the handlers of signals as they are, also those that LLVM would take.

RUN: %{python} -W error %s
"""

import os
import signal
import subprocess
import sys

import halfstep

TEXT = """func.func @m(%x: tensor<?x4xf32> {mp.input = "x"}, %w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<?x2xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.matmul %x, %w acc f32 : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""

os.environ["HALFSTEP_COMPILE_CACHE"] = "off"
seen = []
signals = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM, signal.SIGXCPU, signal.SIGPIPE]
for one in signals:
    signal.signal(one, lambda number, frame: seen.append(number))
for _ in range(2):
    halfstep.compile(TEXT, policy="float32", training=False)
    for one in signals:
        os.kill(os.getpid(), one)
assert seen == 2 * signals, seen

# A fault behind a compilation ends the process, as before it.
FAULT = "import halfstep, os, signal, sys; halfstep.compile(sys.argv[1], policy='float32', training=False); os.kill(os.getpid(), signal.{})"
for name in ("SIGSEGV", "SIGILL"):
    child = subprocess.run([sys.executable, "-c", FAULT.format(name), TEXT], timeout=60, stderr=subprocess.DEVNULL)
    assert child.returncode == -getattr(signal, name), (name, child.returncode)
