"""ATen's ops that take elements from other places, in ours."""

from __future__ import annotations

import functools
import math

from halfstep import ops
from halfstep.importers.torch.operands import as_type, pair, tensor_of
from halfstep_runtime._errors import Error, axis, several


def _one_type(tensors):
    """Tensors in the type that PyTorch promotes them to."""
    tensors = [tensor_of(one) for one in tensors]
    common = functools.reduce(lambda a, b: pair(a, b)[0], tensors).dtype
    return [as_type(one, common) for one in tensors]


def _cat(call, tensors, dim=0):
    # Of one dimension and no elements, a tensor fits all others.
    tensors = [one for one in tensors if tuple(one.shape) != (0,)]
    return ops.concat(_one_type(tensors), dim)


def _stack(call, tensors, dim=0):
    return ops.stack(_one_type(tensors), dim)


def _at(x, dim, index):
    """A number's place or a range of a dimension; what is put together of pieces is read of that which has it."""
    dim = axis("an index", dim, len(x.shape))
    size = x.shape[dim]
    if x.pieces is not None and x.pieces[0] == dim:
        start, stop, step = index.indices(size) if isinstance(index, slice) else (index % size, index % size + 1, 1)
        parts = pieces_of(x, dim, start, stop)
        if len(parts) == 1:
            return parts[0][(*[slice(None)] * dim, slice(None, None, step) if isinstance(index, slice) else 0)]
    return x[(*[slice(None)] * dim, index)]


def pieces_of(x, dim: int, start: int, stop: int) -> list:
    """The tensors of which a range of a dimension is put together."""
    if x.pieces is None or x.pieces[0] != dim:
        return [x[(*[slice(None)] * dim, slice(start, stop))]] if start < stop else []
    found, at = [], 0
    for piece in x.pieces[1]:
        size = piece.shape[dim]
        low, high = max(start - at, 0), min(stop - at, size)
        if low < high:
            found.append(piece if high - low == size else piece[(*[slice(None)] * dim, slice(low, high))])
        at += size
    return found


def put_together(pieces: list, dim: int):
    """Pieces one behind another, of which a part that is read or replaced later is not read of the whole."""
    whole = ops.concat(pieces, dim)
    whole.pieces = dim, pieces
    return whole


def _slice(call, x, dim=0, start=None, end=None, step=1):
    x = tensor_of(x)
    return x if x.shape == call.shape else _at(x, dim, slice(start, end, step))


def _select(call, x, dim, index):
    return _at(tensor_of(x), dim, index)


def _narrow(call, x, dim, start, length):
    return _at(tensor_of(x), dim, slice(start, start + length))


def _parts(call, x, _, dim=0):
    """chunk, split and split_with_sizes: the sizes are those of the results."""
    sizes = [one.shape[dim] for one in call.node.meta["val"]]
    return tuple(ops.split(tensor_of(x), sizes, dim))


def _unbind(call, x, dim=0):
    x = tensor_of(x)
    count = x.shape[dim]
    if count is None:
        raise Error("the batch cannot be taken apart")
    return tuple(_at(x, dim, i) for i in range(count))


def _flip(call, x, dims):
    return ops.flip(tensor_of(x), dims)


def _roll(call, x, shifts, dims=()):
    """What runs off one end comes in at the other."""
    x = tensor_of(x)
    shifts, dims = several("roll: shifts", shifts), several("roll: dims", dims)
    if not dims and len(shifts) == 1:  # of all elements in their order
        if None in x.shape:
            raise Error("without dims the batch is rolled, too, whose size is open; give dims, or batched=False")
        return ops.reshape(_roll(call, ops.reshape(x, (math.prod(x.shape),)), shifts, (0,)), x.shape)
    if len(dims) != len(shifts):
        raise Error("dims have to be given, one for each shift")
    for shift, dim in zip(shifts, dims):
        size = x.shape[dim]
        if size is None:
            raise Error("the batch cannot be rolled")
        at = -shift % size if size else 0
        x = ops.concat([_at(x, dim, slice(at, size)), _at(x, dim, slice(0, at))], dim) if at else x
    return x


def _index_select(call, x, dim, index):
    return ops.gather(tensor_of(x), tensor_of(index), dim)


def _embedding(call, weight, indices, padding_idx=-1, *_):
    call.only("scale_grad_by_freq", False)
    if padding_idx != -1:
        raise Error("padding_idx, whose row gets no gradient, is not supported: multiply the result by (tokens != padding)")
    return ops.gather(tensor_of(weight), tensor_of(indices), 0)


def _constant_pad(call, x, pad, value=0):
    x = tensor_of(x)
    rank, low, high = len(x.shape), [], []
    for i in range(rank):
        at = 2 * (rank - 1 - i)  # the last dimension comes first
        low.append(pad[at] if at < len(pad) else 0)
        high.append(pad[at + 1] if at < len(pad) else 0)
    if min(low + high, default=0) < 0:
        raise Error("padding below 0 is not supported: take a slice")
    return ops.pad(x, low, high, value=0.0 if value is None else float(value))


def _pad(call, x, pad, mode="constant", value=None):
    call.only("mode", "constant")
    return _constant_pad(call, x, pad, value)


def _one_hot(call, x, classes=-1):
    if classes == -1:
        raise Error("the number of classes has to be given")
    return ops.one_hot(tensor_of(x), classes, "int64")


def _tile(call, x, counts):
    return ops.tile(tensor_of(x), counts)


INDEXING = {
    "cat": _cat,
    "chunk": _parts,
    "concat": _cat,
    "constant_pad_nd": _constant_pad,
    "embedding": _embedding,
    "flip": _flip,
    "tril": lambda call, x, diagonal=0: ops.tril(tensor_of(x), diagonal),
    "triu": lambda call, x, diagonal=0: ops.triu(tensor_of(x), diagonal),
    "index_select": _index_select,
    "narrow": _narrow,
    "one_hot": _one_hot,
    "pad": _pad,
    "repeat": _tile,
    "roll": _roll,
    "select": _select,
    "slice": _slice,
    "split": _parts,
    "split_with_sizes": _parts,
    "stack": _stack,
    "tile": _tile,
    "unbind": _unbind,
}
