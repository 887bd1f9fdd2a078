"""ATen's ops whose gradient PyTorch defines in its own way where there are several or none, in our ops."""

from __future__ import annotations

import functools
import math
from typing import Any

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function, elementwise
from halfstep.importers.torch.call import Call, Handler, Operand, float_of, is_float, like, pair
from halfstep_runtime._errors import Error, axis


def _clamp(call: Call, x: Tensor, low: Any = None, high: Any = None) -> Tensor:
    """At bounds that are numbers the gradient is 0, where that of `ops.clamp` goes through; with bounds that are tensors x shares it."""
    if not all(one is None or isinstance(one, (int, float)) for one in (low, high)):
        return _between(x, low, high)
    if any(one is not None and math.isnan(one) for one in (low, high)):
        raise Error("a bound that is NaN makes each element NaN: leave out the bound, or give one that is a number")
    low = low if high is None or low is None else min(low, high)
    for predicate, bound in (("le", low), ("ge", high)):
        x = x if bound is None else elementwise(functools.partial(_beyond, predicate), *pair(x, bound))
    return x


def _between(x: Tensor, low: Operand, high: Operand) -> Tensor:
    """Equal ones share the gradient, but it is that of x where it is between two bounds that are one."""
    shared = x
    for choose, bound in ((ops.maximum, low), (ops.minimum, high)):
        shared = shared if bound is None else elementwise(choose, *pair(shared, bound))
    if low is None or high is None:
        return shared
    x, low = pair(x, low)
    x, high = pair(x, high)
    low, high = like(x, low), like(x, high)
    own = ops.select(ops.compare("lt", x, low), low, ops.select(ops.compare("gt", x, high), high, x))
    return ops.select(ops.compare("eq", low, high), own, shared)


def _beyond(predicate: Any, x: Tensor, bound: float) -> Tensor:
    """A bound in place of what is not inside of it."""
    return ops.select(ops.compare(predicate, x, bound), ops.constant(bound, x.dtype), x)


def _extreme(reduce: Function, place: Function, choose: Function) -> Handler:
    """max and min: along a dimension the gradient is that of the index, of all elements equal ones share it."""

    def handle(call: Call, x: Tensor, dim: Any = None, keep_dims: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        if "other" in call.named:
            return elementwise(choose, *pair(x, dim))
        if dim is None:
            return reduce(x)
        dim = axis("an extreme", dim, len(x.shape))
        index = place(x, dim)
        kept = ops.reshape(index, (*x.shape[:dim], 1, *x.shape[dim + 1:]))
        if is_float(x):
            is_it = ops.compare("eq", ops.iota(dim, like=x), kept)
            found = ops.sum(ops.select(is_it, x, ops.constant(0, x.dtype)), dim, bool(keep_dims))
        else:
            found = reduce(x, dim, bool(keep_dims))
        return found, ops.cast(kept if keep_dims else index, "int64")

    return handle


def _atan2(call: Call, y: Operand, x: Operand) -> Tensor:
    """At the origin the gradient is 0."""
    y, x = (float_of(one) for one in pair(y, x, floats=True))
    is_origin = ops.logical_and(ops.compare("eq", x, 0.0), ops.compare("eq", y, 0.0))
    found = ops.atan2(y, x)
    # Comparisons have no gradient.
    at_origin = ops.select(ops.compare("gt", found, 1.0), math.pi, ops.select(ops.compare("lt", found, -1.0), -math.pi, ops.constant(0, y.dtype)))
    return ops.select(is_origin, at_origin, ops.atan2(y, ops.select(is_origin, ops.constant(1, x.dtype), x)))


KINKS: dict[str, Handler] = {
    **dict.fromkeys(["arctan2", "atan2"], _atan2),
    **dict.fromkeys(["clamp", "hardtanh"], _clamp),
    "clamp_max": lambda call, x, high: _clamp(call, x, None, high),
    "clamp_min": lambda call, x, low: _clamp(call, x, low, None),
    "max": _extreme(ops.reduce_max, ops.argmax, ops.maximum),
    "min": _extreme(ops.reduce_min, ops.argmin, ops.minimum),
    "relu6": lambda call, x: _clamp(call, x, 0, 6),
}
