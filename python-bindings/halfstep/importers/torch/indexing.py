"""ATen's ops that take elements from other places, in ours."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph import scatter
from halfstep.graph.shapes import known_sizes, part, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.library import torch
from halfstep.importers.torch.call import Call, Handler, Operand, as_type, float_of, pair, tensor_of
from halfstep_runtime._errors import Error, axis, several


def _one_type(given: Sequence[Operand]) -> list[Tensor]:
    """Tensors in the type that PyTorch promotes them to."""
    tensors = [tensor_of(one) for one in given]
    common = functools.reduce(lambda a, b: pair(a, b)[0], tensors).dtype
    return [as_type(one, common) for one in tensors]


def _at(x: Tensor, dim: int, index: int | slice) -> Tensor:
    """A number's place or a range of a dimension; what is put together of pieces is read of that which has it."""
    dim = axis("an index", dim, len(x.shape))
    if x.pieces is not None and x.pieces[0] == dim and (size := x.shape[dim]):
        start, stop, step = index.indices(size) if isinstance(index, slice) else (index % size, index % size + 1, 1)
        parts = pieces_of(x, dim, start, stop)
        if len(parts) == 1:
            return part(parts[0], dim, slice(None, None, step) if isinstance(index, slice) else 0)
    return part(x, dim, index)


def _slice(call: Call, x: Tensor, dim: int = 0, *range_: int | None) -> Tensor:
    """All of an open dimension is itself; open sizes are equal where their expressions are."""
    given, taken = (str(tuple(node.meta["val"].shape)) for node in (call.node.args[0], call.node))
    return x if given == taken else _at(x, dim, slice(*range_))


def pieces_of(x: Tensor, dim: int, start: int, stop: int) -> list[Tensor]:
    """The tensors of which a range of a dimension is put together."""
    if x.pieces is None or x.pieces[0] != dim:
        return [part(x, dim, slice(start, stop))] if start < stop else []
    found, at = [], 0
    for piece in x.pieces[1]:
        size = size_of(piece, dim, OPEN)
        low, high = max(start - at, 0), min(stop - at, size)
        if low < high:
            found.append(piece if high - low == size else part(piece, dim, slice(low, high)))
        at += size
    return found


def put_together(pieces: list[Tensor], dim: int) -> Tensor:
    """Pieces one behind another, of which a part that is read or replaced later is not read of the whole."""
    whole = ops.concat(pieces, dim)
    whole.pieces = dim, pieces
    return whole


def _parts(call: Call, x: Tensor, _: object, dim: int = 0) -> tuple[Tensor, ...]:
    """chunk, split and split_with_sizes: the sizes are those of the results."""
    return tuple(ops.split(x, [one.shape[dim] for one in call.node.meta["val"]], dim))


def _roll(call: Call, x: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:
    """What runs off one end comes in at the other."""
    shifts, dims = several("roll: shifts", shifts), several("roll: dims", dims)
    if not dims and len(shifts) == 1:  # of all elements in their order
        if None in x.shape:
            raise Error("without dims the batch is rolled, too, whose size is open; give dims, or batched=False")
        return ops.reshape(_roll(call, ops.reshape(x, (-1,)), shifts, (0,)), x.shape)
    if len(dims) != len(shifts):
        raise Error("dims have to be given, one for each shift")
    for shift, dim in zip(shifts, dims):
        size = size_of(x, dim, "the batch cannot be rolled")
        at = -shift % size if size else 0
        x = ops.concat([_at(x, dim, slice(at, size)), _at(x, dim, slice(0, at))], dim) if at else x
    return x


def _pad(call: Call, x: Tensor, pad: Sequence[int], *_: object) -> Tensor:
    """Of the last dimension first; what is below 0 takes away."""
    mode, value, rank = call.named.get("mode", "constant"), call.named.get("value"), len(x.shape)
    low, high = ([0] * (rank - len(pad) // 2) + list(pad[first::2])[::-1] for first in (0, 1))
    if min(low + high) < 0:
        x = x[tuple(slice(None) if size is None else slice(max(-a, 0), size - max(-b, 0)) for size, a, b in zip(x.shape, low, high))]
    return ops.pad(x, [max(one, 0) for one in low], [max(one, 0) for one in high], value=0.0 if value is None else value, mode=mode)


def _repeat(call: Call, x: Tensor, counts: Sequence[Any]) -> Tensor:
    """As often as there are rows in a batch where a count follows from its size."""
    if all(isinstance(one, int) for one in counts):
        return ops.tile(x, counts)
    tiled = ops.tile(x, [one if isinstance(one, int) else 1 for one in counts])
    if None in x.shape or isinstance(counts[0], int) or not all(isinstance(one, int) for one in counts[1:]):
        raise Error("what is repeated as often as the batch has rows has none itself, and its first dimension is repeated")
    row = math.prod(known_sizes(tiled.shape))
    return ops.reshape(ops.broadcast(ops.reshape(tiled, (1, row)), like=ops.reshape(call.filled(0), (None, row))), call.shape)


def _gather(call: Call, x: Tensor, dim: int, index: Tensor, *_: object) -> Tensor:
    check_rows(call)
    return ops.gather_elements(x, index, axis("gather", dim, len(x.shape)))


def check_rows(call: Call) -> None:
    """That indices have as many rows as what they are of: open sizes are equal where their expressions are."""
    x, index = (call.node.args[i].meta["val"].shape for i in (0, 2))
    dim = axis("an index", call.named["dim"], len(x)) if len(x) else 0
    if any(not (isinstance(a, int) and isinstance(b, int)) and str(a) != str(b) for i, (a, b) in enumerate(zip(x, index)) if i != dim):
        raise Error(f"indices of {tuple(map(str, index))} for {tuple(map(str, x))}, whose rows are not as many; give batched=False")


OPEN = "the batch, whose size is open, takes no indices; give batched=False"


def known_indices(index: Any) -> numpy.ndarray[Any, Any] | None:
    """Indices that are known, or None."""
    return index.numpy() if isinstance(index, torch.Tensor) else None


def in_range(known: numpy.ndarray[Any, Any], size: int) -> numpy.ndarray[Any, Any]:
    """Known indices, counted from the start; an error for those that a dimension does not have."""
    if (beyond := known[(known < -size) | (known >= size)]).size:
        raise Error(f"index {beyond.flat[0]} is outside of a dimension of {size} elements")
    return numpy.where(known < 0, known + size, known)


def from_start(given: Any, size: int | None) -> Tensor:
    """Negative indices are counted from the last there, and are none here."""
    if size is None:
        raise Error(OPEN)
    if (known := known_indices(given)) is not None:
        return ops.constant(in_range(known, size), "int64")
    return scatter.from_start(as_type(tensor_of(given), "int64"), size)


def _index(call: Call, x: Tensor, indices: Sequence[Operand]) -> Tensor:
    """Tensors of indices, one for some of the dimensions: what stands beside each other is one dimension of the result, else the first."""
    given = [dim for dim, one in enumerate(indices) if one is not None]
    if given[0] == 0 and x.shape[0] is None and _are_rows(call, indices[0]):
        return _index_of_rows(x, [indices[dim] for dim in given], given)
    sizes = [size_of(x, dim, OPEN) for dim in given]
    if len(given) == 1:
        return ops.gather(x, from_start(indices[given[0]], sizes[0]), given[0])
    at = given[0] if given == list(range(given[0], given[0] + len(given))) else 0
    others = [dim for dim in range(len(x.shape)) if dim not in given]
    moved = ops.transpose(x, [*others[:at], *given, *others[at:]])
    flat = ops.reshape(moved, (*moved.shape[:at], math.prod(sizes), *moved.shape[at + len(given):]))
    return ops.gather(flat, scatter.places_of([from_start(indices[dim], size) for dim, size in zip(given, sizes)], sizes), at)


def _are_rows(call: Call, index: Any) -> bool:
    """Whether an index is the number of its own row in the batch, as torch.arange(x.shape[0]) is, of as many rows as are indexed: open sizes
    are equal where their expressions are."""
    while isinstance(index, Tensor) and index.made_by[0] in ("mp.cast", "mp.reshape"):
        index = index.made_by[1][0]
    if not isinstance(index, Tensor) or index.made_by[0] != "mp.iota" or index.shape != (None,):
        return False
    value, own = call.node.args[0].meta["val"], call.node.args[1][0].meta["val"]
    return str(value.shape[0]) == str(own.numel())


def _index_of_rows(x: Tensor, own: Sequence[Any], given: Sequence[int]) -> Tensor:
    """Of each row of the batch the elements that the other indices say."""
    rows, *others = own
    rank = max(len(one.shape) for one in own)
    shapes = [(*[1] * (rank - len(one.shape)), *one.shape) for one in others]
    if len(rows.shape) != rank or given != list(range(len(given))) or any(size != 1 for size in rows.shape[1:]):
        raise Error("rows of the batch beside indices of each row are not supported; give batched=False")
    if not others:
        return x
    sizes = known_sizes(x.shape[1 : len(given)])
    flat = ops.reshape(x, (None, math.prod(sizes), *x.shape[len(given):]))
    own = [ops.reshape(from_start(one, size), shape) for one, size, shape in zip(others, sizes, shapes)]
    places = scatter.places_of(own, sizes)
    if places.shape[0] == 1:  # the same for all rows
        return ops.gather(flat, ops.reshape(places, places.shape[1:]), 1)
    return scatter.gather_slices(flat, places)


def _one_hot(call: Call, x: Tensor, classes: int = -1) -> Tensor:
    if classes == -1:
        raise Error("the number of classes has to be given")
    return ops.one_hot(x, classes, "int64")


def _histc(call: Call, x: Tensor, bins: int = 100, least: float = 0, most: float = 0) -> Tensor:
    """How many elements lie in each of as many equal parts of a range, of which the last has both of its ends."""
    if not least < most:
        raise Error("a range of the data itself is not supported: give min and max")
    own = float_of(x)
    places = ops.cast(ops.floor((own - least) * bins / (most - least)), "int64")
    is_in = ops.logical_and(own >= least, own <= most)
    hot = ops.one_hot(ops.select(is_in, ops.minimum(places, bins - 1), -1), bins, "float32")
    return as_type(ops.sum(hot, list(range(len(x.shape)))), x.dtype)


def _searchsorted(call: Call, borders: Operand, x: Operand, *_: object) -> Tensor:
    """Of each element how many borders lie in front of it, which are in order; or are it, by right=True."""
    call.only("sorter", None)
    borders, values = pair(borders, x)
    values = tensor_of(values)
    if len(borders.shape) not in (1, len(values.shape)):
        raise Error(f"borders of shape {borders.shape} for {values.shape} are not supported: give one dimension")
    if len(borders.shape) > 1:
        borders = ops.reshape(borders, (*borders.shape[:-1], 1, borders.shape[-1]))
    is_right = bool(call.named.get("right")) or call.named.get("side") == "right"
    column = ops.reshape(values, (*values.shape, 1))
    in_front = ops.logical_not(borders > column if is_right else borders >= column)  # of NaN all
    return ops.cast(ops.sum(ops.cast(in_front, "float32"), -1), "int32" if call.named.get("out_int32") else "int64")


INDEXING: dict[str, Handler] = {
    # Of one dimension and no elements, a tensor fits all others.
    **dict.fromkeys(["cat", "concat"], lambda call, tensors, dim=0: ops.concat(_one_type([one for one in tensors if tuple(one.shape) != (0,)]), dim)),
    **dict.fromkeys(["chunk", "split", "split_with_sizes"], _parts),
    **dict.fromkeys(["constant_pad_nd", "pad"], _pad),
    **dict.fromkeys(["repeat", "tile"], _repeat),
    "bucketize": lambda call, x, borders, *_: _searchsorted(call, borders, x),
    "gather": _gather,
    "flip": lambda call, x, dims: ops.flip(x, dims),
    "histc": _histc,
    "index": _index,
    "index_select": lambda call, x, dim, index: ops.gather(x, index, dim),
    "narrow": lambda call, x, dim, start, length: _at(x, dim, slice(start, start + length)),
    "one_hot": _one_hot,
    "roll": _roll,
    "searchsorted": _searchsorted,
    "select": lambda call, x, dim, index: _at(x, dim, index),
    "slice": _slice,
    "stack": lambda call, tensors, dim=0: ops.stack(_one_type(tensors), dim),
    "tril": lambda call, x, diagonal=0: ops.tril(x, diagonal),
    "triu": lambda call, x, diagonal=0: ops.triu(x, diagonal),
    "unbind": lambda call, x, dim=0: tuple(_at(x, dim, i) for i in range(size_of(x, dim, "the batch cannot be taken apart"))),
}
