"""Losses of logits and targets that are infinite or NaN, one by one.

usage: infinite_logits.py DIRECTORY
"""

import itertools
import pathlib
import subprocess
import sys

import numpy

INFINITY = float("inf")
NAN = float("nan")
LOGITS, TARGETS = (INFINITY, -INFINITY, 3.0, -2.0, 0.0, NAN), (0.0, 0.25, 1.0, INFINITY, -INFINITY, NAN)


def limit(x, t):
    """What a logit costs, by the sides that it and the target are on."""
    if numpy.isnan(x) or numpy.isnan(t):
        return NAN
    if numpy.isinf(t):  # as -x t; at 0 any target costs the same
        return numpy.log(2) if x == 0 else -numpy.sign(x) * t
    if numpy.isinf(x):
        return 0.0 if t == (x > 0) else INFINITY
    return -(t * -numpy.log1p(numpy.exp(-x)) + (1 - t) * -numpy.log1p(numpy.exp(x)))


def main():
    directory = pathlib.Path(sys.argv[1])
    for element, devices in (("f32", ("reference", "cpu", "simt")), ("f64", ("reference",))):
        wide, one = f"tensor<2x1x{element}>", f"tensor<{'f64' if element == 'f64' else 'f32'}>"
        cases = list(itertools.product(LOGITS, TARGETS))
        columns = [f"%{name}{i}" for i in range(len(cases)) for name in "xt"]
        model = directory / f"{element}.mlir"
        model.write_text(
            f"func.func @losses({', '.join(f'{name}: {wide} {{mp.input = {chr(34)}{name[1:]}{chr(34)}}}' for name in columns)})\n"
            f"    -> ({', '.join(f'{one} {{mp.output = {chr(34)}l{i}{chr(34)}}}' for i in range(len(cases)))}) attributes {{mp.program = \"model\"}} {{\n" +
            "".join(f"  %l{i} = mp.sigmoid_cross_entropy %x{i}, %t{i} : {wide}, {wide} -> {one}\n" for i in range(len(cases))) +
            f"  return {', '.join(f'%l{i}' for i in range(len(cases)))} : {', '.join([one] * len(cases))}\n}}\n")
        dtype = "float32" if element == "f32" else "float64"
        for i, case in enumerate(cases):
            for name, value in zip("xt", case):
                numpy.save(directory / f"{name}{i}.npy", numpy.full((2, 1), value, dtype))
        for device in devices:
            inputs = [f"--input={name[1:]}=@{directory / name[1:]}.npy" for name in columns]
            outputs = [f"--output=l{i}=@{directory}/l{i}.npy" for i in range(len(cases))]
            subprocess.run(["mp-run", "infer", model, "--policy=float32", f"--device={device}", *inputs, *outputs], check=True,
                           stdout=subprocess.DEVNULL)
            for i, (x, t) in enumerate(cases):
                found, expected = float(numpy.load(directory / f"l{i}.npy")), limit(x, t)
                same = numpy.isnan(found) and numpy.isnan(expected) or found == expected or abs(found - expected) < 1e-6
                assert same, (element, device, x, t, found, expected)
            print(f"{element} {device}: {len(cases)} losses")


main()
