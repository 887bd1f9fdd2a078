"""Writes a model of convolutions and gradients in f16, with inputs and what NumPy computes of them, in whole numbers.

usage: convolution_steps.py DIRECTORY INSTRUCTION

Sums of these numbers are exact, so that results are equal, whatever the order. Shapes are such that steps of k are stretches
under one tap (channels are a multiple of block_k), two of these (of half of block_k), or reach beyond the last k (of a step and
a half), or parts of several taps (few channels, whose filters lie before one another in the image's gradient), with edges and
without, strided and not; and that a stretch of gradients of filters is a row of pixels, in parts of k; and
that blocks have more threads than a tile has vectors.
Flags for mp-run are printed.
"""

import pathlib
import sys

import numpy as np

WIDE = "block_m = 64, block_n = 64, block_k = 64, warps_m = 2, warps_n = 2, stages = 3"
CROWDED = "block_m = 128, block_n = 16, block_k = 16, warps_m = 8, warps_n = 1, stages = 2"
PARTS = "block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 4, split_k = 4"

# Images, height, width, channels, filters, taps, stride, padding, schedule, whether it is the gradient of filters.
CASES = [
    (2, 6, 8, 32, 32, 3, 1, 1, None, False),
    (2, 9, 7, 32, 64, 3, 1, 0, None, False),
    (3, 8, 8, 96, 48, 3, 2, 1, None, False),
    (2, 7, 7, 64, 64, 3, 1, 1, WIDE, False),
    (2, 7, 7, 32, 64, 3, 1, 1, WIDE, False),
    (2, 7, 7, 96, 96, 3, 1, 1, WIDE, False),
    (2, 7, 6, 8, 8, 3, 1, 1, None, False),
    (2, 9, 7, 16, 24, 3, 2, 1, None, False),
    (1, 5, 6, 5, 40, 3, 1, 0, WIDE, False),
    (2, 18, 18, 32, 64, 3, 1, 0, None, True),
    (3, 33, 33, 32, 64, 1, 2, 0, None, True),
    (2, 18, 18, 64, 64, 3, 1, 0, PARTS, True),
    (2, 5, 6, 16, 64, 3, 1, 1, CROWDED, False),
    (3, 9, 7, 8, 128, 3, 1, 1, CROWDED, True),
    (3, 9, 7, 8, 128, 3, 2, 0, CROWDED, True),
]


def pixels_under(image, tap, like, stride):
    """The pixels of a padded image that one tap sees."""
    row, column = tap
    return image[:, row : row + like.shape[1] * stride : stride, column : column + like.shape[2] * stride : stride]


def padded(image, padding):
    around = (padding, padding)
    return np.pad(image, ((0, 0), around, around, (0, 0)))


def forward(image, filters, stride, padding):
    taps = filters.shape[1]
    size = [(length + 2 * padding - taps) // stride + 1 for length in image.shape[1:3]]
    result = np.zeros((image.shape[0], *size, filters.shape[0]))
    for tap in np.ndindex(taps, taps):
        result += pixels_under(padded(image, padding), tap, result, stride) @ filters[:, tap[0], tap[1]].T
    return result


def gradient_of_image(image, filters, gradient, stride, padding):
    result = padded(np.zeros_like(image), padding)
    for tap in np.ndindex(*filters.shape[1:3]):
        pixels_under(result, tap, gradient, stride)[...] += gradient @ filters[:, tap[0], tap[1]]
    return result[:, padding : padding + image.shape[1], padding : padding + image.shape[2]]


def gradient_of_filters(image, filters, gradient, stride, padding):
    result = np.zeros_like(filters)
    for tap in np.ndindex(*filters.shape[1:3]):
        pixels = pixels_under(padded(image, padding), tap, gradient, stride)
        result[:, tap[0], tap[1]] = np.einsum("npqc,npqk->kc", pixels, gradient)
    return result


def type_of(array):
    return f"tensor<{'x'.join(map(str, array.shape))}xf16>"


def main(directory, instruction):
    random = np.random.default_rng(1)
    arguments, results, lines, flags = [], [], [], []

    def save(name, array):
        path = directory / f"{name}.npy"
        np.save(path, array.astype(np.float16))
        return f"{name}=@{path}"

    for number, (images, height, width, channels, count, taps, stride, padding, schedule, is_of_filters) in enumerate(CASES):
        image = random.integers(-1, 2, (images, height, width, channels)).astype(float)
        filters = random.integers(-1, 2, (count, taps, taps, channels)).astype(float)
        product = forward(image, filters, stride, padding)
        gradient = random.integers(-1, 2, product.shape).astype(float)
        x, w, g = f"x{number}", f"w{number}", f"g{number}"
        for name, array in ((x, image), (w, filters), (g, gradient)):
            flags.append(f"--input={save(name, array)}")
            arguments.append(f'%{name}: {type_of(array)} {{mp.input = "{name}"}}')
        settings = f"strides = [{stride}, {stride}], padding = [{padding}, {padding}, {padding}, {padding}]"
        if schedule:
            settings += f", mp.schedule = #mp.mma<{schedule}, instruction = {instruction}>"
        if is_of_filters:
            ops = [("mp.conv_filter_grad", x, image, g, gradient, gradient_of_filters(image, filters, gradient, stride, padding))]
        else:
            ops = [
                ("mp.conv", x, image, w, filters, product),
                ("mp.conv_transpose", g, gradient, w, filters, gradient_of_image(image, filters, gradient, stride, padding)),
            ]
        for op, lhs, of_lhs, rhs, of_rhs, expected in ops:
            name = f"y{len(results)}"
            types = f"{type_of(of_lhs)}, {type_of(of_rhs)} -> {type_of(expected)}"
            lines.append(f"  %{name} = {op} %{lhs}, %{rhs} acc f32 {{{settings}}} : {types}")
            results.append((name, type_of(expected)))
            flags.append(f"--expected_output={save(name, expected)}")

    named = ", ".join(f'{kind} {{mp.output = "{name}"}}' for name, kind in results)
    values, kinds = ", ".join(f"%{name}" for name, _ in results), ", ".join(kind for _, kind in results)
    text = f'func.func @infer({", ".join(arguments)}) -> ({named}) attributes {{mp.program = "infer"}} {{\n'
    (directory / "model.mlir").write_text(text + "\n".join(lines) + f"\n  return {values} : {kinds}\n}}\n")
    print(*flags, sep="\n")


main(pathlib.Path(sys.argv[1]), sys.argv[2])
