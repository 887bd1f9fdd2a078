"""Norms of vectors, and tensors divided by them."""

from __future__ import annotations

import contextlib

from halfstep import _graph, _ops
from halfstep._errors import Error, axes, integer
from halfstep._graph import Tensor
from halfstep._reductions import sum
from halfstep._shapes import cast, constant

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
        rank = len(x.shape)
        dimensions = axes("normalize", dimensions, rank)
        if rank and dimensions == [rank - 1]:
            return _ops.l2_normalize(x, epsilon=epsilon)
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
    channels = known[-1]
    groups = integer("group_norm: groups", groups, 1)
    if channels % groups:
        raise Error(f"{channels} channels are not divided by {groups} groups")
    wide = "float64" if input.dtype == "float64" else "float32"
    scale, offset = (
        constant([number] * channels, wide) if one is None else one if one.dtype == wide else cast(one, wide)
        for one, number in ((scale, 1.0), (offset, 0.0))
    )
    return _ops.group_norm(input, scale, offset, groups, epsilon=epsilon)
