"""Overflows that are put into chains of ops, and whether --find-nonfinite names the op that each begins in.

usage: find-nonfinite.py FOLDER   (with data of write-tiny-model in FOLDER/data)
"""

import pathlib
import random
import re
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
HEAD = """func.func @chain(%x: tensor<?x4xui8> {{mp.input = "x"}}, %y: tensor<?xui8> {{mp.input = "y"}},
    %w: tensor<4x4xf32> {{mp.parameter = "w", mp.initializer = #mp.constant<{weight}>}})
    -> (tensor<f32> {{mp.loss}}, tensor<?x4xf32> {{mp.output = "logits"}}) attributes {{mp.program = "model"}} {{
  %one = mp.constant dense<1.0> : tensor<f32>
  %f = mp.cast %x : tensor<?x4xui8> -> tensor<?x4xf32>
  %g = mp.mul %f, %zero : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %h = mp.add %g, %one : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %v0 = mp.matmul %h, %w acc f32 : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
"""
HEAD = HEAD.replace("  %f = ", "  %zero = mp.constant dense<0.0> : tensor<f32>\n  %f = ")
TAIL = """  %loss = mp.softmax_cross_entropy %v{last}, %y : tensor<?x4xf32>, tensor<?xui8> -> tensor<f32>
  return %loss, %v{last} : tensor<f32>, tensor<?x4xf32>
}}
"""


def model(weight, ops):
    """Rows of 4 equal values 4 * weight, then the ops, each a line with {a} for its operand and {b} for its result's type."""
    text = HEAD.format(weight=f"{weight:.6e}")
    for index, op in enumerate(ops):
        text += f"  %c{index} = mp.constant dense<{op[1] if isinstance(op[1], str) else format(op[1], '.6e')}> : tensor<f32>\n" if op[1] is not None else ""
        other = f", %c{index} : tensor<?x4xf32>, tensor<f32>" if op[1] is not None else " : tensor<?x4xf32>"
        result = " -> tensor<?x4xf32>" if op[1] is not None else ""
        text += f'  %v{index + 1} = {op[0]} %v{index}{other}{result} loc("op{index}")\n'
    return text + TAIL.format(last=len(ops))


def train(text, *flags):
    path = FOLDER / "chain.mlir"
    path.write_text(text)
    command = ["mp-run", "train", path, f"--data={FOLDER / 'data'}", "--batch-size=8", "--steps=3", "--quiet", "--find-nonfinite", *flags]
    return subprocess.run(command, capture_output=True, text=True).stderr


def expect(text, flags, *lines):
    found = train(text, *flags)
    for line in lines:
        assert re.search(line, found), f"{line}\n{found}\n{text}"
    return found


draw = random.Random(1)
quiet = [("mp.mul", 1.0), ("mp.add", 0.5), ("mp.relu", None), ("mp.abs", None), ("mp.sub", 0.25), ("mp.div", 1.0)]
for trial in range(8):
    count = draw.randrange(2, 7)
    ops = [draw.choice(quiet) for _ in range(count)]
    bad = draw.randrange(count)
    # 400 and more, times 1000: above 65504, below what float32 holds; of lines behind it no one is the first.
    ops[bad] = ("mp.mul", 1000.0)
    found = expect(model(100, ops), ["--policy=mixed_float16"], "step 1: the loss is not finite; skipped at loss scale 65536, not finite: gradients of w",
                   rf"first: mp.mul at op{bad}, forward, f16 \(train_step\)", r"result: 32 values, 32 infinite\n",
                   r"operand: 32 values, largest magnitude 4\d\d", r"in float32: 32 values, largest magnitude 4\d\d\d\d\d\n",
                   f"--deny=loc:op{bad} computes it in float32")
    assert found.count("first:") == 1, found
    # Denied, it is fine, and what reads it is cast down: the cast is where it overflows now. f32 all the way is finite.
    if bad + 1 < count:
        expect(model(100, ops), ["--policy=mixed_float16", f"--deny=loc:op{bad}", f"--allow=loc:op{bad + 1}"], rf"first: mp.cast at op{bad}, forward, for {ops[bad + 1][0]} at op{bad + 1}, f16",
               r"operand: 32 values, largest magnitude 4\d\d\d\d\d\n  in float32: 32 values, largest magnitude 4\d\d\d\d\d\n",
               f"--deny=loc:op{bad + 1} computes that in float32")
    for policy in ("float32", "mixed_bfloat16"):
        assert "first:" not in train(model(100, ops), f"--policy={policy}")

# float32 is not finite either; an operand that is infinite from the start; NaN that is made of infinities.
expect(model(1e30, [("mp.mul", 1e30)]), ["--policy=float32"], r"first: mp.mul at op0, forward, f32", r"in float32: 32 values, 32 infinite\n", "types are not the cause")
expect(model(1, [("mp.sqrt", None)]).replace('%one = mp.constant dense<1.0>', '%one = mp.constant dense<-1.0>'), ["--policy=float32"], r"first: mp.sqrt at op0, forward", r"result: 32 values, 32 NaN\n")
expect(model(1, [("mp.mul", "0x7F800000")]), ["--policy=float32"], r"first: mp.softmax_cross_entropy at", r"result: 1 values, 1 NaN\n", r"operand: 32 values, 32 infinite\n")
expect(model(1, [("mp.mul", "0x7FC00000")]), ["--policy=float32"], r"first: mp.constant at 10:9", r"result: 1 values, 1 NaN\n")

# Only gradients are not finite: at the loss scale.
text = model(1, [("mp.mul", 100.0)])
expect(text, ["--policy=mixed_float16", "--loss-scale=1e12"], r"step 1: skipped at loss scale 1e\+12, not finite: gradients of w\n", ", backward, for mp.mul at op0, f16", "at this loss scale")
# State that a step leaves, with no scaler to skip it.
expect(text, ["--policy=float32", "--optimizer=sgd", "--learning-rate=3e38"], r"step [12]: ", "first: ")
# Parts of a step, and other devices.
for flags in (["--accumulate=2"], ["--device=reference"], ["--device=simt", "--chip=sm_80"]):
    run = "accumulate, micro-batch 1" if flags[0] == "--accumulate=2" else "train_step"
    expect(model(100, [("mp.mul", 1000.0)]), ["--policy=mixed_float16", *flags], rf"first: mp.mul at op0, forward, f16 \({run}\)")

# Infinities of a mask reach nothing that should be finite.
masked = model(1, [("mp.relu", None)]).replace("  %loss", """  %i = mp.constant dense<0xFF800000> : tensor<4xf32>
  %t = mp.constant dense<[true, true, false, true]> : tensor<4xi1>
  %m = mp.select %t, %v1, %i : tensor<4xi1>, tensor<?x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
  %p = mp.softmax %m : tensor<?x4xf32>
  %n = mp.matmul %p, %w acc f32 : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  %loss""").replace("cross_entropy %v1", "cross_entropy %n")
assert train(masked, "--policy=float32") == ""
bigger = masked.replace("  %n = mp.matmul %p", """  %big = mp.constant dense<1.0e+38> : tensor<f32>
  %ten = mp.constant dense<100.0> : tensor<f32>
  %u = mp.mul %p, %big : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32> loc("big")
  %k = mp.mul %u, %ten : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32> loc("bigger")
  %n = mp.matmul %k""")
expect(bigger, ["--policy=float32"], "first: mp.mul at bigger, forward, f32")

# An infinity of finite values that ends as 0 is named although nothing shows it: not where float32 has it, too, nor where its zeros are float32's.
norm = model(250, [("mp.mul", 1.0)]).replace("  %loss", """  %s = mp.mul %v1, %v1 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32> loc("square")
  %m = mp.reduce_mean %s dimensions [1] keep_dims : tensor<?x4xf32> -> tensor<?x1xf32>
  %r = mp.rsqrt %m : tensor<?x1xf32> loc("root")
  %n = mp.mul %v1, %r : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  %loss""").replace("cross_entropy %v1", "cross_entropy %n")
expect(norm, ["--policy=mixed_float16", "--infer=mp.mul"], r"step 1: an infinity ends as 0, and nothing else shows it\n  first: mp.mul at square, forward, f16 \(train_step\)",
       r"result: 32 values, 32 infinite\n", r"ends in: mp.rsqrt at root, 8 values 0, in float32 0\n  in float32: 32 values, largest magnitude 1e\+06\n", "--deny=loc:square")
assert train(norm, "--policy=mixed_float16") == ""
assert train(norm.replace("<2.500000e+02>", "<1.0e+25>"), "--policy=float32", "--infer=mp.mul") == ""
below = model(100, [("mp.mul", -1000.0), ("mp.relu", None), ("mp.mul", 1.0)])
assert train(below, "--policy=mixed_float16") == ""
