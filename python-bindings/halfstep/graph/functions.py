"""Functions of tensors, element by element; of several in the widest of their types."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable

from halfstep.graph import generated
from halfstep.graph.graph import Value, listed_as, operand, operands
from halfstep.graph.shapes import alike, as_type, cast, concat, in_float32, in_widest, split
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error, axis


def is_integer(x: Value) -> bool:
    return "int" in x.dtype


_CHEAP = {
    -1: generated.reciprocal,
    -0.5: generated.rsqrt,
    0.5: generated.sqrt,
    1: lambda x: x,
    2: lambda x: generated.mul(x, x),
    3: lambda x: generated.mul(generated.mul(x, x), x),
    4: lambda x: generated.mul(generated.mul(x, x), generated.mul(x, x)),
}


def pow(base: Operand, exponent: Operand) -> Tensor:
    """One to the power of the other, with NumPy's broadcasting. Few exponents, such as 2, are products, which the mixed policies keep low;
    all else is `mp.pow`, which they keep in float32, as policies of published lists do with all powers. Of integers by a whole number it is exact."""
    if isinstance(base, Value) and is_integer(base) and isinstance(exponent, numbers.Integral) and exponent >= 0:
        return _whole_power(operands(base)[0], int(exponent))
    if isinstance(base, Value) and isinstance(exponent, numbers.Real) and exponent in _CHEAP:
        with listed_as("mp.pow"):
            return _CHEAP[exponent](base)
    return generated.pow(base, exponent)


def _whole_power(x: Tensor, exponent: int) -> Tensor:
    """By squares of squares."""
    found: Tensor | None = None
    while exponent:
        if exponent % 2:
            found = x if found is None else found * x
        if exponent := exponent // 2:
            x = x * x
    return x * 0 + 1 if found is None else found


def abs(input: Operand) -> Tensor:
    """The magnitude of each element; of the least integer, which has none, that (numpy.abs)."""
    x = operand(input)
    return generated.select(x < 0, 0 - x, x) if is_integer(x) else generated.abs(x)


def neg(input: Operand) -> Tensor:
    """Each element with the other sign; of integers what wraps (numpy.negative)."""
    x = operand(input)
    return 0 - x if is_integer(x) else generated.neg(x)


def relu(input: Operand) -> Tensor:
    """Each element, or 0 where it is below that."""
    x = operand(input)
    return generated.max(x, 0) if is_integer(x) else generated.relu(x)


def floor(input: Operand) -> Tensor:
    """The largest whole number that is not above each element (numpy.floor), of integers themselves. The gradient is 0."""
    x = operand(input)
    return x if is_integer(x) else generated.floor(x)


def round(input: Operand) -> Tensor:
    """The whole number next to each element, of two the even one (numpy.round), of integers themselves. The gradient is 0."""
    x = operand(input)
    return x if is_integer(x) else generated.round(x)


def atan2(lhs: Operand, rhs: Operand) -> Tensor:
    """The angle, from -pi to pi, of the point with abscissa `rhs` and ordinate `lhs`, with NumPy's broadcasting (numpy.arctan2). Floats of
    two types meet in the wider; the gradient at the origin is NaN, where PyTorch's is 0."""
    with in_widest(lhs, rhs) as (ordinate, abscissa):
        return generated.atan2(ordinate, abscissa)


def prelu(input: Operand, slope: Operand) -> Tensor:
    """`input` where it is above 0, else `slope` times it, with NumPy's broadcasting: a slope of each channel has their number as its shape,
    as channels come last (He et al. 2015, torch.nn.functional.prelu)."""
    return generated.prelu(*alike(input, slope))


def square(input: Operand) -> Tensor:
    """Each element times itself (numpy.square, torch.square). Lists of autocast take it as the power that it is."""
    return pow(operand(input), 2)


def ceil(input: Operand) -> Tensor:
    """The smallest whole number that is not less than each element (numpy.ceil, torch.ceil), of integers themselves. The gradient is 0."""
    x = operand(input)
    return x if is_integer(x) else generated.neg(generated.floor(generated.neg(x)))


def _differs(left: Tensor, from_: Tensor) -> Tensor:
    """Where what a division leaves is not 0 and has another sign."""
    return generated.logical_and(generated.compare("ne", left, 0), generated.compare("ne", left < 0, from_ < 0))


def clamp(input: Operand, min: float, max: float) -> Tensor:
    """Each element, or the bound that it is beyond; bounds of integers are whole numbers, -inf and inf are none."""
    x = operand(input)
    if "float" in x.dtype:
        return generated.clamp(x, min, max)
    for choose, bound, none in ((generated.max, min, -math.inf), (generated.min, max, math.inf)):
        x = x if bound == none else choose(x, bound)
    return x


def fmod(lhs: Operand, rhs: Operand) -> Tensor:
    """What a division toward zero leaves, with the sign of `lhs` (numpy.fmod, torch.fmod), with NumPy's broadcasting; exact. `remainder` has
    the sign of `rhs`."""
    x, y = alike(lhs, rhs)
    if "float" not in x.dtype or x.dtype != y.dtype:  # of two types an error
        left = generated.remainder(x, y)
        return generated.select(_differs(left, x), left - y, left)
    far, by = (generated.select(one < 0, generated.neg(one), one) for one in (x, y))
    left = generated.remainder(far, by)
    return generated.select(x < 0, generated.neg(left), left)


def floor_divide(lhs: Operand, rhs: Operand) -> Tensor:
    """The quotient rounded down, of integers or floats (Python's `//`, numpy.floor_divide, torch.floor_divide), with NumPy's broadcasting. An
    integer by 0 gives 0. Of floats the gradient is 0."""
    x, y = alike(lhs, rhs)
    if "float" not in x.dtype or x.dtype != y.dtype:  # of two types an error
        return generated.floor_divide(x, y)
    with in_float32(x, y) as (a, b):
        left = fmod(a, b)
        below = generated.round((a - left) / b) - cast(_differs(left, b), a.dtype)
        quotient = a / b
        # A zero has the sign of the quotient.
        found = generated.select(generated.compare("eq", b, 0), quotient, generated.select(generated.compare("eq", below, 0), quotient * 0, below))
        return as_type(found, x.dtype)


def quotient_to_zero(lhs: Operand, rhs: Operand) -> Tensor:
    """The quotient without its fraction; of integers exact, and 0 by 0."""
    x, y = alike(lhs, rhs)
    if "float" not in x.dtype:
        return generated.floor_divide(x - fmod(x, y), y)
    quotient = x / y
    return generated.select(quotient < 0, ceil(quotient), generated.floor(quotient))


def bitwise_and(lhs: Operand, rhs: Operand) -> Tensor:
    """The bits that both have, of integers or bool (numpy.bitwise_and), with NumPy's broadcasting."""
    x, y = operands(lhs, rhs)
    return generated.logical_and(x, y) if x.dtype == "bool" else generated.bitwise_and(x, y)


def bitwise_or(lhs: Operand, rhs: Operand) -> Tensor:
    """The bits that one of two has, of integers or bool (numpy.bitwise_or), with NumPy's broadcasting."""
    x, y = operands(lhs, rhs)
    return generated.logical_or(x, y) if x.dtype == "bool" else generated.bitwise_or(x, y)


def bitwise_xor(lhs: Operand, rhs: Operand) -> Tensor:
    """The bits in which two differ, of integers or bool (numpy.bitwise_xor), with NumPy's broadcasting."""
    x, y = operands(lhs, rhs)
    return generated.compare("ne", x, y) if x.dtype == "bool" else generated.bitwise_xor(x, y)


def bitwise_not(input: Operand) -> Tensor:
    """The bits that an integer or bool does not have (numpy.bitwise_not): -1 - x, of uint8 255 - x."""
    x = operand(input)
    return generated.logical_not(x) if x.dtype == "bool" else generated.bitwise_xor(x, 255 if x.dtype == "uint8" else -1)


def sign(input: Operand) -> Tensor:
    """1 of what is above 0, -1 of what is below, else 0, in the input's own type (torch.sign): of NaN 0, too, where numpy.sign gives NaN.
    The gradient is 0."""
    x = operand(input)
    return generated.sub(cast(generated.compare("gt", x, 0), x.dtype), cast(generated.compare("lt", x, 0), x.dtype))


def is_inf(input: Operand) -> Tensor:
    """Which elements are infinite, of either sign (numpy.isinf, torch.isinf)."""
    return generated.compare("eq", generated.abs(operand(input)), float("inf"))


def is_nan(input: Operand) -> Tensor:
    """Which elements are NaN, the only ones that differ from themselves (numpy.isnan, torch.isnan)."""
    x = operand(input)
    return generated.compare("ne", x, x)


def where(condition: Operand, lhs: Operand, rhs: Operand) -> Tensor:
    """`select` as NumPy and PyTorch call it: elements of `lhs` where the condition holds, else of `rhs`, with NumPy's broadcasting."""
    return generated.select(condition, lhs, rhs)


def addcmul(input: Operand, lhs: Operand, rhs: Operand, *, value: float = 1.0) -> Tensor:
    """`input + value * lhs * rhs`, with NumPy's broadcasting, in the widest type of the three (torch.addcmul)."""
    with in_widest(input, lhs, rhs) as (c, a, b):
        return c + (a * b if value == 1 else a * b * value)


def addcdiv(input: Operand, lhs: Operand, rhs: Operand, *, value: float = 1.0) -> Tensor:
    """`input + (value * lhs) / rhs`, with NumPy's broadcasting, in the widest type of the three (torch.addcdiv). Infinite or NaN where `rhs`
    is 0."""
    with in_widest(input, lhs, rhs) as (c, a, b):
        return c + (a if value == 1 else a * value) / b


def cross(lhs: Operand, rhs: Operand, dimension: int = -1) -> Tensor:
    """The vector at right angles to two along a dimension of 3, as numpy.cross; other dimensions broadcast."""
    a, b = alike(lhs, rhs)
    if len(a.shape) != len(b.shape):
        raise Error(f"cross: shapes {a.shape} and {b.shape} have different numbers of dimensions")
    dimension = axis("cross", dimension, len(a.shape))
    if a.shape[dimension] != 3 or b.shape[dimension] != 3:
        raise Error(f"cross: dimension {dimension} of shapes {a.shape} and {b.shape} has no 3 elements on both sides")
    (x, y, z), (u, v, w) = (split(one, 3, dimension) for one in (a, b))
    return concat([y * w - z * v, z * u - x * w, x * v - y * u], dimension)


# From here on the root of x^2 + 1 or x^2 - 1 is x, and squares stay finite up to here.
_LARGE = 2.0**28


def _in_own_type(function: Callable[[Tensor], Tensor], input: Operand) -> Tensor:
    own = operand(input)
    with in_float32(own) as (x,):
        result = function(x)
    return as_type(result, own.dtype)


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

    return _in_own_type(lambda x: _of_magnitude(lambda one: _unless_large(from_0, one), x), input)


def acosh(input: Operand) -> Tensor:
    """The number of at least 0 whose hyperbolic cosine each element is, NaN below 1 (numpy.arccosh, torch.acosh). Computed in float32."""

    def from_1(x: Tensor) -> Tensor:
        above = x - 1.0
        return generated.log1p(above + generated.sqrt(above) * generated.sqrt(above + 2.0))

    return _in_own_type(lambda x: _unless_large(from_1, x), input)


def atanh(input: Operand) -> Tensor:
    """The number whose hyperbolic tangent each element is: infinite at -1 and 1, NaN beyond (numpy.arctanh, torch.atanh). Computed in
    float32."""
    return _in_own_type(lambda x: _of_magnitude(lambda one: generated.log1p(one * 2.0 / (1.0 - one)) * 0.5, x), input)
