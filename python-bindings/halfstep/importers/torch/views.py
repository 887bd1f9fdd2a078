"""What is written into ATen's tensors, in ours: to views, in their bases, and where indices or a mask say."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.scatter import put_slices, summed
from halfstep.graph.shapes import known_sizes, size_of, swapped
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler, Operand, as_type, is_float, like, tensor_of
from halfstep.importers.torch.indexing import OPEN, check_rows, from_start, in_range, known_indices, pieces_of, put_together
from halfstep_runtime._errors import Error, axis

_OPEN = "a part of the batch, whose size is open, is not written to; give batched=False"


def _with_range(base: Tensor, dim: int, places: range, value: Tensor) -> Tensor:
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
    return ops.select(_along_one(is_new, dim, rank), _spread(value, dim, places, size), base)


def _spread(value: Tensor, dim: int, places: range, size: int) -> Tensor:
    """Elements where they belong in a dimension of `size`; what is between them is read by nobody."""
    if not is_float(value):
        return ops.gather(value, ops.constant(numpy.clip((numpy.arange(size) - places.start) // places.step, 0, len(places) - 1), "int64"), dim)
    low, high, between = ([0] * len(value.shape) for _ in range(3))
    low[dim], high[dim], between[dim] = places.start, size - 1 - places[-1], places.step - 1
    return ops.pad(value, low, high, between)


def _along_one(array: numpy.ndarray[Any, Any], dim: int, rank: int) -> Tensor:
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
    return _with_range(x, *_range_in(x, dim, start, end, step), as_type(source, x.dtype))


def _select_scatter(call: Call, x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    dim, places = _range_in(x, dim)
    if not -len(places) <= index < len(places):
        raise Error(f"index {index} is outside of dimension {dim}, which has {len(places)} elements")
    wide = ops.reshape(as_type(source, x.dtype), (*source.shape[:dim], 1, *source.shape[dim:]))
    return _with_range(x, dim, range(places[index], places[index] + 1), wide)


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
    return _with_range(base, *_range_in(base, dim, sum(sizes[:item]), sum(sizes[: item + 1])), value)


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


def _whole(call: Call, x: Tensor, value: Operand = 0, *_: object) -> Tensor:
    """A number or a tensor in the shape and the type of another."""
    typed = like(x, value)
    return typed if typed.shape == x.shape else ops.broadcast(typed, like=x)


def _masked(x: Tensor, mask: Tensor, values: Tensor) -> Tensor:
    """`x[mask] = values`, of which there is one for all places of the mask."""
    rest = len(x.shape) - len(mask.shape)
    if len(values.shape) > rest:
        if any(size != 1 for size in values.shape[: len(values.shape) - rest]):
            raise Error("one value for each place of a mask is not supported: write torch.where(mask, values, x) with values in the shape of x")
        values = ops.reshape(values, values.shape[len(values.shape) - rest:])
    return ops.select(ops.reshape(mask, (*mask.shape, *[1] * rest)), values, x)


def _placed(x: Tensor, dim: int, index: numpy.ndarray[Any, Any], values: Tensor, accumulate: bool) -> Tensor:
    """`x` with slices where known indices into a dimension say; of several for one place the last."""
    size = size_of(x, dim, OPEN)
    source = numpy.full(size, -1)
    source[index] = numpy.arange(len(index))
    if accumulate and len(set(index)) < len(index):
        return summed(lambda x, values: ops.scatter_add(x, ops.constant(index, "int64"), values, dim), x, values)
    put = ops.gather(values, ops.constant(numpy.maximum(source, 0), "int64"), dim)
    return ops.select(_along_one(source >= 0, dim, len(x.shape)), x + put if accumulate else put, x)


def _put_at_known(x: Tensor, dim: int, indices: Sequence[Any], values: Tensor, accumulate: bool) -> Tensor:
    """Where known indices into dimensions beside each other say, which are one for it."""
    behind = dim + len(indices)
    sizes = [size_of(x, one, OPEN) for one in range(dim, behind)]
    places = numpy.broadcast_arrays(*(in_range(one, size) for one, size in zip(indices, sizes)))
    flat = numpy.ravel_multi_index(places, sizes)
    merged = ops.reshape(x, (*x.shape[:dim], math.prod(sizes), *x.shape[behind:]))
    shape = (*x.shape[:dim], *flat.shape, *x.shape[behind:])
    if values.shape != shape:
        values = ops.broadcast(values, shape) if None not in shape else (
            ops.broadcast(values, like=ops.reshape(ops.gather(merged, ops.constant(flat.ravel(), "int64"), dim), shape)))
    values = ops.reshape(values, (*x.shape[:dim], flat.size, *x.shape[behind:]))
    return ops.reshape(_placed(merged, dim, flat.ravel(), values, accumulate), x.shape)


def _index_put(call: Call, x: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    values = as_type(values, x.dtype)
    given = [dim for dim, one in enumerate(indices) if one is not None]
    masks = [one for one in indices if one is not None and str(one.dtype).endswith("bool")]
    if masks and len(indices) == 1 and not accumulate:
        return _masked(x, tensor_of(masks[0]), values)
    if masks:
        raise Error("a mask beside other indices is not supported: write torch.where")
    known = [known_indices(indices[dim]) for dim in given]
    if all(one is not None for one in known) and given == list(range(given[0], given[0] + len(given))):
        return _put_at_known(x, given[0], known, values, bool(accumulate))
    if given != list(range(len(given))):
        raise Error("indices computed in the forward go into the first dimensions alone: transpose theirs to the front, write, and transpose back")
    places = [from_start(one, size) for one, size in zip(indices, x.shape)]
    return summed(lambda x, values: ops.index_put(x, places, values, accumulate=True), x, values) if accumulate else ops.index_put(x, places, values)


def _index_fill(call: Call, x: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """Where one list of places in a dimension says, the same for all others."""
    dim = axis("index_fill", dim, len(x.shape))
    size = size_of(x, dim, OPEN)
    is_in = ops.reduce_max(ops.one_hot(from_start(index, size), size), 0) > 0.0
    return ops.select(ops.reshape(is_in, (size, *[1] * (len(x.shape) - 1 - dim))), like(x, value), x)


def _index_copy(call: Call, x: Tensor, dim: int, _: object, source: Tensor) -> Tensor:
    dim = axis("index_copy", dim, len(x.shape))
    known, values = known_indices(call.named["index"]), as_type(source, x.dtype)
    if known is None:
        return put_slices(x, from_start(call.named["index"], x.shape[dim]), values, dim)
    return _placed(x, dim, in_range(known, size_of(x, dim, OPEN)), values, False)


def _index_add(call: Call, x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float = 1) -> Tensor:
    dim = axis("index_add", dim, len(x.shape))
    source = as_type(source, x.dtype)
    places = from_start(index, x.shape[dim])
    return summed(lambda x, source: ops.scatter_add(x, places, source, dim), x, source if alpha == 1 else source * alpha)


def _scatter(call: Call, x: Tensor, dim: int, index: Tensor, source: Operand, *_: object) -> Tensor:
    """A number, or an element for each index, where indices along a dimension say; of several for one place the last."""
    call.only("reduce", None, "add")
    check_rows(call)
    dim = axis("scatter", dim, len(x.shape))
    if x.shape[dim] is None:
        raise Error(OPEN)
    put = like(x, source)
    put = ops.broadcast(put, like=index) if put.shape == () and index.shape != () else put
    if call.named.get("reduce") == "add":
        return summed(lambda x, put: ops.scatter_add_elements(x, dim, index, put), x, put)
    return ops.scatter_elements(x, dim, index, put)


def _scatter_reduce(call: Call, x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str = "", *_: object) -> Tensor:
    """The sum or the mean of what comes to each place, with or without what is there."""
    call.only("reduce", "sum", "mean")
    check_rows(call)
    if None in x.shape[:1] and dim % len(x.shape) == 0:
        raise Error(OPEN)
    source = as_type(source, x.dtype)
    has_own = bool(call.named.get("include_self", True))
    if has_own and reduce == "sum":
        return summed(lambda x, put: ops.scatter_add_elements(x, dim, index, put), x, source)
    ones = ops.cast(ops.broadcast(ops.constant(1.0, "float32"), like=source), "float32")
    counts = ops.scatter_add_elements(ops.broadcast(ops.constant(0.0, "float32"), like=x), dim, index, ones)
    total = summed(lambda x, put: ops.scatter_add_elements(x, dim, index, put), x if has_own else ops.select(counts > 0.0, like(x, 0), x), source)
    if reduce == "sum":
        return total
    if "float" not in x.dtype:
        raise Error("reduce='mean' of whole numbers is not supported: convert them by x.float()")
    return total / as_type(ops.maximum(counts + 1.0 if has_own else counts, 1.0), x.dtype)


VIEWS: dict[str, Handler] = {
    **dict.fromkeys(["copy", "fill", "zero"], _whole),
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_fill,
    "index_put": _index_put,
    "scatter": _scatter,
    "scatter_reduce": _scatter_reduce,
    "diagonal": _diagonal,
    "diagonal_scatter": _diagonal_scatter,
    "select_scatter": _select_scatter,
    "slice_scatter": _slice_scatter,
    "view": _view,
}
