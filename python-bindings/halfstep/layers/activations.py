"""Activations of layers, by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from halfstep import ops
from halfstep.hints.elsewhere import FUNCTIONS
from halfstep.hints.types import Activation, Tensor
from halfstep_runtime._errors import Error, nearest, shown

_AS_CALLED = {"input": "x", "lhs": "x", "rhs": "y", "inputs": "[x, y]"}


def _required(name: str) -> list[str]:
    parameters = inspect.signature(getattr(ops, name)).parameters.values()
    return [one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]


def is_activation(name: str) -> bool:
    """Whether it is an op of one tensor alone that gives another of its shape."""
    parameters = inspect.signature(getattr(ops, name)).parameters
    gives_others = {"keep_dims", "dtype", "like", "permutation", "diagonal", "sizes", "descending"} & {*parameters} or name.startswith(("bitwise_", "is_", "logical_"))
    return _required(name) == ["input"] and not gives_others and not name.endswith("_gradient")


def call_of(name: str) -> str:
    """How an op is called: `ops.split(x, sizes, dimension)`."""
    parameters = inspect.signature(getattr(ops, name)).parameters
    several = [one for one, of in parameters.items() if of.kind is of.VAR_POSITIONAL]
    also = [one for one in parameters if one in ("dimensions", "dimension", "permutation")]
    return f"ops.{name}({', '.join('x, y' if one in several else _AS_CALLED.get(one, one) for one in dict.fromkeys([*_required(name), *also]))})"


def find_activation(name: Activation) -> Callable[[Tensor], Tensor]:
    """A function on tensors, by its name or itself; what passes everything for None."""
    if name is None or isinstance(name, str) and name == "linear":
        return lambda x: x
    if callable(name):
        return name
    if not isinstance(name, str):
        raise Error(f"there is no activation {shown(name)}; expected a name, as 'relu', or a function of a tensor", name)
    function: Callable[[Tensor], Tensor] | None = getattr(ops, name) if name in ops.__all__ else None
    if function is not None and _required(name) != ["input"]:
        raise Error(f"'{name}' is no activation, which is of one tensor alone: it is called {call_of(name)} in a forward", name)
    if function is None:
        instead = FUNCTIONS.get(name, "").partition("(")[0]
        near = instead if instead in ops.__all__ and is_activation(instead) else nearest(name, filter(is_activation, ops.__all__))
        meant = f"did you mean {near!r}? " if near else ""
        raise Error(f"there is no activation {shown(name)}; {meant}ops of one operand are: relu, gelu, tanh, sigmoid, softmax, ...", name)
    return function
