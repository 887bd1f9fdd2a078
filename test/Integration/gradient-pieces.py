"""Models that read one parameter piece by piece, and the bytes of what they become: each piece a slice of the whole, or taken off
what the one before left.

usage: gradient-pieces.py MP_RUN FOLDER
"""

import math
import pathlib
import re
import subprocess
import sys


def of(size, dimension, element="bf16"):
    """The type of so much of the parameter along the dimension."""
    shape = [4, 4, 4]
    shape[dimension] = size
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def ranges(dimension, start, limit):
    return ", ".join(f"{start}:{limit}" if d == dimension else ":" for d in range(3))


def by_slices(pieces, dimension):
    """Each piece is a slice of the whole."""
    for i in range(pieces):
        yield [f"%s{i} = mp.slice %x [{ranges(dimension, i, i + 1)}] : {of(pieces, dimension)} -> {of(1, dimension)}"]


def by_peeling(pieces, dimension):
    """Each piece is the first of a rest, and the next rest is what is behind it."""
    rest = "x"
    for i in range(pieces):
        left = of(pieces - i, dimension)
        lines = [f"%s{i} = mp.slice %{rest} [{ranges(dimension, 0, 1)}] : {left} -> {of(1, dimension)}"]
        if i + 1 < pieces:
            lines.append(f"%r{i} = mp.slice %{rest} [{ranges(dimension, 1, '')}] : {left} -> {of(pieces - i - 1, dimension)}")
        rest = f"r{i}"
        yield lines


def by_splitting(pieces, dimension):
    """The same, each piece and its rest by one op."""
    rest = "x"
    for i in range(pieces):
        left, behind = pieces - i, pieces - i - 1
        yield [f"%s{i}, %r{i} = mp.split %{rest} sizes [1, {behind}] dimension {dimension} : {of(left, dimension)} -> {of(1, dimension)}, {of(behind, dimension)}"]
        rest = f"r{i}"


def model(pieces, dimension, take):
    """A product of all pieces, each of which is one of `pieces` along the dimension of a low copy."""
    of_piece, wide = of(1, dimension), of(pieces, dimension, "f32")
    lines = [f"%x = mp.cast %w : {wide} -> {of(pieces, dimension)}"]
    for i, taken in enumerate(take(pieces, dimension)):
        lines += taken
        lines.append(f"%p{i} = mp.mul %{f'p{i - 1}' if i else 's0'}, %s{i} : {of_piece}, {of_piece} -> {of_piece}")
    last = of(1, dimension, "f32")
    lines += [f"%f = mp.cast %p{pieces - 1} : {of_piece} -> {last}", f"%l = mp.reduce_sum %f dimensions [0, 1, 2] : {last} -> tensor<f32>"]
    signature = f'%w: {wide} {{mp.parameter = "w", mp.initializer = #mp.ones}}'
    return f'func.func @model({signature}) -> (tensor<f32> {{mp.loss}}) attributes {{mp.program = "model"}} {{\n' + "\n".join(lines) + "\nreturn %l : tensor<f32>\n}"


def bytes_of(program):
    """What the kernels of a program read and write, and the ops in them make."""
    total = 0
    for line in program.splitlines():
        if re.match(r"\s*%[^=]*= mp\.", line):
            types = line.rpartition(" : ")[2]
            for sizes, bits in re.findall(r"tensor<((?:\d+x)*)[a-z]+(\d+)>", types if "mp.kernel" in line else types.rpartition("-> ")[2]):
                total += math.prod(int(size) for size in sizes.split("x")[:-1]) * int(bits) // 8
    return total


run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
for take in (by_slices, by_peeling, by_splitting):
    for dimension in range(3):
        found = []
        for pieces in (16, 32, 64):
            text, kernels = folder / "model.mlir", folder / "kernels.mlir"
            text.write_text(model(pieces, dimension, take), encoding="utf-8")
            subprocess.run([run, "compile", text, "--policy=float32", "--compile-to=kernels", "-o", kernels], check=True)
            step, _, forward = kernels.read_text(encoding="utf-8").partition("func.func @eval")
            found.append((bytes_of(step), bytes_of(forward)))
        for program, (once, twice, four) in zip(("step", "eval"), zip(*found)):
            grows = "linear" if twice > once and four - twice <= 2.2 * (twice - once) else "more"
            print(f"{take.__name__} along {dimension}, {program}: {once}, {twice} and {four} bytes, {grows}")
