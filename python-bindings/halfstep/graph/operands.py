"""What functions of tensors are given where they take operands, checked before they ask it for a shape or a type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import Value, check_operand, constant, operand
from halfstep_runtime._errors import WrongOperand

# What functions that are made of ops call their operands, beside the names that operands of ops have.
_OF_FUNCTIONS = {"matrix", "vector", "weight", "base", "exponent", "slope", "values"}
_SEVERAL = {*generated.SEVERAL, "matrices"}
_NAMES = {*generated.OPERANDS, *_OF_FUNCTIONS} - _SEVERAL


def _is_tensor(value: object) -> bool:
    return isinstance(value, Value) or hasattr(value, "initializer")


def check_several(function: str, name: str, values: object) -> None:
    """Refuses what can be no list of operands."""
    if not _is_tensor(values):  # which says itself that it has no parts
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            from halfstep_runtime._arrays import told

            raise WrongOperand(f"{function}: {name} is {told(values)}, expected several tensors, as in [a, b]")
        for i, one in enumerate(values if isinstance(values, (list, tuple)) else ()):
            check_operand(function, f"{name}[{i}]", one)


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which says of what can be no operand for which one it is given. A number or an array that is its one operand
    becomes a tensor first: float32, or the array's own type, as where an op takes it by itself."""
    parameters = list(inspect.signature(function).parameters.values())
    places = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    rest = next((one.name for one in parameters if one.kind is one.VAR_POSITIONAL), None)
    required = {one.name: one.default is one.empty for one in parameters if one.name in _NAMES}

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        given = {**dict(zip(places, arguments)), **named}
        for name in _SEVERAL & given.keys():
            check_several(function.__name__, name, given[name])
        if rest in _SEVERAL:
            check_several(function.__name__, rest, arguments[len(places) :])
        operands = [name for name in required if name in given and (required[name] or given[name] is not None)]
        for name in operands:
            check_operand(function.__name__, name, given[name])
        if len(operands) == 1 and not _is_tensor(given[operands[0]]):
            name, value = operands[0], given[operands[0]]
            value = constant(value, "float32") if isinstance(value, (bool, int, float)) else operand(value)
            arguments = tuple(value if place == name else one for place, one in zip([*places, *arguments], arguments))
            named = {key: value if key == name else one for key, one in named.items()}
        return function(*arguments, **named)

    return call
