"""ATen's ops, as torch.export writes them, in ours."""

from __future__ import annotations

from halfstep import ops
from halfstep.graph.along import on_last
from halfstep.graph.reductions import along
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import elementwise, mean_of_images
from halfstep.importers.torch.indexing import INDEXING
from halfstep.importers.torch.kinks import KINKS
from halfstep.importers.torch.layers import LAYERS
from halfstep.importers.torch.losses import LOSSES
from halfstep.importers.torch.operands import alike, as_type, binary, float_of, is_float, pair, repeated, tensor_of, unary
from halfstep.importers.torch.products import PRODUCTS
from halfstep.importers.torch.recurrent import RECURRENT
from halfstep.importers.torch.views import VIEWS
from halfstep.importers.torch.writes import WRITES
from halfstep_runtime._errors import Error, axes, axis

_BEFORE = "of buffers compute them in __init__, and register what comes out, of inputs before the model is given them"

INSTEAD = {
    **dict.fromkeys(["__lshift__", "bitwise_left_shift"], "x << n is x * 2**n"),
    **dict.fromkeys(["__rshift__", "bitwise_right_shift"], f"as for all bits, {_BEFORE}"),
    **dict.fromkeys(["_ctc_loss", "ctc_loss"], "end the forward with the scores, of which predict gives what PyTorch's loss takes"),
    "_pack_padded_sequence": "packed sequences are not supported: pad them to one length",
}


# Arithmetic


def _add(call, a, b, alpha=1):
    a, b = pair(a, b)
    return elementwise(ops.add, a, b if alpha == 1 else ops.mul(b, alpha) if isinstance(b, Tensor) else b * alpha)


def _sub(call, a, b, alpha=1):
    a, b = pair(a, b)
    return elementwise(ops.sub, a, b if alpha == 1 else ops.mul(b, alpha) if isinstance(b, Tensor) else b * alpha)


def _div(call, a, b, *_):
    if "rounding_mode" in call.named:
        call.only("rounding_mode", None)
    return ops.div(*pair(a, b, floats=True))


def _pow(call, x, exponent):
    return elementwise(ops.pow, *pair(x, exponent, floats=True))


def _round(call, x, decimals=0):
    """As PyTorch computes it: a product with the power of ten, or with that of the negative one a quotient, and back."""
    decimals = call.named.get("decimals", decimals)
    if decimals == 0:
        return ops.round(tensor_of(x))
    power = 10.0 ** abs(decimals)
    scaled, back = (ops.mul, ops.div) if decimals > 0 else (ops.div, ops.mul)
    return back(ops.round(scaled(tensor_of(x), power)), power)


def _compare(predicate):
    return lambda call, a, b: ops.compare(predicate, *pair(a, b))


def _where(call, condition, a, b):
    if all(isinstance(one, (bool, int, float)) for one in (a, b)):
        a, b = (ops.constant(one, call.dtype) for one in (a, b))
    return ops.select(tensor_of(condition), *map(tensor_of, _numbers_as_tensors(*pair(a, b))))


def _numbers_as_tensors(a, b):
    """Numbers in the type of the tensor beside them."""
    like = a if isinstance(a, Tensor) else b
    return [one if isinstance(one, Tensor) else ops.constant(one, like.dtype) for one in (a, b)]


def _masked_fill(call, x, mask, value):
    x = tensor_of(x)
    filled = as_type(tensor_of(value), x.dtype) if not isinstance(value, (int, float)) else ops.constant(value, x.dtype)
    return ops.select(tensor_of(mask), filled, x)


def _bits(function):
    return lambda call, a, b: function(_condition(a), _condition(b))


def _logical(function):
    return lambda call, a, b: function(_truth(a), _truth(b))


def _xor(a, b):
    return ops.logical_or(ops.logical_and(a, ops.logical_not(b)), ops.logical_and(ops.logical_not(a), b))


def _bitwise_not(call, x):
    x = tensor_of(x)
    return ops.sub(ops.constant(-1, x.dtype), x) if x.dtype in ("int32", "int64") else ops.logical_not(_condition(x))


def _condition(value):
    if isinstance(value, bool):
        return ops.constant(value, "bool")
    dtype = "int64" if isinstance(value, int) else tensor_of(value).dtype
    if dtype != "bool":
        raise Error(f"bits of {dtype} are not supported, only bool; {_BEFORE}")
    return tensor_of(value)


def _truth(value):
    x = tensor_of(value)
    return x if x.dtype == "bool" else ops.compare("ne", x, 0)


def _lerp(call, start, end, weight):
    return ops.add(tensor_of(start), ops.mul(ops.sub(tensor_of(end), tensor_of(start)), weight))


def _threshold(call, x, threshold, value):
    x = float_of(x)
    return ops.select(x > threshold, x, ops.constant(value, x.dtype))


def _logical_not(call, x):
    x = tensor_of(x)
    return ops.logical_not(x) if x.dtype == "bool" else ops.compare("eq", x, 0)


# Shapes


def _reshape(call, x, *_):
    return ops.reshape(tensor_of(x), call.shape)


def _permute(call, x, order):
    x = tensor_of(x)
    return ops.transpose(x, order)


def _transpose(call, x, first=0, second=1):
    x = tensor_of(x)
    order = list(range(len(x.shape)))
    if len(order) < 2:
        return x
    order[first], order[second] = order[second], order[first]
    return ops.transpose(x, order)


def _expand(call, x, *_):
    import numpy

    x, shape = tensor_of(x), call.shape
    if x.shape == shape:
        return x
    if None not in shape:
        return ops.broadcast(x, shape)
    if x.shape[:1] == (None,) and len(x.shape) == len(shape) and is_float(x):
        return x * ops.constant(numpy.ones(shape[1:]), x.dtype)  # which keeps the batch open
    raise Error("what has no batch is not repeated to one: operators do that by themselves")


def _identity(call, x, *_):
    return tensor_of(x)


def _to(call, x, *_):
    """A cast that was written; those of autocast are not in the graph."""
    dtype = str(call.node.meta["val"].dtype).removeprefix("torch.")
    x = tensor_of(x)
    given = call.named.get("dtype") or call.named.get("other")
    return x if given is None else as_type(x, dtype)


def _like(value):
    def handle(call, x, *rest):
        x = tensor_of(x)
        dtype = call.named.get("dtype")
        number = ops.constant(rest[0] if value is None else value, x.dtype if dtype is None else dtype)
        return ops.broadcast(number, like=x)

    return handle


def _rows_of(value):
    """A number for each place of a shape, in which the batch is open: what is known is computed when the module is imported."""
    return lambda call, *_: repeated(call.named["fill_value"] if value is None else value, call.shape, call.dtype, call.rows)


# Products


def _matmul(call, a, b):
    return ops.matmul(*alike(a, b))


def _addmm(call, c, a, b, beta=1, alpha=1):
    return ops.addmm(tensor_of(c), *alike(a, b), beta=beta, alpha=alpha)


# Reductions


def _reduce(function):
    def handle(call, x, dims=None, keep_dims=False, *_):
        x = tensor_of(x)
        dtype = call.named.get("dtype")
        if dtype is not None:
            x = as_type(x, str(dtype).removeprefix("torch."))
        dims = None if "dim" not in call.named or dims in (None, []) else dims
        keeps = keep_dims if "dim" in call.named else False
        # The mean over an image's places, as it is written for pooling.
        if function is ops.mean and dims and axes("mean", dims, len(x.shape)) == list(range(2, len(x.shape))):
            return mean_of_images(x, keeps)
        return function(x, dims, keeps)

    return handle


def _place(function):
    def handle(call, x, dim=None, keep_dims=False):
        x = tensor_of(x)
        if dim is None:
            raise Error("a dimension has to be given")
        return ops.reshape(function(x, dim, "int64"), call.shape)

    return handle


def _top_k(call, x, k, dim=-1, largest=True, *_):
    values, indices = ops.top_k(tensor_of(x), k, dim, largest=largest)
    return values, ops.cast(indices, "int64")


def _sort(call, x, *_):
    """In any of its overloads, which have their arguments in other orders; equal elements keep theirs."""
    x = tensor_of(x)
    dim = axis("sort", call.named["dim"], len(x.shape))
    size = x.shape[dim]
    if size is None:
        raise Error("the batch cannot be sorted")
    values, indices = ops.top_k(x, size, dim, largest=bool(call.named["descending"]))
    return values, ops.cast(indices, "int64")


def _variance(call, x, dim=None, *_, **__):
    x = tensor_of(x)
    correction = call.named.get("correction", int(call.named.get("unbiased", True)))
    variance = ops.var(x, dim if isinstance(dim, (list, tuple)) and dim else None, bool(call.named.get("keepdim", False)),
                       correction=1 if correction is None else correction)
    return as_type(variance, x.dtype)


def _along_last(function):
    def handle(call, x, dim=-1, *_):
        x = float_of(x)
        dtype = call.named.get("dtype")
        x = x if dtype is None else as_type(x, str(dtype).removeprefix("torch."))
        return on_last(function, x, dim)

    return handle


def _softplus(call, x, beta, threshold):
    call.only("beta", 1, 1.0)
    return ops.softplus(float_of(x))


def _elu(call, x, alpha, scale, input_scale):
    call.only("scale", 1, 1.0)
    call.only("input_scale", 1, 1.0)
    return ops.elu(float_of(x), alpha=alpha)


HANDLERS = {
    "__and__": _bits(ops.logical_and),
    "__or__": _bits(ops.logical_or),
    "__xor__": _bits(_xor),
    "_log_softmax": _along_last(ops.log_softmax),
    "_softmax": _along_last(ops.softmax),
    "_to_copy": _to,
    "_unsafe_view": _reshape,
    "abs": unary(ops.abs),
    "acos": unary(ops.acos),
    "acosh": unary(ops.acosh),
    "add": _add,
    "addmm": _addmm,
    "alias": _identity,
    "amax": _reduce(lambda x, dims, keep: along(ops.reduce_max, x, dims, keep)),
    "amin": _reduce(lambda x, dims, keep: along(ops.reduce_min, x, dims, keep)),
    "arccos": unary(ops.acos),
    "arccosh": unary(ops.acosh),
    "arcsin": unary(ops.asin),
    "arcsinh": unary(ops.asinh),
    "arctan": unary(ops.atan),
    "arctanh": unary(ops.atanh),
    "argmax": _place(ops.argmax),
    "argmin": _place(ops.argmin),
    "argsort": lambda call, x, *_: _sort(call, x)[1],
    "asin": unary(ops.asin),
    "asinh": unary(ops.asinh),
    "atan": unary(ops.atan),
    "atanh": unary(ops.atanh),
    "bitwise_and": _bits(ops.logical_and),
    "bitwise_not": _bitwise_not,
    "bitwise_or": _bits(ops.logical_or),
    "bitwise_xor": _bits(_xor),
    "bmm": _matmul,
    "ceil": unary(ops.ceil),
    "clone": _identity,
    "contiguous": _identity,
    "cos": unary(ops.cos),
    "cosh": unary(ops.cosh),
    "detach": _identity,
    "div": _div,
    "elu": _elu,
    "empty": _rows_of(0),
    "empty_like": _like(0),
    "eq": _compare("eq"),
    "erf": unary(ops.erf),
    "erfinv": unary(ops.erfinv),
    "exp": unary(ops.exp),
    "expand": _expand,
    "expand_as": _expand,
    "expm1": unary(ops.expm1),
    "flatten": _reshape,
    "floor": unary(ops.floor),
    "full": _rows_of(None),
    "full_like": _like(None),
    "ge": _compare("ge"),
    "gelu": lambda call, x, approximate: ops.gelu(float_of(x), approximate=approximate),
    "gt": _compare("gt"),
    "hardsigmoid": unary(ops.hard_sigmoid),
    "hardswish": unary(ops.hard_swish),
    "isfinite": unary(ops.is_finite),
    "isinf": unary(ops.is_inf),
    "isnan": unary(ops.is_nan),
    "le": _compare("le"),
    "leaky_relu": lambda call, x, slope: ops.leaky_relu(float_of(x), negative_slope=slope),
    "lerp": _lerp,
    "lift_fresh_copy": _identity,
    "log": unary(ops.log),
    "log10": unary(ops.log10),
    "log1p": unary(ops.log1p),
    "log2": unary(ops.log2),
    "log_sigmoid": lambda call, x: ops.neg(ops.softplus(ops.neg(float_of(x)))),
    "log_softmax": _along_last(ops.log_softmax),
    "logical_and": _logical(ops.logical_and),
    "logical_not": _logical_not,
    "logical_or": _logical(ops.logical_or),
    "logical_xor": _logical(_xor),
    "lt": _compare("lt"),
    "masked_fill": _masked_fill,
    "matmul": _matmul,
    "maximum": binary(ops.maximum),
    "mean": _reduce(ops.mean),
    "minimum": binary(ops.minimum),
    "mm": _matmul,
    "mul": binary(ops.mul),
    "ne": _compare("ne"),
    "neg": unary(ops.neg),
    "new_empty": _rows_of(0),
    "new_full": _rows_of(None),
    "new_ones": _rows_of(1),
    "new_zeros": _rows_of(0),
    "ones": _rows_of(1),
    "ones_like": _like(1),
    "permute": _permute,
    "pow": _pow,
    "prod": _reduce(ops.prod),
    "reciprocal": unary(ops.reciprocal),
    "relu": unary(ops.relu),
    "reshape": _reshape,
    "round": _round,
    "rsqrt": unary(ops.rsqrt),
    "rsub": lambda call, a, b, alpha=1: _sub(call, b, a, alpha),
    "selu": unary(ops.selu),
    "sigmoid": unary(ops.sigmoid),
    "sign": lambda call, x: elementwise(ops.sign, tensor_of(x)),
    "silu": unary(ops.silu),
    "sin": unary(ops.sin),
    "sinh": unary(ops.sinh),
    "softmax": _along_last(ops.softmax),
    "softplus": _softplus,
    "sort": _sort,
    "special_erfinv": unary(ops.erfinv),
    "special_expm1": unary(ops.expm1),
    "special_log1p": unary(ops.log1p),
    "sqrt": unary(ops.sqrt),
    "square": unary(ops.square),
    "squeeze": _reshape,
    "sub": _sub,
    "sum": _reduce(ops.sum),
    "t": _transpose,
    "tan": unary(ops.tan),
    "tanh": unary(ops.tanh),
    "threshold": _threshold,
    "to": _to,
    "topk": _top_k,
    "transpose": _transpose,
    "type_as": _to,
    "unflatten": _reshape,
    "unsqueeze": _reshape,
    "var": _variance,
    "view_as": _reshape,
    "where": _where,
    "zeros_like": _like(0),
    **INDEXING,
    **KINKS,
    **LAYERS,
    **LOSSES,
    **PRODUCTS,
    **RECURRENT,
    **VIEWS,
    **WRITES,
}
