"""ATen's layers and norms in our ops."""

from __future__ import annotations

import math

from halfstep import ops
from halfstep.graph.graph import type_of
from halfstep.importers.images import channels_last, filter_of, mean_of_images
from halfstep.importers.torch.operands import alike, filled, tensor_of
from halfstep_runtime._errors import Error


def _linear(call, x, weight, bias=None):
    x, weight, bias = alike(x, weight, bias)
    if len(x.shape) == 1:
        product = ops.matmul(ops.reshape(x, (1, *x.shape)), weight, bias, transpose_rhs=True)
        return ops.reshape(product, product.shape[1:])
    return ops.matmul(x, weight, bias, transpose_rhs=True)


def _attention(call, query, key, value, mask=None, dropout=0.0, is_causal=False, scale=None, enable_gqa=False):
    query, key, value = alike(query, key, value)
    mask = None if mask is None else tensor_of(mask)
    return ops.scaled_dot_product_attention(query, key, value, mask, dropout, is_causal, scale)


def _einsum(call, equation, operands, path=None):
    return ops.einsum(equation, *alike(*operands))


def _rows(x, normalized, *weights):
    """The dimensions that are normalized, as one."""
    size = math.prod(normalized)
    flat = x if len(normalized) == 1 else ops.reshape(x, (*x.shape[: len(x.shape) - len(normalized)], size))
    return flat, [None if one is None else tensor_of(one) if len(normalized) == 1 else ops.reshape(tensor_of(one), (size,))
                  for one in weights]


def _layer_norm(call, x, normalized, weight=None, bias=None, epsilon=1e-5, *_):
    x = tensor_of(x)
    flat, (weight, bias) = _rows(x, normalized, weight, bias)
    scale = weight if weight is not None else filled(1.0, flat)
    offset = bias if bias is not None else filled(0.0, flat)
    result = ops.layer_norm(flat, scale, offset, epsilon=epsilon)
    return result if result.shape == x.shape else ops.reshape(result, x.shape)


def _group_norm(call, x, groups, weight=None, bias=None, epsilon=1e-5, *_):
    weight, bias = (None if one is None else tensor_of(one) for one in (weight, bias))
    return channels_last(lambda image: ops.group_norm(image, groups, weight, bias, epsilon=epsilon), tensor_of(x))


def _rms_norm(call, x, normalized, weight=None, epsilon=None):
    x = tensor_of(x)
    flat, (weight,) = _rows(x, normalized, weight)
    epsilon = 2.0**-23 if epsilon is None else epsilon  # that of float32
    result = ops.rms_norm(flat, weight if weight is not None else filled(1.0, flat), epsilon=epsilon)
    return result if result.shape == x.shape else ops.reshape(result, x.shape)


def _batch_norm(call, x, weight, bias, mean, variance, training, momentum, epsilon, *_):
    if mean is None or variance is None:
        raise Error("running statistics are needed: track_running_stats=True")
    x = tensor_of(x)
    scale = tensor_of(weight) if weight is not None else filled(1.0, mean)
    offset = tensor_of(bias) if bias is not None else filled(0.0, mean)
    if not training:
        return channels_last(lambda y: ops.batch_norm_inference(y, scale, offset, mean, variance, epsilon=epsilon), x)
    if momentum is None:
        raise Error("momentum=None is not supported, only a number")

    def normalized(y):
        result, batch_mean, batch_variance, count = ops.batch_norm(y, scale, offset, epsilon=epsilon)
        nodes = call.node.args[3], call.node.args[4]
        for node, running, batch, unbiased in ((nodes[0], mean, batch_mean, False), (nodes[1], variance, batch_variance, True)):
            call.assigned[node] = ops.update_running(running, batch, count, momentum=momentum, unbiased=unbiased)
        return result

    return channels_last(normalized, x)


def _instance_norm(call, x, weight, bias, mean, variance, from_input, momentum, epsilon, *_):
    x = tensor_of(x)
    if not from_input:
        return _batch_norm(call, x, weight, bias, mean, variance, False, momentum, epsilon)
    if mean is not None:
        raise Error("running statistics of an instance norm are not updated: track_running_stats=False, or eval()")
    return _group_norm(call, x, x.shape[1], weight, bias, epsilon)


def _cosine_similarity(call, a, b, dimension=1, epsilon=1e-8):
    a, b = alike(a, b)
    return ops.cosine_similarity(a, b, dimension, epsilon)


# Images: PyTorch's are NCHW


def _each(value, rank: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * rank if len(values) == 1 else values


def _sides(padding, rank: int):
    if isinstance(padding, str):
        return padding
    return [side for one in _each(padding, rank) for side in (one, one)]


def _conv(call, x, weight, bias, stride, padding, dilation, groups, *_):
    x, weight, bias = alike(x, weight, bias)
    rank = len(weight.shape) - 2
    if len(x.shape) != rank + 2:
        raise Error("images without a batch are not supported")
    own = filter_of(weight)
    return channels_last(
        lambda image: ops.conv(image, own, bias, strides=_each(stride, rank), padding=_sides(padding, rank),
                               dilations=_each(dilation, rank), groups=groups), x)


def _conv_transpose(call, x, weight, bias, stride, padding, output_padding, groups, dilation):
    x, weight, bias = alike(x, weight, bias)
    rank = len(weight.shape) - 2
    if len(x.shape) != rank + 2:
        raise Error("images without a batch are not supported")
    own = filter_of(weight)
    sizes = call.shape

    def spread(image):
        result = ops.conv_transpose(image, own, strides=_each(stride, rank), padding=_sides(padding, rank),
                                    dilations=_each(dilation, rank), groups=groups,
                                    result=type_of((image.shape[0], *sizes[2:], sizes[1]), image.dtype))
        return result if bias is None else result + bias

    return channels_last(spread, x)


def _max_pool(rank):
    def handle(call, x, size, stride, padding, dilation, *_):
        call.only("ceil_mode", False)
        size = _each(size, rank)
        return channels_last(
            lambda image: ops.max_pool(image, size, strides=_each(stride, rank) if stride else size,
                                       padding=_sides(padding, rank), dilations=_each(dilation, rank)), tensor_of(x))

    return handle


def _avg_pool(rank):
    def handle(call, x, size, stride, padding, ceil_mode, counts, *_):
        call.only("ceil_mode", False)
        if "divisor_override" in call.named:
            call.only("divisor_override", None)
        size = _each(size, rank)
        return channels_last(
            lambda image: ops.avg_pool(image, size, strides=_each(stride, rank) if stride else size,
                                       padding=_sides(padding, rank), count_padding=counts), tensor_of(x))

    return handle


def _adaptive_avg_pool(rank):
    def handle(call, x, size):
        x = tensor_of(x)
        wanted, given = _each(size, rank), x.shape[-rank:]
        if all(one == 1 for one in wanted):
            return mean_of_images(x, True) if len(x.shape) == rank + 2 else ops.mean(x, list(range(-rank, 0)), True)
        if any(a % b for a, b in zip(given, wanted)):
            raise Error(f"{list(given)} are not divided by {wanted}: windows of different sizes are not supported")
        window = [a // b for a, b in zip(given, wanted)]
        return channels_last(lambda image: ops.avg_pool(image, window, strides=window, count_padding=False), x)

    return handle


def _dropout(call, x, rate, training):
    return ops.dropout(tensor_of(x), rate) if training and rate else tensor_of(x)


def _feature_dropout(call, x, rate, training):
    x = tensor_of(x)
    return ops.dropout(x, rate, shared=list(range(2, len(x.shape)))) if training and rate else x


LAYERS = {
    "adaptive_avg_pool1d": _adaptive_avg_pool(1),
    "adaptive_avg_pool2d": _adaptive_avg_pool(2),
    "adaptive_avg_pool3d": _adaptive_avg_pool(3),
    "avg_pool1d": _avg_pool(1),
    "avg_pool2d": _avg_pool(2),
    "avg_pool3d": _avg_pool(3),
    "batch_norm": _batch_norm,
    "conv1d": _conv,
    "conv2d": _conv,
    "conv3d": _conv,
    "conv_transpose1d": _conv_transpose,
    "conv_transpose2d": _conv_transpose,
    "conv_transpose3d": _conv_transpose,
    "cosine_similarity": _cosine_similarity,
    "dropout": _dropout,
    "einsum": _einsum,
    "feature_dropout": _feature_dropout,
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
    "layer_norm": _layer_norm,
    "linear": _linear,
    "max_pool1d": _max_pool(1),
    "max_pool2d": _max_pool(2),
    "max_pool3d": _max_pool(3),
    "rms_norm": _rms_norm,
    "scaled_dot_product_attention": _attention,
}
