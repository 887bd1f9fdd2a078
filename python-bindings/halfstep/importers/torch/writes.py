"""ATen's ops that put elements into a tensor where indices or a mask say, in ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.scatter import places_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler
from halfstep.importers.torch.operands import Operand, as_type, like, tensor_of
from halfstep.importers.torch.views import along_one
from halfstep_runtime._errors import Error, axis


_OPEN = "the batch, whose size is open, takes no indices; give batched=False"


def _whole(call: Call, x: Tensor, value: Operand = 0, *_: object) -> Tensor:
    """A number or a tensor in the shape and the type of another."""
    typed = like(x, value)
    return typed if typed.shape == x.shape else ops.broadcast(typed, like=x)


def _numbers(index: Any) -> numpy.ndarray[Any, Any] | None:
    """Indices that are known, or None."""
    import torch

    return index.numpy() if isinstance(index, torch.Tensor) else None


def _from_start(given: Any, size: int | None) -> Tensor:
    """Negative indices are counted from the last there, and are none here."""
    if size is None:
        raise Error(_OPEN)
    if (known := _numbers(given)) is not None:
        return ops.constant(numpy.where(known < 0, known + size, known), "int64")
    index = as_type(tensor_of(given), "int64")
    return ops.select(index < 0, index + size, index)


def _index(call: Call, x: Tensor, indices: Sequence[Operand]) -> Tensor:
    """Tensors of indices, one for some of the dimensions: what stands beside each other is one dimension of the result, else the first."""
    given = [dim for dim, one in enumerate(indices) if one is not None]
    if given[0] == 0 and x.shape[0] is None and _are_rows(indices[0]) and _has_as_many(call):
        return _index_of_rows(x, [indices[dim] for dim in given], given)
    if any(x.shape[dim] is None for dim in given):
        raise Error(_OPEN)
    sizes = [x.shape[dim] or 0 for dim in given]
    if len(given) == 1:
        return ops.gather(x, _from_start(indices[given[0]], sizes[0]), given[0])
    at = given[0] if given == list(range(given[0], given[0] + len(given))) else 0
    others = [dim for dim in range(len(x.shape)) if dim not in given]
    moved = ops.transpose(x, [*others[:at], *given, *others[at:]])
    flat = ops.reshape(moved, (*moved.shape[:at], math.prod(sizes), *moved.shape[at + len(given):]))
    return ops.gather(flat, places_of([_from_start(indices[dim], size) for dim, size in zip(given, sizes)], sizes), at)


def _are_rows(index: Any) -> bool:
    """Whether an index is the number of its own row in the batch, as torch.arange(x.shape[0]) is."""
    while isinstance(index, Tensor) and index.made_by[0] in ("mp.cast", "mp.reshape"):
        index = index.made_by[1][0]
    return isinstance(index, Tensor) and index.made_by[0] == "mp.iota" and index.shape == (None,)


def _has_as_many(call: Call) -> bool:
    """Whether there is an index for each row of what is indexed: open sizes are equal where their expressions are."""
    value, index = call.node.args[0].meta["val"], call.node.args[1][0].meta["val"]
    return str(value.shape[0]) == str(index.numel())


def _index_of_rows(x: Tensor, own: Sequence[Any], given: Sequence[int]) -> Tensor:
    """Of each row of the batch the elements that the other indices say."""
    rows, *others = own
    rank = max(len(one.shape) for one in own)
    shapes = [(*[1] * (rank - len(one.shape)), *one.shape) for one in others]
    if len(rows.shape) != rank or given != list(range(len(given))) or any(size != 1 for size in rows.shape[1:]):
        raise Error("rows of the batch beside indices of each row are not supported; give batched=False")
    if not others:
        return x
    sizes = [size or 0 for size in x.shape[1 : len(given)]]
    flat = ops.reshape(x, (None, math.prod(sizes), *x.shape[len(given):]))
    if all(shape[0] == 1 for shape in shapes):  # the same for all rows
        places = [ops.reshape(_from_start(one, size), shape[1:]) for one, size, shape in zip(others, sizes, shapes)]
        return ops.gather(flat, places_of(places, sizes), 1)
    places_in = places_of([ops.reshape(_from_start(one, size), shape) for one, size, shape in zip(others, sizes, shapes)], sizes)
    count, rest = (math.prod(size or 0 for size in some) for some in (places_in.shape[1:], flat.shape[2:]))
    wide = ops.reshape(places_in, (None, count, 1)) + ops.constant(numpy.zeros((1, 1, rest)), "int64")
    found = ops.gather_elements(ops.reshape(flat, (None, math.prod(sizes), rest)), wide, 1)
    return ops.reshape(found, (None, *places_in.shape[1:], *flat.shape[2:]))


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
    size = x.shape[dim] or 0
    source = numpy.full(size, -1)
    source[index] = numpy.arange(len(index))
    if accumulate and len(set(index % size)) < len(index):
        return ops.scatter_add(x, ops.constant(index % size, "int64"), values, dim)
    put = ops.gather(values, ops.constant(numpy.maximum(source, 0), "int64"), dim)
    return ops.select(along_one(source >= 0, dim, len(x.shape)), x + put if accumulate else put, x)


def _index_put(call: Call, x: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    values = as_type(values, x.dtype)
    given = [dim for dim, one in enumerate(indices) if one is not None]
    masks = [one for one in indices if one is not None and str(one.dtype).endswith("bool")]
    if masks and len(indices) == 1 and not accumulate:
        return _masked(x, tensor_of(masks[0]), values)
    if masks:
        raise Error("a mask beside other indices is not supported: write torch.where")
    if len(given) == 1 and (dim := given[0]) is not None and (known := _numbers(indices[dim])) is not None and known.ndim == 1:
        if x.shape[dim] is None:
            raise Error(_OPEN)
        shape = (*x.shape[:dim], len(known), *x.shape[dim + 1:])
        values = values if values.shape == shape else ops.broadcast(values, shape) if None not in shape else (
            ops.broadcast(values, like=ops.gather(x, ops.constant(known % x.shape[dim], "int64"), dim)))
        return _placed(x, dim, known, values, bool(accumulate))
    if given != list(range(len(given))):
        raise Error("indices that are no numbers known at import are supported for the first dimensions alone: transpose the others behind them")
    return ops.index_put(x, [_from_start(one, size) for one, size in zip(indices, x.shape)], values, accumulate=bool(accumulate))


def _index_fill(call: Call, x: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """Where one list of places in a dimension says, the same for all others."""
    dim = axis("index_fill", dim, len(x.shape))
    size = x.shape[dim]
    if size is None:
        raise Error(_OPEN)
    is_in = ops.reduce_max(ops.one_hot(_from_start(index, size), size), 0) > 0.0
    return ops.select(ops.reshape(is_in, (size, *[1] * (len(x.shape) - 1 - dim))), like(x, value), x)


def _index_copy(call: Call, x: Tensor, dim: int, _: object, source: Tensor) -> Tensor:
    dim = axis("index_copy", dim, len(x.shape))
    known = _numbers(call.named["index"])
    if known is None:
        raise Error("indices that depend on inputs are not supported")
    return _placed(x, dim, known, as_type(source, x.dtype), False)


def _index_add(call: Call, x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float = 1) -> Tensor:
    dim = axis("index_add", dim, len(x.shape))
    source = as_type(source, x.dtype)
    return ops.scatter_add(x, _from_start(index, x.shape[dim]), source if alpha == 1 else source * alpha, dim)


def _scatter(call: Call, x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
    """A number, or one element for each row, where indices along a dimension say."""
    call.only("reduce", None)
    dim = axis("scatter", dim, len(x.shape))
    others = [(a, b) for i, (a, b) in enumerate(zip(index.shape, x.shape)) if i != dim]
    if any(a != b for a, b in others) or x.shape[dim] is None:
        raise Error("indices of another shape than the tensor's but in the dimension are not supported")
    is_number = isinstance(source, (bool, int, float))
    if not is_number and index.shape[dim] != 1:
        raise Error("several elements of a row are put by torch.where(torch.arange(size) == index, source, x), one after another")
    size = x.shape[dim] or 0
    found: Any = None
    for i in range(index.shape[dim] or 0):
        one = index[(*[slice(None)] * dim, slice(i, i + 1))]
        is_here = ops.compare("eq", along_one(numpy.arange(size), dim, len(x.shape)), as_type(one, "int64"))
        found = is_here if found is None else ops.logical_or(found, is_here)
    if is_number:
        return ops.select(found, ops.constant(source, x.dtype), x)
    taken = tensor_of(source)[(*[slice(None)] * dim, slice(0, 1))]
    return ops.select(found, as_type(taken, x.dtype), x)


WRITES: dict[str, Handler] = {
    **dict.fromkeys(["copy", "fill", "zero"], _whole),
    "index": _index,
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_fill,
    "index_put": _index_put,
    "scatter": _scatter,
}
