"""Powers, cheap ones in other ops."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

from halfstep.graph import generated
from halfstep.graph.graph import Value, listed_as

if TYPE_CHECKING:
    from halfstep.graph.tensor import Tensor

_CHEAP = {
    -1: generated.reciprocal,
    -0.5: generated.rsqrt,
    0.5: generated.sqrt,
    1: lambda x: x,
    2: lambda x: generated.mul(x, x),
    3: lambda x: generated.mul(generated.mul(x, x), x),
    4: lambda x: generated.mul(generated.mul(x, x), generated.mul(x, x)),
}


def pow(base: Tensor | float, exponent: Tensor | float) -> Tensor:
    """One to the power of the other, with NumPy's broadcasting. Few exponents, such as 2, are products, which the mixed policies keep low;
    all else is `mp.pow`, which they keep in float32, as policies of published lists do with all powers."""
    if isinstance(base, Value) and isinstance(exponent, numbers.Real) and exponent in _CHEAP:
        with listed_as("mp.pow"):
            return _CHEAP[exponent](base)
    return generated.pow(base, exponent)
