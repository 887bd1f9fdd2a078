"""Compares poolings and their gradients with NumPy.

usage: numpy_pooling.py DIRECTORY

At random windows, in f64: NumPy pads the image, takes each window as a view of it, and spreads gradients over the view,
which adds up where windows overlap. Whole numbers, with many equal ones among them: all is exact but averages.
"""

import pathlib
import subprocess
import sys

import numpy as np


def draw(random, most_dilation):
    """Sizes of a pooling whose windows all have a pixel of the image."""
    dimensions = random.integers(1, 4)
    window, strides, padding, dilations, image = [], [], [], [], []
    for _ in range(dimensions):
        taps = random.integers(1, 4)
        dilation = random.integers(1, most_dilation + 1)
        span = (taps - 1) * dilation + 1
        sides = random.integers(0, span, 2)
        image.append(max(1, span - sides.sum(), dilation) + random.integers(0, 4))
        window.append(taps)
        strides.append(random.integers(1, 4))
        padding.append(sides)
        dilations.append(dilation)
    return image, window, strides, padding, dilations


def windows_of(padded, window, strides, dilations):
    """[N, windows..., C, taps...], a view."""
    spans = [(taps - 1) * dilation + 1 for taps, dilation in zip(window, dilations)]
    axes = tuple(range(1, 1 + len(window)))
    view = np.lib.stride_tricks.sliding_window_view(padded, spans, axes, writeable=True)
    steps = [slice(None, None, stride) for stride in strides]
    gaps = [slice(None, None, dilation) for dilation in dilations]
    return view[(slice(None), *steps, slice(None), *gaps)]


def main():
    random = np.random.default_rng(0)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for number in range(120):
        is_average = number % 2 == 1
        image, window, strides, padding, dilations = draw(random, 1 if is_average else 2)
        batch, channels = random.integers(1, 3, 2)
        shape = (batch, *image, channels)
        x = random.integers(-3, 4, shape).astype(float)
        if number % 5 == 0 and not is_average:
            x[random.random(shape) < 0.2] = np.nan

        def pad(value, fill):
            return np.pad(value, [(0, 0), *[tuple(sides) for sides in padding], (0, 0)], constant_values=fill)

        def sum_back(taps):
            """The gradient of the image, of what each tap of each window gets."""
            total = pad(np.zeros(shape), 0)
            np.add.at(
                total,
                tuple(windows_of(index, window, strides, dilations) for index in np.broadcast_arrays(*np.indices(total.shape))),
                taps,
            )
            return total[(slice(None), *[slice(sides[0], sides[0] + size) for sides, size in zip(padding, image)])]

        has = windows_of(pad(np.ones(shape), 0), window, strides, dilations) == 1
        taps = windows_of(pad(x, 0), window, strides, dilations)
        last = tuple(range(taps.ndim - len(window), taps.ndim))
        counts_padding = bool(random.integers(0, 2))
        if is_average:
            count = np.full(has.shape[: last[0]], np.prod(window)) if counts_padding else has.sum(last)
            y = np.where(has, taps, 0).sum(last) / count
        else:
            rank = np.where(has, np.where(np.isnan(taps), np.inf, taps), -np.inf).reshape(*taps.shape[: last[0]], -1)
            winner = rank.argmax(-1)  # the first of equal ones
            y = np.take_along_axis(taps.reshape(rank.shape), winner[..., None], -1)[..., 0]
        g = random.integers(-9, 10, y.shape).astype(float)
        if is_average:
            gx = sum_back(np.where(has, (g / count)[(..., *[None] * len(window))], 0))
        else:
            hit = np.arange(rank.shape[-1]) == winner[..., None]
            gx = sum_back(np.where(hit, g[..., None], 0).reshape(taps.shape))

        def tensor(sizes):
            return "tensor<" + "".join(f"{size}x" for size in sizes) + "f64>"

        def numbers(values):
            return "[" + ", ".join(str(value) for value in np.ravel(values)) + "]"

        attributes = f"window = {numbers(window)}, strides = {numbers(strides)}, padding = {numbers(padding)}"
        attributes += f", count_padding = {str(counts_padding).lower()}" if is_average else f", dilations = {numbers(dilations)}"
        op, operands = ("avg_pool", "%g") if is_average else ("max_pool", "%x, %g")
        types = tensor(y.shape) if is_average else f"{tensor(shape)}, {tensor(y.shape)}"
        (directory / "infer.mlir").write_text(
            f"""func.func @infer(%x: {tensor(shape)} {{mp.input = "x"}}, %g: {tensor(y.shape)} {{mp.input = "g"}})
    -> ({tensor(y.shape)} {{mp.output = "y"}}, {tensor(shape)} {{mp.output = "gx"}}) attributes {{mp.program = "infer"}} {{
  %y = mp.{op} %x {{{attributes}}} : {tensor(shape)} -> {tensor(y.shape)}
  %gx = mp.{op}_grad {operands} {{{attributes}}} : {types} -> {tensor(shape)}
  return %y, %gx : {tensor(y.shape)}, {tensor(shape)}
}}
""",
            encoding="utf-8",
        )
        np.save(directory / "x.npy", x)
        np.save(directory / "g.npy", g)
        subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)
        for name, expected in {"y": y, "gx": gx}.items():
            found = np.load(directory / f"output.{name}.npy")
            assert found.shape == expected.shape, f"{name}: shape {found.shape}, expected {expected.shape}"
            near = np.allclose(found, expected, rtol=0, atol=1e-12 if is_average else 0, equal_nan=True)
            assert near, f"mp.{op} of {shape}, {attributes}: {name} is\n{found}\nexpected\n{expected}"
    print("120 poolings and their gradients agree with NumPy")


if __name__ == "__main__":
    main()
