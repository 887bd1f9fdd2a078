"""Arrays of users as what a model is given: by the names of inputs, with a row for each sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from halfstep.graph.graph import TensorType, type_of
from halfstep_runtime import _arrays
from halfstep_runtime._elements import DTYPES, DTypeName, dtype_name
from halfstep_runtime._errors import Error, shown
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


def dtype_of(array: Array) -> DTypeName:
    """The element type of an array, which a model takes."""
    return dtype_name("an array", array.dtype)


def prepare(name: str, value: Any, dtype: str | None = None) -> Array:
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
    specs, names = specs_of(module), module.input_names()
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


def specs_of(module: Module) -> dict[str, Any]:
    """What is known of a model's inputs."""
    return module.__dict__.get("_inputs") or {}


def takes_targets(module: Module) -> bool:
    """Whether a model is trained on targets beside its inputs, or on a loss that its forward gives."""
    return bool(getattr(module.__dict__.get("_job"), "takes_targets", True))


def has_rows(module: Module, name: str) -> bool:
    """Whether an input, or the targets, have a row for each sample."""
    specs = {**specs_of(module), **(module.__dict__.get("_targets") or {})}
    return bool(specs[name].batched) if name in specs else not is_fixed(module)


def specified_targets(module: Module) -> TensorType | None:
    """The type of the targets as specify says it."""
    spec = (module.__dict__.get("_targets") or {}).get(LABEL)
    return spec.type if spec is not None else None


def targets_of(module: Module, array: Array) -> TensorType:
    """The type of the targets: what specify says, else with as many rows as inputs, which may be a number that is fixed."""
    return specified_targets(module) or type_of((None, *array.shape[1:]) if has_rows(module, LABEL) else array.shape, dtype_of(array))


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
    specs = specs_of(module)
    return bool(specs) and not any(one.batched for one in specs.values())


def cut(module: Module, arrays: Named) -> list[Named]:
    """Arrays as batches of the rows that inputs have, which are fixed, in their order; targets have as many parts."""
    specs = specs_of(module)
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
