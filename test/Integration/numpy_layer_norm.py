"""Compares mp.layer_norm and its gradients with NumPy.

usage: numpy_layer_norm.py DIRECTORY

In f64, over shapes and epsilons: the result, the mean, and the gradient of the operand, which is compared with central
differences of NumPy's formula.
"""

import pathlib
import subprocess
import sys

import numpy as np
from numpy_differences import differences, tensor


def layer_norm(x, scale, offset, epsilon):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + epsilon) * scale + offset


def program_of(shape, epsilon):
    x, row, column = tensor(shape), tensor(shape[-1:]), tensor((*shape[:-1], 1))
    norm = f"{{epsilon = {epsilon:e} : f64}}"
    return f"""func.func @infer(%x: {x} {{mp.input = "x"}}, %scale: {row} {{mp.input = "scale"}}, %offset: {row} {{mp.input = "offset"}},
    %g: {x} {{mp.input = "g"}}) -> ({x} {{mp.output = "y"}}, {x} {{mp.output = "gx"}}, {column} {{mp.output = "mean"}})
    attributes {{mp.program = "infer"}} {{
  %y = mp.layer_norm %x, %scale, %offset {norm} : {x}, {row}
  %mean, %inv = mp.layer_norm_statistics %x {norm} : {x} -> {column}, {column}
  %gx = mp.layer_norm_grad %x, %scale, %mean, %inv, %g : {x}, {row}, {column}
  return %y, %gx, %mean : {x}, {x}, {column}
}}
"""


def main():
    random = np.random.default_rng(0)
    count = 0
    for shape in [(3, 5), (7,), (2, 3, 4), (4, 1), (6, 6)]:
        for epsilon in (1e-5, 1e-3, 0.5):
            directory = pathlib.Path(sys.argv[1]) / str(count)
            directory.mkdir(parents=True, exist_ok=True)
            (directory / "infer.mlir").write_text(program_of(shape, epsilon), encoding="utf-8")
            x, g = random.normal(1, 2, (2, *shape))
            scale, offset = random.normal(0, 1, (2, shape[-1]))
            for name, value in {"x": x, "g": g, "scale": scale, "offset": offset}.items():
                np.save(directory / f"{name}.npy", value)
            subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)
            expected = {
                "y": (layer_norm(x, scale, offset, epsilon), 1e-12),
                "gx": (differences(lambda moved: (g * layer_norm(moved, scale, offset, epsilon)).sum(), x), 1e-7),
                "mean": (x.mean(-1, keepdims=True), 1e-13),
            }
            for name, (value, bound) in expected.items():
                found = np.load(directory / f"output.{name}.npy")
                assert found.shape == value.shape, f"{name}: shape {found.shape}, expected {value.shape}"
                assert abs(found - value).max() <= bound * (1 + abs(value).max()), f"{name} of {shape}, {epsilon}: {found - value}"
            count += 1
    print(f"{count} norms and their gradients agree with NumPy")


if __name__ == "__main__":
    main()
