"""What imported models have in common: leaves and inputs that are known, and a forward that nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from halfstep import nn
from halfstep.layers.leaves import Filter, Leaf
from halfstep_runtime._elements import DTypeName
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
