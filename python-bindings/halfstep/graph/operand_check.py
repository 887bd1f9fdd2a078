"""What may be an operand, beside tensors."""

from __future__ import annotations

import numbers
from collections.abc import Mapping

from halfstep_runtime._errors import WrongOperand

_AN_OPERAND = "a tensor, an array or a number"
# What a None that is given for an operand often is.
_OF_NONE = "the size of the batch, x.shape[0], is None, since any number of rows may come"


def _may_be_operand(value) -> bool:
    if isinstance(value, numbers.Number) or hasattr(value, "initializer"):
        return True
    is_array = any(hasattr(value, name) for name in ("__array__", "__dlpack__", "__len__"))
    return is_array and not isinstance(value, (str, bytes, Mapping))


def check_operand(function: str, name: str, value) -> None:
    """Refuses what is no number, array or parameter, and so can be no operand; who has a tensor need not ask."""
    if not _may_be_operand(value):
        from halfstep_runtime._arrays import told  # which needs NumPy

        hint = f"; {_OF_NONE}" if value is None else ""
        raise WrongOperand(f"{function}: {name} is {told(value)}, expected {_AN_OPERAND}{hint}")
