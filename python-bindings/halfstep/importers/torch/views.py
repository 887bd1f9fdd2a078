"""What is written to ATen's views, in their bases: ranges, diagonals, other shapes and orders."""

from __future__ import annotations

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.indexing import pieces_of, put_together
from halfstep.importers.torch.operands import as_type, is_float, tensor_of
from halfstep_runtime._errors import Error, axis


def with_range(base: Tensor, dim: int, places: range, value: Tensor) -> Tensor:
    """`base` with `value` in some places of a dimension."""
    import numpy

    rank, size = len(base.shape), base.shape[dim] or 0
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
    import numpy

    if not is_float(value):
        return ops.gather(value, ops.constant(numpy.clip((numpy.arange(size) - places.start) // places.step, 0, len(places) - 1), "int64"), dim)
    low, high, between = ([0] * len(value.shape) for _ in range(3))
    low[dim], high[dim], between[dim] = places.start, size - 1 - places[-1], places.step - 1
    return ops.pad(value, low, high, between)


def along_one(array, dim: int, rank: int) -> Tensor:
    """A mask for one dimension of several."""
    return ops.constant(array.reshape(*array.shape, *[1] * (rank - dim - array.ndim)), str(array.dtype))


def _range_in(base: Tensor, dim: int, start, end, step=1) -> tuple[int, range]:
    dim = axis("a view", dim, len(base.shape))
    size = base.shape[dim]
    if size is None:
        raise Error("a part of the batch, whose size is open, is not written to; give batched=False")
    return dim, range(*slice(start, end, step).indices(size))


def _view(call, x, size_or_type):
    node = call.node.args[0]
    if node.meta["val"].dtype != call.node.meta["val"].dtype:
        raise Error(f"the bits of {node.meta['val'].dtype} as those of {call.node.meta['val'].dtype} are not supported: no gradient flows through "
                    "them; to() casts values")
    return ops.reshape(tensor_of(x), call.shape)


def _wide(value: Tensor, dim: int) -> Tensor:
    """With a dimension of one element."""
    return ops.reshape(value, (*value.shape[:dim], 1, *value.shape[dim:]))


def _slice_scatter(call, x, source, dim=0, start=None, end=None, step=1):
    x = tensor_of(x)
    return with_range(x, *_range_in(x, dim, start, end, step), as_type(tensor_of(source), x.dtype))


def _select_scatter(call, x, source, dim, index):
    x = tensor_of(x)
    dim, places = _range_in(x, dim, None, None)
    at = places[index]
    return with_range(x, dim, range(at, at + 1), _wide(as_type(tensor_of(source), x.dtype), dim))


def _diagonal_of(x: Tensor, offset: int, first: int, second: int):
    """Matrices with rows and columns last, the order of dimensions that makes them so, what is on the diagonal, and its rows or columns."""
    import numpy

    rank = len(x.shape)
    first, second = axis("diagonal", first, rank), axis("diagonal", second, rank)
    order = [i for i in range(rank) if i not in (first, second)] + [first, second]
    rows, columns = x.shape[first], x.shape[second]
    if rows is None or columns is None:
        raise Error("the diagonal of a dimension that is the batch is not supported")
    count = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    return ops.transpose(x, order), order, ops.constant(numpy.eye(rows, columns, offset, dtype=bool), "bool"), count


def _diagonal(call, x, offset=0, dim1=0, dim2=1):
    matrices, _, is_on, count = _diagonal_of(tensor_of(x), offset, dim1, dim2)
    # Of each row or column at most one is on it.
    found = ops.sum(ops.select(is_on, matrices, ops.constant(0, matrices.dtype)), -1 if offset >= 0 else -2)
    return found if found.shape[-1] == count else found[..., :count]


def _diagonal_scatter(call, x, source, offset=0, dim1=0, dim2=1):
    x = tensor_of(x)
    source = as_type(tensor_of(source), x.dtype)
    matrices, order, is_on, count = _diagonal_of(x, offset, dim1, dim2)
    dim = -2 if offset >= 0 else -1
    if count < matrices.shape[dim]:
        source = ops.pad(source, [0] * len(source.shape), [*[0] * (len(source.shape) - 1), matrices.shape[dim] - count])
    wide = ops.reshape(source, (*source.shape, 1) if offset >= 0 else (*source.shape[:-1], 1, source.shape[-1]))
    return ops.transpose(ops.select(is_on, wide, matrices), [order.index(i) for i in range(len(order))])


# Each is of the view's call, its base, what is written, and which of its results it is written to.


def _reshaped(call, base, value, _):
    return ops.reshape(value, base.shape)


def _permuted(call, base, value, _):
    order = [axis("permute", one, len(base.shape)) for one in call.named["dims"]]
    return ops.transpose(value, [order.index(i) for i in range(len(order))])


def _swapped(call, base, value, _):
    order = list(range(len(base.shape)))
    if len(order) < 2:
        return value
    first, second = (call.named.get(name, i) for i, name in enumerate(("dim0", "dim1")))
    order[first], order[second] = order[second], order[first]
    return ops.transpose(value, order)


def _sliced(call, base, value, _):
    named = call.named
    return with_range(base, *_range_in(base, named["dim"], named["start"], named["end"], named["step"]), value)


def _narrowed(call, base, value, _):
    start = call.named["start"]
    return with_range(base, *_range_in(base, call.named["dim"], start, start + call.named["length"]), value)


def _selected(call, base, value, _):
    return _select_scatter(call, base, value, call.named["dim"], call.named["index"])


def _part(call, base, value, item):
    dim = call.named["dim"]
    sizes = [one.shape[dim] for one in call.node.meta["val"]]
    return with_range(base, *_range_in(base, dim, sum(sizes[:item]), sum(sizes[: item + 1])), value)


def _unbound(call, base, value, item):
    return _select_scatter(call, base, value, call.named["dim"], item)


# The way back of each view: with whose elements a write to it is one to its base.
BACK = {
    "_unsafe_view": _reshaped,
    "chunk": _part,
    "diagonal": lambda call, base, value, _: _diagonal_scatter(call, base, value, *list(call.named.values())[1:]),
    "flatten": _reshaped,
    "narrow": _narrowed,
    "permute": _permuted,
    "reshape": _reshaped,
    "select": _selected,
    "slice": _sliced,
    "split": _part,
    "split_with_sizes": _part,
    "squeeze": _reshaped,
    "t": _swapped,
    "transpose": _swapped,
    "unbind": _unbound,
    "unflatten": _reshaped,
    "unsqueeze": _reshaped,
    "view": _reshaped,
    "view_as": _reshaped,
}


VIEWS = {
    "diagonal": _diagonal,
    "diagonal_scatter": _diagonal_scatter,
    "select_scatter": _select_scatter,
    "slice_scatter": _slice_scatter,
    "view": _view,
}
