"""Numbers that stand for all elements along dimensions."""

from __future__ import annotations

from halfstep import _ops
from halfstep._errors import axes, axis
from halfstep._graph import Tensor
from halfstep._promotion import in_float32
from halfstep._shapes import without


def along(function, input, dimensions, keep_dims):
    """An op that takes its dimensions in their order, by one of them, several, or None for all."""
    return function(input, axes(function.__name__, dimensions, len(input.shape)), keep_dims=keep_dims)


def sum(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The sum along dimensions, or of all elements."""
    return along(_ops.reduce_sum, input, dimensions, keep_dims)


def mean(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The mean along dimensions, or of all elements."""
    return along(_ops.reduce_mean, input, dimensions, keep_dims)


def prod(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The product along dimensions, or of all elements."""
    return along(_ops.reduce_prod, input, dimensions, keep_dims)


def reduce_max(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The largest element along dimensions, or of all."""
    return along(_ops.reduce_max, input, dimensions, keep_dims)


def reduce_min(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The smallest element along dimensions, or of all."""
    return along(_ops.reduce_min, input, dimensions, keep_dims)


def reduce_sum(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """`sum` under the name of its op."""
    return sum(input, dimensions, keep_dims)


def reduce_mean(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """`mean` under the name of its op."""
    return mean(input, dimensions, keep_dims)


def reduce_prod(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """`prod` under the name of its op."""
    return prod(input, dimensions, keep_dims)


def logsumexp(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The logarithm of the sum of exponentials along dimensions, or of all elements, from the largest on, so that none overflows
    (torch.logsumexp). -inf where all are. Computed in float32."""
    with in_float32(input) as (x,):
        along_these = axes("logsumexp", dimensions, len(x.shape))
        largest = reduce_max(x, along_these, True)
        largest = _ops.select(_ops.is_finite(largest), largest, 0.0)
        result = _ops.log(sum(_ops.exp(x - largest), along_these, True)) + largest
        return result if keep_dims else without(result, along_these)


def argmax(input: Tensor, dimension: int = -1, dtype="int32") -> Tensor:
    """The index of the largest element along a dimension, the first of several."""
    return _ops.argmax(input, axis("argmax", dimension, len(input.shape)), result=dtype)


def argmin(input: Tensor, dimension: int = -1, dtype="int32") -> Tensor:
    """The index of the smallest element along a dimension, the first of several."""
    return _ops.argmin(input, axis("argmin", dimension, len(input.shape)), result=dtype)
