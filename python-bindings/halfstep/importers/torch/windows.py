"""ATen's ops on windows of images in ours: poolings, and windows as elements."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.shapes import known_sizes, part, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function, avg_pool, both_sides, channels_last, elementwise, mean_of_images, reach_of_pool
from halfstep.importers.torch.call import Call, Handler
from halfstep_runtime._errors import Error, axis


def each(value: int | Sequence[int], rank: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * rank if len(values) == 1 else values


def _only_values(call: Call) -> None:
    """Indices of maxima are no result here."""
    if any(node.target is operator.getitem and node.args[1] == 1 and node.users for node in call.node.users):
        raise Error("the indices of maxima are not supported, only their values: return_indices=False")


def _pool(rank: int, function: Function) -> Handler:
    def handle(call: Call, x: Tensor, size: Any, stride: Any, padding: Any, *_: object) -> Any:
        named = call.named
        window, strides, low = each(size, rank), each(stride, rank) if stride else each(size, rank), each(padding, rank)
        dilations = each(named.get("dilation", 1), rank)
        reach = [reach_of_pool(*own, ceil=bool(named["ceil_mode"])) for own in zip(known_sizes(x.shape[-rank:]), window, strides, dilations, low, low)]
        if function is ops.max_pool:
            _only_values(call)
            sides = both_sides(low, reach)
            found = channels_last(lambda image: ops.max_pool(image, window, strides=strides, padding=sides, dilations=dilations), x)
            return (found, None) if call.op.endswith("indices") else found
        counts, divisor = bool(named["count_include_pad"]), named.get("divisor_override")
        if divisor is None:
            return channels_last(lambda image: avg_pool(image, window, strides, low, low, reach, count_padding=counts), x)
        mean = channels_last(lambda image: avg_pool(image, window, strides, low, reach, reach, count_padding=True), x)
        return elementwise(lambda one: one * (math.prod(window) / divisor), mean)

    return handle


def _adaptive_pool(rank: int, function: Function) -> Handler:
    """Windows start and end at the nearest pixels of equal parts, so that neighbours may overlap: of the last dimension first, as PyTorch's
    first maximum is that of the first row."""
    settings = {"count_padding": False} if function is ops.avg_pool else {}

    def handle(call: Call, x: Tensor, size: Any) -> Any:
        given = known_sizes(x.shape[-rank:])
        wanted = [a if b is None else b for a, b in zip(given, each(size, rank))]
        if function is ops.max_pool:
            _only_values(call)
        elif all(one == 1 for one in wanted):
            return mean_of_images(x, True) if len(x.shape) == rank + 2 else ops.mean(x, list(range(-rank, 0)), True)

        def pooled(image: Tensor) -> Tensor:
            if not any(a % b for a, b in zip(given, wanted) if b):
                window = [a // (b or 1) for a, b in zip(given, wanted)]
                return function(image, window, strides=window, **settings)
            for dim in reversed(range(rank)):
                parts = []
                for i in range(wanted[dim]):
                    start, stop = i * given[dim] // wanted[dim], -(-(i + 1) * given[dim] // wanted[dim])
                    window = [stop - start if one == dim else 1 for one in range(rank)]
                    parts.append(function(part(image, dim + 1, slice(start, stop)), window, strides=window, **settings))
                image = ops.concat(parts, dim + 1)
            return image

        found = channels_last(pooled, x)
        return (found, None) if function is ops.max_pool else found

    return handle


def _unfold(call: Call, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    """The windows of a dimension, each with its elements in a new last one."""
    rank = len(x.shape)
    dim = axis("unfold", dim, rank)
    last = size_of(x, dim, "windows of the batch, whose size is open, are not supported; give batched=False") - size
    return ops.stack([part(x, dim, slice(i, i + last // step * step + 1, step)) for i in range(size)], rank)


def _taps(size: Sequence[int], kernel: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]) -> tuple[list[int], list[Any]]:
    """How often windows fit into each dimension, and the starts of their elements by tap."""
    counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(size, kernel, dilation, padding, stride)]
    return counts, [[i * d for i, d in zip(tap, dilation)] for tap in itertools.product(*map(range, kernel))]


def _im2col(call: Call, x: Tensor, *settings: Sequence[int]) -> Tensor:
    """The windows of an image as columns: [N, channels * taps, windows]."""
    channels, *size = known_sizes(x.shape[1:])
    kernel, dilation, padding, stride = settings
    counts, taps = _taps(size, kernel, dilation, padding, stride)
    padded = ops.pad(x, [0, 0, *padding], [0, 0, *padding])
    parts = [padded[(slice(None), slice(None), *(slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(tap, counts, stride)))] for tap in taps]
    return ops.reshape(ops.stack(parts, 2), (x.shape[0], channels * len(taps), math.prod(counts)))


def _col2im(call: Call, x: Tensor, size: Sequence[int], *settings: Sequence[int]) -> Tensor:
    """Columns as windows of an image, which are added where they meet."""
    kernel, dilation, padding, stride = settings
    counts, taps = _taps(size, kernel, dilation, padding, stride)
    channels = known_sizes(x.shape[1:])[0] // len(taps)
    columns = ops.reshape(x, (x.shape[0], channels, len(taps), *counts))
    # What is behind the last window of a first tap.
    left = [n + 2 * p - (count - 1) * s - 1 for n, p, count, s in zip(size, padding, counts, stride)]
    parts = [ops.pad(columns[:, :, i], [0, 0, *tap], [0, 0, *(n - a for n, a in zip(left, tap))], [0, 0, *(s - 1 for s in stride)])
             for i, tap in enumerate(taps)]
    return functools.reduce(ops.add, parts)[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(padding, size)))]


def _scales(call: Call, rank: int) -> list[float] | None:
    """What a size is multiplied by, where that is given in place of sizes."""
    given = [call.named.get(name) for name in ("scales", "scales_d", "scales_h", "scales_w")]
    scales = call.named.get("scale_factors") or ([one for one in given if one is not None] if rank > 2 else None) or None
    if scales and not min(scales) > 0:
        raise Error(f"scales are above 0, not {scales}")
    return scales


def _resize(mode: Any, coordinates: Any = "half_pixel", **rounding: Any) -> Handler:
    def handle(call: Call, x: Tensor, *_: object) -> Tensor:
        corners, sizes = bool(call.named.get("align_corners")), known_sizes(call.shape[2:])
        scales = None if corners else _scales(call, len(x.shape))
        return channels_last(lambda image: ops.resize(image, sizes, scales=scales, mode=mode, coordinates="align_corners" if corners else coordinates, **rounding), x)

    return handle


def _nearest(shift: float, as_op: Handler) -> Handler:
    """The pixels that PyTorch takes, which multiplies in float32: by index where the op takes others."""

    def handle(call: Call, x: Tensor, *rest: object) -> Any:
        scales = _scales(call, len(x.shape)) or []
        by_index = False
        places = []
        for size, count, scale in zip(known_sizes(x.shape[2:]), known_sizes(call.shape[2:]), scales):
            at = (numpy.arange(count, dtype="float32") + numpy.float32(shift)) * numpy.float32(1 / scale)
            places.append(numpy.minimum(numpy.floor(at), size - 1).astype("int64"))
            by_index |= not numpy.array_equal(places[-1], numpy.minimum((numpy.arange(count) + shift) // scale, size - 1))
        if not by_index:
            return as_op(call, x, *rest)
        for dim, one in enumerate(places, 2):
            x = ops.gather(x, ops.constant(one, "int64"), dim)
        return x

    return handle


_NEAREST = {"upsample_nearest": _nearest(0.0, _resize("nearest", "asymmetric", rounding="floor")),
            "_upsample_nearest_exact": _nearest(0.5, _resize("nearest", rounding="round_prefer_ceil"))}
_RANKS = (1, 2, 3)

_POOLS: dict[str, Function] = {"avg_pool": ops.avg_pool, "max_pool": ops.max_pool}

WINDOWS: dict[str, Handler] = {
    **{f"adaptive_{name}{rank}d": _adaptive_pool(rank, function) for name, function in _POOLS.items() for rank in _RANKS},
    **{f"{name}{rank}d": _pool(rank, function) for name, function in _POOLS.items() for rank in _RANKS},
    **{f"max_pool{rank}d_with_indices": _pool(rank, ops.max_pool) for rank in _RANKS},
    "col2im": _col2im,
    "im2col": _im2col,
    **{f"{name}{rank}d": handler for name, handler in _NEAREST.items() for rank in _RANKS},
    "unfold": _unfold,
    "upsample_bicubic2d": _resize("cubic"),
    **dict.fromkeys(["upsample_bilinear2d", "upsample_linear1d", "upsample_trilinear3d"], _resize("linear")),
}
