"""Ops of which each element looks along a dimension: running sums, the largest elements; and on another than the last."""

from __future__ import annotations

import math
from collections.abc import Callable

from halfstep.graph import generated
from halfstep.graph.graph import operand
from halfstep.graph.promotion import in_float32, of_halves
from halfstep.graph.shapes import as_type, pad, part, reshape, size_of, swapped
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import axis, integer


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
