"""What is written to ATen's views, in their bases: ranges, diagonals, other shapes and orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.shapes import known_sizes, size_of, swapped
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler
from halfstep.importers.torch.indexing import pieces_of, put_together
from halfstep.importers.torch.operands import as_type, is_float
from halfstep_runtime._errors import Error, axis

_OPEN = "a part of the batch, whose size is open, is not written to; give batched=False"


def with_range(base: Tensor, dim: int, places: range, value: Tensor) -> Tensor:
    """`base` with `value` in some places of a dimension."""
    rank, size = len(base.shape), size_of(base, dim, _OPEN)
    if len(places) == size:
        return value
    if not places:
        return base
    if places.step == 1:
        return put_together([*pieces_of(base, dim, 0, places.start), value, *pieces_of(base, dim, places.stop, size)], dim)
    is_new = numpy.zeros(size, bool)
    is_new[places.start : places.stop : places.step] = True
    return ops.select(along_one(is_new, dim, rank), _spread(value, dim, places, size), base)


def _spread(value: Tensor, dim: int, places: range, size: int) -> Tensor:
    """Elements where they belong in a dimension of `size`; what is between them is read by nobody."""
    if not is_float(value):
        return ops.gather(value, ops.constant(numpy.clip((numpy.arange(size) - places.start) // places.step, 0, len(places) - 1), "int64"), dim)
    low, high, between = ([0] * len(value.shape) for _ in range(3))
    low[dim], high[dim], between[dim] = places.start, size - 1 - places[-1], places.step - 1
    return ops.pad(value, low, high, between)


def along_one(array: numpy.ndarray[Any, Any], dim: int, rank: int) -> Tensor:
    """A mask for one dimension of several."""
    return ops.constant(array.reshape(*array.shape, *[1] * (rank - dim - array.ndim)), array.dtype)


def _range_in(base: Tensor, dim: int, start: int | None = None, end: int | None = None, step: int = 1) -> tuple[int, range]:
    dim = axis("a view", dim, len(base.shape))
    return dim, range(*slice(start, end, step).indices(size_of(base, dim, _OPEN)))


def _view(call: Call, x: Tensor, size_or_type: object) -> Tensor:
    node = call.node.args[0]
    if node.meta["val"].dtype != call.node.meta["val"].dtype:
        raise Error(f"the bits of {node.meta['val'].dtype} as those of {call.node.meta['val'].dtype} are not supported: no gradient flows through "
                    "them; to() casts values")
    return ops.reshape(x, call.shape)


def _slice_scatter(call: Call, x: Tensor, source: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    return with_range(x, *_range_in(x, dim, start, end, step), as_type(source, x.dtype))


def _select_scatter(call: Call, x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    dim, places = _range_in(x, dim)
    if not -len(places) <= index < len(places):
        raise Error(f"index {index} is outside of dimension {dim}, which has {len(places)} elements")
    wide = ops.reshape(as_type(source, x.dtype), (*source.shape[:dim], 1, *source.shape[dim:]))
    return with_range(x, dim, range(places[index], places[index] + 1), wide)


def _diagonal_of(x: Tensor, offset: int, first: int, second: int) -> tuple[Tensor, list[int], Tensor, int]:
    """Matrices with rows and columns last, the order of dimensions that makes them so, what is on the diagonal, and its rows or columns."""
    rank = len(x.shape)
    first, second = axis("diagonal", first, rank), axis("diagonal", second, rank)
    order = [i for i in range(rank) if i not in (first, second)] + [first, second]
    rows, columns = x.shape[first], x.shape[second]
    if rows is None or columns is None:
        raise Error("the diagonal of a dimension that is the batch is not supported")
    count = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    return ops.transpose(x, order), order, ops.constant(numpy.eye(rows, columns, offset, dtype=bool), "bool"), count


def _diagonal(call: Call, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    matrices, _, is_on, count = _diagonal_of(x, offset, dim1, dim2)
    # Of each row or column at most one is on it.
    found = ops.sum(ops.select(is_on, matrices, ops.constant(0, matrices.dtype)), -1 if offset >= 0 else -2)
    return found if found.shape[-1] == count else found[..., :count]


def _inverse(order: list[int]) -> list[int]:
    return [order.index(i) for i in range(len(order))]


def transposed(x: Tensor, first: int = 0, second: int = 1) -> Tensor:
    """With two dimensions in each other's place, of which a tensor may have only one."""
    return x if len(x.shape) < 2 else swapped(x, first, second)


def _diagonal_scatter(call: Call, x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    source = as_type(source, x.dtype)
    matrices, order, is_on, count = _diagonal_of(x, offset, dim1, dim2)
    size = known_sizes(matrices.shape[-2:])[offset < 0]
    if count < size:
        source = ops.pad(source, [0] * len(source.shape), [*[0] * (len(source.shape) - 1), size - count])
    wide = ops.reshape(source, (*source.shape, 1) if offset >= 0 else (*source.shape[:-1], 1, source.shape[-1]))
    return ops.transpose(ops.select(is_on, wide, matrices), _inverse(order))


def _part(call: Call, base: Tensor, value: Tensor, item: int) -> Tensor:
    dim = call.named["dim"]
    sizes = [one.shape[dim] for one in call.node.meta["val"]]
    return with_range(base, *_range_in(base, dim, sum(sizes[:item]), sum(sizes[: item + 1])), value)


def _rest(call: Call) -> list[Any]:
    """A view's arguments but for what it is of."""
    return list(call.named.values())[1:]


# The way back of each view, with whose elements a write to it is one to its base: of the view's call, its base, what is written, and which of
# its results it is written to.
BACK: dict[str, Callable[[Call, Tensor, Tensor, Any], Tensor]] = {
    **dict.fromkeys(["_unsafe_view", "flatten", "reshape", "squeeze", "unflatten", "unsqueeze", "view", "view_as"],
                    lambda call, base, value, _: ops.reshape(value, base.shape)),
    **dict.fromkeys(["chunk", "split", "split_with_sizes"], _part),
    **dict.fromkeys(["t", "transpose"], lambda call, base, value, _: transposed(value, *_rest(call))),
    "diagonal": lambda call, base, value, _: _diagonal_scatter(call, base, value, *_rest(call)),
    "narrow": lambda call, base, value, _: _slice_scatter(call, base, value, call.named["dim"], call.named["start"], call.named["start"] + call.named["length"]),
    "permute": lambda call, base, value, _: ops.transpose(value, _inverse([axis("permute", one, len(base.shape)) for one in call.named["dims"]])),
    "select": lambda call, base, value, _: _select_scatter(call, base, value, *_rest(call)),
    "slice": lambda call, base, value, _: _slice_scatter(call, base, value, *_rest(call)),
    "unbind": lambda call, base, value, item: _select_scatter(call, base, value, call.named["dim"], item),
}


VIEWS: dict[str, Handler] = {
    "diagonal": _diagonal,
    "diagonal_scatter": _diagonal_scatter,
    "select_scatter": _select_scatter,
    "slice_scatter": _slice_scatter,
    "view": _view,
}
