"""Powers, cheap ones in other ops."""

from __future__ import annotations

import numbers

from halfstep import _graph, _ops
from halfstep._graph import Tensor

_CHEAP = {
    -1: _ops.reciprocal,
    -0.5: _ops.rsqrt,
    0.5: _ops.sqrt,
    1: lambda x: x,
    2: lambda x: _ops.mul(x, x),
    3: lambda x: _ops.mul(_ops.mul(x, x), x),
    4: lambda x: _ops.mul(_ops.mul(x, x), _ops.mul(x, x)),
}


def pow(base: Tensor | float, exponent: Tensor | float) -> Tensor:
    """One to the power of the other, with NumPy's broadcasting. Few exponents, such as 2, are products, which the mixed policies keep low;
    all else is `mp.pow`, which they keep in float32, as policies of published lists do with all powers."""
    if isinstance(base, Tensor) and isinstance(exponent, numbers.Real) and exponent in _CHEAP:
        with _graph.listed_as("mp.pow"):
            return _CHEAP[exponent](base)
    return _ops.pow(base, exponent)
