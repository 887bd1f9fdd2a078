"""ONNX's layers in our ops: convolutions, pooling, norms."""

from __future__ import annotations

import math
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.promotion import in_float32
from halfstep.graph.reductions import along
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import channels_last, filter_of, mean_of_images
from halfstep.importers.onnx.node import Handler, Node, Operand, axis_of, dtype_of, number
from halfstep_runtime._elements import DTypeName


def _dropout(node: Node, x: Tensor, ratio: Operand = 0.5, training: Operand = None) -> Tensor:
    rate = number(node, 0.5 if ratio is None else ratio, "ratio")
    return ops.dropout(x, rate) if training is not None and number(node, training, "training_mode") else x


def _statistics_of(x: Tensor, *values: Tensor) -> list[Tensor]:
    """Scales, offsets and statistics of a norm of `x` as norms have them, in float32 beside a low type, whatever the file has."""
    dtype: DTypeName = "float64" if x.dtype == "float64" else "float32"
    return [one if one.dtype == dtype else ops.cast(one, dtype) for one in values]


def _layer_norm(node: Node, x: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor | tuple[Tensor, ...]:
    axis = axis_of(node, x)
    if None in x.shape[axis:]:
        node.refuse("the batch cannot be normalized")
    sizes = [size or 0 for size in x.shape[axis:]]
    scale, bias = _statistics_of(x, scale, ops.constant(numpy.zeros(sizes, "float32"), "float32") if bias is None else bias)
    size = math.prod(sizes)

    def as_row(value: Tensor) -> Tensor:
        value = value if value.shape == x.shape[axis:] else ops.broadcast(value, x.shape[axis:])
        return value if len(value.shape) == 1 else ops.reshape(value, (size,))

    row = x if axis == len(x.shape) - 1 else ops.reshape(x, (*x.shape[:axis], size))
    result = ops.layer_norm(row, as_row(scale), as_row(bias), epsilon=node.get("epsilon", 1e-5))
    result = result if row is x else ops.reshape(result, x.shape)
    if not any(node.outputs[1:]):
        return result
    with in_float32(row) as (wide,):
        mean = ops.mean(wide, -1, True)
        deviation = ops.rsqrt(ops.mean((wide - mean) * (wide - mean), -1, True) + node.get("epsilon", 1e-5))
    shape, dtype = (*x.shape[:axis], *[1] * (len(x.shape) - axis)), dtype_of(node, "stash_type", 1)
    return result, *(ops.reshape(one if one.dtype == dtype else ops.cast(one, dtype), shape) for one in (mean, deviation))


def _group_norm(node: Node, x: Tensor, scale: Tensor, bias: Tensor, groups: int | None = None) -> Tensor:
    groups = node.get("num_groups") if groups is None else groups
    weights = _statistics_of(x, scale, bias)
    if tuple(weights[0].shape) != (x.shape[1],):
        node.refuse("a scale for each group is not supported, only one for each channel")
    return channels_last(lambda image: ops.group_norm(image, groups, *weights, epsilon=node.get("epsilon", 1e-5)), x)


def _normalize(node: Node, x: Tensor) -> Tensor:
    axis, p = axis_of(node, x), node.only("p", 2, 1)
    with in_float32(x) as (wide,):
        # Rows whose squares are no normal numbers are multiplied by a power of 2: their norm is that of ONNX, which has no epsilon.
        edge, factor = (2.0**-320, 2.0**640) if wide.dtype == "float64" else (2.0**-40, 2.0**80)
        largest = along(ops.reduce_max, ops.abs(wide), [axis], True)
        one, low, high = (ops.constant(number, wide.dtype) for number in (1, factor, 1 / factor))
        rows = wide * ops.select(largest < edge, low, ops.select(largest > 1 / edge, high, one))
        norm = ops.sum(ops.abs(rows) if p == 1 else rows * rows, axis, True)
        norm = ops.select(norm == 0.0, one, norm)  # zeros stay zeros
        result = rows / (norm if p == 1 else ops.sqrt(norm))
    return result if result.dtype == x.dtype else ops.cast(result, x.dtype)


def _window(node: Node, rank: int) -> dict[str, Any]:
    """Strides, padding and dilations, as ours has them."""
    node.only("ceil_mode", 0)
    automatic = node.only("auto_pad", "NOTSET", "VALID", "SAME_UPPER")
    pads = list(node.get("pads", [0] * 2 * rank))
    strides, dilations = (list(node.get(name, [1] * rank)) for name in ("strides", "dilations"))
    for name, values, count in (("pads", pads, 2 * rank), ("strides", strides, rank), ("dilations", dilations, rank)):
        if len(values) != count:
            node.refuse(f"{name}={values} for {rank} dimensions of images, expected {count} numbers")
    sides = [side for i in range(rank) for side in (pads[i], pads[rank + i])]
    padding = {"NOTSET": sides, "VALID": "valid", "SAME_UPPER": "same"}[automatic]
    return {"strides": strides, "padding": padding, "dilations": dilations}


def _conv(node: Node, x: Tensor, filters: Tensor, bias: Tensor | None = None) -> Tensor:
    rank, sizes = len(filters.shape) - 2, list(filters.shape[2:])
    if list(node.get("kernel_shape", sizes)) != sizes:
        node.refuse(f"kernel_shape={node.get('kernel_shape')}, and its filters are of {sizes}")
    own = filter_of(filters)
    return channels_last(lambda image: ops.conv(image, own, bias, groups=node.get("group", 1), **_window(node, rank)), x)


def _max_pool(node: Node, x: Tensor) -> Tensor:
    node.only("storage_order", 0)
    if len(node.outputs) > 1:
        node.refuse("indices are not supported")
    size = node.get("kernel_shape")
    return channels_last(lambda image: ops.max_pool(image, size, **_window(node, len(size))), x)


def _average_pool(node: Node, x: Tensor) -> Tensor:
    size = node.get("kernel_shape")
    window = _window(node, len(size))
    if set(window.pop("dilations")) != {1}:
        node.refuse("dilations are not supported")
    counts = bool(node.get("count_include_pad", 0))
    return channels_last(lambda image: ops.avg_pool(image, size, count_padding=counts, **window), x)


def _batch_norm(node: Node, x: Tensor, *statistics: Tensor) -> Tensor:
    node.only("training_mode", 0)
    weights = _statistics_of(x, *statistics)
    return channels_last(lambda image: ops.batch_norm_inference(image, *weights, epsilon=node.get("epsilon", 1e-5)), x)


LAYERS: dict[str, Handler] = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "Dropout": _dropout,
    "Einsum": lambda node, *operands: ops.einsum(node.get("equation"), *operands),
    "GlobalAveragePool": lambda node, x: mean_of_images(x, True),
    "GroupNormalization": _group_norm,
    "InstanceNormalization": lambda node, x, scale, bias: _group_norm(node, x, scale, bias, x.shape[1]),
    "LayerNormalization": _layer_norm,
    "LpNormalization": _normalize,
    "MaxPool": _max_pool,
}
