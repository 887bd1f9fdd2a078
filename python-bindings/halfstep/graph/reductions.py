"""Ops along dimensions: numbers that stand for all elements, running sums, the largest elements; and on another dimension than the last."""

from __future__ import annotations

import math
from collections.abc import Callable

from halfstep.graph import generated
from halfstep.graph.graph import operand
from halfstep.graph.shapes import as_type, in_float32, of_halves, pad, part, product, reshape, size_of, swapped, without
from halfstep.hints.types import DType, Operand, Sizes, Tensor
from halfstep_runtime._errors import Error, axes, axis, integer


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


def on_last(function: Callable[[Tensor], Tensor], x: Tensor, dimension: int) -> Tensor:
    """What an op on the last dimension gives along another."""
    return _all_on_last(lambda one: (function(one),), x, dimension)[0]


def _all_on_last(function: Callable[[Tensor], tuple[Tensor, ...]], x: Tensor, dimension: int) -> tuple[Tensor, ...]:
    last = len(x.shape) - 1
    dimension = axis("an op", dimension, last + 1)
    return tuple(swapped(one, dimension, last) for one in function(swapped(x, dimension, last)))


def softmax(input: Operand, dimension: int = -1) -> Tensor:
    """Exponentials along a dimension, divided by their sum, so that they add up to 1."""
    input = operand(input)
    return on_last(generated.softmax, input, axis("softmax", dimension, len(input.shape)))


def log_softmax(input: Operand, dimension: int = -1) -> Tensor:
    """The logarithm of `softmax`, which stays finite where that is 0."""
    input = operand(input)
    return on_last(generated.log_softmax, input, axis("log_softmax", dimension, len(input.shape)))


def cumsum(input: Operand, dimension: int = -1, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """The sum of the elements up to each along a dimension; `exclusive` leaves out the element itself, `reverse` adds up those
    behind it. Of integers and bool it is int64, as `ops.sum` is."""
    x = operand(input)
    dimension = axis("cumsum", dimension, len(x.shape))
    return of_halves(lambda one: generated.cumsum(one, dimension, exclusive=exclusive, reverse=reverse), x)


def cumprod(input: Operand, dimension: int = -1) -> Tensor:
    """The product of the elements up to each along a dimension, of floats in float32 (torch.cumprod, numpy.cumprod): of the elements by twos,
    by fours and so on, log2 of their number of products each (Hillis and Steele, CACM 29 (1986)). Of integers it wraps."""
    input = operand(input)
    dimension = axis("cumprod", dimension, len(input.shape))
    size = size_of(input, dimension, "cumprod: the dimension is the batch, whose size is open")

    def products(x: Tensor) -> Tensor:
        distance = 1
        while distance < size:
            low = [distance if i == dimension else 0 for i in range(len(x.shape))]
            x = x * pad(part(x, dimension, slice(0, size - distance)), low, [0] * len(low), value=1)
            distance *= 2
        return x

    if "int" in input.dtype:
        return products(input)
    with in_float32(input) as (x,):
        return products(x)


def top_k(input: Operand, k: int, dimension: int = -1, *, largest: bool = True) -> tuple[Tensor, ...]:
    """The `k` largest elements along a dimension, the largest first, and their indices, int32; of equal ones the first comes
    first. With `largest=False` the smallest, which are the largest of what is turned around."""
    input = operand(input)
    k = integer("top_k: k", k, 1)

    def find(x: Tensor) -> tuple[Tensor, ...]:
        if largest:
            return generated.top_k(x, k)
        turn = generated.neg if "float" in x.dtype else lambda one: generated.sub(255 if x.dtype == "uint8" else -1, one)
        values, indices = generated.top_k(turn(x), k)
        return turn(values), indices

    return _all_on_last(find, input, axis("top_k", dimension, len(input.shape)))


def sort(input: Operand, dimension: int = -1, *, descending: bool = False) -> tuple[Tensor, Tensor]:
    """The elements along a dimension in order, and the places, int64, where they were; of equal ones the first comes first (torch.sort
    with stable=True)."""
    x = operand(input)
    dimension = axis("sort", dimension, len(x.shape))
    values, places = top_k(x, size_of(x, dimension, "the batch cannot be sorted"), dimension, largest=descending)
    return values, as_type(places, "int64")


def median(input: Operand, dimension: int = -1, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """The element in the middle along a dimension, the lower one of two, and its place, int64; NaN where one is (torch.median)."""
    x = operand(input)
    dimension = axis("median", dimension, len(x.shape))
    middle = (size_of(x, dimension, "the batch cannot be sorted") - 1) // 2
    values, places = top_k(x, middle + 1, dimension, largest=False)
    found, place = (part(one, dimension, slice(middle, None) if keep_dims else middle) for one in (values, as_type(places, "int64")))
    if "float" in x.dtype:
        is_nan = as_type(generated.compare("ne", x, x), "float32")
        first = generated.argmax(is_nan, dimension, result="int64")
        has_nan = generated.reduce_max(is_nan, [dimension], keep_dims=keep_dims) > 0.5
        found, place = generated.select(has_nan, math.nan, found), generated.select(has_nan, reshape(first, place.shape), place)
    return found, place
