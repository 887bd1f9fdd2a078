"""Models of ONNX as modules, which train and run as any other."""

from __future__ import annotations

import collections
import contextlib
import functools
import math
import os
import unicodedata
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy

from halfstep import nn, ops
from halfstep.graph.reductions import on_last
from halfstep.graph.functions import quotient_to_zero
from halfstep.graph.graph import current, operand
from halfstep.graph.shapes import part, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import UNARY, Function, elementwise
from halfstep.importers.library import onnx
from halfstep.importers.model import Imported, Rows, input_of, leaf_of
from halfstep.importers.onnx.known import Open, compute, is_computed, shape_of, share_of
from halfstep.importers.onnx.layers import LAYERS, RANDOM
from halfstep.importers.onnx.node import CONSTANTS, Handler, Node, Operand, axes_of, axis_of, dtype_of, known, number, numbers, tensor
from halfstep.importers.onnx.recurrent import RECURRENT, lacking
from halfstep.importers.onnx.shapes import SHAPES
from halfstep.importers.onnx.weights import filters_of, statistics_of, weights_of
from halfstep.layers.leaves import Leaf
from halfstep.layers.trainable import Trainable
from halfstep_runtime._arrays import dtype_name
from halfstep_runtime._errors import Error, begin, check_there, of_file

_LEAST_OPSET = 13
_ROWS = 2  # of the batch for which it is seen whether a model can be made for one
_MOST_DIMENSIONS = 32  # of NumPy's arrays and of an executable's tensors
_MOST_BYTES_OF_A_NAME = 4096  # in an executable
_EXPECTED = "expected a whole file, as onnx.save or torch.onnx.export writes it"


def from_onnx(model: str | os.PathLike[str] | bytes | onnx.ModelProto, *, trainable: str | Iterable[str] | None = None,
              frozen: str | Iterable[str] | None = None) -> OnnxModel:
    """A module from a file, its bytes or a ModelProto. Weights start from the file's values. What it has that Halfstep lacks
    is one error that lists all of it.

    What products, convolutions, gathers, norms and recurrent layers read trains, and biases and scales of channels; all else stays: masks,
    scales of attention, tables of angles. `trainable` names all that trains instead, `frozen` what does not: names of initializers or patterns
    as "encoder.*", one or several. `summary` of the module shows which train."""
    path = os.fspath(model) if isinstance(model, (str, os.PathLike)) else ""
    with _naming(path):
        proto: Any = onnx.load_model_from_string(model) if isinstance(model, bytes) else model
        if path:
            proto = onnx.load(check_there(path))  # refuses external data outside of the model's folder
        _check_data(proto, path)
        onnx.checker.check_model(proto)
        version, *others = {one.version for one in proto.opset_import if one.domain in ("", "ai.onnx")} or {_LEAST_OPSET}
        if others:
            raise Error(f"the model is of several opsets: {', '.join(map(str, sorted([version, *others])))}")
        if version > onnx.defs.onnx_opset_version():
            raise Error(f"the model is of opset {version}, and onnx {onnx.__version__} knows those up to {onnx.defs.onnx_opset_version()}")
        if version < _LEAST_OPSET:
            try:
                version = _LEAST_OPSET
                proto = onnx.version_converter.convert_version(proto, _LEAST_OPSET)
            except Exception as error:
                raise Error(f"the model is of opset {version}, which onnx does not convert to {_LEAST_OPSET}: {_said(error)}") from error
        imported = OnnxModel(proto.graph, version, path, Trainable("from_onnx", trainable, frozen))
        if imported.has_batch() and imported.lacking(None):
            imported.lacking(_ROWS)  # what it lacks either way is told where it is used
        return imported


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Errors of ours, all of them, which begin with the file that they are of."""
    try:
        yield
    except Error as error:
        if path:
            begin(error, path)
        raise
    except OSError as error:
        raise of_file(error.filename or path, error) from error
    except ImportError:  # a package that is not installed
        raise
    except Exception as error:
        said = Error(f"not a model of ONNX: {_said(error)}; {_EXPECTED}")
        raise (begin(said, path) if path else said) from error


def _check_data(message: Any, file: str) -> None:
    """Refuses what lies in other files, before anything looks for it: only a path has a folder, from which onnx has read it."""
    from google.protobuf.message import Message

    if isinstance(message, onnx.TensorProto):
        if message.data_location == onnx.TensorProto.EXTERNAL:
            raise Error(f"the values of '{message.name}' are in another file, " +
                        ("which is not supported there" if file else "and bytes have no folder: give the path of the model's file"))
        return
    for _, value in message.ListFields():
        if isinstance(value, Message):
            _check_data(value, file)
        elif not isinstance(value, (bool, bytes, float, int, str)) and len(value) and isinstance(value[0], Message):
            for one in value:
                _check_data(one, file)


def _said(error: Exception) -> str:
    if isinstance(error, KeyError) and error.args:
        return f"nothing is known by {error}"
    return str(error) or type(error).__name__  # StopIteration and MemoryError say nothing


class OnnxModel(Imported):
    """The graph of a model of ONNX, of the file at `path`, if of one: ops are at the number of their node in it."""

    def __init__(self, graph: onnx.GraphProto, opset: int, path: str, trainable: Trainable):
        self._path, self._file = path, os.path.basename(path)
        self._nodes = [Node(one, opset) for one in graph.node]
        self._check({one.name for one in graph.initializer})
        self._constants = {one.name: _array_of(f"initializer '{one.name}'", one) for one in graph.initializer}
        self._outputs = [one.name for one in graph.output]
        constant = {node.inputs[i] for node in self._nodes for i in CONSTANTS.get(node.op, ()) if i < len(node.inputs)}
        used = {*self._outputs, *(name for node in self._nodes for name in node.inputs)} - constant
        values = {name: value for name, value in self._constants.items()
                  if name in used and value.ndim and value.dtype.name in ("float16", "float32", "float64", "bfloat16")}
        weights = weights_of(self._nodes, {name: value.shape for name, value in values.items()})
        statistics, filters = statistics_of(self._nodes), filters_of(self._nodes, self._outputs)
        trainable.check(name for name in values if name not in statistics)
        self._leaves = {name: leaf_of(value, is_state=name in statistics, is_filter=name in filters, trains=trainable.trains([name], name in weights))
                        for name, value in values.items()}
        inputs = [one for one in graph.input if one.name not in self._constants]
        self._inputs = {one.name: _input_of(one) for one in inputs}  # not by specify, whose `self` one of them may be
        if not self._inputs:
            raise Error("the model has no inputs: there is nothing to compute")
        self._check_names()

    def _check(self, constants: set[str]) -> None:
        """Refuses what is not there, all of it at once."""
        constants = set(constants) | {""}
        missing = collections.defaultdict(list)
        for node in self._nodes:
            if node.op == "Constant" or is_computed(node.op, [one in constants for one in node.inputs]):
                constants.update(node.outputs)
                continue
            lacks = lacking(node, constants) if node.op in RECURRENT else node.op if node.op not in HANDLERS and node.op != "If" else None
            if lacks:
                missing[lacks].append(node.name)
        if missing:
            lines = [f"  {what}: {len(names)}, as '{names[0]}'" for what, names in sorted(missing.items())]
            raise Error("the model has ops that Halfstep does not:\n" + "\n".join(lines))

    def _check_names(self) -> None:
        for kind, names in (("input", self._inputs), ("initializer", self._leaves), ("output", self._outputs)):
            for name in names:
                if any(unicodedata.category(one) in ("Cc", "Cs") for one in name):
                    raise Error(f"{kind} {name[:80]!r} has control characters in its name, which no executable has: rename it in the file")
                if len(name.encode()) > _MOST_BYTES_OF_A_NAME:
                    raise Error(f"{kind} '{name[:80]}...' has a name of {len(name.encode())} bytes, expected at most {_MOST_BYTES_OF_A_NAME}")
        if "rng" in self._leaves or "rng" in self._inputs and any(node.op in ("Dropout", *RANDOM) for node in self._nodes):
            raise Error("a tensor is called 'rng', as the state of random numbers is: rename it in the file")

    def _traced(self, inputs: Any = None, objective: Any = None, batch_size: int | None = None) -> Any:
        with _naming(self._path):
            return super()._traced(inputs, objective, batch_size)

    def forward(self, *inputs: Tensor) -> dict[str, Tensor]:
        values = {**self._constants, **self._leaves, **dict(zip(self._inputs, inputs, strict=True)), "": None}
        rows = next((Rows(one) for one in inputs if one.shape[:1] == (None,)), None)
        shares: dict[str, Fraction | None] = dict.fromkeys(values, Fraction(1))
        for number, node in enumerate(self._nodes, 1):
            self._run(node, number, values, shares, rows)
        return {name: operand(tensor(values[name])) for name in self._outputs}

    def _run(self, node: Node, number: int, values: dict[str, Any], shares: dict[str, Fraction | None], rows: Rows | None) -> None:
        """Adds a node's results to `values`, and how many times the batch's rows they have to `shares`."""
        current().scope.append(node.name)  # what policies and reports name its ops by
        current().place = (self._file, number) if self._file else None
        try:
            if node.op == "If":
                results = self._branch(node, number, values, shares, rows)
            else:
                node.rows, node.shares = rows, [shares[name] for name in node.inputs]
                results = _results(node, [values[name] for name in node.inputs])
        except Error as error:
            raise begin(error, str(node))
        except Exception as error:
            raise Error(f"{node}: its inputs and attributes are not of such an op: {_said(error)}") from error
        finally:
            current().scope.pop()
            current().place = None
            node.rows, node.shares = None, ()
        if any(node.outputs[len(results) :]):
            node.refuse(f"its outputs {', '.join(node.outputs[len(results) :])} are not supported")
        for name, result in zip(node.outputs, results):
            if len(getattr(result, "shape", ())) > _MOST_DIMENSIONS:
                node.refuse(f"its output '{name}' has {len(result.shape)} dimensions, expected at most {_MOST_DIMENSIONS}")
            if name:
                values[name] = result
                if node.op != "If":  # whose branch says it
                    given = [(values[one], shares[one]) for one in node.inputs]
                    shares[name] = share_of(node.op, given, getattr(result, "shape", ()))

    def _branch(self, node: Node, number: int, values: dict[str, Any], shares: dict[str, Fraction | None], rows: Rows | None) -> tuple[Any, ...]:
        """If, whose condition is known: the results of one branch, which reads what the whole model has by name."""
        chosen = "then_branch" if bool(known(node, values[node.inputs[0]], "condition")) else "else_branch"
        graph, inner = node.attributes[chosen], dict(values)
        for one in graph.initializer:
            inner[one.name], shares[one.name] = _array_of(f"initializer '{one.name}'", one), None
        for one in node.branches[chosen]:
            self._run(one, number, inner, shares, rows)
        shares.update((name, shares.get(one.name)) for name, one in zip(node.outputs, graph.output))
        return tuple(inner[one.name] for one in graph.output)


def _results(node: Node, values: list[Any]) -> tuple[Any, ...]:
    if node.op in ("Shape", "Size") and hasattr(values[0], "shape"):
        return (shape_of(node, values[0].shape, node.shares[0]),)
    if is_computed(node.op, [one is None or isinstance(one, (numpy.ndarray, numpy.generic, Open)) for one in values]):
        if (found := compute(node, values)) is not None:
            return found
    if node.op not in HANDLERS:
        node.refuse("there is no such op")
    results = HANDLERS[node.op](node, *node.operands(values))
    return results if isinstance(results, tuple) else (results,)


def _input_of(proto: onnx.ValueInfoProto) -> nn.Input:
    kind = proto.type.tensor_type
    if not proto.type.HasField("tensor_type") or not kind.HasField("shape"):
        raise Error(f"input '{proto.name}' is no tensor of a known rank")
    if len(kind.shape.dim) > _MOST_DIMENSIONS:
        raise Error(f"input '{proto.name}' has {len(kind.shape.dim)} dimensions, expected at most {_MOST_DIMENSIONS}")
    sizes = [one.dim_value if one.HasField("dim_value") else None for one in kind.shape.dim]
    if None in sizes[1:]:
        raise Error(f"input '{proto.name}' has open sizes, of which only the first, the batch, may be one: {sizes}")
    return input_of(tuple(sizes), dtype_name(f"input '{proto.name}'", onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)))


def _array_of(what: str, proto: Any) -> numpy.ndarray[Any, Any]:
    try:
        return onnx.numpy_helper.to_array(proto)
    except Exception as error:
        refused = Error(f"{what} has values that do not fit to its shape and type: {_said(error)}")
        refused.of = what
        raise refused from error


def _unary(function: Function, **defaults: Any) -> Handler:
    """With the attributes of these names, or what they are where the node does not say them."""
    return lambda node, x: elementwise(functools.partial(function, **{name: node.get(name, value) for name, value in defaults.items()}), x)


def _folded(function: Function) -> Handler:
    """Of two tensors or more, from the left."""
    return lambda node, *values: functools.reduce(functools.partial(elementwise, function), values)


def _gemm(node: Node, a: Tensor, b: Tensor, c: Tensor | None = None) -> Tensor:
    product = ops.matmul(a, b, transpose_lhs=bool(node.get("transA", 0)), transpose_rhs=bool(node.get("transB", 0)))
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    product = product if alpha == 1.0 else product * alpha
    return product if c is None else ops.add(product, c if beta == 1.0 else ops.mul(c, beta))


def _reduce(function: Function) -> Handler:
    def handle(node: Node, x: Tensor, given: Operand = None) -> Tensor:
        axes = node.get("axes") if given is None else numbers(node, given, "axes")
        if not axes and node.get("noop_with_empty_axes", 0):
            return x
        return function(x, list(axes) if axes else None, bool(node.get("keepdims", 1)))

    return handle


def _place(function: Function) -> Handler:
    def handle(node: Node, x: Tensor) -> Tensor:
        is_last = node.only("select_last_index", 0, 1) == 1
        axis = axis_of(node, x, 0)
        result = function(ops.flip(x, axis) if is_last else x, axis, "int64")
        if is_last:  # the first of what is turned around
            result = ops.constant((x.shape[axis] or 0) - 1, "int64") - result
        return ops.reshape(result, [*x.shape[:axis], 1, *x.shape[axis + 1 :]]) if node.get("keepdims", 1) else result

    return handle


def _cumsum(node: Node, x: Tensor, given: Operand) -> Tensor:
    exclusive, reverse = bool(node.get("exclusive", 0)), bool(node.get("reverse", 0))
    (axis,) = axes_of(node, given, len(x.shape))
    if "float" in x.dtype:
        return ops.cumsum(x, axis, exclusive=exclusive, reverse=reverse)
    if not reverse:
        return _sums_of_whole_numbers(x, axis, exclusive)
    return ops.flip(_sums_of_whole_numbers(ops.flip(x, axis), axis, exclusive), axis)


def _sums_of_whole_numbers(x: Tensor, axis: int, exclusive: bool) -> Tensor:
    """Running sums, exact in the elements' own type: each time twice as many elements are in a sum."""
    size = size_of(x, axis, "the rows of a batch have no sum up to each: their number is open")

    def shifted(by: int) -> Tensor:
        zeros = ops.broadcast(ops.constant(0, x.dtype), like=part(x, axis, slice(0, by)))
        return ops.concat([zeros, part(x, axis, slice(0, size - by))], axis)

    x = shifted(1) if exclusive and size else x
    by = 1
    while by < size:
        x = x + shifted(by)
        by *= 2
    return x


def _top_k(node: Node, x: Tensor, k: Operand) -> tuple[Tensor, Tensor]:
    (count,) = numbers(node, k, "k")
    values, indices = ops.top_k(x, count, axis_of(node, x), largest=bool(node.get("largest", 1)))
    return values, ops.cast(indices, "int64")


def _pow(node: Node, x: Tensor, exponent: Operand) -> Tensor:
    if not isinstance(exponent, (Tensor, Leaf)) and numpy.ndim(numpy.asarray(exponent)) == 0:
        power = number(node, exponent, "exponent")
        if "float" in x.dtype or power >= 0 and power % 1 == 0:
            return elementwise(lambda one: ops.pow(one, power if "float" in x.dtype else int(power)), x)
    if "float" not in x.dtype:
        node.refuse(f"powers of {x.dtype} are supported by a whole number that is a constant alone: Cast it to float")
    return elementwise(ops.pow, x, ops.cast(tensor(exponent), x.dtype))


def _clip(node: Node, x: Tensor, low: Operand = None, high: Operand = None) -> Tensor:
    least, most = (number(node, end if one is None else one, "bounds") for one, end in ((low, -math.inf), (high, math.inf)))
    return elementwise(lambda image: ops.clamp(image, least, most), x)


def _constant(node: Node) -> numpy.ndarray[Any, Any]:
    for name, value in node.attributes.items():
        if name == "value":
            return _array_of(f"{node}", value)
        if name in ("value_float", "value_floats"):
            return numpy.asarray(value, numpy.float32)
        if name in ("value_int", "value_ints"):
            return numpy.asarray(value, numpy.int64)
    node.refuse("it has no value that is a number")


def _is_inf(node: Node, x: Tensor) -> Tensor:
    node.only("detect_negative", 1)
    node.only("detect_positive", 1)
    return elementwise(ops.is_inf, x)


def _compare(predicate: Any) -> Handler:
    return lambda node, a, b: elementwise(functools.partial(ops.compare, predicate), a, b)


def _on_axis(function: Function) -> Handler:
    return lambda node, x: on_last(function, x, axis_of(node, x))


def _hardmax(node: Node, x: Tensor) -> Tensor:
    axis = axis_of(node, x)
    if x.shape[axis] is None:
        node.refuse("the largest of a batch, whose size is open, is not supported")
    return on_last(lambda one: ops.one_hot(ops.argmax(one), one.shape[-1] or 0, one.dtype), x, axis)


HANDLERS: dict[str, Handler] = {
    **{name.capitalize(): _unary(getattr(ops, name)) for name in UNARY},
    "Add": _folded(ops.add),
    "And": _folded(ops.logical_and),
    "ArgMax": _place(ops.argmax),
    "ArgMin": _place(ops.argmin),
    "BitShift": lambda node, x, bits: elementwise(ops.shift_left if node.only("direction", "LEFT", "RIGHT") == "LEFT" else ops.shift_right, x, bits),
    "BitwiseAnd": _folded(ops.bitwise_and),
    "BitwiseNot": _unary(ops.bitwise_not),
    "BitwiseOr": _folded(ops.bitwise_or),
    "BitwiseXor": _folded(ops.bitwise_xor),
    "Cast": lambda node, x: elementwise(functools.partial(ops.cast, dtype=dtype_of(node, "to")), x),
    "CastLike": lambda node, x, like: elementwise(functools.partial(ops.cast, dtype=like.dtype), x),
    "Celu": _unary(lambda x, alpha: ops.elu(x / alpha) * alpha, alpha=1.0),
    "Clip": _clip,
    "Constant": _constant,
    "CumSum": _cumsum,
    "Div": _folded(lambda a, b: ops.div(a, b) if "float" in a.dtype else quotient_to_zero(a, b)),
    "Elu": _unary(ops.elu, alpha=1.0),
    "Equal": _compare("eq"),
    "Gelu": _unary(ops.gelu, approximate="none"),
    "Gemm": _gemm,
    "Greater": _compare("gt"),
    "GreaterOrEqual": _compare("ge"),
    "HardSigmoid": _unary(lambda x, alpha, beta: ops.clamp(x * alpha + beta, 0.0, 1.0), alpha=0.2, beta=0.5),
    "Hardmax": _hardmax,
    "HardSwish": _unary(ops.hard_swish),
    "Identity": lambda node, x: x,
    "IsInf": _is_inf,
    "IsNaN": _unary(ops.is_nan),
    "LeakyRelu": _unary(lambda x, alpha: ops.leaky_relu(x, negative_slope=alpha), alpha=0.01),
    "Less": _compare("lt"),
    "LessOrEqual": _compare("le"),
    "LogSoftmax": _on_axis(ops.log_softmax),
    "MatMul": lambda node, a, b: ops.matmul(a, b),
    "Max": _folded(ops.maximum),
    "Mean": lambda node, *values: _folded(ops.add)(node, *values) / len(values),
    "Min": _folded(ops.minimum),
    "Mish": _unary(lambda x: x * ops.tanh(ops.softplus(x))),
    "Mod": lambda node, a, b: elementwise(ops.fmod if node.only("fmod", 0, 1) else ops.remainder, a, b),
    "Mul": _folded(ops.mul),
    "Not": _unary(ops.logical_not),
    "Or": _folded(ops.logical_or),
    "PRelu": _folded(ops.prelu),
    "Pow": _pow,
    "ReduceL1": _reduce(lambda x, axes, keep: ops.sum(ops.abs(x), axes, keep)),
    "ReduceL2": _reduce(ops.l2_norm),
    "ReduceLogSum": _reduce(lambda x, axes, keep: ops.log(ops.sum(x, axes, keep))),
    "ReduceLogSumExp": _reduce(ops.logsumexp),
    "ReduceMax": _reduce(ops.reduce_max),
    "ReduceMean": _reduce(ops.mean),
    "ReduceMin": _reduce(ops.reduce_min),
    "ReduceProd": _reduce(ops.prod),
    "ReduceSum": _reduce(ops.sum),
    "ReduceSumSquare": _reduce(lambda x, axes, keep: ops.sum(x * x, axes, keep)),
    "Round": _unary(ops.round),
    "Selu": _unary(lambda x, alpha, gamma: ops.elu(x, alpha=alpha) * gamma, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875),
    "Shrink": _unary(lambda x, bias, lambd: ops.select(x < -lambd, x + bias, ops.select(x > lambd, x - bias, 0.0)), bias=0.0, lambd=0.5),
    "Sign": _unary(ops.sign),
    "Softmax": _on_axis(ops.softmax),
    "Softplus": _unary(ops.softplus),
    "Softsign": _unary(lambda x: x / (1 + ops.abs(x))),
    "Sub": _folded(ops.sub),
    "Sum": _folded(ops.add),
    "ThresholdedRelu": _unary(lambda x, alpha: ops.select(x > alpha, x, 0.0), alpha=1.0),
    "TopK": _top_k,
    "Where": lambda node, condition, a, b: elementwise(ops.select, condition, a, b),
    "Xor": _folded(ops.bitwise_xor),
    **LAYERS,
    **RECURRENT,
    **SHAPES,
}
