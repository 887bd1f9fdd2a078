"""Images of importers: channels come second there, and last in our ops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy

from halfstep import ops
from halfstep.graph.graph import current
from halfstep.graph.shapes import known_sizes, last_second, second_last
from halfstep.graph.tensor import Tensor
from halfstep.layers.leaves import Filter, Leaf

# An op, or what is made of some; and a rule of an importer: of a node or a call, and its operands, a tensor or several.
Function: TypeAlias = Callable[..., Tensor]
Handler: TypeAlias = Callable[..., Any]

# Ops on each element that PyTorch, ONNX and ours have under one name, which ONNX writes with a capital.
UNARY = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor", "log", "neg", "reciprocal", "relu",
         "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"]


def channels_last(function: Function, x: Tensor) -> Tensor:
    """An op on images with the channels last, on such where they come second. What comes from another such op is taken as it was
    before it was transposed, so that between two of them nothing moves."""
    return function(x) if len(x.shape) <= 2 else _channels_second(function(with_channels_last(x)))


def _channels_second(image: Tensor) -> Tensor:
    result = last_second(image)
    result.channels_last = image
    return result


def leaf_tensor(leaf: Leaf) -> Tensor:
    """The tensor of a leaf of an imported model, in the order that it has there."""
    tensor = current().leaf(leaf)
    return _channels_second(tensor) if isinstance(leaf, Filter) else tensor


def with_channels_last(x: Tensor) -> Tensor:
    """Images or filters with their channels last, of such where they come second."""
    return x.channels_last if x.channels_last is not None else second_last(x)


def elementwise(function: Function, *operands: Any) -> Tensor:
    """An op on each element of tensors and numbers, with the channels last where one of the tensors has been there and the others come there
    without a move: what is broadcast over pixels or channels, as a bias of each channel, is reshaped."""
    rank = max((len(one.shape) for one in operands if isinstance(one, Tensor)), default=0)
    if not any(isinstance(one, Tensor) and _is_image(one, rank) for one in operands):
        return function(*operands)
    moved = [_beside_images(one, rank) if isinstance(one, Tensor) else one for one in operands]
    return function(*operands) if any(one is None for one in moved) else _channels_second(function(*moved))


def _is_image(x: Tensor, rank: int) -> bool:
    return len(x.shape) == rank and x.channels_last is not None


def _beside_images(x: Tensor, rank: int) -> Tensor | None:
    """What is broadcast to images of so many dimensions, as it is to those whose channels are last; None where its elements would have to move."""
    if _is_image(x, rank):
        return x.channels_last
    sizes = (1,) * (rank - len(x.shape)) + x.shape
    order = [0, *range(2, rank), 1]
    kept = [i for i in order if sizes[i] != 1]
    if kept != sorted(kept) or None in x.shape[1:]:
        return None
    shape = list(itertools.dropwhile(lambda size: size == 1, (sizes[i] for i in order)))
    return x if tuple(shape) == x.shape else ops.reshape(x, shape)


def batch_norm(x: Tensor, scale: Tensor, offset: Tensor, epsilon: float) -> Tensor:
    """By the statistics of the batch itself. Of one row each channel is one: so weights are standardized, which stay where they are."""
    if x.shape[0] != 1 or len(x.shape) != 3:
        return channels_last(lambda image: ops.batch_norm(image, scale, offset, epsilon=epsilon)[0], x)
    size = known_sizes(x.shape)[2]
    rows = ops.layer_norm(x, ops.constant(numpy.ones(size), scale.dtype), ops.constant(numpy.zeros(size), scale.dtype), epsilon=epsilon)
    return rows * ops.reshape(scale, (-1, 1)) + ops.reshape(offset, (-1, 1))


def mean_of_images(x: Tensor, keep_dims: bool) -> Tensor:
    """The mean of each channel."""
    rank = len(x.shape)
    if x.channels_last is None:
        return ops.mean(x, list(range(2, rank)), keep_dims)
    result = ops.mean(x.channels_last, list(range(1, rank - 1)))
    return ops.reshape(result, (*result.shape, *[1] * (rank - 2))) if keep_dims else result


def reach_of_pool(size: int, window: int, stride: int, dilation: int, low: int, high: int, *, ceil: bool) -> int:
    """The padding behind a dimension of a pooling. With `ceil` its last window, which starts in the image or before it, may reach farther."""
    extent = dilation * (window - 1) + 1
    count = (size + low + high - extent + (stride - 1 if ceil else 0)) // stride + 1
    count -= ceil and (count - 1) * stride >= size + low
    return max(high, (count - 1) * stride + extent - low - size)


def both_sides(low: Iterable[int], high: Iterable[int]) -> list[int]:
    """Padding as our ops have it: before and behind each dimension."""
    return [side for pair in zip(low, high) for side in pair]


def avg_pool(image: Tensor, window: list[int], strides: list[int], low: list[int], high: list[int], reach: list[int], *, count_padding: bool) -> Tensor:
    """Means of windows of images padded by `low` and `high`; what is beyond, where windows `reach` farther, does not count."""
    if count_padding and reach != high:
        image, low, reach = ops.pad(image, [0, *low, 0], [0, *high, 0]), [0] * len(low), [a - b for a, b in zip(reach, high)]
        count_padding = False
    return ops.avg_pool(image, window, strides=strides, padding=both_sides(low, reach), count_padding=count_padding)
