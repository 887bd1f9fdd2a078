"""Compares resized images and their gradients with NumPy.

usage: numpy_resize.py DIRECTORY

In NumPy each dimension is a product with a matrix of weights, and its gradient one with the transpose; in f64, one program of all. Coordinates of
sizes are fractions.
"""

import fractions
import math
import pathlib
import subprocess
import sys

import numpy as np

COUNT = 180


def tensor(array):
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + "f64>"


def coordinate(o, kind, size, of, scale):
    if kind == "align_corners":
        return fractions.Fraction(o * (size - 1), of - 1) if of > 1 else 0
    if kind == "pytorch_half_pixel" and of == 1:
        return 0
    half = 0 if kind == "asymmetric" else fractions.Fraction(1, 2)
    return float(o + half) / scale - float(half) if scale else (o + half) * size / of - half


def keys(d, a=-0.75):
    d = abs(d)
    return (a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0


def nearest(x, rounding):
    half = fractions.Fraction(1, 2) if isinstance(x, fractions.Fraction) else 0.5
    return {"floor": math.floor(x), "ceil": math.ceil(x), "round_prefer_floor": math.ceil(x - half),
            "round_prefer_ceil": math.floor(x + half)}[rounding]


def weights(mode, kind, rounding, size, of, scale):
    found = np.zeros((of, size))
    for o in range(of):
        x = coordinate(o, kind, size, of, scale)
        if mode == "nearest":
            found[o, min(max(nearest(x, rounding), 0), size - 1)] = 1
            continue
        first = math.floor(x)
        for j in range(first - 1, first + 3):
            found[o, min(max(j, 0), size - 1)] += float(max(0, 1 - abs(x - j)) if mode == "linear" else keys(x - j))
    return found


def main():
    random = np.random.default_rng(0)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    arguments, lines, results, expected = [], [], [], []
    for number in range(COUNT):
        mode = ("nearest", "linear", "cubic")[number % 3]
        kind = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")[random.integers(0, 4)]
        rounding = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")[random.integers(0, 4) if mode == "nearest" else 0]
        rank = random.integers(1, 4)
        sizes = random.integers(1, (40, 12, 6)[rank - 1], (2, rank))
        scales = np.zeros(rank) if number % 2 else np.round(random.uniform(0.3, 3, rank), 3)
        x = random.normal(size=(random.integers(0 if number % 11 == 0 else 1, 3), *sizes[0], random.integers(1, 4)))
        g = random.normal(size=(len(x), *sizes[1], x.shape[-1]))
        matrices = [weights(mode, kind, rounding, *both, scale) for both, scale in zip(sizes.T, scales)]
        y, gx = x, g
        for axis, matrix in enumerate(matrices, 1):
            y = np.moveaxis(np.tensordot(matrix, y, (1, axis)), 0, axis)
            gx = np.moveaxis(np.tensordot(matrix.T, gx, (1, axis)), 0, axis)
        clause = f"mode {mode} coordinates {kind}" + (f" rounding {rounding}" if mode == "nearest" else "")
        if scales.any():
            clause += f" scales dense<[{', '.join(map(str, scales))}]> : tensor<{rank}xf64>"
        for name, value in (("x", x), ("g", g)):
            arguments.append(f'%{name}{number}: {tensor(value)} {{mp.input = "{name}{number}"}}')
            np.save(directory / f"{name}{number}.npy", value)
        for name, op, given, made in (("y", "mp.resize", "x", y), ("gx", "mp.resize_grad", "g", gx)):
            source = x if given == "x" else g
            lines.append(f"  %{name}{number} = {op} %{given}{number} {clause} : {tensor(source)} -> {tensor(made)}")
            results.append(f'{tensor(made)} {{mp.output = "{name}{number}"}}')
            expected.append((f"{name}{number}", made))
    program = f"func.func @infer({', '.join(arguments)})\n    -> ({', '.join(results)}) attributes {{mp.program = \"infer\"}} {{\n" + "\n".join(lines)
    program += f"\n  return {', '.join(f'%{name}' for name, _ in expected)} : {', '.join(tensor(made) for _, made in expected)}\n}}\n"
    (directory / "infer.mlir").write_text(program, encoding="utf-8")
    subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)
    for line, (name, value) in zip(lines, expected):
        found = np.load(directory / f"output.{name}.npy")
        assert found.shape == value.shape, f"{line}: shape {found.shape}"
        assert np.allclose(found, value, rtol=1e-12, atol=1e-12), f"{line}: {found}, NumPy has {value}"
    print(f"{COUNT} resizings and their gradients agree with NumPy")


if __name__ == "__main__":
    main()
