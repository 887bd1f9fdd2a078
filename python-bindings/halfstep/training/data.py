"""Arrays and files of users as what a model is given: by the names of inputs, with a row for each sample."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from halfstep.graph.graph import TensorType, type_of
from halfstep_runtime import _arrays
from halfstep_runtime._arrays import DTYPES, dtype_name
from halfstep_runtime._errors import Error, of_file, path_of, shown
from halfstep_runtime._executable import elements_of
from halfstep_runtime._session import Session

if TYPE_CHECKING:
    from halfstep.layers.module import Module

# What targets are called.
LABEL = "y"

Array: TypeAlias = "numpy.ndarray[Any, Any]"
# By the names of inputs.
Named: TypeAlias = dict[str, Array]
# Names, arrays and element types, as the runtime takes them.
Arrays: TypeAlias = tuple[list[str], list[Any], list[int]]


def prepare(name: str, value: Any, dtype: object = None) -> Array:
    """An array of a type that models take: float64 becomes float32 unless that is what an input is, small integers int32."""
    array: Array = _arrays.array_of(f"'{name}'", value)
    if array.dtype == numpy.float64 and dtype != "float64":
        try:
            with numpy.errstate(over="raise"):
                return array.astype(numpy.float32)
        except FloatingPointError:
            raise Error(f"'{name}' has numbers that float32 does not hold; divide them, or give the input as nn.Input(shape, 'float64')") from None
    if array.dtype in (numpy.int8, numpy.int16, numpy.uint16):
        return array.astype(numpy.int32)
    return array


def _only_name(module: Module, specs: Mapping[str, Any], x: Any) -> str:
    """What an array is given for that has no name: the first input."""
    names = list(specs) or module.input_names()
    is_several = isinstance(x, tuple) or isinstance(x, list) and all(getattr(one, "ndim", 0) for one in x)
    if is_several and len(x) == len(names) > 1:
        raise Error(f"x is a {type(x).__name__} of {len(x)} arrays, and the inputs are {', '.join(names)}; use a dictionary, as "
                    f"{{{', '.join(f'{name!r}: ...' for name in names)}}}")
    first = module.input_names()[0]
    return names[0] if specs and first not in specs else first


def name_inputs(module: Module, x: Any, y: Any = None) -> Named:
    """Arrays by the names of inputs: those of forward's parameters, and y."""
    specs, names = module._inputs, module.input_names()
    given = dict(x) if isinstance(x, dict) else {_only_name(module, specs, x): x}
    for name in given:
        if not isinstance(name, str):
            raise Error(f"an input's name is {shown(name)}, expected a string, one of {', '.join(names)}", x)
    if y is not None and not takes_targets(module):
        left = [name for name in names if name not in given]
        if len(left) != 1:
            raise Error(f"the targets are among the inputs, {', '.join(names)}: give all of them by name, as "
                        f"{{{', '.join(f'{name!r}: ...' for name in names)}}}")
        given[left[0]], y = y, None
    arrays = {name: prepare(name, value, specs[name].dtype if name in specs else None) for name, value in given.items()}
    if y is not None:
        if LABEL in arrays:
            raise Error(f"{type(module).__name__}: training has a '{LABEL}' of its own, the targets; call the input something else")
        label = prepare(LABEL, y)
        arrays[LABEL] = label[:, 0] if label.ndim == 2 and label.shape[1] == 1 and label.dtype.kind in "iu" else label
    return arrays


def split_arrays(arrays: Named, part: float) -> tuple[Named, Named]:
    """The last rows apart, as Keras does."""
    rows = len(next(iter(arrays.values())))
    first = int(rows * (1.0 - part))
    if not 0 < first < rows:
        raise Error(f"validation_split={part} of {rows} rows leaves none on one side")
    return {n: a[:first] for n, a in arrays.items()}, {n: a[first:] for n, a in arrays.items()}


def takes_targets(module: Module) -> bool:
    """Whether a model is trained on targets beside its inputs, or on a loss that its forward gives."""
    return bool(getattr(module._job, "takes_targets", True))


def has_rows(module: Module, name: str) -> bool:
    """Whether an input, or the targets, have a row for each sample."""
    specs = {**module._inputs, **module._targets}
    return bool(specs[name].batched) if name in specs else not is_fixed(module)


def specified_targets(module: Module) -> TensorType | None:
    """The type of the targets as specify says it."""
    return module._targets[LABEL].type if LABEL in module._targets else None


def targets_of(module: Module, array: Array) -> TensorType:
    """The type of the targets: what specify says, else with as many rows as inputs, which may be a number that is fixed."""
    return specified_targets(module) or type_of((None, *array.shape[1:]) if has_rows(module, LABEL) else array.shape, dtype_name("an array", array.dtype))


def count_rows(module: Module, arrays: Named) -> int:
    """The rows that inputs and targets have."""
    several = {name: array for name, array in arrays.items() if has_rows(module, name)}
    for name, array in several.items():
        if not array.ndim:
            raise Error(f"'{name}' is one number, expected a row for each sample")
    rows = {name: len(array) for name, array in several.items()}
    if not rows:
        return 1  # all of it is fixed: one of what there is
    first = LABEL if LABEL in rows else next(iter(rows))
    for name, count in rows.items():
        if count != rows[first]:
            raise Error(f"'{name}' has {count} rows, '{first}' has {rows[first]}")
    return rows[first]


def is_fixed(module: Module) -> bool:
    """Whether the inputs, which are known, have a number of rows that is fixed."""
    specs = module._inputs
    return bool(specs) and not any(one.batched for one in specs.values())


def cut(module: Module, arrays: Named) -> list[Named]:
    """Arrays as batches of the rows that inputs have, which are fixed, in their order; targets have as many parts."""
    specs: Mapping[str, Any] = module._inputs
    name = next((name for name in arrays if name in specs and specs[name].shape), None)
    if name is None:
        return [arrays]
    rows, size = len(arrays[name]), specs[name].shape[0]
    count = rows // size if size else 0
    wrong = [one for one, array in arrays.items() if array.ndim and (len(array) != specs[one].shape[0] * count if one in specs else len(array) % max(count, 1))]
    if not count or wrong:
        one = wrong[0] if wrong else name
        raise Error(f"'{one}' has {len(arrays[one])} rows, and the model takes batches of {size} rows of '{name}' alone: give rows "
                    f"for a whole number of batches")
    return [{one: array[len(array) // count * i :][: len(array) // count] if count > 1 else array for one, array in arrays.items()} for i in range(count)]


def part_of(module: Module, arrays: Named, first: int, count: int) -> Named:
    return {name: array[first : first + count] if has_rows(module, name) else array for name, array in arrays.items()}


def fill_up(module: Module, arrays: Named, size: int) -> Named:
    """A batch of that size, of which rows behind those given are zeros and weigh nothing."""
    rows = count_rows(module, arrays)
    whole = {name: numpy.concatenate([array, numpy.zeros((size - rows, *array.shape[1:]), array.dtype)]) if rows < size and has_rows(module, name) else array
             for name, array in arrays.items()}
    return {**whole, "row_weights": (numpy.arange(size) < rows).astype(numpy.float32)}


def _in_type(value: Any, element: str | None) -> Any:
    """Integers as those that the program takes, where all of them are, and floats as its floats."""
    if not isinstance(value, numpy.ndarray) or element not in ("ui8", "i32", "i64", "f32", "f64"):
        return value
    wanted = numpy.dtype(DTYPES[element])
    if value.dtype.kind == "f" == wanted.kind:
        return value.astype(wanted, copy=False)
    if value.dtype.kind not in "biu" or wanted.kind not in "iu":
        return value
    converted = value.astype(wanted, copy=False)
    return converted if (converted == value).all() else value


def as_given(session: Session, program: str, arrays: Named) -> Arrays:
    elements = elements_of(session._programs[program].inputs) if arrays else {}
    return _arrays.several_to_runtime({name: _in_type(value, elements.get(name)) for name, value in arrays.items()}, elements)


_EXPECTED = "a file of several by name, as numpy.savez(path, x_train=x, y_train=y) writes it"


def refuse_rows(call: str, x: object) -> None:
    """What gives rows one by one is no array and no batches."""
    if x is None:
        raise Error(f"{call}: x is None, expected an array, or several by name in a dictionary")
    kinds = {base.__name__ for base in type(x).__mro__ if base.__module__ == "torch.utils.data.dataset"}
    if "Dataset" in kinds and "IterableDataset" not in kinds:
        raise Error(f"{call}: a {type(x).__name__} gives rows one by one; wrap it in a DataLoader, as DataLoader(dataset, batch_size=64)")


def parts_of(call: str, x: Any, y: Any) -> tuple[Any, Any, tuple[Any, Any] | None]:
    """Inputs and targets, and those of the test, or None. A file, by its path or as numpy.load gives it, has `x_train`, `y_train`, `x_test`
    and `y_test`, as `mp-run --data=F.npz` takes them, or `y` and inputs by their names."""
    if y is not None:
        return x, y, None
    refuse_rows(call, x)
    if not isinstance(x, (str, os.PathLike)):
        return _parts("x", x) if type(x).__name__ == "NpzFile" else (x, None, None)
    path = path_of(x)
    try:
        if (kind := _kind_of(path)) is not None:
            raise Error(f"{path}: is {kind}, expected {_EXPECTED}")
        with numpy.load(path, allow_pickle=False) as file:
            return _parts(path, file)
    except OSError as error:
        raise of_file(path, error, "cannot open: ") from None
    except (EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        what = "has arrays of Python's objects, which are not read" if "allow_pickle" in str(error) else f"is damaged or cut short ({error})"
        raise Error(f"{path}: {what}, expected {_EXPECTED}") from error


def _kind_of(path: str) -> str | None:
    """What a file is that is no archive of NumPy, by how it begins; None of one that is."""
    with open(path, "rb") as file:
        head = file.read(512)
    if head[:4] == b"PK\x03\x04":
        return None
    if not head or head[:4] == b"PK\x05\x06":
        return "an empty file" if not head else "an archive without arrays"
    if head[:6] == b"\x93NUMPY":
        return "one array"
    known = {b"\x89HDF": "a file of HDF5", b"\x1f\x8b": "compressed by gzip", b"\x80": "a pickle of Python"}
    is_text = not set(head) & {*range(9), *range(14, 32), *range(127, 256)}
    return next((kind for begin, kind in known.items() if head.startswith(begin)), "a text" if is_text else "no archive of arrays")


def _parts(what: str, file: Any) -> tuple[Any, Any, tuple[Any, Any] | None]:
    names = list(file.files)
    if {"x_train", "y_train"} <= set(names):
        test = (file["x_test"], file["y_test"]) if {"x_test", "y_test"} <= set(names) else None
        return file["x_train"], file["y_train"], test
    if "y" in names and len(names) > 1:
        return {name: file[name] for name in names if name != "y"}, file["y"], None
    raise Error(f"{what}: has arrays {', '.join(names) or 'none'}; expected x_train and y_train, or y and inputs by their names")
