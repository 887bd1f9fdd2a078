"""How long a new user waits: the first step of a small network, compiled and from the cache, and the import before it.

usage: first-step.py

RUN: %{python} %s | FileCheck %s
CHECK: import: {{[0-9.]+}} s
CHECK: first step, compiled: {{[0-9.]+}} s
CHECK: first step, from the cache: {{[0-9.]+}} s
"""

import os
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, time
start = time.perf_counter()
import halfstep
from halfstep import nn
imported = time.perf_counter()
import numpy
x = numpy.zeros((128, 784), numpy.float32)
y = numpy.zeros(128, numpy.int64)
begin = time.perf_counter()
model = nn.Sequential(nn.Dense(128, "relu"), nn.Dense(10))
model.compile(optimizer=halfstep.AdamW(1e-3), policy="mixed_bfloat16")
model.trainer.step(x, y)
print(imported - start, time.perf_counter() - begin)
"""

with tempfile.TemporaryDirectory() as cache:
    environment = {**os.environ, "HALFSTEP_COMPILE_CACHE": cache}
    for what in ("compiled", "from the cache"):
        said = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=environment).stdout
        imported, step = map(float, said.split())
        if what == "compiled":
            print(f"import: {imported:.2f} s")
        print(f"first step, {what}: {step:.2f} s")
