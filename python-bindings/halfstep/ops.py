"""Functions on the tensors of a model: one for each op of docs/ops.md, and some that say more with fewer words.

    probability = ops.softmax(logits)
    loss = ops.softmax_cross_entropy(logits, labels)
"""

from __future__ import annotations

import builtins

from halfstep import _graph, _ops
from halfstep._graph import Tensor
from halfstep._ops import *  # noqa: F403

__all__ = [
    "argmax", "broadcast", "cast", "concat", "constant", "dropout", "flip", "gather", "iota", "mean", "one_hot", "pad",
    "reshape", "split", "stack", "sum", "transpose",
]
__all__ += _ops.__all__

# The limit of a range that goes to the end of a dimension, whatever its size is.
_END = -(2**63)


def __dir__():
    return sorted(__all__)


def constant(value, dtype="float32") -> Tensor:
    """A number or an array that is part of the model."""
    return _graph.constant(value, dtype)


def cast(input: Tensor, dtype) -> Tensor:
    """The same numbers, in another element type."""
    return _ops.cast(input, result=dtype)


def reshape(input: Tensor, shape) -> Tensor:
    """The same elements in another shape; None or -1 stands for the batch, or for what is left."""
    known, open_sizes = 1, [i for i, size in enumerate(shape) if size in (None, -1)]
    for size in shape:
        known *= 1 if size in (None, -1) else size
    if None not in input.shape and len(open_sizes) == 1 and known:
        total = 1
        for size in input.shape:
            total *= size or 0
        shape = [total // known if i == open_sizes[0] else size for i, size in enumerate(shape)]
    return _ops.reshape(input, result=_graph.type_of(shape, input.dtype))


def broadcast(input: Tensor, shape=None, *, like: Tensor | None = None) -> Tensor:
    """Repeats a tensor to a larger shape by NumPy's rule: a shape, or that of another tensor."""
    shape = like.shape if like is not None else shape
    return _ops.broadcast(input, like, result=_graph.type_of(shape, input.dtype))


def iota(dimension: int, shape=None, *, like: Tensor | None = None, dtype="int32") -> Tensor:
    """Each element its index along a dimension."""
    shape = like.shape if like is not None else shape
    return _ops.iota(dimension, like, result=_graph.type_of(shape, dtype))


def argmax(input: Tensor, dimension: int = -1, dtype="int32") -> Tensor:
    """The index of the largest element along a dimension, the first of several."""
    return _ops.argmax(input, dimension % len(input.shape), result=dtype)


def concat(inputs, dimension: int = -1) -> Tensor:
    """Tensors one behind another along a dimension."""
    inputs = list(inputs)
    return _ops.concat(inputs, dimension % len(inputs[0].shape) if inputs else dimension)


def stack(inputs, dimension: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    inputs = list(inputs)
    rank = len(inputs[0].shape) + 1 if inputs else 1
    shapes = [list(one.shape) for one in inputs]
    for shape in shapes:
        shape.insert(dimension % rank, 1)
    return concat([reshape(one, shape) for one, shape in zip(inputs, shapes)], dimension % rank)


def split(input: Tensor, sizes, dimension: int = -1) -> list[Tensor]:
    """Parts of these sizes along a dimension, or so many equal ones."""
    dimension %= len(input.shape)
    size = input.shape[dimension]
    if size is None:
        raise _graph.Error("the batch cannot be split: its size is open")
    if isinstance(sizes, int):
        if sizes < 1 or size % sizes:
            raise _graph.Error(f"{size} elements cannot be split into {sizes} equal parts")
        sizes = [size // sizes] * sizes
    parts, start = [], 0
    for own in sizes:
        parts.append(input[(*[builtins.slice(None)] * dimension, builtins.slice(start, start + own))])
        start += own
    if start != size:
        raise _graph.Error(f"parts of {list(sizes)} are {start} elements, the dimension has {size}")
    return parts


def pad(input: Tensor, low, high, interior=None, value: float = 0.0) -> Tensor:
    """Elements of one value before, behind and between those of each dimension."""
    return _ops.pad(input, low, high, interior=interior, value=value)


def gather(input, indices: Tensor, dimension: int = 0) -> Tensor:
    """Slices by their indices along a dimension, as numpy.take; of a table with rows, an embedding."""
    return _ops.gather(input, indices, dimension % len(input.shape))


def flip(input: Tensor, dimensions) -> Tensor:
    """Elements of some dimensions from the last to the first."""
    rank = len(input.shape)
    return _ops.flip(input, sorted(d % rank for d in ([dimensions] if isinstance(dimensions, int) else dimensions)))


def one_hot(labels: Tensor, classes: int, dtype="float32") -> Tensor:
    """1 in the column of a label, 0 in the others."""
    return _ops.one_hot(labels, result=_graph.type_of((*labels.shape, classes), dtype))


def _range_of(size, index, dimension):
    """Start, limit and stride of what NumPy's index takes of a dimension, and whether it is turned around."""
    if size is None:
        if index != builtins.slice(None):
            raise _graph.Error(f"dimension {dimension} is the batch, whose size is open: it is taken whole, `:`")
        return 0, _END, 1, False
    if isinstance(index, int):
        if not -size <= index < size:
            raise _graph.Error(f"index {index} is outside of dimension {dimension} with {size} elements")
        return index % size, index % size + 1, 1, False
    start, stop, step = index.indices(size)
    taken = range(start, stop, step)
    if step > 0:
        return start, start if not taken else taken[-1] + 1, step, False
    return (taken[-1], start + 1, -step, True) if taken else (0, 0, 1, False)


def _index(input: Tensor, index) -> Tensor:
    """`input[index]` with numbers, ranges, ... and None, as NumPy has it."""
    index = list(index) if isinstance(index, tuple) else [index]
    rank = len(input.shape)
    missing = rank - builtins.sum(one is not None and one is not Ellipsis for one in index)
    if missing < 0:
        raise _graph.Error(f"there are {rank - missing} indices for {rank} dimensions")
    if not any(one is Ellipsis for one in index):
        index.append(Ellipsis)
    at = next(i for i, one in enumerate(index) if one is Ellipsis)
    index[at : at + 1] = [builtins.slice(None)] * missing
    ranges: list[tuple[int, int, int]] = []
    turned: list[int] = []
    shape: list[int | None] = []
    for one in index:
        if one is None:
            shape.append(1)
            continue
        if not isinstance(one, (int, builtins.slice)):
            raise _graph.Error(f"an index is a number, a range, ... or None, not {one!r}; ops.gather takes tensors")
        dimension = len(ranges)
        start, limit, stride, is_turned = _range_of(input.shape[dimension], one, dimension)
        ranges.append((start, limit, stride))
        if is_turned:
            turned.append(dimension)
        if not isinstance(one, int):
            shape.append(input.shape[dimension] if limit == _END else len(range(start, limit, stride)))
    taken = _ops.slice(input, *zip(*ranges)) if ranges else input
    if turned:
        taken = _ops.flip(taken, turned)
    return taken if list(taken.shape) == shape else reshape(taken, shape)


def transpose(input: Tensor, permutation=None) -> Tensor:
    """Dimensions in another order; backwards where none is given."""
    return _ops.transpose(input, permutation if permutation is not None else reversed(range(len(input.shape))))


def _reduce(function, input, dimensions, keep_dims):
    rank = len(input.shape)
    if dimensions is None:
        dimensions = range(rank)
    elif isinstance(dimensions, int):
        dimensions = [dimensions]
    return function(input, sorted(d % rank for d in dimensions), keep_dims=keep_dims)


def sum(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The sum along dimensions, or of all elements."""
    return _reduce(_ops.reduce_sum, input, dimensions, keep_dims)


def mean(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The mean along dimensions, or of all elements."""
    return _reduce(_ops.reduce_mean, input, dimensions, keep_dims)


def dropout(input: Tensor, rate: float, *, shared=None) -> Tensor:
    """Zeros instead of a part of the elements, in training alone; the others grow by 1 / (1 - rate)."""
    graph = _graph.current()
    return _ops.dropout(input, graph.rng(), rate, graph.stream(), shared=shared)
