"""Functions on the tensors of a model: one for each op of docs/ops.md, and some that say more with fewer words.

    probability = ops.softmax(logits)
    loss = ops.softmax_cross_entropy(logits, labels)
"""

from __future__ import annotations

from halfstep import _graph, _ops
from halfstep._graph import Tensor
from halfstep._ops import *  # noqa: F403

__all__ = [name for name in dir(_ops) if not name.startswith("_") and name not in ("apply", "spell")]
__all__ += ["constant", "mean", "reshape", "sum"]


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
            total *= size
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
