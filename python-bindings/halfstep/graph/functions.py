"""Functions of tensors, element by element; of several in the widest of their types."""

from __future__ import annotations

import numbers

from halfstep.graph import generated
from halfstep.graph.graph import Value, listed_as, operand
from halfstep.graph.promotion import alike, in_widest
from halfstep.graph.shapes import cast, concat, split
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error, axis

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
    all else is `mp.pow`, which they keep in float32, as policies of published lists do with all powers."""
    if isinstance(base, Value) and isinstance(exponent, numbers.Real) and exponent in _CHEAP:
        with listed_as("mp.pow"):
            return _CHEAP[exponent](base)
    return generated.pow(base, exponent)


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
    """The smallest whole number that is not less than each element, of floats (numpy.ceil, torch.ceil). The gradient is 0."""
    return generated.neg(generated.floor(generated.neg(operand(input))))


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
