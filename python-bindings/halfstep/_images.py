"""Images of importers: channels come second there, and last in our ops."""

from __future__ import annotations

from halfstep import ops
from halfstep._graph import Tensor


def channels_last(function, x: Tensor) -> Tensor:
    """An op on images with the channels last, on such where they come second. What comes from another such op is taken as it was
    before it was transposed, so that between two of them nothing moves."""
    rank = len(x.shape)
    if rank <= 2:
        return function(x)
    image = x.channels_last if x.channels_last is not None else ops.transpose(x, [0, *range(2, rank), 1])
    return _channels_second(function(image))


def _channels_second(image: Tensor) -> Tensor:
    rank = len(image.shape)
    result = ops.transpose(image, [0, rank - 1, *range(1, rank - 1)])
    result.channels_last = image
    return result


def elementwise(function, *operands):
    """An op on each element, of operands with the channels last where all have been there."""
    tensors = [one for one in operands if isinstance(one, Tensor)]
    if len({one.shape for one in tensors}) != 1 or any(one.channels_last is None for one in tensors):
        return function(*operands)
    return _channels_second(function(*(one.channels_last if isinstance(one, Tensor) else one for one in operands)))


def mean_of_images(x: Tensor, keep_dims: bool) -> Tensor:
    """The mean of each channel."""
    rank = len(x.shape)
    if x.channels_last is None:
        return ops.mean(x, list(range(2, rank)), keep_dims)
    result = ops.mean(x.channels_last, list(range(1, rank - 1)))
    return ops.reshape(result, (*result.shape, *[1] * (rank - 2))) if keep_dims else result
