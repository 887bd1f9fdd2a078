"""ATen's tables of vectors in our ops."""

from __future__ import annotations

from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.shapes import known_sizes, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler, as_type, tensor_of
from halfstep_runtime._errors import Error

SUM, MEAN, MAX = range(3)  # the modes of nn.EmbeddingBag


def _rows_at(call: Call, weight: Tensor, indices: Tensor) -> Tensor:
    call.only("scale_grad_by_freq", False)
    return ops.gather(weight, indices, 0)


def _embedding(call: Call, weight: Tensor, indices: Tensor, padding_idx: int = -1, *_: object) -> Tensor:
    rows = _rows_at(call, weight, indices)
    if padding_idx == -1:
        return rows
    is_padding = ops.compare("eq", ops.reshape(indices, (*indices.shape, 1)), padding_idx)
    return ops.select(is_padding, ops.stop_gradient(rows), rows)


def _bags(offsets: Any, count: int, has_last: bool) -> tuple[Tensor, int, int | None]:
    """Of each place the number of its bag, how many bags there are, and how many places each has where all have as many."""
    bags = size_of(tensor_of(offsets), 0, "the batch, whose size is open, has no bags") - has_last
    if not isinstance(offsets, Tensor):
        begins, own = offsets.numpy(), count // max(bags, 1)
        if has_last and begins[-1] != count:  # of what is behind, PyTorch has one thing in float32 and another in float64
            raise Error(f"the last offset is {begins[-1]}, expected the number of indices, {count}")
        if own * bags == count and (begins[:bags] == numpy.arange(bags) * own).all():
            return ops.constant(numpy.repeat(numpy.arange(bags), own), "int64"), bags, own
    starts = ops.reshape(as_type(tensor_of(offsets), "int64"), (1, bags + has_last))
    is_begun = starts <= ops.constant(numpy.arange(count)[:, None], "int64")
    return ops.cast(ops.sum(ops.cast(is_begun, "float32"), 1), "int64") - 1, bags, None


def _embedding_bag(call: Call, weight: Tensor, indices: Tensor, offsets: Any, scale_grad_by_freq: bool = False, mode: int = SUM, sparse: bool = False,
                   factors: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None) -> tuple[Any, ...]:
    """The sum, mean or maximum of the rows of each bag; 0 where a bag is empty. Padding is in no bag."""
    rows = _rows_at(call, weight, indices)
    count, width = (size_of(rows, i, "the batch, whose size is open, has no bags") for i in (0, 1))
    bag, bags, each = _bags(call.named["offsets"], count, bool(include_last_offset))
    is_in = ops.logical_and(bag >= 0, bag < bags)
    if padding_idx is not None:
        is_in = ops.logical_and(is_in, ops.compare("ne", indices, padding_idx % size_of(weight, 0, "the number of vectors is open")))
    if factors is not None:
        rows = rows * ops.reshape(factors, (count, 1))
    column = ops.reshape(is_in, (count, 1))

    def total(values: Tensor) -> Tensor:
        values = ops.select(column, values, 0.0)
        if each is not None:
            return ops.sum(ops.reshape(values, (bags, each, values.shape[1])), 1)
        zeros = ops.constant(numpy.zeros((bags, *known_sizes(values.shape)[1:])), values.dtype)
        return ops.scatter_add(zeros, bag, values, 0)

    counts = total(ops.constant(numpy.ones((count, 1)), "float32"))
    if mode != MAX:
        found = total(rows)
        return (found if mode == SUM else found / as_type(ops.maximum(counts, 1.0), found.dtype)), None, None, None
    if each is not None:
        largest = ops.reduce_max(ops.reshape(ops.select(column, rows, -numpy.inf), (bags, each, width)), 1)
    else:
        own = ops.logical_and(ops.compare("eq", bag, ops.constant(numpy.arange(bags)[:, None], "int64")), is_in)
        largest = ops.reduce_max(ops.select(ops.reshape(own, (bags, count, 1)), rows, -numpy.inf), 1)
    return ops.select(counts > 0, largest, 0.0), None, None, None


EMBEDDINGS: dict[str, Handler] = {"embedding": _embedding, "embedding_bag": _embedding_bag}
