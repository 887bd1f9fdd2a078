#!/usr/bin/python3
"""Times the passes from a model to its training step on models of 1,000 to 100,000 ops.

usage: benchmarks/compile_time/compile_time.py BUILD_DIR [--sizes=1000,10000,100000] [--repeat=3] [--limit=SECONDS]
           [--growth=FACTOR]

BUILD_DIR holds bin/mp-opt; build it with the release preset. For each size a residual network of that many ops (blocks of
ten ops with two parameters each) goes through mp-autocast, mp-autodiff, mp-loss-scaling and mp-optimizer in one run of
mp-opt, without threads. Prints a table in Markdown: seconds of the whole run (parsing, verifying and printing included), of
the processor in it, and of each pass, from the run of `repeat` that took the processor least. With --limit the exit
status is 1 if the largest size took longer, with --growth if an op of the largest model took the processor more than that
many times as long as one of the smallest: the passes are linear.
"""

import argparse
import pathlib
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time

PASSES = ["AutocastPass", "AutodiffPass", "LossScalingPass", "OptimizerPass"]
WIDTH = "8x16xf32"

# %{i} is the value that enters a block, %{o} the one that leaves it.
BLOCK = """\
  %{p}n = mp.reduce_mean %{i} dimensions [1] keep_dims : tensor<8x16xf32> -> tensor<8x1xf32>
  %{p}c = mp.sub %{i}, %{p}n : tensor<8x16xf32>, tensor<8x1xf32> -> tensor<8x16xf32>
  %{p}m = mp.matmul %{p}c, %w{k} bias %b{k} : tensor<16xf32> acc f32 : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %{p}r = mp.relu %{p}m : tensor<8x16xf32>
  %{p}d = mp.dropout %{p}r, %rng {{rate = 0.1, stream = {k}}} : tensor<8x16xf32>
  %{p}s = mp.softmax %{p}d : tensor<8x16xf32>
  %{p}t = mp.mul %{p}s, %{p}d : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %{p}x = mp.max %{p}t, %{p}c : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %{p}a = mp.add %{p}x, %{i} : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %{o} = mp.mul %{p}a, %half : tensor<8x16xf32>, tensor<f32> -> tensor<8x16xf32>
"""


def model(ops):
    """The text of a model of about `ops` ops."""
    blocks = max(1, ops // 10)
    arguments = [f'%v0: tensor<{WIDTH}> {{mp.input = "x"}}', '%y: tensor<8xui8> {mp.input = "y"}',
                 '%rng: tensor<2xi64> {mp.state = "rng"}']
    for k in range(blocks):
        arguments.append(f'%w{k}: tensor<16x16xf32> {{mp.parameter = "layer{k}.kernel", mp.initializer = #mp.zeros}}')
        arguments.append(f'%b{k}: tensor<16xf32> {{mp.parameter = "layer{k}.bias", mp.initializer = #mp.zeros}}')
    body = "".join(BLOCK.format(p=f"p{k}", i=f"v{k}", o=f"v{k + 1}", k=k) for k in range(blocks))
    return (f'func.func @model({", ".join(arguments)}) -> (tensor<f32> {{mp.loss}}) attributes {{mp.program = "model", mp.batch = 8}} {{\n'
            f'  %half = mp.constant dense<0.5> : tensor<f32>\n{body}'
            f'  %l = mp.softmax_cross_entropy %v{blocks}, %y : tensor<{WIDTH}>, tensor<8xui8> -> tensor<f32>\n'
            f'  return %l : tensor<f32>\n}}\n')


def measure(mp_opt, path, repeat):
    """Best of `repeat` runs: seconds of the run, of the processor, and of each pass."""
    best = None
    for _ in range(repeat):
        start, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [mp_opt, path, "-mp-autocast", "-mp-autodiff", "-mp-loss-scaling", "-mp-optimizer", "-mlir-timing",
             "-mlir-timing-display=list", "-mlir-disable-threading", "-o", "/dev/null"], capture_output=True, text=True)
        seconds = time.monotonic() - start
        if done.returncode != 0:
            sys.exit(done.stderr[:2000])
        passes = {name: float(line) for line, name in re.findall(r"^\s*([\d.]+) \(.*?\)\s+(\w+Pass)$", done.stderr, re.M)}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
        if best is None or cpu < best[1]:
            best = seconds, cpu, passes
    return best


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--sizes", default="1000,3000,10000,30000,100000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--growth", type=float)
    options = parser.parse_args()
    print(f"{cpu_name()}, {time.strftime('%Y-%m-%d')}\n")
    print("| ops | whole run, s | of it CPU, s | " + " | ".join(PASSES) + " | CPU us per op |")
    print("|---" * (len(PASSES) + 4) + "|")
    seconds, per_op = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for ops in map(int, options.sizes.split(",")):
            path = pathlib.Path(folder) / "model.mlir"
            path.write_text(model(ops))
            seconds, cpu, passes = measure(options.build / "bin" / "mp-opt", path, options.repeat)
            per_op.append(cpu / ops)
            cells = " | ".join(f"{passes[name]:.3f}" for name in PASSES)
            print(f"| {ops:,} | {seconds:.2f} | {cpu:.2f} | {cells} | {1e6 * cpu / ops:.1f} |", flush=True)
    if options.limit and seconds > options.limit:
        sys.exit(f"{seconds:.2f} s is more than the limit of {options.limit} s")
    if options.growth and per_op[-1] > options.growth * per_op[0]:
        sys.exit(f"an op of the largest model costs {per_op[-1] / per_op[0]:.1f} times as much as one of the smallest")


if __name__ == "__main__":
    main()
