"""What of a file is known when it is imported: shapes and constants, and what is computed of them by ONNX's own evaluator.

What follows from the size of the batch, which is open, is a number of times that and something more, which sums and products keep. It is
computed for some sizes of the batch; other functions of it are not followed, and the model is made for each size of the batch."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from halfstep.importers.library import onnx
from halfstep_runtime._errors import Error

if TYPE_CHECKING:
    from halfstep.importers.onnx.node import Node

Array: TypeAlias = "numpy.ndarray[Any, Any]"

# Sizes of the batch for which values are computed: more than what sums and products of few sizes need to be told from each other.
_SIZES = (1, 2, 5, 10007)
# Ops on shapes and on what is computed of them. Where one of them makes a tensor of so many rows, its own rule does.
_COMPUTED = {
    "Abs", "Add", "And", "Cast", "Ceil", "Concat", "ConstantOfShape", "Cos", "CumSum", "Div", "Equal", "Exp", "Expand", "Flatten", "Floor", "Gather",
    "GatherElements", "GatherND", "Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Log", "Max", "Min", "Mod", "Mul", "Neg", "NonZero", "Not",
    "Or", "Pow", "Range", "Reciprocal", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "Reshape", "ScatterElements", "ScatterND", "Sign", "Sin", "Slice",
    "Split", "Sqrt", "Squeeze", "Sub", "Tile", "Transpose", "Trilu", "Unsqueeze", "Where", "Xor",
}
# Those that give polynomials of polynomials of the batch's size; comparisons and quotients do where `_is_followed` says so.
_FOLLOWED = {"Add", "Cast", "Concat", "Flatten", "Gather", "Identity", "Mul", "Neg", "ReduceProd", "ReduceSum", "Reshape", "Slice", "Split", "Squeeze", "Sub",
             "Transpose", "Unsqueeze"}
_MAKES_ROWS = {"ConstantOfShape", "Expand", "Range", "Tile"}
_OF_SHAPE = {"Shape", "Size"}
_RESHAPES = {"Flatten", "Reshape", "Squeeze", "Unsqueeze"}


@dataclasses.dataclass(frozen=True)
class Open:
    """A value that follows from the size of the batch: what it is for each of `_SIZES`."""

    values: tuple[Array, ...]

    def affine(self) -> tuple[Array, Array] | None:
        """How many times the batch's size each number is, and what is added to that; None where they are no such numbers."""
        found = [one.astype(numpy.float64) for one in self.values]
        times = numpy.round((found[-1] - found[0]) / (_SIZES[-1] - _SIZES[0]), 9)
        added = found[0] - times * _SIZES[0]
        return (times, added) if all(numpy.allclose(times * size + added, one, 1e-6, 1e-6) for size, one in zip(_SIZES, found)) else None

    def shares(self) -> list[int] | None:
        """How many rows there are for each of the batch where a size is open, 0 where it is not; None where a size is neither."""
        if (affine := self.affine()) is None:
            return None
        times, added = (one.reshape(-1) for one in affine)
        if any(count != 0 and (count < 1 or count % 1 or extra) for count, extra in zip(times, added)):
            return None
        return [int(count) for count in times]


def is_computed(op: str, are_known: Sequence[bool]) -> bool:
    """Whether what a node gives is known, of which inputs are."""
    return op in _OF_SHAPE or op in _COMPUTED and all(are_known)


def shape_of(node: Node, shape: Sequence[int | None], share: Fraction | None) -> Array | Open:
    """Shape, of which a part may be asked for, and Size, of what has `share` times the rows of the batch where it is open."""
    if None in shape and share is None:
        node.refuse("how its open size follows from that of the batch is not known")
    start, end = node.get("start", 0), node.get("end", len(shape))
    found = [numpy.asarray([float(size * (share or 1)) if one is None else one for one in shape]) for size in _SIZES]
    found = [one[start:end] if node.op == "Shape" else numpy.asarray(one.prod()) for one in found]
    return _of([one.astype(numpy.int64) for one in found])


def share_of(op: str, given: Sequence[tuple[Any, Fraction | None]], result: Sequence[int | None]) -> Fraction | None:
    """How many times the batch's rows a result of that shape has where it is open, of inputs and theirs; None where that is not known."""
    opens = [(one, share) for one, share in given if None in getattr(one, "shape", ())]
    rows = [next((one for one in found if one), 1) for value, _ in given if isinstance(value, Open) and (found := value.shares()) is not None]
    if op in _MAKES_ROWS and rows:
        return Fraction(rows[0])
    if op in _RESHAPES and len(opens) == 1 and opens[0][1] is not None:
        before, after = (math.prod(size for size in shape if size is not None) for shape in (opens[0][0].shape, result))
        return opens[0][1] * before / after if after else None
    shares = {share for _, share in opens}
    return shares.pop() if len(shares) == 1 else None


def compute(node: Node, values: Sequence[Any]) -> tuple[Any, ...] | None:
    """A node's results, or None where they are no numbers of one shape for every size of the batch."""
    is_open = any(isinstance(one, Open) for one in values)
    if is_open and not _is_followed(node, values):
        return None
    count = len(_SIZES) if is_open else 1
    found = [_evaluated(node, [one.values[i] if isinstance(one, Open) else one for one in values]) for i in range(count)]
    if any(one.shape != of.shape for results in found for one, of in zip(results, found[0])):
        return None
    return tuple(_of(one) for one in zip(*found))


def _is_followed(node: Node, values: Sequence[Any]) -> bool:
    """Whether what a node gives of values that follow from the batch's size is for all sizes what it is for `_SIZES`."""
    lines = [_line(one) for one in values if one is not None]
    if any(line is None for line in lines):
        return False
    if node.op == "Cast" and node.get("to") == _BOOL:
        return False
    if node.op == "Cast" and node.get("to") in _WHOLE_TYPES:  # which drops what is no whole number
        return all((part == numpy.floor(part)).all() for line in lines for part in line or ())
    if node.op == "Div":
        (times, added), (by_times, by_added) = [line for line in lines if line is not None]
        if not by_times.any():  # by a number
            return not _are_whole(values) or not ((times % by_added).any() or (added % by_added).any())
        return not (added.any() or by_added.any()) and not (_are_whole(values) and (times % by_times).any())
    if node.op in _COMPARISONS:  # of lines that do not cross at any size
        (times, added), (other_times, other_added) = [line for line in lines if line is not None]
        slope, first = numpy.broadcast_arrays(times - other_times, times + added - other_times - other_added)
        if node.op == "Equal":
            sizes = 1 - first / numpy.where(slope == 0, 1, slope)
            return not ((slope != 0) & (sizes >= 1) & (sizes % 1 == 0)).any()
        return bool(((first != 0) & (first * slope >= 0) | (slope == 0)).all())
    if node.op == "Where":
        return not isinstance(values[0], Open)
    return node.op in _FOLLOWED


_COMPARISONS = {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}
_BOOL, _WHOLE_TYPES = 9, {2, 3, 4, 5, 6, 7, 12, 13}  # of TensorProto


def _are_whole(values: Sequence[Any]) -> bool:
    return all(numpy.asarray(one.values[0] if isinstance(one, Open) else one).dtype.kind in "iu" for one in values)


def _line(value: Any) -> tuple[Array, Array] | None:
    if isinstance(value, Open):
        return value.affine()
    known = numpy.asarray(value)
    return None if known.dtype.kind not in "biuf" else (numpy.zeros(known.shape), known.astype(numpy.float64))


def _of(values: Sequence[Array]) -> Array | Open:
    first = values[0]
    are_equal = all(numpy.array_equal(first, one, equal_nan=first.dtype.kind == "f") for one in values)
    return first if are_equal else Open(tuple(values))


def _evaluated(node: Node, values: Sequence[Any]) -> list[Array]:
    from onnx.reference import ReferenceEvaluator

    given = {name: numpy.asarray(value) for name, value in zip(node.inputs, values) if value is not None}
    inputs = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for name, value in given.items()]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in node.outputs if name]
    model = onnx.helper.make_model(onnx.helper.make_graph([node.proto], "known", inputs, outputs), opset_imports=[onnx.helper.make_opsetid("", node.opset)])
    try:
        if node.op == "GatherElements":  # of which the evaluator fails on more than 64 elements (numpy.choose)
            data, indices = given.values()
            axis = node.get("axis", 0) % max(data.ndim, 1)
            return [numpy.take_along_axis(data[tuple(slice(None if i == axis else size) for i, size in enumerate(indices.shape))], indices, axis)]
        with numpy.errstate(all="ignore"):
            return [numpy.asarray(one) for one in ReferenceEvaluator(model).run(None, given)]
    except Exception as error:
        raise Error(f"it is computed when the model is imported, and ends with {type(error).__name__}: {error}") from error
