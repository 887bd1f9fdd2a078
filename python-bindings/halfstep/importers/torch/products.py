"""ATen's products with what is added to them, and what takes two tensors or three, in ours."""

from __future__ import annotations

from halfstep import ops
from halfstep.importers.images import channels_last
from halfstep.importers.torch.operands import alike, as_type, float_of, is_float, pair, tensor_of
from halfstep_runtime._errors import Error


def _added(function):
    """`beta * input + alpha * (a @ b)`."""

    def handle(call, c, a, b, *_):
        return function(tensor_of(c), *alike(a, b), beta=call.named["beta"], alpha=call.named["alpha"])

    return handle


def _of_two(function):
    return lambda call, a, b, *_: function(*alike(a, b))


def _vecdot(call, a, b, dim=-1):
    a, b = alike(a, b)
    return ops.vecdot(a, b, dim)


def _tensordot(call, a, b, first, second):
    a, b = alike(a, b)
    return ops.tensordot(a, b, (first, second))


def _multi_dot(call, matrices):
    return ops.multi_dot(alike(*matrices))


def _bilinear(call, a, b, weight, bias=None):
    return ops.bilinear(*alike(a, b, weight, bias))


def _conv_tbc(call, x, weight, bias, pad=0):
    x, weight, bias = alike(x, weight, bias)
    return ops.conv_tbc(x, weight, bias, pad)


def _with_factor(function):
    def handle(call, c, a, b, *_):
        return function(*alike(c, a, b), value=call.named["value"])

    return handle


def _cross(call, a, b, dim=None):
    a, b = alike(a, b)
    if dim is None:  # the first of 3
        dim = next((i for i, size in enumerate(a.shape) if size == 3), -1)
    return ops.cross(a, b, dim)


def _prelu(call, x, weight):
    x, weight = alike(x, weight)
    return channels_last(lambda image: ops.prelu(image, weight), x)


def _typed(call, x):
    """What is read in another type where one is stated, else floats."""
    dtype = call.named.get("dtype")
    return float_of(x) if dtype is None else as_type(tensor_of(x), str(dtype).removeprefix("torch."))


def _running(function):
    """Sums or products of the elements up to each: of integers int64, as there, by way of float64, which has them up to 2^53."""

    def handle(call, x, dim, *_):
        x = tensor_of(x)
        dtype = call.named.get("dtype")
        x = x if dtype is None else as_type(x, str(dtype).removeprefix("torch."))
        if is_float(x):
            return function(x, dim)
        return ops.cast(function(ops.cast(x, "float64"), dim), "int64" if dtype is None else x.dtype)

    return handle


def _logsumexp(call, x, dims, keep_dims=False):
    return ops.logsumexp(float_of(x), dims if dims != [] else None, bool(keep_dims))


def _vector_norm(call, x, order=2, dims=None, keep_dims=False, *_):
    dims = call.named.get("dim")
    order = 2 if order is None else order
    return ops.vector_norm(_typed(call, x), order, dims if dims not in (None, []) else None, bool(call.named.get("keepdim", False)))


def _frobenius_norm(call, x, dims, keep_dims=False):
    return ops.vector_norm(float_of(x), 2, dims if dims != [] else None, bool(keep_dims))


def _matrix_norm(call, x, order="fro", dims=(-2, -1), keep_dims=False, *_):
    return ops.matrix_norm(_typed(call, x), order, dims, bool(keep_dims))


def _norm(call, x, order=None, dims=None, keep_dims=False, *_):
    """torch.linalg.norm: of matrices by their order, of all else as vectors."""
    x = _typed(call, x)
    is_matrix = len(dims) == 2 if dims is not None else order is not None and len(x.shape) == 2
    if order is not None and is_matrix:
        return ops.matrix_norm(x, order, dims or (-2, -1), bool(keep_dims))
    if isinstance(order, str):
        raise Error(f"ord={order!r} of vectors is not supported")
    found = ops.vector_norm(x, 2 if order is None else order, dims)
    return ops.reshape(found, call.shape) if keep_dims else found


def _renorm(call, x, order, dim, most):
    return ops.renorm(float_of(x), order, dim, most)


def _scatter_add(call, x, dim, indices, updates):
    x, updates = alike(x, updates)
    return ops.scatter_add_elements(x, dim, tensor_of(indices), updates)


PRODUCTS = {
    "addbmm": _added(ops.addbmm),
    "addcdiv": _with_factor(ops.addcdiv),
    "addcmul": _with_factor(ops.addcmul),
    "addmv": _added(ops.addmv),
    "addr": _added(ops.addr),
    "baddbmm": _added(ops.baddbmm),
    "bilinear": _bilinear,
    "chain_matmul": _multi_dot,
    "conv_tbc": _conv_tbc,
    "cross": _cross,
    "cumprod": _running(ops.cumprod),
    "cumsum": _running(ops.cumsum),
    "dot": _of_two(ops.dot),
    "frobenius_norm": _frobenius_norm,
    "linalg_cross": _cross,
    "linalg_matrix_norm": _matrix_norm,
    "linalg_multi_dot": _multi_dot,
    "linalg_norm": _norm,
    "linalg_vecdot": _vecdot,
    "linalg_vector_norm": _vector_norm,
    "logsumexp": _logsumexp,
    "mv": _of_two(ops.mv),
    "norm": _vector_norm,
    "prelu": _prelu,
    "renorm": _renorm,
    "scatter_add": _scatter_add,
    "special_logsumexp": _logsumexp,
    "tensordot": _tensordot,
    "vdot": _of_two(ops.vdot),
}
