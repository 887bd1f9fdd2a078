"""Models of ONNX as modules, which train and run as any other."""

from __future__ import annotations

import collections
import math
import os
from typing import Any

import numpy

from halfstep import nn, ops
from halfstep._along import on_last
from halfstep._errors import Error
from halfstep._graph import DTYPES, Tensor, current
from halfstep._images import channels_last, elementwise, mean_of_images
from halfstep._reductions import along

_LEAST_OPSET = 13
# What reading a file that says nonsense ends with, in onnx, NumPy and the handlers below.
_UNFIT = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


def from_onnx(model) -> OnnxModel:
    """A module from a file, its bytes or a ModelProto. Weights start from the file's values. What it has that Halfstep lacks
    is one error that lists all of it."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        if isinstance(model, (str, os.PathLike)):
            model = onnx.load(os.fspath(model))  # refuses external data outside of the model's folder
        elif isinstance(model, bytes):
            model = onnx.load_model_from_string(model)
        onnx.checker.check_model(model)
    except (DecodeError, onnx.checker.ValidationError, *_UNFIT) as error:
        raise Error(f"not a model of ONNX: {error}") from error
    version = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), _LEAST_OPSET)
    if version < _LEAST_OPSET:
        try:
            model = onnx.version_converter.convert_version(model, _LEAST_OPSET)
        except (RuntimeError, *_UNFIT) as error:
            raise Error(f"the model is of opset {version}, which onnx does not convert to {_LEAST_OPSET}: {error}") from error
    try:
        return OnnxModel(model.graph)
    except _UNFIT as error:
        raise Error(f"not a model of ONNX: {error}") from error


class _Node:
    """A node, with what its handler reads of it."""

    def __init__(self, proto):
        from onnx import helper

        self.op = proto.op_type if proto.domain in ("", "ai.onnx") else f"{proto.domain}.{proto.op_type}"
        self.name = proto.name or f"{proto.op_type} of {proto.output[0]}"
        self.inputs = list(proto.input)
        self.outputs = list(proto.output)
        self.attributes = {one.name: helper.get_attribute_value(one) for one in proto.attribute}

    def refuse(self, why: str):
        raise Error(f"node '{self.name}' ({self.op}): {why}")

    def get(self, name: str, otherwise=None):
        value = self.attributes.get(name, otherwise)
        return value.decode() if isinstance(value, bytes) else value

    def only(self, name: str, *accepted):
        """Refuses values of an attribute that the handler does not know."""
        value = self.get(name, accepted[0])
        if value not in accepted:
            self.refuse(f"{name}={value!r} is not supported, only {', '.join(map(repr, accepted))}")
        return value


class OnnxModel(nn.Module):
    """The graph of a model of ONNX."""

    def __init__(self, graph):
        from onnx import numpy_helper

        self._nodes = [_Node(one) for one in graph.node]
        missing = collections.defaultdict(list)
        for node in self._nodes:
            if node.op not in HANDLERS:
                missing[node.op].append(node.name)
        if missing:
            lines = [f"  {op}: {len(names)}, as '{names[0]}'" for op, names in sorted(missing.items())]
            raise Error("the model has ops that Halfstep does not:\n" + "\n".join(lines))
        self._constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        self._weights = {
            name: nn.Parameter(value.shape, "zeros", value.dtype, value=value)
            for name, value in self._constants.items()
            if value.ndim and value.dtype.name in ("float16", "float32", "float64", "bfloat16")
        }
        inputs = [one for one in graph.input if one.name not in self._constants]
        self.specify(**{one.name: _input_of(one) for one in inputs})
        self._outputs = [one.name for one in graph.output]

    def children(self):
        yield from self._weights.items()

    def input_names(self):
        return list(self._inputs)

    def forward(self, *inputs):
        values = {**self._constants, **self._weights, **dict(zip(self._inputs, inputs, strict=True)), "": None}
        scope = current().scope
        for node in self._nodes:
            scope.append(node.name)  # what policies and reports name its ops by
            try:
                results = HANDLERS[node.op](node, *(values[name] for name in node.inputs))
            except _UNFIT as error:
                raise Error(f"node '{node.name}' ({node.op}): its inputs and attributes are not of such an op: {error}") from error
            finally:
                scope.pop()
            results = results if isinstance(results, tuple) else (results,)
            if any(node.outputs[len(results) :]):
                node.refuse(f"its outputs {', '.join(node.outputs[len(results) :])} are not supported")
            values.update(zip(node.outputs, results))
        return {name: values[name] for name in self._outputs}


def _input_of(proto) -> nn.Input:
    from onnx import helper

    tensor = proto.type.tensor_type
    if not proto.type.HasField("tensor_type") or not tensor.HasField("shape"):
        raise Error(f"input '{proto.name}' is no tensor of a known rank")
    sizes = [one.dim_value if one.HasField("dim_value") else None for one in tensor.shape.dim]
    if None in sizes[1:]:
        raise Error(f"input '{proto.name}' has open sizes, of which only the first, the batch, may be one: {sizes}")
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type).name
    if dtype not in DTYPES.values():
        raise Error(f"input '{proto.name}' has elements of {dtype}, expected one of {', '.join(DTYPES.values())}")
    batched = bool(sizes) and sizes[0] is None
    return nn.Input(tuple(sizes[1:] if batched else sizes), dtype, batched)


def _numbers(node: _Node, value, what: str) -> list[int]:
    """What has to be known when the model is made: shapes, axes."""
    if isinstance(value, (Tensor, nn.Parameter)):
        node.refuse(f"its {what} depend on inputs")
    return [int(one) for one in numpy.asarray(value).reshape(-1)]


def _tensor(value, like=None):
    """A tensor of a constant, of its own type."""
    if isinstance(value, (Tensor, nn.Parameter)):
        return value
    array = numpy.asarray(value)
    return ops.constant(array, array.dtype)


def _unary(function):
    return lambda node, x: elementwise(function, _tensor(x))


def _folded(function):
    """Of two tensors or more, from the left."""

    def handle(node, *values):
        result = _tensor(values[0])
        for value in values[1:]:
            result = elementwise(function, result, _tensor(value))
        return result

    return handle


def _axis(node, x, otherwise=-1) -> int:
    return node.get("axis", otherwise) % len(x.shape)


def _matmul(node, a, b):
    return ops.matmul(_tensor(a), _tensor(b))


def _gemm(node, a, b, c=None):
    product = ops.matmul(_tensor(a), _tensor(b), transpose_lhs=bool(node.get("transA", 0)),
                         transpose_rhs=bool(node.get("transB", 0)))
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    product = product if alpha == 1.0 else product * alpha
    if c is None:
        return product
    c = _tensor(c)
    return ops.add(product, c if beta == 1.0 else ops.mul(c, beta))


def _reduce(function):
    def handle(node, x, axes=None):
        x = _tensor(x)
        axes = node.get("axes") if axes is None else _numbers(node, axes, "axes")
        if not axes and node.get("noop_with_empty_axes", 0):
            return x
        return function(x, list(axes) if axes else None, bool(node.get("keepdims", 1)))

    return handle


def _place(function):
    def handle(node, x):
        node.only("select_last_index", 0)
        x = _tensor(x)
        axis = _axis(node, x, 0)
        result = function(x, axis, "int64")
        return ops.reshape(result, [*x.shape[:axis], 1, *x.shape[axis + 1 :]]) if node.get("keepdims", 1) else result

    return handle


def _cumsum(node, x, axis):
    (axis,) = _numbers(node, axis, "axis")
    return ops.cumsum(_tensor(x), axis, exclusive=bool(node.get("exclusive", 0)), reverse=bool(node.get("reverse", 0)))


def _top_k(node, x, k):
    (count,) = _numbers(node, k, "k")
    x = _tensor(x)
    values, indices = ops.top_k(x, count, _axis(node, x), largest=bool(node.get("largest", 1)))
    return values, ops.cast(indices, "int64")


def _pow(node, x, exponent):
    x = _tensor(x)
    if "float" not in x.dtype:
        node.refuse(f"powers of {x.dtype} are not supported")
    if not isinstance(exponent, (Tensor, nn.Parameter)) and numpy.asarray(exponent).size == 1 and numpy.ndim(exponent) == 0:
        return ops.pow(x, float(numpy.asarray(exponent)))
    return elementwise(ops.pow, x, ops.cast(_tensor(exponent), x.dtype))


def _reshape(node, x, shape):
    x, shape = _tensor(x), _numbers(node, shape, "sizes")
    if not node.get("allowzero", 0):
        shape = [x.shape[i] if size == 0 else size for i, size in enumerate(shape)]
    return ops.reshape(x, shape)


def _flatten(node, x):
    x = _tensor(x)
    axis = node.get("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    if None in x.shape[1:] or (x.shape[:1] == (None,) and axis > 1):
        node.refuse("the batch cannot be joined with other dimensions")
    first = None if x.shape[:1] == (None,) and axis == 1 else math.prod(x.shape[:axis])
    return ops.reshape(x, [first, math.prod(x.shape[axis:]) if axis else -1])


def _squeeze(node, x, axes=None):
    x = _tensor(x)
    rank = len(x.shape)
    drop = [i for i, size in enumerate(x.shape) if size == 1]
    if axes is not None:
        drop = [axis % rank for axis in _numbers(node, axes, "axes")]
    return ops.reshape(x, [size for i, size in enumerate(x.shape) if i not in drop])


def _unsqueeze(node, x, axes):
    x = _tensor(x)
    axes = _numbers(node, axes, "axes")
    rank, sizes = len(x.shape) + len(axes), iter(x.shape)
    places = {axis % rank for axis in axes}
    return ops.reshape(x, [1 if i in places else next(sizes) for i in range(rank)])


def _expand(node, x, shape):
    x, shape = _tensor(x), _numbers(node, shape, "sizes")
    own = (1,) * (len(shape) - len(x.shape)) + tuple(x.shape)
    wanted = (1,) * (len(own) - len(shape)) + tuple(shape)
    return ops.broadcast(x, [a if b == 1 else b for a, b in zip(own, wanted, strict=True)])


def _concat(node, *values):
    return ops.concat([_tensor(value) for value in values], node.get("axis"))


def _split(node, x, sizes=None):
    x = _tensor(x)
    axis = _axis(node, x, 0)
    if sizes is None:
        count = node.get("num_outputs", len(node.outputs))
        size = -(-x.shape[axis] // count) if x.shape[axis] is not None else None
        sizes = count if size is None else [size] * (count - 1) + [x.shape[axis] - size * (count - 1)]
    else:
        sizes = _numbers(node, sizes, "sizes")
    return tuple(ops.split(x, sizes, axis))


def _slice(node, x, starts, ends, axes=None, steps=None):
    x = _tensor(x)
    starts, ends = _numbers(node, starts, "starts"), _numbers(node, ends, "ends")
    axes = range(len(starts)) if axes is None else _numbers(node, axes, "axes")
    steps = [1] * len(starts) if steps is None else _numbers(node, steps, "steps")
    index = [slice(None)] * len(x.shape)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        # What is far beyond an end is the end, in both directions.
        size = x.shape[axis]
        whole = start == 0 and end >= 2**31 - 1 and step == 1
        last = None if step < 0 and size is not None and end < -size else end
        index[axis] = slice(None) if whole else slice(start, last, step)
    return x[tuple(index)]


def _pad(node, x, pads, value=None, axes=None):
    node.only("mode", "constant")
    x, pads = _tensor(x), _numbers(node, pads, "pads")
    axes = range(len(x.shape)) if axes is None else [axis % len(x.shape) for axis in _numbers(node, axes, "axes")]
    low, high = [0] * len(x.shape), [0] * len(x.shape)
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[i + len(pads) // 2]
    if isinstance(value, Tensor):
        node.refuse("its value depends on inputs")
    if min(low + high, default=0) < 0:
        node.refuse("pads below 0 are not supported")
    return ops.pad(x, low, high, value=0.0 if value is None else float(numpy.asarray(value)))


def _gather(node, x, indices):
    x = _tensor(x)
    axis = _axis(node, x, 0)
    size = x.shape[axis]
    if not isinstance(indices, (Tensor, nn.Parameter)):
        if size is None:
            node.refuse("rows of the batch cannot be chosen")
        indices = numpy.where(indices < 0, indices + size, indices)
        return ops.gather(x, _tensor(indices), axis)
    if size is None:
        node.refuse("rows of the batch cannot be chosen")
    behind = ops.add(indices, ops.constant(size, indices.dtype))  # a negative index counts from the end
    return ops.gather(x, ops.select(indices < ops.constant(0, indices.dtype), behind, indices), axis)


def _one_hot(node, labels, depth, values):
    node.only("axis", -1)
    (classes,) = _numbers(node, depth, "depth")
    if isinstance(values, Tensor):
        node.refuse("its values depend on inputs")
    off, on = numpy.asarray(values)
    labels = ops.cast(_tensor(labels), "int64")
    labels = ops.select(labels < ops.constant(0, "int64"), ops.add(labels, ops.constant(classes, "int64")), labels)
    hit = ops.one_hot(labels, classes, "bool")
    return ops.select(hit, _tensor(on), _tensor(off))


def _cast(node, x):
    from onnx import helper

    dtype = helper.tensor_dtype_to_np_dtype(node.get("to")).name
    if dtype not in DTYPES.values():
        node.refuse(f"elements of {dtype} are not supported")
    return ops.cast(_tensor(x), dtype)


def _clip(node, x, low=None, high=None):
    bounds = [-math.inf if low is None else low, math.inf if high is None else high]
    if any(isinstance(one, Tensor) for one in bounds):
        node.refuse("its bounds depend on inputs")
    return ops.clamp(_tensor(x), float(bounds[0]), float(bounds[1]))


def _dropout(node, x, ratio=0.5, training=None):
    rate = float(numpy.asarray(ratio if ratio is not None else 0.5))
    return ops.dropout(x, rate) if training is not None and bool(numpy.asarray(training)) else x


def _layer_norm(node, x, scale, bias=None):
    x = _tensor(x)
    axis = _axis(node, x)
    if None in x.shape[axis:]:
        node.refuse("the batch cannot be normalized")
    bias = bias if bias is not None else ops.constant(numpy.zeros(scale.shape), scale.dtype)
    size = math.prod(x.shape[axis:])

    def as_row(value):
        value = _tensor(value)
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
    x = _tensor(x)
    groups = node.get("num_groups") if groups is None else groups
    weights = [_tensor(one) for one in (scale, bias)]
    if tuple(weights[0].shape) != (x.shape[1],):
        node.refuse("a scale for each group is not supported, only one for each channel")
    return channels_last(lambda image: ops.group_norm(image, groups, *weights, epsilon=node.get("epsilon", 1e-5)), x)


def _normalize(node, x):
    node.only("p", 2)
    x = _tensor(x)
    return ops.normalize(x, _axis(node, x))


def _window(node, rank: int) -> dict[str, Any]:
    """Strides, padding and dilations, as ours has them."""
    node.only("ceil_mode", 0)
    automatic = node.only("auto_pad", "NOTSET", "VALID", "SAME_UPPER")
    pads = list(node.get("pads", [0] * 2 * rank))
    sides = [side for i in range(rank) for side in (pads[i], pads[rank + i])]
    padding = {"NOTSET": sides, "VALID": "valid", "SAME_UPPER": "same"}[automatic]
    return {"strides": node.get("strides", [1] * rank), "padding": padding, "dilations": node.get("dilations", [1] * rank)}


def _conv(node, x, filters, bias=None):
    x, filters = _tensor(x), _tensor(filters)
    rank = len(filters.shape) - 2
    own = ops.transpose(filters, [0, *range(2, rank + 2), 1])
    bias = None if bias is None else _tensor(bias)
    return channels_last(
        lambda image: ops.conv(image, own, bias, groups=node.get("group", 1), **_window(node, rank)), x)


def _max_pool(node, x):
    node.only("storage_order", 0)
    if len(node.outputs) > 1:
        node.refuse("indices are not supported")
    size = node.get("kernel_shape")
    return channels_last(lambda image: ops.max_pool(image, size, **_window(node, len(size))), _tensor(x))


def _average_pool(node, x):
    size = node.get("kernel_shape")
    window = _window(node, len(size))
    if set(window.pop("dilations")) != {1}:
        node.refuse("dilations are not supported")
    counts = bool(node.get("count_include_pad", 0))
    return channels_last(lambda image: ops.avg_pool(image, size, count_padding=counts, **window), _tensor(x))


def _batch_norm(node, x, scale, bias, mean, variance):
    node.only("training_mode", 0)
    weights = [_tensor(one) for one in (scale, bias, mean, variance)]
    return channels_last(
        lambda image: ops.batch_norm_inference(image, *weights, epsilon=node.get("epsilon", 1e-5)), _tensor(x))


def _constant(node):
    from onnx import numpy_helper

    for name, value in node.attributes.items():
        if name == "value":
            return numpy_helper.to_array(value)
        if name in ("value_float", "value_floats"):
            return numpy.asarray(value, numpy.float32)
        if name in ("value_int", "value_ints"):
            return numpy.asarray(value, numpy.int64)
    return node.refuse("it has no value that is a number")


def _compare(predicate):
    return lambda node, a, b: ops.compare(predicate, _tensor(a), _tensor(b))


HANDLERS = {
    "Abs": _unary(ops.abs),
    "Add": _folded(ops.add),
    "And": lambda node, a, b: ops.logical_and(_tensor(a), _tensor(b)),
    "ArgMax": _place(ops.argmax),
    "ArgMin": _place(ops.argmin),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Cast": _cast,
    "Clip": _clip,
    "Concat": _concat,
    "Constant": _constant,
    "Conv": _conv,
    "Cos": _unary(ops.cos),
    "CumSum": _cumsum,
    "Div": _folded(ops.div),
    "Dropout": _dropout,
    "Elu": lambda node, x: ops.elu(_tensor(x), alpha=node.get("alpha", 1.0)),
    "Equal": _compare("eq"),
    "Erf": _unary(ops.erf),
    "Exp": _unary(ops.exp),
    "Expand": _expand,
    "Flatten": _flatten,
    "Floor": _unary(ops.floor),
    "Gather": _gather,
    "Gelu": lambda node, x: ops.gelu(_tensor(x), approximate=node.get("approximate", "none")),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda node, x: mean_of_images(_tensor(x), True),
    "Greater": _compare("gt"),
    "GreaterOrEqual": _compare("ge"),
    "GroupNormalization": _group_norm,
    "HardSwish": _unary(ops.hard_swish),
    "Identity": lambda node, x: _tensor(x),
    "InstanceNormalization": lambda node, x, scale, bias: _group_norm(node, x, scale, bias, _tensor(x).shape[1]),
    "LayerNormalization": _layer_norm,
    "LeakyRelu": lambda node, x: ops.leaky_relu(_tensor(x), negative_slope=node.get("alpha", 0.01)),
    "Less": _compare("lt"),
    "LessOrEqual": _compare("le"),
    "Log": _unary(ops.log),
    "LogSoftmax": lambda node, x: on_last(ops.log_softmax, _tensor(x), _axis(node, x)),
    "LpNormalization": _normalize,
    "MatMul": _matmul,
    "Max": _folded(ops.max),
    "MaxPool": _max_pool,
    "Min": _folded(ops.min),
    "Mul": _folded(ops.mul),
    "Neg": _unary(ops.neg),
    "Not": _unary(ops.logical_not),
    "OneHot": _one_hot,
    "Or": lambda node, a, b: ops.logical_or(_tensor(a), _tensor(b)),
    "Pad": _pad,
    "Pow": _pow,
    "Reciprocal": _unary(ops.reciprocal),
    "ReduceMax": _reduce(lambda x, axes, keep: along(ops.reduce_max, x, axes, keep)),
    "ReduceMean": _reduce(ops.mean),
    "ReduceMin": _reduce(lambda x, axes, keep: along(ops.reduce_min, x, axes, keep)),
    "ReduceProd": _reduce(ops.prod),
    "ReduceSum": _reduce(ops.sum),
    "Relu": _unary(ops.relu),
    "Reshape": _reshape,
    "Round": _unary(ops.round),
    "Sigmoid": _unary(ops.sigmoid),
    "Sin": _unary(ops.sin),
    "Slice": _slice,
    "Softmax": lambda node, x: on_last(ops.softmax, _tensor(x), _axis(node, x)),
    "Softplus": _unary(ops.softplus),
    "Split": _split,
    "Sqrt": _unary(ops.sqrt),
    "Squeeze": _squeeze,
    "Sub": _folded(ops.sub),
    "Sum": _folded(ops.add),
    "Tanh": _unary(ops.tanh),
    "TopK": _top_k,
    "Transpose": lambda node, x: ops.transpose(_tensor(x), node.get("perm")),
    "Unsqueeze": _unsqueeze,
    "Where": lambda node, c, a, b: ops.select(_tensor(c), _tensor(a), _tensor(b)),
}
