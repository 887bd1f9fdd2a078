"""ATen's products with what is added to them, and what takes two tensors or three, in ours."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.scatter import summed
from halfstep.graph.shapes import known_sizes, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function, channels_last
from halfstep.importers.torch.call import Call, Handler, alike, as_type, float_of, is_float, together
from halfstep.importers.torch.indexing import check_rows
from halfstep_runtime._errors import Error


def _added(function: Function) -> Handler:
    """`beta * input + alpha * (a @ b)`."""
    return lambda call, c, a, b, *_: function(c, *alike(a, b), beta=call.named["beta"], alpha=call.named["alpha"])


def _with_factor(function: Function) -> Handler:
    return lambda call, c, a, b, *_: function(*alike(c, a, b), value=call.named["value"])


def _typed(call: Call, x: Tensor) -> Tensor:
    """What is read in another type where one is stated, else floats."""
    return float_of(x) if call.named.get("dtype") is None else call.typed(x)


def _running(function: Function) -> Handler:
    """Sums or products of the elements up to each, of integers in int64, as there."""

    def handle(call: Call, x: Tensor, dim: int, *_: object) -> Tensor:
        x = call.typed(x)
        return function(x, dim) if is_float(x) else as_type(function(as_type(x, "int64"), dim), call.dtype)

    return handle


def _vector_norm(call: Call, x: Tensor, order: float | None = 2, *_: object) -> Tensor:
    dims = call.named.get("dim")
    return ops.vector_norm(_typed(call, x), 2 if order is None else order, None if dims == [] else dims, bool(call.named.get("keepdim", False)))


def _scatter_add(call: Call, x: Any, dim: int, indices: Tensor, updates: Any) -> Tensor:
    check_rows(call)
    x, updates = alike(x, updates)
    return summed(lambda x, updates: ops.scatter_add_elements(x, dim, indices, updates), x, updates)


def _grouped_mm(call: Call, rows: Tensor, matrices: Tensor, ends: Tensor | None = None, bias: Tensor | None = None, *_: object) -> Tensor:
    """Of each row the product with the matrix of its group: groups lie behind each other, and `ends` says before which row each is over.
    Every row is multiplied with every matrix, since how many are in a group is computed. Rows behind the last group give 0."""
    if len(rows.shape) != 2 or len(matrices.shape) != 3 or ends is None or bias is not None:
        raise Error("only rows [N, K] by one matrix for each group of them, without a bias, are supported")
    rows, matrices = alike(rows, matrices)
    groups, count = known_sizes(matrices.shape)[0], size_of(rows, 0, "the batch, whose size is open, is not in groups")
    place = ops.constant(numpy.arange(count)[:, None], ends.dtype)
    group = ops.sum(ops.cast(ops.reshape(ends, (1, groups)) <= place, "float32"), 1, True)
    found = [ops.select(ops.compare("eq", group, i), ops.matmul(rows, matrices[i]), 0.0) for i in range(groups)]
    return functools.reduce(ops.add, found)


PRODUCTS: dict[str, Handler] = {
    **{name: _added(getattr(ops, name)) for name in ("addbmm", "addmm", "addmv", "addr", "baddbmm")},
    **{name: together(getattr(ops, name)) for name in ("bilinear", "dot", "mv", "vdot")},
    **dict.fromkeys(["bmm", "matmul", "mm"], together(ops.matmul)),
    **dict.fromkeys(["chain_matmul", "linalg_multi_dot"], lambda call, matrices: ops.multi_dot(alike(*matrices))),
    **dict.fromkeys(["_grouped_mm", "transformers::grouped_mm_fallback"], _grouped_mm),
    **dict.fromkeys(["linalg_vector_norm", "norm"], _vector_norm),
    **dict.fromkeys(["logsumexp", "special_logsumexp"],
                    lambda call, x, dims, keep_dims=False: ops.logsumexp(float_of(x), dims or None, bool(keep_dims))),
    "addcdiv": _with_factor(ops.addcdiv),
    "addcmul": _with_factor(ops.addcmul),
    "conv_tbc": together(ops.conv_tbc, 3),
    "cumprod": _running(ops.cumprod),
    "cumsum": _running(ops.cumsum),
    "frobenius_norm": lambda call, x, dims, keep_dims=False: ops.vector_norm(float_of(x), 2, dims or None, bool(keep_dims)),
    "linalg_cross": together(lambda a, b, dim: ops.cross(a, b, dim), 2),
    "linalg_matrix_norm": lambda call, x, order, dims, keep_dims=False, *_: ops.matrix_norm(_typed(call, x), order, dims, bool(keep_dims)),
    "linalg_vecdot": together(ops.vecdot, 2),
    "prelu": together(lambda x, weight: channels_last(lambda image: ops.prelu(image, weight), x)),
    "renorm": lambda call, x, order, dim, most: ops.renorm(float_of(x), order, dim, most),
    "scatter_add": _scatter_add,
    "tensordot": together(lambda a, b, *dims: ops.tensordot(a, b, dims), 2),
}
