"""What of a file is known when it is imported: shapes and constants, and what is computed of them by ONNX's own evaluator. What follows from
the size of the batch, which is open, is computed for two sizes of it: where both agree it is known, else it is an affine number of rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from halfstep_runtime._errors import Error

if TYPE_CHECKING:
    from halfstep.importers.onnx.node import Node

Array: TypeAlias = "numpy.ndarray[Any, Any]"

# Two sizes that the batch may have: no other size follows from both of them as theirs do.
_SIZES = (10007, 20011)
# Ops on shapes and on what is computed of them. Where one of them makes a tensor of so many rows, its own rule does.
_COMPUTED = {
    "Abs", "Add", "And", "Cast", "Ceil", "Concat", "ConstantOfShape", "Cos", "CumSum", "Div", "Equal", "Exp", "Expand", "Flatten", "Floor", "Gather",
    "GatherElements", "GatherND", "Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Log", "Max", "Min", "Mod", "Mul", "Neg", "NonZero", "Not",
    "Or", "Pow", "Range", "Reciprocal", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "Reshape", "ScatterElements", "ScatterND", "Sign", "Sin", "Slice",
    "Split", "Sqrt", "Squeeze", "Sub", "Tile", "Transpose", "Trilu", "Unsqueeze", "Where", "Xor",
}
_MAKES_ROWS = {"ConstantOfShape", "Expand", "Range", "Tile"}
_OF_SHAPE = {"Shape", "Size"}


@dataclasses.dataclass(frozen=True)
class Open:
    """A value that follows from the size of the batch: what it is for each of two sizes."""

    values: tuple[Array, Array]

    def affine(self) -> tuple[Array, Array]:
        """How many times the batch's size each number is, and what is added to that."""
        (small, large), (first, second) = _SIZES, (one.astype(numpy.float64) for one in self.values)
        times = (second - first) / (large - small)
        return times, first - times * small

    def sizes(self) -> list[int | None] | None:
        """Whole numbers, of which None is a number of rows; None where one is neither."""
        times, added = (one.reshape(-1) for one in self.affine())
        if any(count != 0 and (count < 1 or count % 1 or extra) for count, extra in zip(times, added)):
            return None
        return [int(extra) if count == 0 else None for count, extra in zip(times, added)]

    def share(self) -> int:
        """How many rows there are for each of the batch where a size is open."""
        return int(self.affine()[0].max())


def is_computed(op: str, are_known: Sequence[bool]) -> bool:
    """Whether what a node gives is known, of which inputs are."""
    return op in _OF_SHAPE or op in _COMPUTED and all(are_known)


def shape_of(node: Node, shape: Sequence[int | None]) -> Array | Open:
    """Shape, of which a part may be asked for, and Size."""
    start, end = node.get("start", 0), node.get("end", len(shape))
    both = [numpy.asarray([size if one is None else one for one in shape], numpy.int64) for size in _SIZES]
    both = [one[start:end] if node.op == "Shape" else numpy.asarray(one.prod(), numpy.int64) for one in both]
    return _of(*both)


def compute(node: Node, values: Sequence[Any]) -> tuple[Any, ...] | None:
    """A node's results, or None where they are no numbers of one shape for every size of the batch."""
    is_open = any(isinstance(one, Open) for one in values)
    if is_open and node.op in _MAKES_ROWS:
        return None
    found = [_evaluated(node, [one.values[i] if isinstance(one, Open) else one for one in values]) for i in range(2 if is_open else 1)]
    if any(a.shape != b.shape for a, b in zip(found[0], found[-1])):
        return None
    return tuple(_of(a, b) for a, b in zip(found[0], found[-1]))


def _of(first: Array, second: Array) -> Array | Open:
    return first if numpy.array_equal(first, second, equal_nan=first.dtype.kind == "f") else Open((first, second))


def _evaluated(node: Node, values: Sequence[Any]) -> list[Array]:
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    given = {name: numpy.asarray(value) for name, value in zip(node.inputs, values) if value is not None}
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for name, value in given.items()]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.outputs if name]
    model = helper.make_model(helper.make_graph([node.proto], "known", inputs, outputs), opset_imports=[helper.make_opsetid("", node.opset)])
    try:
        with numpy.errstate(all="ignore"):
            return [numpy.asarray(one) for one in ReferenceEvaluator(model).run(None, given)]
    except Exception as error:
        raise Error(f"it is computed when the model is imported, and ends with {type(error).__name__}: {error}") from error
