"""ONNX's layers in our ops: convolutions, pooling, norms."""

from __future__ import annotations

import math
from typing import Any

import numpy

from halfstep import ops
from halfstep._images import channels_last, mean_of_images
from halfstep._onnx_node import Node, axis_of, tensor


def _dropout(node, x, ratio=0.5, training=None):
    rate = float(numpy.asarray(ratio if ratio is not None else 0.5))
    return ops.dropout(x, rate) if training is not None and bool(numpy.asarray(training)) else x


def _layer_norm(node, x, scale, bias=None):
    x = tensor(x)
    axis = axis_of(node, x)
    if None in x.shape[axis:]:
        node.refuse("the batch cannot be normalized")
    scale = tensor(scale)
    bias = bias if bias is not None else ops.broadcast(ops.constant(0, scale.dtype), scale.shape)
    size = math.prod(x.shape[axis:])

    def as_row(value):
        value = tensor(value)
        return value if tuple(value.shape) == (size,) else ops.reshape(value, (size,))

    row = x if axis == len(x.shape) - 1 else ops.reshape(x, (*x.shape[:axis], size))
    result = ops.layer_norm(row, as_row(scale), as_row(bias), epsilon=node.get("epsilon", 1e-5))
    result = result if row is x else ops.reshape(result, x.shape)
    if not any(node.outputs[1:]):
        return result
    mean = ops.mean(row, -1, True)
    deviation = ops.rsqrt(ops.mean((row - mean) * (row - mean), -1, True) + node.get("epsilon", 1e-5))
    sizes = (*x.shape[:axis], *[1] * (len(x.shape) - axis))
    return result, ops.reshape(mean, sizes), ops.reshape(deviation, sizes)


def _group_norm(node, x, scale, bias, groups=None):
    x = tensor(x)
    groups = node.get("num_groups") if groups is None else groups
    weights = [tensor(one) for one in (scale, bias)]
    if tuple(weights[0].shape) != (x.shape[1],):
        node.refuse("a scale for each group is not supported, only one for each channel")
    return channels_last(lambda image: ops.group_norm(image, groups, *weights, epsilon=node.get("epsilon", 1e-5)), x)


def _normalize(node, x):
    x = tensor(x)
    axis = axis_of(node, x)
    if node.only("p", 2, 1) == 2:
        return ops.normalize(x, axis)
    norm = ops.sum(ops.abs(x), axis, True)
    zero = norm == ops.constant(0, x.dtype)
    return x / ops.select(zero, ops.constant(1, x.dtype), norm)  # zeros stay zeros


def _window(node, rank: int) -> dict[str, Any]:
    """Strides, padding and dilations, as ours has them."""
    node.only("ceil_mode", 0)
    automatic = node.only("auto_pad", "NOTSET", "VALID", "SAME_UPPER")
    pads = list(node.get("pads", [0] * 2 * rank))
    sides = [side for i in range(rank) for side in (pads[i], pads[rank + i])]
    padding = {"NOTSET": sides, "VALID": "valid", "SAME_UPPER": "same"}[automatic]
    return {"strides": node.get("strides", [1] * rank), "padding": padding, "dilations": node.get("dilations", [1] * rank)}


def _conv(node, x, filters, bias=None):
    x, filters = tensor(x), tensor(filters)
    rank = len(filters.shape) - 2
    own = ops.transpose(filters, [0, *range(2, rank + 2), 1])
    bias = None if bias is None else tensor(bias)
    return channels_last(
        lambda image: ops.conv(image, own, bias, groups=node.get("group", 1), **_window(node, rank)), x)


def _max_pool(node, x):
    node.only("storage_order", 0)
    if len(node.outputs) > 1:
        node.refuse("indices are not supported")
    size = node.get("kernel_shape")
    return channels_last(lambda image: ops.max_pool(image, size, **_window(node, len(size))), tensor(x))


def _average_pool(node, x):
    size = node.get("kernel_shape")
    window = _window(node, len(size))
    if set(window.pop("dilations")) != {1}:
        node.refuse("dilations are not supported")
    counts = bool(node.get("count_include_pad", 0))
    return channels_last(lambda image: ops.avg_pool(image, size, count_padding=counts, **window), tensor(x))


def _batch_norm(node, x, scale, bias, mean, variance):
    node.only("training_mode", 0)
    weights = [tensor(one) for one in (scale, bias, mean, variance)]
    return channels_last(
        lambda image: ops.batch_norm_inference(image, *weights, epsilon=node.get("epsilon", 1e-5)), tensor(x))


LAYERS = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "Dropout": _dropout,
    "GlobalAveragePool": lambda node, x: mean_of_images(tensor(x), True),
    "GroupNormalization": _group_norm,
    "InstanceNormalization": lambda node, x, scale, bias: _group_norm(node, x, scale, bias, tensor(x).shape[1]),
    "LayerNormalization": _layer_norm,
    "LpNormalization": _normalize,
    "MaxPool": _max_pool,
}
