"""Ops of which each element looks along a dimension: running sums, the largest elements; and on another than the last."""

from __future__ import annotations

from halfstep import _ops
from halfstep._errors import axis, integer
from halfstep._graph import Tensor


def on_last(function, x: Tensor, dimension: int):
    """What an op on the last dimension gives along another: one tensor or several."""
    last = len(x.shape) - 1
    dimension = axis("an op", dimension, last + 1)
    if dimension == last:
        return function(x)
    order = list(range(last + 1))
    order[dimension], order[last] = order[last], order[dimension]
    results = function(_ops.transpose(x, order))
    if isinstance(results, tuple):
        return tuple(_ops.transpose(one, order) for one in results)
    return _ops.transpose(results, order)


def cumsum(input: Tensor, dimension: int = -1, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """The sum of the elements up to each along a dimension; `exclusive` leaves out the element itself, `reverse` adds up those
    behind it."""
    return _ops.cumsum(input, axis("cumsum", dimension, len(input.shape)), exclusive=exclusive, reverse=reverse)


def top_k(input: Tensor, k: int, dimension: int = -1, *, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The `k` largest elements along a dimension, the largest first, and their indices, int32; of equal ones the first comes
    first. With `largest=False` the smallest, which are the largest of what is turned around."""

    k = integer("top_k: k", k, 1)

    def find(x):
        if largest:
            return _ops.top_k(x, k)
        turn = _ops.neg if "float" in x.dtype else lambda one: _ops.sub(255 if x.dtype == "uint8" else -1, one)
        values, indices = _ops.top_k(turn(x), k)
        return turn(values), indices

    return on_last(find, input, axis("top_k", dimension, len(input.shape)))
