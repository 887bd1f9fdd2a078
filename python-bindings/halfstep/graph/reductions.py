"""Numbers that stand for all elements along dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable

from halfstep.graph import generated
from halfstep.graph.graph import operand
from halfstep.graph.promotion import in_float32, of_halves
from halfstep.graph.shapes import as_type, product, without
from halfstep.hints.types import DType, Operand, Sizes, Tensor
from halfstep_runtime._errors import Error, axes, axis


def along(function: Callable[..., Tensor], input: Operand, dimensions: Sizes | None, keep_dims: bool) -> Tensor:
    """An op that takes its dimensions in their order, by one of them, several, or None for all."""
    x = operand(input)
    return function(x, axes(function.__name__, dimensions, len(x.shape)), keep_dims=keep_dims)


def sum(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The sum along dimensions, or of all elements; of integers and bool it is int64, and what wraps (numpy.sum, torch.sum)."""
    return of_halves(lambda x: along(generated.reduce_sum, x, dimensions, keep_dims), operand(input))


def any(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """Whether one element along dimensions, or of all, is not 0 (numpy.any, torch.any); of type bool. NaN is not 0."""
    return along(generated.reduce_max, _is_set(input), dimensions, keep_dims) > 0.5


def all(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """Whether no element along dimensions, or of all, is 0 (numpy.all, torch.all); of type bool."""
    return along(generated.reduce_min, _is_set(input), dimensions, keep_dims) > 0.5


def _is_set(input: Operand) -> Tensor:
    x = operand(input)
    return as_type(x if x.dtype == "bool" else generated.compare("ne", x, 0), "float32")


def mean(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The mean along dimensions, or of all elements."""
    return along(generated.reduce_mean, input, dimensions, keep_dims)


def var(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False, *, correction: float | None = None) -> Tensor:
    """The variance along dimensions, or of all elements: the sum of squares of what is left without the mean, by the number of elements
    less `correction`, which is to be said: 0 as numpy.var has it by default, 1 as torch.var does. Computed in float32."""
    if correction is None:
        raise Error("var: say correction=0, as numpy.var has it, or correction=1, as torch.var does: what the number of elements is less")
    correction = float(correction)
    with in_float32(input) as (x,):
        along_these = axes("var", dimensions, len(x.shape))
        centered = x - mean(x, along_these, True)
        result = mean(centered * centered, along_these, keep_dims)
        if not correction:
            return result
        if (count := product([x.shape[one] for one in along_these])) is None:
            raise Error(f"var: correction={correction:g} needs the number of elements, and that of the batch is open; leave out its dimension")
        return result * (count / (count - correction) if count > correction else math.inf)  # 0 times that is NaN, as of one element


def prod(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The product along dimensions, or of all elements."""
    return along(generated.reduce_prod, input, dimensions, keep_dims)


def reduce_max(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The largest element along dimensions, or of all."""
    return _extreme(generated.reduce_max, -1, input, dimensions, keep_dims)


def reduce_min(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The smallest element along dimensions, or of all."""
    return _extreme(generated.reduce_min, 2**32, input, dimensions, keep_dims)


def _extreme(reduce: Callable[..., Tensor], beyond: int, input: Operand, dimensions: Sizes | None, keep_dims: bool) -> Tensor:
    """Of integers by way of float64, which has those of 32 bits: of 64 bits first of the upper half, then of the lower one where that is it."""
    x = operand(input)
    if "int" not in x.dtype:
        return along(reduce, x, dimensions, keep_dims)

    def found(of: Tensor, keep: bool) -> Tensor:
        return as_type(along(reduce, as_type(of, "float64"), dimensions, keep), x.dtype)

    if x.dtype != "int64":
        return found(x, keep_dims)
    high = x >> 32
    low = generated.select(generated.compare("eq", high, found(high, True)), x & 2**32 - 1, beyond)
    return (found(high, keep_dims) << 32) + found(low, keep_dims)


# By the names of their ops.
reduce_sum, reduce_mean, reduce_prod = sum, mean, prod


def logsumexp(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials along dimensions, or of all elements, from the largest on, so that none overflows
    (torch.logsumexp). -inf where all are. Computed in float32."""
    with in_float32(input) as (x,):
        along_these = axes("logsumexp", dimensions, len(x.shape))
        largest = reduce_max(x, along_these, True)
        largest = generated.select(generated.is_finite(largest), largest, 0.0)
        result = generated.log(sum(generated.exp(x - largest), along_these, True)) + largest
        return result if keep_dims else without(result, along_these)


def argmax(input: Operand, dimension: int = -1, dtype: DType = "int32") -> Tensor:
    """The index of the largest element along a dimension, the first of several."""
    input = operand(input)
    return generated.argmax(input, axis("argmax", dimension, len(input.shape)), result=dtype)


def argmin(input: Operand, dimension: int = -1, dtype: DType = "int32") -> Tensor:
    """The index of the smallest element along a dimension, the first of several."""
    input = operand(input)
    return generated.argmin(input, axis("argmin", dimension, len(input.shape)), result=dtype)
