"""Compares convolutions and their two gradients with NumPy.

usage: numpy_conv.py DIRECTORY [CHIP | cpu[:LEVEL]]

One program holds mp.conv, mp.conv_transpose and mp.conv_filter_grad of many problems in f64, and of some in f16 with sums in
f32. Here each is a loop over the taps of the filter and the pixels of the result, on an image that really is padded: the
gradients scatter what the evaluator gathers. With a chip, of problems in f16 of channels that GPUs pad, some of them in bytes, on
the simulated one. With a CPU's level, of problems in f32 and f16 of few and of odd channels, with edges and without.
"""

import itertools
import pathlib
import subprocess
import sys

import numpy as np


class Problem:
    SCALE = 2.0**-7  # of bytes, exact in f16

    def __init__(self, size, taps, channels, filters, stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1,
                 batch=2, element="f64", schedule=None, in_bytes=False):
        self.schedule = schedule  # of the filter's gradient
        self.in_bytes = in_bytes  # as images come, which the program converts
        self.size, self.taps, self.stride, self.padding, self.dilation = size, taps, stride, padding, dilation
        self.groups, self.element = groups, element
        span = [(r - 1) * d + 1 for r, d in zip(taps, dilation)]
        self.pixels = [(h + lo + hi - s) // u + 1 for h, (lo, hi), s, u in zip(size, padding, span, stride)]
        self.image = (batch, *size, channels)
        self.filter = (filters, *taps, channels // groups)
        self.result = (batch, *self.pixels, filters)

    def is_valid(self):
        return min(self.pixels) >= 1

    def type(self, shape):
        return "tensor<" + "".join(f"{size}x" for size in shape) + self.element + ">"

    def attributes(self, schedule=None):
        padding = list(itertools.chain(*self.padding))
        return (f"{{strides = {list(self.stride)}, padding = {padding}, dilations = {list(self.dilation)}, "
                f"groups = {self.groups}{f', mp.schedule = {schedule}' if schedule else ''}}}")

    def statements(self, i):
        """The three ops, and the arguments and results of the program that they have."""
        x, w, g = map(self.type, (self.image, self.filter, self.result))
        acc = "f64" if self.element == "f64" else "f32"
        tail = f"acc {acc} {self.attributes()} :"
        scheduled = f"acc {acc} {self.attributes(self.schedule)} :"
        lines = [f"%y{i} = mp.conv %x{i}, %w{i} {tail} {x}, {w} -> {g}",
                 f"%gx{i} = mp.conv_transpose %g{i}, %w{i} {tail} {g}, {w} -> {x}",
                 f"%gw{i} = mp.conv_filter_grad %x{i}, %g{i} {scheduled} {x}, {g} -> {w}"]
        if self.in_bytes:
            x, wide = (f"tensor<{'x'.join(map(str, self.image))}x{kind}>" for kind in ("ui8", "f32"))
            lines = [f"%p{i} = mp.cast %b{i} : {x} -> {wide}",
                     f"%s{i} = mp.constant dense<{self.SCALE}> : tensor<f32>",
                     f"%q{i} = mp.mul %p{i}, %s{i} : {wide}, tensor<f32> -> {wide}",
                     f"%x{i} = mp.cast %q{i} : {wide} -> {self.type(self.image)}", *lines]
            return lines, {f"b{i}": x, f"w{i}": w, f"g{i}": g}, {f"y{i}": g, f"gx{i}": self.type(self.image), f"gw{i}": w}
        return lines, {f"x{i}": x, f"w{i}": w, f"g{i}": g}, {f"y{i}": g, f"gx{i}": x, f"gw{i}": w}

    def arguments(self, random):
        kind = {"f64": np.float64, "f32": np.float32, "f16": np.float16}[self.element]
        image, *others = (random.normal(0, 1, shape).astype(kind) for shape in (self.image, self.filter, self.result))
        return [random.integers(0, 256, self.image, np.uint8) if self.in_bytes else image, *others]

    def expected(self, x, w, g):
        """y, gx and gw in f64, and each for absolute operands: what bounds its rounding."""
        x, w, g = (value.astype(np.float64) for value in (x * self.SCALE if self.in_bytes else x, w, g))
        values = self.convolve(x, w, g)
        return list(zip(values, self.convolve(abs(x), abs(w), abs(g))))

    def convolve(self, x, w, g):
        padded = np.pad(x, ((0, 0), *self.padding, (0, 0)))
        y, gx, gw = np.zeros(self.result), np.zeros(padded.shape), np.zeros(self.filter)
        of_image, of_result = self.image[-1] // self.groups, self.result[-1] // self.groups
        for group in range(self.groups):
            c = slice(group * of_image, (group + 1) * of_image)
            k = slice(group * of_result, (group + 1) * of_result)
            for p, q, r, s in itertools.product(*map(range, self.pixels), *map(range, self.taps)):
                h = p * self.stride[0] + r * self.dilation[0]
                v = q * self.stride[1] + s * self.dilation[1]
                y[:, p, q, k] += padded[:, h, v, c] @ w[k, r, s, :].T
                gx[:, h, v, c] += g[:, p, q, k] @ w[k, r, s, :]
                gw[k, r, s, :] += g[:, p, q, k].T @ padded[:, h, v, c]
        inside = [slice(lo, lo + size) for (lo, _), size in zip(self.padding, self.size)]
        return y, gx[:, inside[0], inside[1], :], gw


def problems():
    sides = [((0, 0), (0, 0)), ((1, 1), (1, 1)), ((0, 1), (2, 3)), ((3, 0), (1, 2))]
    for stride, dilation, padding in itertools.product([(1, 1), (2, 2), (3, 1), (2, 4)], [(1, 1), (2, 1), (2, 2)], sides):
        yield Problem((7, 6), (3, 2), 3, 2, stride, padding, dilation)
    for groups, channels, filters in [(2, 4, 6), (3, 3, 3), (17, 17, 34), (1, 17, 1), (1, 1, 17), (1, 32, 3), (2, 32, 34)]:
        yield Problem((5, 4), (3, 3), channels, filters, (2, 1), ((1, 1), (0, 1)), groups=groups)
    yield Problem((2, 3), (5, 4), 2, 3, padding=((2, 2), (1, 1)))  # filters larger than the image
    yield Problem((1, 1), (3, 3), 3, 4, padding=((1, 1), (1, 1)))
    yield Problem((1, 1), (1, 1), 1, 1, batch=1)
    yield Problem((6, 6), (1, 1), 4, 5, (2, 2))  # pixels that nothing reads
    yield Problem((9, 9), (2, 2), 2, 2, (4, 4), ((3, 3), (2, 0)))  # windows of padding only
    yield Problem((8, 8), (3, 3), 3, 4, padding=((1, 1), (1, 1)), element="f16")
    yield Problem((8, 7), (3, 3), 8, 8, (2, 2), ((0, 1), (1, 1)), groups=2, element="f16")


def problems_of_cpus():
    same = {taps: tuple(((tap - 1) // 2, tap // 2) for tap in taps) for taps in [(5, 5), (3, 3), (4, 4), (1, 5)]}
    for channels, filters, taps, has_edges in itertools.product((1, 2, 3, 8), (8, 32), same, (False, True)):
        yield Problem((9, 9), taps, channels, filters, padding=same[taps] if has_edges else ((0, 0), (0, 0)), batch=3, element="f32")
    for channels, element in itertools.product((1, 3, 16, 17), ("f32", "f16")):
        yield Problem((8, 10), (3, 3), channels, 16, (2, 2), ((1, 1), (1, 1)), element=element)
        yield Problem((10, 7), (5, 2), channels, 24, (1, 1), ((2, 2), (0, 1)), (1, 2), element=element)


def problems_of_gpus(chip):
    sides = ((1, 1), (1, 2))
    for channels in (1, 2, 3, 4, 5, 6, 7, 9, 12):
        yield Problem((9, 8), (3, 3), channels, 20, padding=sides, element="f16")
    yield Problem((13, 12), (7, 7), 3, 33, (2, 2), ((3, 3), (3, 3)), element="f16")
    yield Problem((8, 9), (3, 2), 3, 8, (1, 2), dilation=(2, 1), element="f16")
    yield Problem((12, 12), (4, 4), 3, 24, (4, 4), element="f16")  # windows that share nothing
    # Images in bytes are padded as they are converted.
    yield Problem((9, 8), (3, 3), 3, 20, padding=sides, element="f16", in_bytes=True)
    yield Problem((9, 8), (3, 3), 6, 20, padding=sides, element="f16", in_bytes=True)
    yield Problem((13, 12), (7, 7), 3, 33, (2, 2), ((3, 3), (3, 3)), element="f16", in_bytes=True)
    yield Problem((8, 12), (3, 5), 4, 8, (2, 2), element="f16", in_bytes=True)
    # Of one or two channels their lines are copied for each tap.
    yield Problem((9, 8), (3, 3), 1, 20, padding=sides, element="f16", in_bytes=True)
    yield Problem((9, 8), (3, 3), 2, 20, padding=sides, element="f16", in_bytes=True)
    yield Problem((13, 12), (5, 5), 1, 33, padding=((2, 2), (2, 2)), element="f16", in_bytes=True)
    yield Problem((9, 11), (3, 3), 1, 16, (2, 2), ((0, 1), (0, 1)), element="f16", in_bytes=True)
    yield Problem((8, 9), (2, 4), 2, 8, (1, 2), ((0, 0), (3, 2)), (1, 2), element="f16", in_bytes=True)
    # Of few filters a step of the image's gradient has several taps of each, the last of which come first.
    for channels, filters in itertools.product((8, 32), (4, 8, 12, 16, 24, 40)):
        yield Problem((6, 7), (3, 2), channels, filters, padding=sides, element="f16")
        yield Problem((8, 6), (3, 3), channels, filters, (2, 2), ((1, 1), (2, 2)), element="f16")
    # A thread has eight pixels of a step in the filter's gradient. Images are made of whole steps, and are not.
    stages, instruction = (2, "mma.m16n8k8") if chip == "sm_75" else (3, "mma.m16n8k16")
    schedule = ("#mp.mma<block_m = 32, block_n = 64, block_k = 64, warps_m = 1, warps_n = 2, "
                f"stages = {stages}, instruction = {instruction}>")
    same = ((1, 1), (1, 1))
    for size, stride in [((8, 8), (1, 1)), ((16, 16), (2, 2)), ((12, 16), (1, 1)), ((7, 8), (1, 1)), ((9, 13), (2, 2))]:
        yield Problem(size, (3, 3), 16, 32, stride, same, batch=5, element="f16", schedule=schedule)


def evaluate(directory):
    subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)


def compute(directory, place, inputs, outputs):
    device = [f"--target={place}"] if place.startswith("cpu") else ["--device=simt", f"--chip={place}", "--simulate=checks"]
    command = ["mp-run", "infer", directory / "infer.mlir", "--policy=float32", *device]
    command += [f"--input={name}=@{directory / name}.npy" for name in inputs]
    command += [f"--output={name}=@{directory / f'output.{name}'}.npy" for name in outputs]
    subprocess.run(command, check=True)


def program_of(cases):
    lines, arguments, results = [], {}, {}
    for i, case in enumerate(cases):
        more, taken, given = case.statements(i)
        lines += more
        arguments |= taken
        results |= given
    signature = ", ".join(f'%{name}: {type} {{mp.input = "{name}"}}' for name, type in arguments.items())
    returned = ", ".join(f'{type} {{mp.output = "{name}"}}' for name, type in results.items())
    return (f'func.func @infer({signature}) -> ({returned}) attributes {{mp.program = "infer"}} {{\n  '
            + "\n  ".join(lines)
            + f'\n  return {", ".join("%" + name for name in results)} : {", ".join(results.values())}\n}}\n')


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    place = sys.argv[2] if len(sys.argv) > 2 else None
    found_at = problems() if place is None else problems_of_cpus() if place.startswith("cpu") else problems_of_gpus(place)
    cases = [case for case in found_at if case.is_valid()]
    (directory / "infer.mlir").write_text(program_of(cases), encoding="utf-8")
    random = np.random.default_rng(0)
    expected, inputs = {}, []
    for i, case in enumerate(cases):
        arguments = case.arguments(random)
        for name, value in zip("bwg" if case.in_bytes else "xwg", arguments):
            np.save(directory / f"{name}{i}.npy", value)
            inputs.append(f"{name}{i}")
        for name, value in zip(("y", "gx", "gw"), case.expected(*arguments)):
            expected[f"{name}{i}"] = (case, *value)
    if place:
        compute(directory, place, inputs, expected)
    else:
        evaluate(directory)
    for name, (case, value, absolute) in expected.items():
        found = np.load(directory / f"output.{name}.npy").astype(np.float64)
        # Sums in f64 in two orders, or in f32; f16 results are rounded once more.
        bound = (2.0**-18 if place else 1e-13) * absolute + (2.0**-11 * abs(value) + 2.0**-25 if case.element == "f16" else 0)
        assert found.shape == value.shape, f"{name}: shape {found.shape}, expected {value.shape}"
        assert (abs(found - value) <= bound).all(), f"{name} {case.__dict__}: off by {abs(found - value).max()}"
        assert abs(value).max() > 0, f"{name} is all zeros"
    print(f"{len(cases)} convolutions and their gradients agree with NumPy")


if __name__ == "__main__":
    main()
