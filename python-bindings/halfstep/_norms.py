"""Norms of vectors, and tensors divided by them."""

from __future__ import annotations

import contextlib
import math

from halfstep import _graph, _ops
from halfstep._errors import Error
from halfstep._graph import Tensor
from halfstep._reductions import sum
from halfstep._shapes import cast, constant, reshape

_LOW = ("float16", "bfloat16")


@contextlib.contextmanager
def in_float32(*tensors: Tensor | None):
    """The tensors, low ones as float32, with autocast off: sums of squares of float16 are infinite beyond 256 of 1.6."""
    with _graph.autocast(enabled=False):
        yield [cast(one, "float32") if one is not None and one.dtype in _LOW else one for one in tensors]


def l2_norm(input: Tensor, dimensions=None, keep_dims=False) -> Tensor:
    """The root of the sum of squares along dimensions, or of all elements; in float32, as autocast of PyTorch has it."""
    with in_float32(input) as (x,):
        return _ops.sqrt(sum(x * x, dimensions, keep_dims))


def normalize(input: Tensor, dimensions=-1, epsilon: float = 1e-12) -> Tensor:
    """Vectors along dimensions, divided by their length, or by `epsilon` where that is more (torch.nn.functional.normalize).
    Computed in float32."""
    with in_float32(input) as (x,):
        # The root of the larger one: its gradient is 0 where the vector is, not 0 times the infinite one of a root of 0.
        squares = _ops.max(sum(x * x, dimensions, True), epsilon * epsilon)
        return x * _ops.rsqrt(squares)


def cosine_similarity(lhs: Tensor, rhs: Tensor, dimension: int = -1, epsilon: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension. Computed in float32."""
    with in_float32(lhs, rhs) as (a, b):
        return sum(normalize(a, dimension, epsilon) * normalize(b, dimension, epsilon), dimension)


def group_norm(input: Tensor, groups: int, scale=None, offset=None, *, epsilon: float = 1e-5) -> Tensor:
    """Each row's channels in groups, normalized to mean 0 and variance 1, over channels and places, scaled and shifted by
    channel. Channels are last, as in images here; statistics are float32 as those of `layer_norm`."""
    known = [one for one in input.shape[1:] if one is not None]
    if not known or len(known) != len(input.shape) - 1:
        raise Error(f"group_norm: shape {input.shape} has no known channels and places behind a batch")
    *between, channels = known
    if groups < 1 or channels % groups:
        raise Error(f"{channels} channels are not divided by {groups} groups")
    size, places = channels // groups, math.prod(between)
    split = reshape(input, (None, places, groups, size))
    rows = reshape(_ops.transpose(split, (0, 2, 1, 3)), (None, groups, places * size))
    ones, zeros = ([value] * (places * size) for value in (1.0, 0.0))
    rows = _ops.layer_norm(rows, constant(ones, input.dtype), constant(zeros, input.dtype), epsilon=epsilon)
    split = _ops.transpose(reshape(rows, (None, groups, places, size)), (0, 2, 1, 3))
    result = reshape(split, (None, *input.shape[1:]))
    result = result if scale is None else result * scale
    return result if offset is None else result + offset
