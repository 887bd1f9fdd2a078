"""Tensors that have as many rows as the batch, which is open when a model is imported."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep_runtime._elements import DTypeName


class Rows:
    """The rows of a batch, of a tensor that has them first."""

    def __init__(self, tensor: Tensor):
        self._tensor = tensor

    def filled(self, number: float, shape: Sequence[int | None], dtype: DTypeName, share: int = 1) -> Tensor:
        """A number in each place of a shape whose one open size is so many times the batch's."""
        place, others = shape.index(None), [size for size in shape if size is not None]
        first = ops.broadcast(ops.constant(0, "int64"), like=self._tensor[(slice(None), *[0] * (len(self._tensor.shape) - 1))])
        rows = ops.gather(ops.broadcast(ops.constant(number, dtype), (1, share, *others)), first, 0)
        rows = ops.reshape(rows, (None, *others))
        order = list(range(1, len(shape)))
        order.insert(place, 0)
        return ops.transpose(rows, order) if place else rows

    @functools.cached_property
    def count(self) -> Tensor:
        """Their number, one of float64, whose sums and products are exact."""
        return ops.sum(self.filled(1.0, (None,), "float64"))
