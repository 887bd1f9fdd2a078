"""Compares slices, pads, lookups and what goes with them with NumPy.

usage: numpy_indexing.py DIRECTORY

At random shapes, sizes of 0 and 1 among them, in f64; one program of all.
"""

import pathlib
import subprocess
import sys

import numpy as np


def tensor(array):
    element = {"float64": "f64", "int32": "i32", "int64": "i64", "uint8": "ui8"}[array.dtype.name]
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + element + ">"


def numbers(values):
    return "[" + ", ".join(str(value) for value in values) + "]"


def draw_slice(random, x):
    starts = [random.integers(0, size + 1) for size in x.shape]
    limits = [random.integers(start, size + 1) for start, size in zip(starts, x.shape)]
    strides = random.integers(1, 4, x.ndim)
    ranges = [f"{a}:{b}:{c}" if random.integers(0, 4) else ":" for a, b, c in zip(starts, limits, strides)]
    index = tuple(
        slice(None) if text == ":" else slice(*(int(part) for part in text.split(":"))) for text in ranges
    )
    return f"mp.slice %x [{', '.join(ranges)}]", lambda x: x[index]


def draw_pad(random, x):
    low, high, between = random.integers(0, 3, (3, x.ndim))
    value = float(random.integers(-3, 4))

    def pad(x):
        spread = [max(size - 1, 0) * (gap + 1) + min(size, 1) for size, gap in zip(x.shape, between)]
        padded = np.full([a + size + b for a, size, b in zip(low, spread, high)], value)
        padded[tuple(slice(a, a + size, gap + 1) for a, size, gap in zip(low, spread, between))] = x
        return padded

    return f"mp.pad %x low {numbers(low)} high {numbers(high)} interior {numbers(between)} value {value}", pad


def draw_flip(random, x):
    dimensions = np.flatnonzero(random.integers(0, 2, x.ndim))
    return f"mp.flip %x dimensions {numbers(dimensions)}", lambda x: np.flip(x, tuple(dimensions))


def draw_concat(random, x):
    dimension = random.integers(0, x.ndim)
    return f"mp.concat %x, %x, %x dimension {dimension}", lambda x: np.concatenate([x, x, x], dimension)


def draw_gather(random, x):
    dimension = random.integers(0, x.ndim)
    size = x.shape[dimension]
    shape = random.integers(0, 4, random.integers(0, 3)) if size else (0,)
    kind = (np.int32, np.int64, np.uint8)[random.integers(0, 3)]
    index = random.integers(0, max(size, 1), shape).astype(kind)
    return f"mp.gather %x, %i dimension {dimension}", lambda x: np.take(x, index, dimension), index


def draw_scatter_add(random, x):
    dimension = random.integers(0, x.ndim)
    index = random.integers(-2, x.shape[dimension] + 2, random.integers(0, 5, 1))
    updates = random.normal(size=(*x.shape[:dimension], *index.shape, *x.shape[dimension + 1 :]))
    inside = (index >= 0) & (index < x.shape[dimension])
    result = x.copy()
    np.add.at(np.moveaxis(result, dimension, 0), index[inside], np.moveaxis(updates, dimension, 0)[inside])
    return f"mp.scatter_add %x, %i, %u dimension {dimension}", lambda x: result, index, updates


def draw_places(random, x, least, most):
    """Indices along a dimension."""
    dimension = random.integers(0, x.ndim)
    shape = list(x.shape)
    shape[dimension] = random.integers(0, 6)
    kind = (np.int32, np.int64)[random.integers(0, 2)]
    index = random.integers(least, max(x.shape[dimension], 1) + most, shape).astype(kind)
    return dimension, index


def draw_gather_elements(random, x):
    dimension, index = draw_places(random, x, -2, 2)
    size = x.shape[dimension]

    def gather(x):
        inside = (index >= 0) & (index < size)
        if size == 0:
            return np.full(index.shape, np.nan)
        return np.where(inside, np.take_along_axis(x, np.where(inside, index, 0), dimension), np.nan)

    return f"mp.gather_elements %x, %i dimension {dimension}", gather, index


def draw_scatter_add_elements(random, x):
    dimension, index = draw_places(random, x, -2, 2)
    updates, result = random.normal(size=index.shape), x.copy()
    for place, one in np.ndenumerate(index):
        if 0 <= one < x.shape[dimension]:
            result[(*place[:dimension], one, *place[dimension + 1 :])] += updates[place]
    return f"mp.scatter_add_elements %x, %i, %u dimension {dimension}", lambda x: result, index, updates


def draw_scatter_elements(random, x):
    dimension, index = draw_places(random, x, -2, 2)
    updates, result = random.normal(size=index.shape), x.copy()
    for place, one in np.ndenumerate(index):  # of several the last
        if 0 <= one < x.shape[dimension]:
            result[(*place[:dimension], one, *place[dimension + 1 :])] = updates[place]
    return f"mp.scatter_elements %x, %i, %u dimension {dimension}", lambda x: result, index, updates


DRAWS = [draw_slice, draw_pad, draw_flip, draw_concat, draw_gather, draw_scatter_add, draw_gather_elements, draw_scatter_add_elements,
         draw_scatter_elements]
COUNT = 180


def main():
    random = np.random.default_rng(0)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    arguments, lines, results, expected, clauses = [], [], [], [], []
    for number in range(COUNT):
        x = random.normal(size=random.integers(1, 6, random.integers(1, 4)))
        if number % 11 == 0:
            x = x[:0]
        clause, function, *others = DRAWS[number % len(DRAWS)](random, x)
        values = dict(zip("xiu", [x, *others]))
        operands = [name.strip(",%") for name in clause.split() if name.startswith("%")]
        for name, value in values.items():
            arguments.append(f'%{name}{number}: {tensor(value)} {{mp.input = "{name}{number}"}}')
            np.save(directory / f"{name}{number}.npy", value)
        for name in values:
            clause = clause.replace(f"%{name}", f"%{name}{number}")
        y = function(x)
        types = ", ".join(tensor(values[name]) for name in operands)
        lines.append(f"  %y{number} = {clause} : {types} -> {tensor(y)}")
        results.append(f'{tensor(y)} {{mp.output = "y{number}"}}')
        expected.append(y)
    program = f"func.func @infer({', '.join(arguments)})\n    -> ({', '.join(results)}) attributes {{mp.program = \"infer\"}} {{\n"
    program += "\n".join(lines) + f"\n  return {', '.join(f'%y{i}' for i in range(COUNT))} : {', '.join(map(tensor, expected))}\n}}\n"
    (directory / "infer.mlir").write_text(program, encoding="utf-8")
    subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)
    for number, value in enumerate(expected):
        found = np.load(directory / f"output.y{number}.npy")
        assert found.shape == value.shape, f"{lines[number]}: shape {found.shape}"
        assert np.allclose(found, value, rtol=1e-14, atol=0, equal_nan=True), f"{lines[number]}: {found}, NumPy has {value}"
    print(f"{COUNT} movements agree with NumPy")


if __name__ == "__main__":
    main()
