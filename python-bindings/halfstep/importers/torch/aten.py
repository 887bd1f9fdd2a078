"""ATen's ops, as torch.export writes them, in ours."""

from __future__ import annotations

import math
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.reductions import on_last
from halfstep.graph.functions import quotient_to_zero
from halfstep.graph.shapes import part, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import UNARY, Function, elementwise, mean_of_images
from halfstep.importers.library import torch
from halfstep.importers.torch.embeddings import EMBEDDINGS
from halfstep.importers.torch.call import Call, Handler, Operand, as_type, binary, float_of, is_float, like, pair, tensor_of, unary
from halfstep.importers.torch.indexing import INDEXING
from halfstep.importers.torch.kinks import KINKS
from halfstep.importers.torch.layers import LAYERS
from halfstep.importers.torch.losses import LOSSES
from halfstep.importers.torch.products import PRODUCTS
from halfstep.importers.torch.random import RANDOM
from halfstep.importers.torch.recurrent import RECURRENT
from halfstep.importers.torch.views import VIEWS, transposed
from halfstep.importers.torch.windows import WINDOWS
from halfstep_runtime._errors import Error, axes, axis

INSTEAD = {
    **dict.fromkeys(["_ctc_loss", "ctc_loss"], "end the forward with the scores, of which predict gives what PyTorch's loss takes"),
    "_pack_padded_sequence": "packed sequences are not supported: pad them to one length",
}


# Arithmetic


def _scaled(a: Any, b: Any, alpha: float) -> tuple[Any, Any]:
    a, b = pair(a, b)
    return a, b if alpha == 1 else ops.mul(b, alpha) if isinstance(b, Tensor) else b * alpha


def _div(call: Call, a: Operand, b: Operand, *_: object) -> Tensor:
    call.only("rounding_mode", None, "floor", "trunc")
    mode = call.named.get("rounding_mode")
    function = ops.div if mode is None else ops.floor_divide if mode == "floor" else quotient_to_zero
    return elementwise(function, *pair(a, b, floats=mode is None))


def _round(call: Call, x: Tensor, decimals: int = 0) -> Tensor:
    """As PyTorch computes it: a product with the power of ten, or with that of the negative one a quotient, and back."""
    if decimals == 0:
        return ops.round(x)
    power = 10.0 ** abs(decimals)
    scaled, back = (ops.mul, ops.div) if decimals > 0 else (ops.div, ops.mul)
    return back(ops.round(scaled(x, power)), power)


def _pow(call: Call, x: Operand, exponent: Operand) -> Tensor:
    """Of integers by a whole number exact, as there, and of 2 by integers."""
    if isinstance(x, Tensor) and x.dtype == call.dtype and isinstance(exponent, int):
        return elementwise(ops.pow, x, exponent)
    if "int" in call.dtype:
        if x != 2:
            raise Error("of whole numbers only powers by a number, and of 2, are supported: convert them by x.float()")
        return elementwise(ops.shift_left, *pair(1, exponent))
    return elementwise(ops.pow, *pair(x, exponent, floats=True))


def _compare(predicate: Any) -> Handler:
    return lambda call, a, b: ops.compare(predicate, *pair(a, b))


def _where(call: Call, condition: Tensor, a: Any, b: Any) -> Tensor:
    if all(isinstance(one, (bool, int, float)) for one in (a, b)):
        a, b = (ops.constant(one, call.dtype) for one in (a, b))
    a, b = pair(a, b)
    typed = a if isinstance(a, Tensor) else b
    return ops.select(condition, like(typed, a), like(typed, b))


def _of_bits(function: Function) -> Handler:
    """With a number as the bits that the tensor's type has of it."""
    def handle(call: Call, a: Operand, b: Operand) -> Any:
        a, b = pair(a, b)
        dtype = next(one.dtype for one in (a, b) if isinstance(one, Tensor))
        if dtype == "bool" or "float" in dtype:
            return function(a, b)
        return function(*(numpy.array(one % 2**64, "uint64").astype(dtype) if type(one) is int else one for one in (a, b)))

    return handle


def _logical(function: Function) -> Handler:
    return lambda call, a, b: function(_truth(a), _truth(b))


def _truth(value: Operand) -> Tensor:
    x = tensor_of(value)
    return x if x.dtype == "bool" else ops.compare("ne", x, 0)


# Shapes


def _expand(call: Call, x: Tensor, *_: object) -> Tensor:
    shape = call.shape
    if x.shape == shape:
        return x
    return ops.broadcast(x, shape) if None not in shape else ops.broadcast(x, like=call.filled(0))


def _like(value: float | None) -> Handler:
    def handle(call: Call, x: Tensor, *rest: float) -> Tensor:
        dtype = call.named.get("dtype")
        number = ops.constant(rest[0] if value is None else value, x.dtype if dtype is None else dtype)
        return ops.broadcast(number, like=x)

    return handle


def _rows_of(value: float | None) -> Handler:
    """A number for each place of a shape, in which the batch is open: what is known is computed when the module is imported."""

    def handle(call: Call, *_: object) -> Tensor:
        number = call.named["fill_value"] if value is None else value
        if isinstance(number, (bool, int, float)):
            return call.filled(number) if None in call.shape else ops.broadcast(ops.constant(number, call.dtype), call.shape)
        one = as_type(tensor_of(number), call.dtype)
        return ops.broadcast(one, like=call.filled(0)) if None in call.shape else ops.broadcast(one, call.shape)

    return handle


def _arange(call: Call, *_: object) -> Tensor:
    """As many numbers as the batch has rows."""
    found = as_type(ops.iota(0, like=call.filled(0), dtype="int64"), call.dtype)
    for function, name, neutral in ((ops.mul, "step", 1), (ops.add, "start", 0)):
        if (given := call.named.get(name, neutral)) != neutral:
            found = function(found, like(found, given))
    return found


# Reductions


def _reduce(function: Function) -> Handler:
    def handle(call: Call, x: Tensor, dims: Any = None, keep_dims: bool = False, *_: object) -> Tensor:
        x = call.typed(x)
        dims, keeps = (dims if dims != [] else None, keep_dims) if "dim" in call.named else (None, False)
        # The mean over an image's places, as it is written for pooling.
        if function is ops.mean and dims and axes("mean", dims, len(x.shape)) == list(range(2, len(x.shape))):
            return mean_of_images(x, keeps)
        return function(x, dims, keeps)

    return handle


def _typed(function: Function) -> Handler:
    """In PyTorch's type: sums of integers may be asked for in another, and of uint8 `any` and `all` are that."""
    reduced = _reduce(function)
    return lambda call, x, *rest: as_type(reduced(call, x, *rest), call.dtype)


def _place(function: Function) -> Handler:
    def handle(call: Call, x: Tensor, dim: int | None = None, *_: object) -> Tensor:
        if dim is None:
            raise Error("a dimension has to be given")
        return ops.reshape(function(x, dim, "int64"), call.shape)

    return handle


def _top_k(call: Call, x: Tensor, k: int, dim: int = -1, largest: bool = True, *_: object) -> tuple[Tensor, Tensor]:
    values, indices = ops.top_k(x, k, dim, largest=largest)
    return values, ops.cast(indices, "int64")


def _sort(call: Call, x: Tensor, *_: object) -> tuple[Tensor, Tensor]:
    """In any of its overloads, which have their arguments in other orders; equal elements keep theirs."""
    return ops.sort(x, call.named["dim"], descending=bool(call.named["descending"]))


def _sortable(name: str, x: Tensor, dim: int | None) -> tuple[Tensor, int, int]:
    """A tensor, in one dimension where none is given, with that and its size."""
    x, dim = (ops.reshape(x, (-1,)), 0) if dim is None else (x, axis(name, dim, len(x.shape)))
    return x, dim, size_of(x, dim, "the batch cannot be sorted")


def _variance(call: Call, x: Tensor, dim: Any = None, *_: object) -> Tensor:
    correction = call.named.get("correction", int(call.named.get("unbiased", True)))
    variance = ops.var(x, dim if isinstance(dim, (list, tuple)) and dim else None, bool(call.named.get("keepdim", False)),
                       correction=1 if correction is None else correction)
    return as_type(variance, x.dtype)


def _moments(root: bool) -> Handler:
    def handle(call: Call, x: Tensor, *given: Any) -> tuple[Tensor, Tensor]:
        variance = _variance(call, x, *given)
        dim = call.named.get("dim")
        mean = ops.mean(x, dim if isinstance(dim, (list, tuple)) and dim else None, bool(call.named.get("keepdim", False)))
        return ops.sqrt(variance) if root else variance, mean

    return handle


def _median(call: Call, x: Tensor, dim: int | None = None, keep_dims: bool = False) -> Tensor | tuple[Tensor, Tensor]:
    return ops.median(ops.reshape(x, (-1,)), 0)[0] if dim is None else ops.median(x, dim, keep_dims)


def _quantile(call: Call, x: Tensor, q: Any, dim: int | None = None, keep_dims: bool = False, *_: object) -> Tensor:
    """Between the two elements at a share of the sorted ones, in a straight line; of a row with NaN it is that."""
    call.only("interpolation", "linear")
    known = call.named["q"]
    if isinstance(known, Tensor):
        raise Error("shares that depend on inputs are not supported: give a number")
    flat, place, size = _sortable("quantile", x, dim)
    values = ops.top_k(flat, size, place, largest=False)[0]
    shares = known.tolist() if isinstance(known, torch.Tensor) else known
    found = []
    for share in shares if isinstance(shares, list) else [shares]:
        at = share * (size - 1)
        low, high = (part(values, place, slice(i, i + 1)) for i in (math.floor(at), math.ceil(at)))
        found.append(low + (high - low) * (at - math.floor(at)))
    has_nan = ops.reduce_max(ops.cast(ops.is_nan(flat), "float32"), place, True) > 0.5
    rows = [ops.select(has_nan, math.nan, one) for one in found]
    return ops.reshape(ops.stack(rows) if isinstance(shares, list) else rows[0], call.shape)


def _log_add_exp(a: Tensor, b: Tensor) -> Tensor:
    """From the larger one on; of two infinite ones of one sign it is that."""
    far = ops.select(a == b, 0.0, ops.abs(a - b))
    return ops.maximum(a, b) + ops.softplus(-far)


# Of t = 1 / (1 + |x| / 2), the highest power first: W. H. Press et al., Numerical Recipes in C, 6.2; relative errors are below 1.2e-7.
_ERFC = (0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223)


def _erfc(x: Tensor) -> Tensor:
    """1 - erf(x), with the digits of what is left where erf(x) is nearly 1."""
    far = ops.abs(x)
    t = 1 / (1 + 0.5 * far)
    total: Any = _ERFC[0]
    for factor in _ERFC[1:]:
        total = total * t + factor
    tail = t * ops.exp(total - far * far)
    return ops.select(x < 0.0, 2 - tail, tail)


def _cdist(call: Call, a: Tensor, b: Tensor, p: float = 2.0, *_: object) -> Tensor:
    """Distances of each row to each."""
    first, second = (ops.reshape(one, (*one.shape[:-2], *sizes, one.shape[-1])) for one, sizes in ((a, (a.shape[-2], 1)), (b, (1, b.shape[-2]))))
    return ops.vector_norm(first - second, p, -1)


def _along_last(function: Function) -> Handler:
    return lambda call, x, dim=-1, *_: on_last(function, call.typed(float_of(x)), dim)


def _softplus(call: Call, x: Tensor, beta: float, threshold: float) -> Tensor:
    x = float_of(x)
    scaled = x if beta == 1 else x * beta
    found = ops.softplus(scaled) if beta == 1 else ops.softplus(scaled) / beta
    return found if threshold == 20 else ops.select(scaled > threshold, x, found)


def _elu(call: Call, x: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    call.only("scale", 1, 1.0)
    call.only("input_scale", 1, 1.0)
    return ops.elu(float_of(x), alpha=alpha)


_OWN_NAMES = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "hardsigmoid": "hard_sigmoid",
    "hardswish": "hard_swish", "special_erfinv": "erfinv", "special_expm1": "expm1", "special_log1p": "log1p",
}
_UNARY = [*UNARY, "erfinv", "expm1", "log10", "log1p", "log2", "rsqrt", "selu", "silu", "square"]
_NUMBERS = {"empty": 0, "full": None, "new_empty": 0, "new_full": None, "new_ones": 1, "new_zeros": 0, "ones": 1}

HANDLERS: dict[str, Handler] = {
    **{name: unary(getattr(ops, own)) for name, own in [*zip(_UNARY, _UNARY), *_OWN_NAMES.items()]},
    **{name: binary(getattr(ops, name)) for name in ("maximum", "minimum", "mul")},
    **{name: _reduce(getattr(ops, name)) for name in ("mean", "prod")},
    **{name: _compare(name) for name in ("eq", "ge", "gt", "le", "lt", "ne")},
    **{name: _rows_of(number) for name, number in _NUMBERS.items()},
    **dict.fromkeys(["alias", "clone", "contiguous", "detach", "lift_fresh_copy"], lambda call, x, *_: x),
    **dict.fromkeys(["_unsafe_view", "flatten", "reshape", "squeeze", "unflatten", "unsqueeze", "view_as"], lambda call, x, *_: ops.reshape(x, call.shape)),
    **dict.fromkeys(["_log_softmax", "log_softmax"], _along_last(ops.log_softmax)),
    **dict.fromkeys(["_softmax", "softmax"], _along_last(ops.softmax)),
    **dict.fromkeys(["__and__", "bitwise_and"], _of_bits(ops.bitwise_and)),
    **dict.fromkeys(["__or__", "bitwise_or"], _of_bits(ops.bitwise_or)),
    **dict.fromkeys(["__xor__", "bitwise_xor"], _of_bits(ops.bitwise_xor)),
    **dict.fromkeys(["__lshift__", "bitwise_left_shift"], binary(ops.shift_left)),
    **dict.fromkeys(["__rshift__", "bitwise_right_shift"], binary(ops.shift_right)),
    **{name: binary(getattr(ops, name)) for name in ("floor_divide", "fmod", "remainder")},
    # Casts that were written; those of autocast are not in the graph.
    **dict.fromkeys(["_to_copy", "to", "type_as"],
                    lambda call, x, *_: x if (call.named.get("dtype") or call.named.get("other")) is None else as_type(x, call.dtype)),
    "arange": _arange,
    "all": _typed(ops.all),
    "any": _typed(ops.any),
    "add": lambda call, a, b, alpha=1: elementwise(ops.add, *_scaled(a, b, alpha)),
    "amax": _reduce(ops.reduce_max),
    "amin": _reduce(ops.reduce_min),
    "argmax": _place(ops.argmax),
    "argmin": _place(ops.argmin),
    "argsort": lambda call, x, *_: _sort(call, x)[1],
    "bitwise_not": lambda call, x: elementwise(ops.bitwise_not, x),
    "cdist": _cdist,
    "div": _div,
    "elu": _elu,
    "empty_like": _like(0),
    **dict.fromkeys(["expand", "expand_as"], _expand),
    "erfc": unary(_erfc),
    "exp2": unary(lambda x: ops.pow(2.0, x)),
    "full_like": _like(None),
    "gelu": lambda call, x, approximate: ops.gelu(float_of(x), approximate=approximate),
    "isfinite": unary(ops.is_finite),
    "isinf": unary(ops.is_inf),
    "isnan": unary(ops.is_nan),
    "leaky_relu": lambda call, x, slope: ops.leaky_relu(float_of(x), negative_slope=slope),
    "lerp": lambda call, start, end, weight: ops.add(start, ops.mul(ops.sub(end, start), weight)),
    "log_sigmoid": lambda call, x: ops.neg(ops.softplus(ops.neg(float_of(x)))),
    "logaddexp": binary(_log_add_exp),
    "logical_and": _logical(ops.logical_and),
    "logical_not": lambda call, x: ops.logical_not(x) if x.dtype == "bool" else ops.compare("eq", x, 0),
    "logical_or": _logical(ops.logical_or),
    "logical_xor": _logical(ops.bitwise_xor),
    "masked_fill": lambda call, x, mask, value: ops.select(mask, like(x, value), x),
    "median": _median,
    "ones_like": _like(1),
    "quantile": _quantile,
    "permute": lambda call, x, order: ops.transpose(x, order),
    "pow": _pow,
    "round": _round,
    "rsub": lambda call, a, b, alpha=1: elementwise(ops.sub, *_scaled(b, a, alpha)),
    "scalar_tensor": lambda call, number, *_: as_type(tensor_of(number), call.dtype),
    "sign": lambda call, x: elementwise(ops.sign, x),
    "softplus": _softplus,
    "sort": _sort,
    "std_mean": _moments(True),
    "sub": lambda call, a, b, alpha=1: elementwise(ops.sub, *_scaled(a, b, alpha)),
    "sum": _typed(ops.sum),
    "t": lambda call, x: transposed(x),
    "topk": _top_k,
    "transpose": lambda call, x, first, second: transposed(x, first, second),
    "var": _variance,
    "var_mean": _moments(False),
    "where": _where,
    "zeros_like": _like(0),
    **EMBEDDINGS,
    **INDEXING,
    **KINKS,
    **LAYERS,
    **LOSSES,
    **PRODUCTS,
    **RANDOM,
    **RECURRENT,
    **VIEWS,
    **WINDOWS,
}
