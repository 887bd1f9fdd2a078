"""Models that read one parameter piece by piece, and the bytes of what they become.

usage: gradient-pieces.py MP_RUN FOLDER
"""

import math
import pathlib
import re
import subprocess
import sys


def type_of(shape, element="bf16"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def model(pieces, dimension):
    """A product of all pieces, each of which is one of `pieces` along the dimension of a low copy."""
    whole, piece = [4, 4, 4], [4, 4, 4]
    whole[dimension], piece[dimension] = pieces, 1
    of_whole, of_piece, wide = type_of(whole), type_of(piece), type_of(whole, "f32")
    lines = [f"%x = mp.cast %w : {wide} -> {of_whole}"]
    for i in range(pieces):
        ranges = ", ".join(f"{i}:{i + 1}" if d == dimension else ":" for d in range(3))
        lines.append(f"%s{i} = mp.slice %x [{ranges}] : {of_whole} -> {of_piece}")
        lines.append(f"%p{i} = mp.mul %{f'p{i - 1}' if i else 's0'}, %s{i} : {of_piece}, {of_piece} -> {of_piece}")
    last = type_of(piece, "f32")
    lines += [f"%f = mp.cast %p{pieces - 1} : {of_piece} -> {last}", f"%l = mp.reduce_sum %f dimensions [0, 1, 2] : {last} -> tensor<f32>"]
    signature = f'%w: {wide} {{mp.parameter = "w", mp.initializer = #mp.ones}}'
    return f'func.func @model({signature}) -> (tensor<f32> {{mp.loss}}) attributes {{mp.program = "model"}} {{\n' + "\n".join(lines) + "\nreturn %l : tensor<f32>\n}"


def bytes_of(step):
    """What the kernels of a training step read and write, and the ops in them make."""
    total = 0
    for line in step.splitlines():
        if re.match(r"\s*%[^=]*= mp\.", line):
            types = line.rpartition(" : ")[2]
            for sizes, bits in re.findall(r"tensor<((?:\d+x)*)[a-z]+(\d+)>", types if "mp.kernel" in line else types.rpartition("-> ")[2]):
                total += math.prod(int(size) for size in sizes.split("x")[:-1]) * int(bits) // 8
    return total


run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
for dimension in range(3):
    found = []
    for pieces in (16, 32, 64):
        text, kernels = folder / "model.mlir", folder / "kernels.mlir"
        text.write_text(model(pieces, dimension), encoding="utf-8")
        subprocess.run([run, "compile", text, "--policy=float32", "--compile-to=kernels", "-o", kernels], check=True)
        found.append(bytes_of(kernels.read_text(encoding="utf-8").partition("func.func @eval")[0]))
    once, twice, four = found
    print(f"dimension {dimension}: {once}, {twice} and {four} bytes,", "linear" if twice > once and four - twice <= 2.2 * (twice - once) else "more")
