"""Types in which several operands meet."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from halfstep.graph.graph import autocast, operands, promoted
from halfstep.graph.shapes import as_type
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._elements import DTypeName

_LOW = ("float16", "bfloat16")


def alike(*values: Operand | None) -> list[Tensor]:
    """Tensors, parameters and arrays as tensors in the widest of their float types, float32 where float16 meets bfloat16; None and
    integers stay what they are."""
    found = operands(*values)
    types = {one.dtype for one in found if one is not None and "float" in one.dtype}
    if len(types) < 2:
        return found
    common: DTypeName = "float64" if "float64" in types else "float32"
    return [as_type(one, common) if one is not None and "float" in one.dtype else one for one in found]


@contextlib.contextmanager
def in_float32(*values: Operand | None) -> Iterator[list[Tensor]]:
    """The operands, low ones as float32, with autocast off: sums of squares of float16 are infinite beyond 256 of 1.6."""
    found = operands(*values)
    with autocast(enabled=False):
        yield [as_type(one, "float32") if one is not None and one.dtype in _LOW else one for one in found]


@contextlib.contextmanager
def in_widest(*values: Operand | None) -> Iterator[list[Tensor]]:
    """The operands in the widest of their float types, and ops that take the widest of those that autocast gives the operands: what PyTorch's
    autocast calls `promote`, which each op by itself is not."""
    found = alike(*values)
    with promoted():
        yield found


def of_halves(add: Callable[..., Tensor], *values: Tensor) -> Tensor:
    """What a function gives that adds up floats; of integers and bool in int64, and what wraps: float64 has the sums of halves of 32 bits."""
    if "float" in values[0].dtype:
        return add(*values)

    def total(*of: Tensor) -> Tensor:
        return as_type(add(*(as_type(one, "float64") for one in of)), "int64")

    wide = [as_type(one, "int64") for one in values]
    if all(one.dtype != "int64" for one in values):
        return total(*wide)
    return (total(*(one >> 32 for one in wide)) << 32) + total(*(one & 2**32 - 1 for one in wide))
