"""ONNX's layers in our ops: convolutions, pooling, norms, losses, and what draws random numbers.

The `seed` of such an op is not read: each op of a model draws from a stream of its own, which starts at the seed that fit is given."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph import class_losses
from halfstep.graph.graph import type_of
from halfstep.graph.shapes import as_type, in_float32, known_sizes, last_second, second_last
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import avg_pool, batch_norm, both_sides, channels_last, mean_of_images, reach_of_pool, with_channels_last
from halfstep.importers.onnx.node import Handler, Node, Operand, axis_of, dtype_of, known, number, sizes


def _dropout(node: Node, x: Tensor, ratio: Operand = 0.5, training: Operand = None) -> Tensor:
    rate = number(node, 0.5 if ratio is None else ratio, "ratio")
    return ops.dropout(x, rate) if training is not None and number(node, training, "training_mode") else x


def _statistics_of(x: Tensor, *values: Tensor) -> list[Tensor]:
    """Scales, offsets and statistics of a norm of `x` as norms have them, in float32 beside a low type, whatever the file has."""
    return [as_type(one, "float64" if x.dtype == "float64" else "float32") for one in values]


def _layer_norm(node: Node, x: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor | tuple[Tensor, ...]:
    axis = axis_of(node, x)
    if None in x.shape[axis:]:
        node.refuse("the batch cannot be normalized")
    sizes = known_sizes(x.shape[axis:])
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
    return result, *(ops.reshape(as_type(one, dtype), shape) for one in (mean, deviation))


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
        largest = ops.reduce_max(ops.abs(wide), axis, True)
        one, low, high = (ops.constant(number, wide.dtype) for number in (1, factor, 1 / factor))
        rows = wide * ops.select(largest < edge, low, ops.select(largest > 1 / edge, high, one))
        norm = ops.sum(ops.abs(rows) if p == 1 else rows * rows, axis, True)
        norm = ops.select(norm == 0.0, one, norm)  # zeros stay zeros
        result = rows / (norm if p == 1 else ops.sqrt(norm))
    return as_type(result, x.dtype)


def _window(node: Node, image: Sequence[int | None], kernel: Sequence[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Strides, dilations, and the padding before and behind each dimension of an image."""
    rank = len(kernel)
    pads = list(node.get("pads", [0] * 2 * rank))
    strides, dilations = (list(node.get(name, [1] * rank)) for name in ("strides", "dilations"))
    for name, values, count in (("pads", pads, 2 * rank), ("strides", strides, rank), ("dilations", dilations, rank)):
        if len(values) != count:
            node.refuse(f"{name}={values} for {rank} dimensions of images, expected {count} numbers")
    automatic = node.only("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    if automatic == "NOTSET":
        return strides, dilations, pads[:rank], pads[rank:]
    # As many windows as strides fit, the padding shared by both ends.
    whole = [max(0, (-(-size // step) - 1) * step + d * (k - 1) + 1 - size) if automatic != "VALID" else 0
             for size, step, d, k in zip(known_sizes(image), strides, dilations, kernel)]
    less, more = [one // 2 for one in whole], [one - one // 2 for one in whole]
    return strides, dilations, *((less, more) if automatic == "SAME_UPPER" else (more, less))


def _conv(node: Node, x: Tensor, filters: Tensor, bias: Tensor | None = None) -> Tensor:
    own, kernel = with_channels_last(filters), _kernel(node, filters)
    strides, dilations, low, high = _window(node, x.shape[2:], kernel)
    return channels_last(lambda image: ops.conv(image, own, bias, groups=node.get("group", 1), strides=strides, dilations=dilations,
                                                padding=both_sides(low, high)), x)


def _kernel(node: Node, filters: Tensor) -> list[int]:
    sizes = known_sizes(filters.shape[2:])
    if list(node.get("kernel_shape", sizes)) != sizes:
        node.refuse(f"kernel_shape={node.get('kernel_shape')}, and its filters are of {sizes}")
    return sizes


def _conv_transpose(node: Node, x: Tensor, filters: Tensor, bias: Tensor | None = None) -> Tensor:
    kernel, groups = _kernel(node, filters), node.get("group", 1)
    rank, image = len(kernel), known_sizes(x.shape[2:])
    strides, dilations, low, high = _window(node, image, kernel)
    extra = list(node.get("output_padding", [0] * rank))
    whole = [step * (size - 1) + more + d * (k - 1) + 1 for size, step, more, d, k in zip(image, strides, extra, dilations, kernel)]
    wanted = node.get("output_shape")
    if wanted is None and node.get("auto_pad", "").startswith("SAME"):
        wanted = [size * step for size, step in zip(image, strides)]
    if wanted is not None:  # by the padding that it takes
        total = [max(0, a - b) for a, b in zip(whole, wanted[-rank:])]
        low, high = [one // 2 for one in total], [one - one // 2 for one in total]
        low, high = (high, low) if node.get("auto_pad") == "SAME_LOWER" else (low, high)
    sizes = [a - b - c for a, b, c in zip(whole, low, high)] if wanted is None else list(wanted[-rank:])
    own, channels = with_channels_last(filters), known_sizes(filters.shape)[1] * groups

    def spread(image: Tensor) -> Tensor:
        result = ops.conv_transpose(image, own, groups=groups, strides=strides, dilations=dilations, padding=both_sides(low, high),
                                    result=type_of((image.shape[0], *sizes, channels), image.dtype))
        return result if bias is None else result + bias

    return channels_last(spread, x)


def _pool(node: Node, x: Tensor) -> tuple[list[int], list[int], list[int], list[int], list[int], list[int]]:
    """A pooling's window, strides, dilations, padding before and behind, and how far its windows reach behind."""
    kernel = list(node.get("kernel_shape"))
    strides, dilations, low, high = _window(node, x.shape[2:], kernel)
    ceil = node.only("ceil_mode", 0, 1) == 1
    reach = [reach_of_pool(*own, ceil=ceil) for own in zip(known_sizes(x.shape[2:]), kernel, strides, dilations, low, high)]
    return kernel, strides, dilations, low, high, reach


def _max_pool(node: Node, x: Tensor) -> Tensor:
    node.only("storage_order", 0)
    if len(node.outputs) > 1:
        node.refuse("indices are not supported")
    kernel, strides, dilations, low, _, reach = _pool(node, x)
    return channels_last(lambda image: ops.max_pool(image, kernel, strides=strides, dilations=dilations, padding=both_sides(low, reach)), x)


def _average_pool(node: Node, x: Tensor) -> Tensor:
    kernel, strides, dilations, *sides = _pool(node, x)
    if set(dilations) != {1}:
        node.refuse("dilations are not supported")
    return channels_last(lambda image: avg_pool(image, kernel, strides, *sides, count_padding=bool(node.get("count_include_pad", 0))), x)


_COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def _resize(node: Node, x: Tensor, _: Operand = None, scales: Operand = None, given: Operand = None) -> Tensor:
    """Of images, whose rows and channels stay as many."""
    for name, only in (("antialias", 0), ("exclude_outside", 0), ("keep_aspect_ratio_policy", "stretch")):
        node.only(name, only)
    mode, coordinates = node.only("mode", "nearest", "linear", "cubic"), node.only("coordinate_transformation_mode", *_COORDINATES)
    if mode == "cubic":
        node.only("cubic_coeff_a", -0.75)
    rank, axes = len(x.shape), node.get("axes")
    places = list(range(rank)) if axes is None else [one % rank for one in axes]
    factors = [] if scales is None else known(node, scales, "scales").reshape(-1).tolist()
    wanted = list(x.shape)
    for i, place in enumerate(places):
        if factors and factors[i] != 1:
            wanted[place] = int((x.shape[place] or 0) * factors[i])
        elif not factors:
            wanted[place] = sizes(node, given)[i]
    if wanted[:2] != list(x.shape[:2]) or rank < 3:
        node.refuse("only what is behind rows and channels has another size")
    own = dict(zip(places, factors))
    if coordinates == "align_corners" and any((x.shape[place] or 0) * factor % 1 for place, factor in own.items()):
        node.refuse("coordinate_transformation_mode='align_corners' of scales that give no whole sizes is not supported: give sizes")
    settings: dict[str, Any] = {"rounding": node.get("nearest_mode", "round_prefer_floor")} if mode == "nearest" else {}
    if factors and coordinates != "align_corners":
        settings["scales"] = [own.get(place, 1.0) for place in range(2, rank)]
    return channels_last(lambda image: ops.resize(image, known_sizes(wanted[2:]), mode=mode, coordinates=coordinates, **settings), x)


def _depth_to_space(node: Node, x: Tensor) -> Tensor:
    """Blocks of pixels of channels, which come first (DCR) or last (CRD)."""
    block, mode, rows, (channels, height, width) = node.get("blocksize"), node.only("mode", "DCR", "CRD"), x.shape[0], known_sizes(x.shape[1:])
    depth = channels // block**2
    shape, order = ((block, block, depth), [0, 3, 4, 1, 5, 2]) if mode == "DCR" else ((depth, block, block), [0, 1, 4, 2, 5, 3])
    return ops.reshape(ops.transpose(ops.reshape(x, (rows, *shape, height, width)), order), (rows, depth, height * block, width * block))


def _space_to_depth(node: Node, x: Tensor) -> Tensor:
    block, mode, rows, (channels, *image) = node.get("blocksize"), node.only("mode", "DCR", "CRD"), x.shape[0], known_sizes(x.shape[1:])
    height, width = (size // block for size in image)
    order = [0, 3, 5, 1, 2, 4] if mode == "DCR" else [0, 1, 3, 5, 2, 4]
    return ops.reshape(ops.transpose(ops.reshape(x, (rows, channels, height, block, width, block)), order), (rows, channels * block**2, height, width))


def _class_loss(takes_logits: bool) -> Handler:
    """Losses of labels, of rows whose classes come second; the probabilities' logarithms are the second result."""

    def handle(node: Node, x: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor | tuple[Tensor, Tensor]:
        reduction, ignored = node.only("reduction", "mean", "sum", "none"), node.get("ignore_index")
        with in_float32(second_last(x), weight) as (rows, own):
            logs = ops.log_softmax(rows) if takes_logits else rows
            if reduction == "mean":
                found = class_losses.nll_loss(logs, labels, weight=own, ignore_label=ignored)
            else:
                found = class_losses.of_labels(logs, labels, own, ignored, 0.0, reduction)
        return (found, last_second(logs)) if any(node.outputs[1:]) else found

    return handle


def _batch_norm(node: Node, x: Tensor, *statistics: Tensor) -> Tensor | tuple[Tensor, ...]:
    scale, offset, *running = _statistics_of(x, *statistics)
    epsilon, momentum = node.get("epsilon", 1e-5), node.get("momentum", 0.9)
    if not node.get("training_mode", 0):
        return channels_last(lambda image: ops.batch_norm_inference(image, scale, offset, *running, epsilon=epsilon), x)
    found = batch_norm(x, scale, offset, epsilon)
    if not any(node.outputs[1:]):
        return found
    wide, others = as_type(x, scale.dtype), [i for i in range(len(x.shape)) if i != 1]
    own = ops.mean(wide, others), ops.var(wide, others, correction=0)
    return found, *(last * momentum + one * (1 - momentum) for last, one in zip(running, own))


def _settings(node: Node, like: Tensor | None) -> dict[str, Any]:
    dtype = dtype_of(node, "dtype") if "dtype" in node.attributes else "float32" if like is None else like.dtype
    if "float" not in dtype:
        node.refuse(f"numbers of {dtype} are not drawn, only of floats")
    return {"dtype": dtype, **({"shape": node.get("shape")} if like is None else {"like": like})}


def _of(function: Callable[..., Tensor], **names: str) -> Handler:
    """Of the shape that an attribute says or an input has; `names` are its other attributes, by ours."""

    def handle(node: Node, like: Tensor | None = None) -> Tensor:
        return function(**_settings(node, like), **{own: node.attributes[name] for own, name in names.items() if name in node.attributes})

    return handle


def _bernoulli(node: Node, x: Tensor) -> Tensor:
    drawn = ops.random_bernoulli(x)
    return ops.cast(drawn, dtype_of(node, "dtype")) if "dtype" in node.attributes else drawn


RANDOM: dict[str, Handler] = {
    "Bernoulli": _bernoulli,
    **dict.fromkeys(["RandomNormal", "RandomNormalLike"], _of(ops.random_normal, mean="mean", std="scale")),
    **dict.fromkeys(["RandomUniform", "RandomUniformLike"], _of(ops.random_uniform, low="low", high="high")),
}
LAYERS: dict[str, Handler] = {
    **RANDOM,
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "DepthToSpace": _depth_to_space,
    "Dropout": _dropout,
    "Einsum": lambda node, *operands: ops.einsum(node.get("equation"), *operands),
    "GlobalAveragePool": lambda node, x: mean_of_images(x, True),
    "GlobalMaxPool": lambda node, x: channels_last(lambda image: ops.max_pool(image, list(image.shape[1:-1]), strides=list(image.shape[1:-1])), x),
    "GroupNormalization": _group_norm,
    "InstanceNormalization": lambda node, x, scale, bias: _group_norm(node, x, scale, bias, x.shape[1]),
    "LayerNormalization": _layer_norm,
    "LpNormalization": _normalize,
    "MaxPool": _max_pool,
    "NegativeLogLikelihoodLoss": _class_loss(False),
    "Resize": _resize,
    "SoftmaxCrossEntropyLoss": _class_loss(True),
    "SpaceToDepth": _space_to_depth,
}
