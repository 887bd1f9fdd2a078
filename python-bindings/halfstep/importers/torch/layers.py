"""ATen's layers and norms in our ops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from halfstep import ops
from halfstep.graph.graph import type_of
from halfstep.graph.shapes import known_sizes
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function, batch_norm, both_sides, channels_last, with_channels_last
from halfstep.importers.torch.call import Call, Handler, alike, filled, together
from halfstep.importers.torch.windows import each
from halfstep_runtime._errors import Error


def _on_rows(norm: Function, x: Tensor, sizes: Sequence[int], *weights: Tensor | None) -> Tensor:
    """A norm whose dimensions, the last ones, of these sizes, are one."""
    if len(sizes) == 1:
        return norm(x, *weights)
    size = math.prod(sizes)
    flat = ops.reshape(x, (*x.shape[: len(x.shape) - len(sizes)], size))
    return ops.reshape(norm(flat, *(None if one is None else ops.reshape(one, (size,)) for one in weights)), x.shape)


def _layer_norm(call: Call, x: Tensor, sizes: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, epsilon: float = 1e-5,
                *_: object) -> Tensor:
    return _on_rows(lambda row, scale, offset: ops.layer_norm(row, filled(scale, 1.0, row), filled(offset, 0.0, row), epsilon=epsilon), x, sizes, weight, bias)


def _rms_norm(call: Call, x: Tensor, sizes: Sequence[int], weight: Tensor | None = None, epsilon: float | None = None) -> Tensor:
    epsilon = 2.0**-23 if epsilon is None else epsilon  # that of float32
    return _on_rows(lambda row, scale: ops.rms_norm(row, filled(scale, 1.0, row), epsilon=epsilon), x, sizes, weight)


def _group_norm(call: Call, x: Tensor, groups: int, weight: Tensor | None = None, bias: Tensor | None = None, epsilon: float = 1e-5, *_: object) -> Tensor:
    return channels_last(lambda image: ops.group_norm(image, groups, weight, bias, epsilon=epsilon), x)


def _batch_norm(call: Call, x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None, variance: Tensor | None, training: bool,
                momentum: float | None, epsilon: float, *_: object) -> Tensor:
    scale, offset = filled(weight, 1.0, x, 1), filled(bias, 0.0, x, 1)
    if mean is None or variance is None:
        return batch_norm(x, scale, offset, epsilon)
    if not training:
        return channels_last(lambda y: ops.batch_norm_inference(y, scale, offset, mean, variance, epsilon=epsilon), x)
    if momentum is None:
        raise Error("momentum=None is not supported, only a number")

    def normalized(y: Tensor) -> Tensor:
        result, batch_mean, batch_variance, count = ops.batch_norm(y, scale, offset, epsilon=epsilon)
        nodes = call.node.args[3], call.node.args[4]
        for node, running, batch, unbiased in ((nodes[0], mean, batch_mean, False), (nodes[1], variance, batch_variance, True)):
            call.assigned[node] = ops.update_running(running, batch, count, momentum=momentum, unbiased=unbiased)
        return result

    return channels_last(normalized, x)


def _instance_norm(call: Call, x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None, variance: Tensor | None, from_input: bool,
                   momentum: float | None, epsilon: float, *_: object) -> Tensor:
    if not from_input:
        return _batch_norm(call, x, weight, bias, mean, variance, False, momentum, epsilon)
    if mean is not None:
        raise Error("running statistics of an instance norm are not updated: track_running_stats=False, or eval()")
    return _group_norm(call, x, known_sizes(x.shape[1:])[0], weight, bias, epsilon)


# Images: PyTorch's are NCHW


def _window(weight: Tensor, x: Tensor, stride: Sequence[int], padding: str | Sequence[int], dilation: Sequence[int]) -> dict[str, Any]:
    """What our convolutions call the settings of filters."""
    rank = len(weight.shape) - 2
    if len(x.shape) != rank + 2:
        raise Error("images without a batch are not supported")
    sides = padding if isinstance(padding, str) else both_sides(*[each(padding, rank)] * 2)
    return {"strides": each(stride, rank), "padding": sides, "dilations": each(dilation, rank)}


def _conv(call: Call, x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int, *_: object) -> Tensor:
    x, weight, bias = alike(x, weight, bias)
    window, own = _window(weight, x, stride, padding, dilation), with_channels_last(weight)
    return channels_last(lambda image: ops.conv(image, own, bias, groups=groups, **window), x)


def _conv_transpose(call: Call, x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, output_padding: Any, groups: int,
                    dilation: Any) -> Tensor:
    x, weight, bias = alike(x, weight, bias)
    window, own, sizes = _window(weight, x, stride, padding, dilation), with_channels_last(weight), call.shape

    def spread(image: Tensor) -> Tensor:
        result = ops.conv_transpose(image, own, groups=groups, result=type_of((image.shape[0], *sizes[2:], sizes[1]), image.dtype), **window)
        return result if bias is None else result + bias

    return channels_last(spread, x)


LAYERS: dict[str, Handler] = {
    **dict.fromkeys(["conv1d", "conv2d", "conv3d"], _conv),
    **dict.fromkeys(["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"], _conv_transpose),
    "batch_norm": _batch_norm,
    "cosine_similarity": together(ops.cosine_similarity, 2),
    "dropout": lambda call, x, rate, training: ops.dropout(x, rate) if training and rate else x,
    "einsum": lambda call, equation, operands, path=None: ops.einsum(equation, *alike(*operands)),
    "feature_dropout": lambda call, x, rate, training: ops.dropout(x, rate, shared=list(range(2, len(x.shape)))) if training and rate else x,
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
    "layer_norm": _layer_norm,
    "linear": lambda call, *operands: ops.matmul(*alike(*operands), transpose_rhs=True),
    "rms_norm": _rms_norm,
    "scaled_dot_product_attention": lambda call, query, key, value, *rest: ops.scaled_dot_product_attention(*alike(query, key, value), *rest[:4]),
}
