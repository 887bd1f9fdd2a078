"""Attention, of the ops that it is made of."""

from __future__ import annotations

import math

from halfstep import _graph, _ops
from halfstep._errors import Error
from halfstep._graph import Tensor
from halfstep._shapes import constant, iota, reshape


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == "bool":
        return _ops.select(mask, scores, constant(-math.inf, scores.dtype))
    return scores + (mask if mask.dtype == scores.dtype else _ops.cast(mask, result=scores.dtype))


def _in_groups(mask: Tensor, group: int) -> Tensor:
    """A mask [..., query heads, queries, keys] for scores [..., heads, group, queries, keys]."""
    if len(mask.shape) < 3:
        return mask
    heads = mask.shape[-3]
    own = (1, 1) if heads == 1 else (None if heads is None else heads // group, group)
    return reshape(mask, (*mask.shape[:-3], *own, *mask.shape[-2:]))


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, dropout: float = 0.0,
                                 is_causal=False, scale: float | None = None) -> Tensor:
    """`softmax(query key^T * scale + mask) value` of [..., heads, positions, size], with the names and the rule of PyTorch's:
    `scale` is 1 / sqrt(size) where it is not given; a mask of bool keeps what is true, another is added; `is_causal` keeps
    keys up to the query's own position. Fewer heads of keys than of queries are shared by as many queries each."""
    if len({len(one.shape) for one in (query, key, value)}) != 1 or len(query.shape) < 2:
        raise Error(f"attention: shapes {query.shape}, {key.shape} and {value.shape} have no matrices of one batch")
    *batch, queries, size = query.shape
    if size is None:
        raise Error(f"attention: queries of shape {query.shape} have no known size")
    heads, group = (batch[-1], 1) if batch else (1, 1)
    if batch and key.shape[-3] != batch[-1]:
        heads = key.shape[-3]
        if not heads or batch[-1] is None or queries is None or batch[-1] % heads:
            raise Error(f"attention: {batch[-1]} heads of queries are not divided by {heads} of keys")
        group = batch[-1] // heads
        # The queries of a group are rows of one matrix: no key is repeated.
        query = reshape(query, (*batch[:-1], heads, group * queries, size))
    scores = _ops.matmul(query, key, transpose_rhs=True) * (size**-0.5 if scale is None else scale)
    together = scores.shape
    if group > 1:
        scores = reshape(scores, (*batch[:-1], heads, group, queries, key.shape[-2]))
    if is_causal:
        square = scores.shape[-2:]
        scores = _masked(scores, _ops.compare("ge", iota(0, square), iota(1, square)))
    if mask is not None:
        scores = _masked(scores, _in_groups(mask, group) if group > 1 else mask)
    weights = _ops.softmax(scores)
    if dropout:
        graph = _graph.current()
        weights = _ops.dropout(weights, graph.rng(), dropout, graph.stream())
    weights = weights if weights.shape == together else reshape(weights, together)
    result = _ops.matmul(weights, value)
    return result if group == 1 else reshape(result, (*batch, queries, value.shape[-1]))
