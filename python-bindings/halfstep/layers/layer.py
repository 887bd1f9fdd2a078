"""Layers that compute in a type of their own."""

from __future__ import annotations

from typing import Any

from halfstep.compiler.policy import Policy
from halfstep.graph.graph import autocast, check_operand, operand
from halfstep.graph.shapes import as_type
from halfstep.graph.tensor import Tensor
from halfstep.hints.types import ComputeDType
from halfstep.layers.module import Module
from halfstep_runtime._errors import Error, begin, shown

# Of Keras' names of policies, and of types.
_COMPUTES = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16", **{name: name for name in ("float16", "bfloat16", "float32")}}


def _compute_dtype(what: str, given: object) -> str:
    if isinstance(given, Policy):
        if given.settings() != {"policy": given.name}:
            raise Error(f"{what} is a policy with lists of its own, which are for compile: expected a name, as 'float32' or 'mixed_bfloat16'")
        given = given.name
    name = given if isinstance(given, str) else getattr(given, "__name__", None) or ("" if isinstance(given, int) else str(given).removeprefix("torch."))  # of NumPy, of PyTorch
    if name not in _COMPUTES:
        raise Error(f"{what} is {shown(given)}, expected one of {', '.join(_COMPUTES)}")
    return _COMPUTES[name]


class Layer(Module):
    """A module that `dtype` gives a type to compute in, whatever the policy says, as Keras' layers have one; its parameters are float32."""

    dtype: str | None = None

    def __init__(self, *, dtype: ComputeDType = None) -> None:
        self.dtype = None if dtype is None else _compute_dtype(f"{type(self).__name__}: dtype", dtype)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        if self.dtype is None:
            return super().__call__(*inputs, **named)
        self._graph_of(inputs)
        with autocast(None if self.dtype == "float32" else self.dtype, enabled=self.dtype != "float32"):
            if self.dtype == "float32":  # what the model itself has made narrow: what autocast has is float32 in a region without it
                inputs = tuple(as_type(one, "float32") if isinstance(one, Tensor) and "float16" in one.dtype else one for one in inputs)
            return super().__call__(*inputs, **named)

    def _operands(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if not inputs or isinstance(inputs[0], Tensor) or type(self).build is not Module.build:
            return inputs
        check_operand(type(self).__name__, "the input", inputs[0])
        try:
            return operand(inputs[0]), *inputs[1:]
        except Error as error:  # a number that no type has
            raise begin(error, f"{type(self).__name__}: the input") from None
