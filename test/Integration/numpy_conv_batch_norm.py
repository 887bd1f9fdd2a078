"""Compares the statistics of what convolutions make with NumPy's, where the kernel of the convolution has them.

usage: numpy_conv_batch_norm.py DIRECTORY

At each level of CPU features that this processor has, and with the tiles of one that are emulated. NumPy reads the result of the
convolution, as it is rounded, and computes in f64: of numbers near 0, and with a bias of a thousand and a deviation of a tenth,
which squares of the whole would lose. One thread and two give the same bits.
"""

import pathlib
import subprocess
import sys

import numpy as np
from numpy_differences import tensor

LEVELS = {
    "sse2": "sse2",
    "avx2": "fma",
    "avx512": "avx512dq",
    "avx512bf16": "avx512_bf16",
    "amx-bf16 --emulate-tiles=true": "avx512_bf16",
}
# Images [N, H, W, C], filters and their taps, strides. One channel of the result, three, and more than a vector; two rows in all,
# fewer than a tile, and so many that no block divides them.
CASES = [
    ((2, 1, 1, 3), (5, 1, 1), 1),
    ((1, 5, 5, 2), (1, 3, 3), 1),
    ((3, 7, 9, 4), (3, 3, 3), 2),
    ((2, 13, 11, 32), (33, 3, 3), 1),
    ((7, 31, 29, 3), (16, 3, 3), 1),
    ((5, 32, 32, 16), (20, 3, 3), 1),
]
INPUTS, OUTPUTS = ("x", "w", "b", "scale", "offset", "old"), ("z", "y", "mean", "variance", "next")


def types_of(case, element):
    image, (count, *taps), stride = case
    z = tensor((image[0], *((size - 1) // stride + 1 for size in image[1:3]), count), element)
    c = tensor((count,), "f32")
    return dict(zip(INPUTS + OUTPUTS, (tensor(image, element), tensor((count, *taps, image[3]), element), c, c, c, c, z, z, c, c, c)))


def program_of(element):
    """Inputs and outputs are f32, whatever the convolutions compute on."""
    arguments, results, returned, body = [], [], [], ""
    for n, case in enumerate(CASES):
        own, given = types_of(case, element), types_of(case, "f32")
        arguments += [f'%{name}{n}: {given[name]} {{mp.input = "{name}{n}"}}' for name in INPUTS]
        results += [f'{given[name]} {{mp.output = "{name}{n}"}}' for name in OUTPUTS]

        def cast(name, before, after):
            if before == after:
                return f"%{name}", ""
            return f"%{name}.cast", f"\n  %{name}.cast = mp.cast %{name} : {before} -> {after}"

        (x, narrow_x), (w, narrow_w) = (cast(f"{name}{n}", given[name], own[name]) for name in "xw")
        outputs = {name: cast(f"{name}{n}", own[name], given[name]) for name in OUTPUTS}
        returned += [(value, given[name]) for name, (value, _) in outputs.items()]
        c, steps = own["b"], f"{{strides = [{case[2]}, {case[2]}], padding = same}}"
        body += f"""{narrow_x}{narrow_w}
  %z{n} = mp.conv {x}, {w} bias %b{n} : {c} acc f32 {steps} : {own["x"]}, {own["w"]} -> {own["z"]}
  %y{n}, %mean{n}, %variance{n}, %count{n} = mp.batch_norm %z{n}, %scale{n}, %offset{n} : {own["z"]}, {c}
  %next{n} = mp.update_running %old{n}, %mean{n}, %count{n} {{momentum = 0.3 : f64}} : {c}{"".join(text for _, text in outputs.values())}"""
    values, types = zip(*returned)
    return f"""func.func @infer({", ".join(arguments)}) -> ({", ".join(results)}) attributes {{mp.program = "infer"}} {{{body}
  return {", ".join(values)} : {", ".join(types)}
}}
"""


def run(directory, threads):
    files = [f"--input={path.stem}=@{path}" for path in directory.glob("*.npy")]
    names = [f"{name}{number}" for number in range(len(CASES)) for name in OUTPUTS]
    wanted = [f"--output={name}=@{directory}/out/{name}.npy" for name in names]
    subprocess.run(["mp-run", "infer", directory / "infer.mpx", f"--threads={threads}", *files, *wanted], check=True)
    return {name: np.load(directory / f"out/{name}.npy") for name in names}


def write_inputs(directory, mean, deviation):
    random = np.random.default_rng(0)
    old = []
    for number, (image, filters, _) in enumerate(CASES):
        shape = (*filters, image[3])
        values = [random.normal(0, deviation, image), random.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape)]
        values += [np.full(filters[0], mean), *random.normal(0, 1, (3, filters[0]))]
        old.append((values[3], values[4], values[5]))
        for name, value in zip(INPUTS, values):
            np.save(directory / f"{name}{number}.npy", value.astype(np.float32))
    return old


def compare(directory, element, mean, deviation):
    given = write_inputs(directory, mean, deviation)
    found, again = run(directory, 1), run(directory, 2)
    for name, value in found.items():
        assert value.tobytes() == again[name].tobytes(), f"{name} in {directory} depends on threads"
    for number, (scale, offset, old) in enumerate(given):
        z = found[f"z{number}"].astype(np.float64)
        z = z.reshape(-1, z.shape[-1])
        center = z.mean(0)
        variance = ((z - center) ** 2).mean(0)
        deviations = np.sqrt(variance + 1e-5)
        y = (z - center) / deviations * scale + offset
        # A mean errs by some of its own last bits, and the result by as many deviations.
        off = 2**-21 * (abs(center) + deviations)
        rounding = (2**-8 if element == "bf16" else 2**-19) * (abs(y) + abs(scale) + abs(offset))
        for name, value, bound in (
            ("mean", center, off),
            ("variance", variance, 1e-5 * variance + off**2),
            ("next", 0.7 * old + 0.3 * center, off + 2**-22 * abs(old)),
            ("y", y, off / deviations * abs(scale) + rounding),
        ):
            error = abs(found[f"{name}{number}"].astype(np.float64).reshape(value.shape) - value)
            assert (error <= bound).all(), f"{name}{number} in {directory}, about {mean}: off by {(error / bound).max()} bounds"


def main():
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    count = 0
    for level, flag in LEVELS.items():
        for element, ways in (("f32", ((0, 1), (1000, 0.1))), ("bf16", ((0, 1), (10, 1)))):
            if flag not in flags:
                continue
            directory = pathlib.Path(sys.argv[1]) / level.split()[0] / element
            (directory / "out").mkdir(parents=True, exist_ok=True)
            (directory / "infer.mlir").write_text(program_of(element), encoding="utf-8")
            compiled = ["mp-run", "compile", directory / "infer.mlir", "--policy=float32", *f"--target=cpu:{level}".split()]
            subprocess.run([*compiled, "-o", directory / "infer.mpx"], check=True, stdout=subprocess.DEVNULL)
            for mean, deviation in ways:
                compare(directory, element, mean, deviation)
                count += len(CASES)
    print(f"statistics of {count} convolutions agree with NumPy")


if __name__ == "__main__":
    main()
