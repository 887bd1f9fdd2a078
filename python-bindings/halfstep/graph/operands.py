"""What functions of tensors are given where they take operands, checked before they ask it for a shape or a type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import Value, check_operand, constant, is_tensor, operand
from halfstep_runtime._arrays import told
from halfstep_runtime._errors import WrongOperand, fraction, number_of

# What operands are by their annotations, one or several.
_ONE, _SEVERAL = {f"{kind}{or_none}" for kind in ("Operand", "Tensor") for or_none in ("", " | None")}, "Iterable[Operand]"


def _check_several(function: str, name: str, values: Any) -> Any:
    """A list of operands, of what can be one."""
    if isinstance(values, Value):
        return values  # which says itself that it has no parts
    try:
        if isinstance(values, (str, bytes, bytearray, Mapping)):
            raise TypeError
        found = list(values)
    except TypeError:
        raise WrongOperand(f"{function}: {name} is {told(values)}, expected several tensors, as in [a, b]") from None
    for i, one in enumerate(found):
        check_operand(function, f"{name}[{i}]", one)
    return found


def _check_of(parameter: inspect.Parameter) -> Callable[[str, Any], Any] | None:
    """What is asked of an argument that is a number, before a function compares it or computes with it."""
    if parameter.name in ("rate", "dropout_p"):
        return fraction
    if parameter.annotation == "float" or isinstance(parameter.default, float):
        return number_of
    return (lambda name, value: value is None or number_of(name, value)) if parameter.annotation == "float | None" else None


def checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function of that name, which says of what can be no operand for which one it is given. A number or an array that is its one operand
    becomes a tensor first: float32, or the array's own type, as where an op takes it by itself."""
    parameters = list(inspect.signature(function).parameters.values())
    places = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    rest = next((one.name for one in parameters if one.kind is one.VAR_POSITIONAL and one.annotation in _ONE), None)
    several = {one.name for one in parameters if one.annotation == _SEVERAL}
    required = {one.name: one.default is one.empty for one in parameters if one.annotation in _ONE and one.name != rest}
    # What the compiler compares with the op's definition is not asked twice.
    is_op = inspect.unwrap(function).__module__ == generated.__name__
    checks = {one.name: check for one in parameters if not is_op and (check := _check_of(one)) is not None}

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        given = {**dict(zip(places, arguments)), **named}
        own = {one: _check_several(name, one, given[one]) for one in several & given.keys()}
        if rest is not None:
            _check_several(name, rest, arguments[len(places) :])
        operands = [one for one in required if one in given and (required[one] or given[one] is not None)]
        for one in operands:
            check_operand(name, one, given[one])
        for one, check in checks.items():
            if one in given:
                check(f"{name}: {one}", given[one])
        if len(operands) == 1 and not is_tensor(value := given[operands[0]]):
            own[operands[0]] = constant(value, "float32") if isinstance(value, (bool, int, float)) else operand(value)
        if own:
            arguments = tuple(own.get(place, one) for place, one in zip([*places, *[""] * len(arguments)], arguments))
            named = {key: own.get(key, one) for key, one in named.items()}
        return function(*arguments, **named)

    return call
