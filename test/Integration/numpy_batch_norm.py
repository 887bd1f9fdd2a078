"""Compares batch normalization, its gradients and running statistics with NumPy.

usage: numpy_batch_norm.py DIRECTORY

In f64, over shapes and epsilons: results, statistics and gradients, which are compared with central differences of NumPy's
formula. Weights of rows are whole numbers, so that NumPy repeats the rows instead. In f32, on the CPU: channels whose mean is
ten thousand times their deviation, which a variance made of squares of x would lose.
"""

import pathlib
import subprocess
import sys

import numpy as np
from numpy_differences import differences, tensor


def statistics(x):
    rows = x.reshape(-1, x.shape[-1])
    return rows.mean(0), ((rows - rows.mean(0)) ** 2).mean(0), float(len(rows))


def normalize(x, mean, variance, scale, offset, epsilon):
    return (x - mean) / np.sqrt(variance + epsilon) * scale + offset


def batch_norm(x, weights, scale, offset, epsilon):
    mean, variance, _ = statistics(np.repeat(x, weights, axis=0))
    return normalize(x, mean, variance, scale, offset, epsilon)


def program_of(shape, epsilon, is_weighted, element="f64"):
    x, c, w = tensor(shape, element), tensor(shape[-1:], element), tensor(shape[:1], element)
    norm = (f" weights %w : {w}" if is_weighted else "") + f" {{epsilon = {epsilon:e} : f64}} : {x}, {c}"
    inputs = {"x": x, "g": x, "scale": c, "offset": c, "old": c} | ({"w": w} if is_weighted else {})
    outputs = {"y": x, "mean": c, "variance": c, "gx": x, "gscale": c, "goffset": c, "given": x, "kept": c, "unbiased": c}
    arguments = ", ".join(f'%{name}: {type} {{mp.input = "{name}"}}' for name, type in inputs.items())
    results = ", ".join(f'{type} {{mp.output = "{name}"}}' for name, type in outputs.items())
    return f"""func.func @infer({arguments}) -> ({results}) attributes {{mp.program = "infer"}} {{
  %y, %mean, %variance, %count = mp.batch_norm %x, %scale, %offset{norm}
  %gx, %gscale, %goffset = mp.batch_norm_grad %x, %scale, %mean, %variance, %g{norm}
  %given = mp.batch_norm_inference %x, %scale, %offset, %offset, %variance {{epsilon = {epsilon:e} : f64}} : {x}, {c}
  %kept = mp.update_running %old, %mean, %count {{momentum = 0.3 : f64}} : {c}
  %unbiased = mp.update_running %old, %variance, %count {{unbiased}} : {c}
  return {", ".join("%" + name for name in outputs)} : {", ".join(outputs.values())}
}}
"""


def write(directory, program, inputs):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "infer.mlir").write_text(program, encoding="utf-8")
    for name, value in inputs.items():
        np.save(directory / f"{name}.npy", value)


def compare_in_f64(directory):
    random = np.random.default_rng(0)
    count = 0
    for shape in [(5, 3), (2, 3, 4), (3, 2, 2, 2), (1, 2, 2, 2, 3), (4, 3, 1)]:
        for epsilon in (1e-5, 0.5):
            for is_weighted in (False, True):
                x, g = random.normal(1, 2, (2, *shape))
                scale, offset, old = random.normal(0, 1, (3, shape[-1]))
                weights = random.integers(0 if is_weighted else 1, 4 if is_weighted else 2, shape[0])
                weights[0] = 3 if is_weighted else 1
                inputs = {"x": x, "g": g, "scale": scale, "offset": offset, "old": old}
                inputs |= {"w": weights.astype(float)} if is_weighted else {}
                case = directory / str(count)
                write(case, program_of(shape, epsilon, is_weighted), inputs)
                subprocess.run(["mp-evaluate", case / "infer.mlir", "--program=infer", f"--directory={case}"], check=True)
                mean, variance, values = statistics(np.repeat(x, weights, axis=0))

                def loss(moved_x, moved_scale, moved_offset):
                    return (g * batch_norm(moved_x, weights, moved_scale, moved_offset, epsilon)).sum()

                expected = {
                    "y": (batch_norm(x, weights, scale, offset, epsilon), 1e-12),
                    "mean": (mean, 1e-13),
                    "variance": (variance, 1e-12),
                    "gx": (differences(lambda moved: loss(moved, scale, offset), x), 1e-6),
                    "gscale": (differences(lambda moved: loss(x, moved, offset), scale), 1e-7),
                    "goffset": (differences(lambda moved: loss(x, scale, moved), offset), 1e-7),
                    "given": (normalize(x, offset, variance, scale, offset, epsilon), 1e-12),
                    "kept": (0.7 * old + 0.3 * mean, 1e-13),
                    "unbiased": (0.9 * old + 0.1 * variance * values / (values - 1), 1e-12),
                }
                for name, (value, bound) in expected.items():
                    found = np.load(case / f"output.{name}.npy")
                    assert found.shape == value.shape, f"{name}: shape {found.shape}, expected {value.shape}"
                    assert abs(found - value).max() <= bound * (1 + abs(value).max()), f"{name} of {shape}, {epsilon}: {found - value}"
                count += 1
    return count


def compare_far_from_zero(directory, shape, bounds):
    """On the CPU, in f32. The mean errs by some of its last bits, 0.001 each; the deviation is 1. `bounds` are of the result, the
    mean, the variance and the gradient."""
    random = np.random.default_rng(1)
    x, g = random.normal(1e4, 1, shape).astype(np.float32), random.normal(0, 1, shape).astype(np.float32)
    ones, zeros = np.ones(shape[-1], np.float32), np.zeros(shape[-1], np.float32)
    write(directory, program_of(shape, 1e-5, False, "f32"), {"x": x, "g": g, "scale": ones, "offset": zeros, "old": zeros})
    files = [f"--input={name}=@{directory}/{name}.npy" for name in ("x", "g", "scale", "offset", "old")]
    wanted = [f"--output={name}=@{directory}/{name}.out.npy" for name in ("y", "mean", "variance", "gx")]
    subprocess.run(["mp-run", "infer", directory / "infer.mlir", "--policy=float32", *files, *wanted], check=True)
    wide = x.astype(np.float64)
    mean, variance, count = statistics(wide)
    h = (wide - mean) / np.sqrt(variance + 1e-5)
    gx = (g - g.sum((0, 1, 2)) / count - h * (g * h).sum((0, 1, 2)) / count) / np.sqrt(variance + 1e-5)
    for (name, value), bound in zip({"y": h, "mean": mean, "variance": variance, "gx": gx}.items(), bounds, strict=True):
        found = np.load(directory / f"{name}.out.npy").astype(np.float64)
        assert abs(found - value).max() <= bound, f"{name}, far from 0: off by {abs(found - value).max()}"


def main():
    directory = pathlib.Path(sys.argv[1])
    count = compare_in_f64(directory)
    compare_far_from_zero(directory / "far", (16, 8, 8, 5), (5e-3, 5e-3, 1e-4, 2e-3))
    # Summed in two steps.
    compare_far_from_zero(directory / "many", (12, 37, 41, 18), (2e-2, 2e-2, 5e-4, 5e-3))
    print(f"{count} batches, their gradients and running statistics agree with NumPy")


if __name__ == "__main__":
    main()
