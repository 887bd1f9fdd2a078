"""Functions on the tensors of a model: one for each op of docs/ops.md, and some that say more with fewer words.

    probability = ops.softmax(logits)
    loss = ops.softmax_cross_entropy(logits, labels)
"""

from __future__ import annotations

from halfstep.graph import generated
from halfstep.graph.attention import scaled_dot_product_attention
from halfstep.graph.functions import (
    abs, acosh, addcdiv, addcmul, asinh, atan2, atanh, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, ceil, clamp, cross, floor, floor_divide, fmod, is_inf, is_nan,
    neg, pow, prelu, relu, round, sign, square, where,
)
from halfstep.graph.generated import *  # noqa: F403
from halfstep.graph.graph import current, operand, type_of
from halfstep.graph.images import conv_transpose, resize
from halfstep.graph.norms import cosine_similarity, group_norm, l2_norm, matrix_norm, normalize, renorm, vector_norm
from halfstep.graph.operands import checked
from halfstep.graph.products import (
    addbmm, addmm, addmv, addr, baddbmm, bilinear, conv_tbc, dot, einsum, matmul, multi_dot, mv, outer, tensordot, vdot, vecdot,
)
from halfstep.graph.random import random_bernoulli, random_normal, random_uniform
from halfstep.graph.reductions import (
    all, any, argmax, argmin, cumprod, cumsum, log_softmax, logsumexp, mean, median, prod, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum, softmax, sort, sum,
    top_k, var,
)
from halfstep.graph.scatter import gather_elements, index_put, scatter_add_elements, scatter_elements
from halfstep.graph.shapes import broadcast, cast, concat, constant, flip, iota, pad, reshape, scatter_add, split, stack, tile, transpose, tril, triu
from halfstep.hints.elsewhere import FUNCTIONS
from halfstep.hints.types import DType, Operand, Sizes, Tensor
from halfstep_runtime._errors import Error, axis, fraction, nearest
from halfstep_runtime._keywords import tell

__all__ = [
    "abs", "acosh", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all", "any", "argmax", "argmin", "asinh", "atan2", "atanh", "baddbmm", "bilinear",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor",
    "broadcast", "cast", "ceil", "clamp", "concat", "constant", "conv_tbc", "conv_transpose", "cosine_similarity", "cross", "cumprod", "cumsum", "dot",
    "dropout", "einsum", "flip", "floor", "floor_divide", "fmod", "gather", "gather_elements", "group_norm", "index_put", "iota", "is_inf", "is_nan", "l2_norm",
    "log_softmax", "logsumexp", "matmul",
    "matrix_norm", "max", "maximum", "mean", "median", "min", "minimum", "multi_dot", "mv", "neg", "normalize", "one_hot", "outer", "pad", "pow", "prelu", "prod",
    "random_bernoulli", "random_normal", "random_uniform",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "relu", "renorm",
    "reshape", "resize", "round", "scaled_dot_product_attention", "scatter_add", "scatter_add_elements", "scatter_elements", "sign", "softmax", "sort", "split", "square", "stack", "sum", "tensordot", "tile",
    "top_k", "transpose", "tril", "triu", "var", "vdot", "vecdot", "vector_norm", "where",
]
__all__ += generated.__all__


def maximum(lhs: Operand, rhs: Operand) -> Tensor:
    """The larger of two, element by element, with NumPy's broadcasting (numpy.maximum)."""
    return generated.max(lhs, rhs)


def minimum(lhs: Operand, rhs: Operand) -> Tensor:
    """The smaller of two, element by element, with NumPy's broadcasting (numpy.minimum)."""
    return generated.min(lhs, rhs)


def max(lhs: Operand, rhs: Operand) -> Tensor:
    """`maximum` under the name of its op: of two, and not along a dimension, which is `reduce_max`. So a whole number that is one of the
    dimensions is refused."""
    return maximum(lhs, _no_dimension("max", lhs, rhs))


def min(lhs: Operand, rhs: Operand) -> Tensor:
    """`minimum` under the name of its op; `reduce_min` is along dimensions. A whole number that is one of the dimensions is refused."""
    return minimum(lhs, _no_dimension("min", lhs, rhs))


def _no_dimension(name: str, lhs: Operand, rhs: Operand) -> Operand:
    """The second operand, which in NumPy and PyTorch is a dimension."""
    rank = len(getattr(lhs, "shape", ()))
    if isinstance(rhs, int) and not isinstance(rhs, bool) and -rank <= rhs < rank:
        raise Error(f"{name}: rhs is {rhs}, an element or a dimension: ops.{name}imum(x, {rhs}) is the {'larger' if name == 'max' else 'smaller'} of each element "
                    f"and {rhs}, ops.reduce_{name}(x, {rhs}) the {'largest' if name == 'max' else 'smallest'} along dimension {rhs}")
    return rhs


def _absent(name: str) -> str:
    """What is here for a name that is not."""
    near = nearest(name, __all__)
    return f"here it is ops.{FUNCTIONS[name]}" if name in FUNCTIONS else f"did you mean ops.{near}?" if near else "help(halfstep.ops) lists what there is"


def __dir__() -> list[str]:
    return sorted(__all__)


def gather(input: Operand, indices: Tensor, dimension: int = 0) -> Tensor:
    """Slices by their indices along a dimension, as numpy.take; of a table with rows, an embedding."""
    input = operand(input)
    return generated.gather(input, indices, axis("gather", dimension, len(input.shape)))


def one_hot(labels: Tensor, classes: int, dtype: DType = "float32") -> Tensor:
    """1 in the column of a label, 0 in the others."""
    labels = operand(labels)
    return generated.one_hot(labels, result=type_of((*labels.shape, classes), dtype))


def dropout(input: Tensor, rate: float, *, shared: Sizes | None = None) -> Tensor:
    """Zeros instead of a part of the elements, in training alone; the others grow by 1 / (1 - rate)."""
    rng, stream = current().random()
    return generated.dropout(input, rng, fraction("dropout: rate", rate), stream, shared=shared)


tell(__name__, __all__, globals(), absent=_absent, checked=checked)
