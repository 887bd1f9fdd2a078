"""ATen's ops that put elements into a tensor where indices or a mask say, in ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.scatter import put_slices, summed
from halfstep.graph.shapes import size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler
from halfstep.importers.torch.indexing import OPEN, check_rows, from_start, in_range, known_indices
from halfstep.importers.torch.operands import Operand, as_type, like, tensor_of
from halfstep.importers.torch.views import along_one
from halfstep_runtime._errors import Error, axis


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
    return ops.select(along_one(source >= 0, dim, len(x.shape)), x + put if accumulate else put, x)


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


WRITES: dict[str, Handler] = {
    **dict.fromkeys(["copy", "fill", "zero"], _whole),
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_fill,
    "index_put": _index_put,
    "scatter": _scatter,
    "scatter_reduce": _scatter_reduce,
}
