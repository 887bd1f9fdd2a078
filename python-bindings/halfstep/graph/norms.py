"""Norms of vectors, and tensors divided by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from halfstep.graph import generated
from halfstep.graph.graph import operand
from halfstep.graph.reductions import reduce_max, reduce_min, sum
from halfstep.graph.shapes import alike, as_type, broadcast, cast, constant, in_float32, known_sizes, transpose, without
from halfstep.hints.types import Operand, Sizes, Tensor
from halfstep_runtime._errors import Error, axes, axis, integer, number_of, several, shown


def l2_norm(input: Operand, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The root of the sum of squares along dimensions, or of all elements; in float32, as autocast of PyTorch has it. Of a vector of
    zeros the gradient is 0."""
    with in_float32(input) as (x,):
        rank = len(x.shape)
        return generated.l2_norm(x, list(range(rank)) if dimensions is None else axes("l2_norm", dimensions, rank), keep_dims=keep_dims)


def _power(x: Tensor, exponent: float) -> Tensor:
    """A power of what is at least 0, with the gradient 0 at 0, where the power's own is infinite: the norm of a vector of zeros has a
    gradient, as in PyTorch. NaN stays NaN."""
    is_zero = generated.compare("eq", x, 0.0)
    return generated.select(is_zero, 0.0 if exponent > 0 else math.inf, generated.pow(generated.select(is_zero, 1.0, x), exponent))


def _number(name: str, value: Any) -> float:
    number = math.nan if isinstance(value, (bool, str)) else number_of(name, value)
    if math.isnan(number):
        raise Error(f"{name} is {shown(value)}, expected a number")
    return number


def vector_norm(input: Operand, order: float = 2, dimensions: Sizes | None = None, keep_dims: bool = False) -> Tensor:
    """The norm of vectors along dimensions, or of all elements: the root of order `order` of the sum of powers of magnitudes; of inf the
    largest magnitude, of -inf the smallest, of 0 the number of elements that are not 0 (torch.linalg.vector_norm, torch.norm). Computed in
    float32. Of a vector of zeros the gradient is 0."""
    order = _number("vector_norm: order", order)
    if order == 2:
        return l2_norm(input, dimensions, keep_dims)
    with in_float32(input) as (x,):
        if order == 0:
            return sum(cast(generated.compare("ne", x, 0.0), x.dtype), dimensions, keep_dims)
        magnitudes = generated.abs(x)
        if math.isinf(order):
            return (reduce_max if order > 0 else reduce_min)(magnitudes, dimensions, keep_dims)
        if order == 1:
            return sum(magnitudes, dimensions, keep_dims)
        powers = _power(magnitudes, order) if order < 1 else generated.pow(magnitudes, order)
        return _power(sum(powers, dimensions, keep_dims), 1 / order)


def matrix_norm(input: Operand, order: Literal["fro"] | float = "fro", dimensions: Sequence[int] = (-2, -1), keep_dims: bool = False) -> Tensor:
    """The norm of matrices in two dimensions: "fro", the root of the sum of squares; 1 and -1, the largest and smallest sum of magnitudes
    of a column, inf and -inf of a row (torch.linalg.matrix_norm). Computed in float32. Orders of singular values, 2, -2 and "nuc", are an
    error."""
    input = operand(input)
    rank = len(input.shape)
    dimensions = several("matrix_norm: dimensions", dimensions)
    if len(dimensions) != 2:
        raise Error(f"matrix_norm: dimensions are {shown(dimensions)}, expected two")
    row, column = (axis("matrix_norm", one, rank) for one in dimensions)
    if row == column:
        raise Error(f"matrix_norm: dimensions {shown(dimensions)} are one")
    given, order = order, order if isinstance(order, str) else _number("matrix_norm: order", order)
    if order == "fro":
        return l2_norm(input, (row, column), keep_dims)
    if order in (2, -2, "nuc"):
        raise Error(f'matrix_norm: order {shown(given)} takes singular values, and singular values are not supported; expected "fro", 1, -1, inf or -inf')
    if order not in (1, -1, math.inf, -math.inf):
        raise Error(f'matrix_norm: order is {shown(given)}, expected "fro", 1, -1, inf or -inf')
    with in_float32(input) as (x,):
        added, compared = (row, column) if abs(order) == 1 else (column, row)
        sums = sum(generated.abs(x), added, True)
        found = (reduce_max if order > 0 else reduce_min)(sums, compared, True)
        return found if keep_dims else without(found, (row, column))


def renorm(input: Operand, order: float, dimension: int, most: float) -> Tensor:
    """Each slice at one index of a dimension, divided so that its norm is at most `most`: by norm / most, 1e-7 added to the norm
    (torch.renorm). Computed in float32."""
    input = operand(input)
    if not _number("renorm: most", most) >= 0:
        raise Error(f"renorm: most is {shown(most)}, expected a number of at least 0")
    dimension = axis("renorm", dimension, len(input.shape))
    with in_float32(input) as (x,):
        norms = vector_norm(x, order, [one for one in range(len(x.shape)) if one != dimension], True)
        factors = generated.select(norms > most, most / (norms + 1e-7), constant(1.0, x.dtype))
        return x * factors


def normalize(input: Operand, dimensions: Sizes = -1, epsilon: float = 1e-12) -> Tensor:
    """Vectors along dimensions, divided by their length, or by `epsilon` where that is more (torch.nn.functional.normalize).
    Computed in float32."""
    with in_float32(input) as (x,):
        rank = len(x.shape)
        dimensions = axes("normalize", dimensions, rank)
        if rank and dimensions == [rank - 1]:
            return generated.l2_normalize(x, epsilon=epsilon)
        # The root of the larger one: its gradient is 0 where the vector is, not 0 times the infinite one of a root of 0.
        squares = generated.max(sum(x * x, dimensions, True), float(epsilon) * float(epsilon))
        return x * generated.rsqrt(squares)


def cosine_similarity(lhs: Operand, rhs: Operand, dimension: int = -1, epsilon: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension of what both broadcast to. Computed in float32."""
    a, b = alike(lhs, rhs)
    if a.shape != b.shape:  # of a vector that is repeated the length is that of all
        both = a * b
        a, b = (one if one.shape == both.shape else broadcast(one, like=both) for one in (a, b))
    rank = len(a.shape)
    dimension = axis("cosine_similarity", dimension, rank)
    if a.shape[dimension] == 0:
        return sum(a * b, dimension)
    if dimension != rank - 1:
        order = [*(one for one in range(rank) if one != dimension), dimension]
        a, b = (transpose(one, order) for one in (a, b))
    return generated.cosine_similarity(a, b, epsilon=epsilon)


def group_norm(input: Operand, groups: int, scale: Operand | None = None, offset: Operand | None = None, *, epsilon: float = 1e-5) -> Tensor:
    """Each row's channels in groups, normalized to mean 0 and variance 1, over channels and places, scaled and shifted by
    channel. Channels are last, as in images here; statistics are float32 as those of `layer_norm`."""
    input = operand(input)
    if len(input.shape) < 2 or None in input.shape[1:]:
        raise Error(f"group_norm: shape {input.shape} has no known channels and places behind a batch")
    channels = known_sizes(input.shape[-1:])[0]
    groups = integer("group_norm: groups", groups, 1)
    if channels % groups:
        raise Error(f"{channels} channels are not divided by {groups} groups")
    wide: Literal["float32", "float64"] = "float64" if input.dtype == "float64" else "float32"
    scale, offset = (constant([number] * channels, wide) if one is None else as_type(operand(one), wide) for one, number in ((scale, 1.0), (offset, 0.0)))
    return generated.group_norm(input, scale, offset, groups, epsilon=epsilon)
