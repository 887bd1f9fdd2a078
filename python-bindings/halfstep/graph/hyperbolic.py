"""Inverses of hyperbolic functions, in float32 at least."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from halfstep.graph import generated
from halfstep.graph.promotion import in_float32
from halfstep.graph.shapes import cast
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error

# From here on the root of x^2 + 1 or x^2 - 1 is x, and squares stay finite up to here.
_LARGE = 2.0**28


def _in_own_type(name: str, function: Callable[[Tensor], Tensor], input: Operand) -> Tensor:
    with in_float32(input) as (x,):
        if "float" not in x.dtype:
            raise Error(f"{name}: input has elements of {x.dtype}, expected floats; cast it first, as in ops.cast(x, 'float32')")
        result = function(x)
    given: Any = str(getattr(input, "dtype", ""))
    return cast(result, given) if given in ("float16", "bfloat16") else result


def _of_magnitude(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """An odd function, of what it is from 0 on. The slope at 0 is that from above, which the magnitude alone would lose."""
    is_negative = x < 0
    found = function(generated.select(is_negative, -x, x))
    return generated.select(is_negative, -found, found)


def _unless_large(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """log(2 x) where x is large. Each of the two sees numbers that are its own, so that no gradient is 0 times an infinite one."""
    is_large = x > _LARGE
    large = generated.log(generated.select(is_large, x, 1.0)) + math.log(2)
    return generated.select(is_large, large, function(generated.select(is_large, 1.0, x)))


def asinh(input: Operand) -> Tensor:
    """The number whose hyperbolic sine each element is (numpy.arcsinh, torch.asinh). Computed in float32."""

    def from_0(x: Tensor) -> Tensor:
        squares = x * x
        return generated.log1p(x + squares / (generated.sqrt(squares + 1.0) + 1.0))

    return _in_own_type("asinh", lambda x: _of_magnitude(lambda one: _unless_large(from_0, one), x), input)


def acosh(input: Operand) -> Tensor:
    """The number of at least 0 whose hyperbolic cosine each element is, NaN below 1 (numpy.arccosh, torch.acosh). Computed in float32."""

    def from_1(x: Tensor) -> Tensor:
        above = x - 1.0
        return generated.log1p(above + generated.sqrt(above) * generated.sqrt(above + 2.0))

    return _in_own_type("acosh", lambda x: _unless_large(from_1, x), input)


def atanh(input: Operand) -> Tensor:
    """The number whose hyperbolic tangent each element is: infinite at -1 and 1, NaN beyond (numpy.arctanh, torch.atanh). Computed in
    float32."""
    return _in_own_type("atanh", lambda x: _of_magnitude(lambda one: generated.log1p(one * 2.0 / (1.0 - one)) * 0.5, x), input)
