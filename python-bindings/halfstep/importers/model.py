"""What imported models have in common: leaves and inputs that are known, a forward that nothing changes, and a batch that is open."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from halfstep import nn, ops
from halfstep.graph.tensor import Tensor
from halfstep.layers.leaves import Filter, Leaf
from halfstep_runtime._arrays import DTypeName
from halfstep_runtime._errors import Error


def input_of(shape: tuple[int | None, ...], dtype: DTypeName) -> nn.Input:
    """An input of that whole shape, whose first size, where it is open, is the batch."""
    batched = bool(shape) and shape[0] is None
    return nn.Input(shape[1:] if batched else shape, dtype, batched)


def leaf_of(value: Any, *, is_state: bool, is_filter: bool, trains: bool) -> nn.Parameter | nn.State:
    """What a model keeps of a tensor of floats, of this first value."""
    if is_state:
        return nn.State(value.shape, "zeros", value.dtype.name, value)
    return Filter(value.dtype.name, value, trainable=trains) if is_filter else nn.Parameter(value.shape, "zeros", value.dtype.name, value, trainable=trains)


def only_filters(uses: Iterable[tuple[str, bool]]) -> set[str]:
    """What convolutions read as filters and nothing else reads, of what is read and whether it is so."""
    uses = list(uses)
    return {name for name, is_filter in uses if is_filter} - {name for name, is_filter in uses if not is_filter}


class Imported(nn.Module):
    """A model of another framework, whose leaves have the names that they have there."""

    _has_fixed_forward = True
    _leaves: dict[str, nn.Parameter | nn.State]

    def children(self) -> Iterator[tuple[str, Leaf]]:
        yield from self._leaves.items()

    def input_names(self) -> list[str]:
        return list(self._inputs)

    def has_batch(self) -> bool:
        """Whether there is an input with a row for each sample."""
        return any(one.batched for one in self._inputs.values())

    def lacking(self, rows: int | None) -> Error | None:
        """Has the model be one whose batch is open, or where that lacks something one that is made for each size of the batch, where nobody
        says another for so many `rows`. What it lacks so, or None."""
        self.fixed_rows = rows
        try:
            self._traced()
        except Error as error:
            self.fixed_rows = None
            return error
        return None


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
