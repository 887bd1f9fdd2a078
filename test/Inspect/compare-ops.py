"""Ops under two policies, beside what NumPy has for both.

usage: compare-ops.py FOLDER   (with data of write-tiny-model in FOLDER/data)
"""

import json
import pathlib
import subprocess
import sys

import numpy

FOLDER = pathlib.Path(sys.argv[1])
# Values that no batch changes, and that lie between those of bf16.
SCALE, SHIFT = numpy.float32(1.2345678), numpy.float32(0.7654321)
(FOLDER / "chain.mlir").write_text(f"""func.func @chain(%x: tensor<?x4xui8> {{mp.input = "x"}}, %y: tensor<?xui8> {{mp.input = "y"}},
    %w: tensor<4x3xf32> {{mp.parameter = "w", mp.initializer = #mp.constant<{SCALE:.9e}>}})
    -> (tensor<f32> {{mp.loss}}, tensor<?x3xf32> {{mp.output = "logits"}}) attributes {{mp.program = "model"}} {{
  %zero = mp.constant dense<0.0> : tensor<f32>
  %shift = mp.constant dense<{SHIFT:.9e}> : tensor<f32>
  %f = mp.cast %x : tensor<?x4xui8> -> tensor<?x4xf32>
  %g = mp.mul %f, %zero : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32> loc("nothing")
  %h = mp.add %g, %shift : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32> loc("shift")
  %m = mp.matmul %h, %w acc f32 : tensor<?x4xf32>, tensor<4x3xf32> -> tensor<?x3xf32> loc("product")
  %s = mp.mul %m, %m : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x3xf32> loc("square")
  %loss = mp.softmax_cross_entropy %s, %y : tensor<?x3xf32>, tensor<?xui8> -> tensor<f32> loc("loss")
  return %loss, %s : tensor<f32>, tensor<?x3xf32>
}}
""")


def compare(*flags):
    command = ["mp-run", "compare", FOLDER / "chain.mlir", f"--data={FOLDER / 'data'}", "--batch-size=8", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def bf16(x):
    bits = numpy.asarray(x, "float32").view("uint32")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype("uint32").view("float32")


# mixed_float16 and mixed_bfloat16 multiply matrices in the low type, and square what comes of it there.
ROUNDS = {"mixed_float16": lambda x: numpy.float32(numpy.float16(x)), "mixed_bfloat16": bf16}
exact = 4 * numpy.float64(SHIFT) * SCALE
found = {row["variant"]: row for row in json.loads(compare("--variants=float32,mixed_float16,mixed_bfloat16", "--ops", "--json=-"))}
for variant, low in ROUNDS.items():
    ops = {op.get("name"): op for op in found[variant]["ops"] if op["part"] == "forward"}
    product = low(4 * numpy.float64(low(SHIFT)) * low(SCALE))
    square = low(numpy.float64(product) * product)
    expected = {"nothing": 0, "product": abs(product - exact) / exact, "square": abs(square - exact**2) / exact**2, "loss": 0}
    for name, difference in expected.items():
        assert abs(ops[name]["difference"] - difference) < 3e-7, (variant, name, ops[name], difference)
    assert ops["square"]["types"] == ["f32", "f16" if variant == "mixed_float16" else "bf16"], ops["square"]
    assert abs(ops["square"]["largest"] - exact**2) < 1e-5 * exact**2
    assert found[variant]["against"] == "float32" and found[variant]["tolerance"] == 0.05

# The first beyond a tolerance, in the order of the step.
text = compare("--variants=float32,mixed_bfloat16", "--ops=1e-4")
assert text.startswith("mixed_bfloat16 against float32, the first step: first beyond 0.0001 of its largest value: mp.matmul at product, forward\n"), text
assert "are within 1 of their largest value" in compare("--variants=float32,mixed_bfloat16", "--ops=1")
# A policy and itself; gradients at the same loss scale, whatever the policy would have.
assert all(op["difference"] == 0 for row in json.loads(compare("--variants=mixed_float16,mixed_float16", "--ops", "--json=-")) for op in row["ops"])
backward = [op for op in found["mixed_float16"]["ops"] if op["part"] == "backward"]
assert backward and all(op["difference"] < 0.02 for op in backward), backward
# Micro-batches are runs of their own.
runs = {op["run"] for op in json.loads(compare("--variants=float32,mixed_bfloat16", "--accumulate=2", "--ops", "--json=-"))[0]["ops"]}
assert runs == {"accumulate, micro-batch 1", "accumulate, micro-batch 2", "apply"}, runs
