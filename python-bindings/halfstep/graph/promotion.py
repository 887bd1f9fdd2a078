"""Types in which several operands meet."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from halfstep.graph import generated
from halfstep.graph.graph import autocast, operands, promoted

if TYPE_CHECKING:
    from halfstep.graph.tensor import Tensor

_LOW = ("float16", "bfloat16")


def _as(x: Tensor, dtype: str) -> Tensor:
    return x if x.dtype == dtype else generated.cast(x, result=dtype)


def alike(*values) -> list:
    """Tensors, parameters and arrays as tensors in the widest of their float types, float32 where float16 meets bfloat16; None and
    integers stay what they are."""
    given = [one for one in values if one is not None]
    tensors = iter(operands(*given)) if given else iter(())
    found = [None if one is None else next(tensors) for one in values]
    types = {one.dtype for one in found if one is not None and "float" in one.dtype}
    if len(types) < 2:
        return found
    common = "float64" if "float64" in types else "float32"
    return [_as(one, common) if one is not None and "float" in one.dtype else one for one in found]


@contextlib.contextmanager
def in_float32(*values):
    """The operands, low ones as float32, with autocast off: sums of squares of float16 are infinite beyond 256 of 1.6."""
    given = [one for one in values if one is not None]
    tensors = iter(operands(*given) if given else ())
    found = [None if one is None else next(tensors) for one in values]
    with autocast(enabled=False):
        yield [_as(one, "float32") if one is not None and one.dtype in _LOW else one for one in found]


@contextlib.contextmanager
def in_widest(*values):
    """The operands in the widest of their float types, and ops that take the widest of those that autocast gives the operands: what PyTorch's
    autocast calls `promote`, which each op by itself is not."""
    found = alike(*values)
    with promoted():
        yield found
