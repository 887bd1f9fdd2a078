"""Functions on the tensors of a model: one for each op of docs/ops.md, and some that say more with fewer words.

    probability = ops.softmax(logits)
    loss = ops.softmax_cross_entropy(logits, labels)
"""

from __future__ import annotations

from halfstep import _graph, _ops
from halfstep._along import cumsum, top_k
from halfstep._attention import scaled_dot_product_attention
from halfstep._errors import axis, fraction
from halfstep._graph import Tensor
from halfstep._norms import cosine_similarity, group_norm, l2_norm, normalize
from halfstep._ops import *  # noqa: F403
from halfstep._powers import pow
from halfstep._products import einsum, matmul, outer
from halfstep._reductions import (
    argmax, argmin, mean, prod, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum, sum,
)
from halfstep._shapes import (
    broadcast, cast, concat, constant, flip, iota, pad, reshape, scatter_add, split, stack, tile, transpose, tril, triu,
)

__all__ = [
    "argmax", "argmin", "broadcast", "cast", "concat", "constant", "cosine_similarity", "cumsum", "dropout", "einsum",
    "flip", "gather", "group_norm", "iota", "l2_norm", "matmul", "mean", "normalize", "one_hot", "outer", "pad", "pow",
    "prod", "reshape", "scaled_dot_product_attention", "split", "stack", "sum", "tile", "top_k", "transpose", "tril", "triu",
]
__all__ += _ops.__all__


def __dir__():
    return sorted(__all__)


def gather(input, indices: Tensor, dimension: int = 0) -> Tensor:
    """Slices by their indices along a dimension, as numpy.take; of a table with rows, an embedding."""
    input = _graph.operand(input)
    return _ops.gather(input, indices, axis("gather", dimension, len(input.shape)))


def one_hot(labels: Tensor, classes: int, dtype="float32") -> Tensor:
    """1 in the column of a label, 0 in the others."""
    labels = _graph.operand(labels)
    return _ops.one_hot(labels, result=_graph.type_of((*labels.shape, classes), dtype))


def dropout(input: Tensor, rate: float, *, shared=None) -> Tensor:
    """Zeros instead of a part of the elements, in training alone; the others grow by 1 / (1 - rate)."""
    graph = _graph.current()
    return _ops.dropout(input, graph.rng(), fraction("dropout: rate", rate), graph.stream(), shared=shared)
