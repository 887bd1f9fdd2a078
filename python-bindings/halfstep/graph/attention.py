"""Attention, in the shapes and with the words of PyTorch's."""

from __future__ import annotations

import math
from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import current, operand, operands
from halfstep.graph.shapes import broadcast, constant, iota, product, reshape
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error, fraction


def _up_to(queries: int, keys: int, mask: Tensor | None) -> Tensor:
    """A mask of the keys up to the query's own position, of those that `mask` leaves."""
    places = queries, keys
    seen = generated.compare("ge", iota(0, places), iota(1, places))
    if mask is None:
        return seen
    return generated.logical_and(mask, seen) if mask.dtype == "bool" else generated.select(seen, mask, constant(-math.inf, mask.dtype))


def _mask_of_heads(mask: Tensor, batch: list[int | None]) -> Tensor:
    """A mask of scores [*batch, heads, queries, keys] for the same with all of `batch` in one dimension."""
    *leading, heads, queries, keys = (1,) * (3 - len(mask.shape)) + mask.shape
    if any(size != 1 for size in leading) and len(batch) > 1:
        leading = batch
        mask = broadcast(mask, (*batch, heads, queries, keys))
    return reshape(mask, (product(leading), heads, queries, keys))


def scaled_dot_product_attention(query: Operand, key: Operand, value: Operand, attn_mask: Operand | None = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: float | None = None) -> Tensor:
    """`softmax(query key^T * scale + attn_mask) value` of [..., heads, positions, size], with the names and the rule of PyTorch's:
    `scale` is 1 / sqrt(size) where it is not given; a mask of bool, a tensor or an array, keeps what is true, one of floats is
    added; `is_causal` keeps keys up to the query's own position. Fewer heads of keys than of queries are shared by as many
    queries each. `dropout_p` is of training alone."""
    query, key, value = operands(query, key, value)
    dropout_p = fraction("attention: dropout_p", dropout_p)
    mask = None if attn_mask is None else operand(attn_mask)
    if mask is not None and mask.dtype not in ("bool", "float16", "bfloat16", "float32", query.dtype):
        raise Error(f"attention: attn_mask has elements of {mask.dtype}; expected bool, which keeps what is true, or floats, which are added")
    if len({len(one.shape) for one in (query, key, value)}) != 1 or len(query.shape) < 2:
        raise Error(f"attention: shapes {query.shape}, {key.shape} and {value.shape} have no matrices of one batch")
    *batch, queries, size = query.shape
    if size is None:
        raise Error(f"attention: queries of shape {query.shape} have no known size")
    keys = key.shape[-2]
    if is_causal and queries != keys:
        if queries is None or keys is None:
            raise Error(f"attention: is_causal of queries {query.shape} and keys {key.shape} has no known number of positions")
        mask, is_causal = _up_to(queries, keys, mask), False
    # One dimension of batches and one of heads; heads that are as many on both sides may be batches.
    *batch, heads = batch or [1]
    if not batch and heads == (key.shape[-3] if len(key.shape) > 2 else 1):
        batch, heads = [heads], 1
        if mask is not None and len(mask.shape) == 3:
            mask = reshape(mask, (mask.shape[0], 1, *mask.shape[1:]))
    elif len(key.shape) > 2 and (not key.shape[-3] or heads is None or heads % key.shape[-3]):
        raise Error(f"attention: {heads} heads of queries are not divided by {key.shape[-3]} of keys")

    def in_heads(one: Tensor) -> Tensor:
        own = heads if heads == 1 or one is query else one.shape[-3]
        shape = product(batch), own, *one.shape[-2:]
        return one if one.shape == shape else reshape(one, shape)

    if mask is not None and len(mask.shape) > 3 and len(batch) != 1:
        mask = _mask_of_heads(mask, batch)
    drops: dict[str, Any] = {}
    if dropout_p:
        rng, stream = current().random()
        drops = {"rng": rng, "rate": dropout_p, "stream": stream}
    result, _ = generated.attention(in_heads(query), in_heads(key), in_heads(value), mask, causal=is_causal, scale=scale, **drops)
    shape = *query.shape[:-1], value.shape[-1]
    return result if result.shape == shape else reshape(result, shape)
