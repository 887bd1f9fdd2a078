"""Numbers that stand for all elements along dimensions."""

from __future__ import annotations

from halfstep import _ops
from halfstep._graph import Tensor


def along(function, input, dimensions, keep_dims):
    """An op that takes its dimensions in their order, by one of them, several, or None for all."""
    rank = len(input.shape)
    if dimensions is None:
        dimensions = range(rank)
    elif isinstance(dimensions, int):
        dimensions = [dimensions]
    return function(input, sorted(d % rank for d in dimensions), keep_dims=keep_dims)


def sum(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The sum along dimensions, or of all elements."""
    return along(_ops.reduce_sum, input, dimensions, keep_dims)


def mean(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The mean along dimensions, or of all elements."""
    return along(_ops.reduce_mean, input, dimensions, keep_dims)


def prod(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The product along dimensions, or of all elements."""
    return along(_ops.reduce_prod, input, dimensions, keep_dims)


def argmax(input: Tensor, dimension: int = -1, dtype="int32") -> Tensor:
    """The index of the largest element along a dimension, the first of several."""
    return _ops.argmax(input, dimension % len(input.shape), result=dtype)


def argmin(input: Tensor, dimension: int = -1, dtype="int32") -> Tensor:
    """The index of the smallest element along a dimension, the first of several."""
    return _ops.argmin(input, dimension % len(input.shape), result=dtype)
