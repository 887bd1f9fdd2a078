"""What is said of the compiler's errors, by their codes: with names of Python, and with what to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halfstep_runtime._arrays import DTYPES
from halfstep_runtime._errors import Fault, FaultCode, integer, nearest, number_of, several, shown, truth


@dataclasses.dataclass(frozen=True)
class Call:
    """What is known of a call that was refused."""

    op: str = ""
    dtypes: Sequence[str | None] = ()  # of operands, None of one that is left out
    attributes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    is_layer: bool = False  # whether it is in a layer of the user's, where a model may begin with one more


def _operand_type(fault: Fault, call: Call) -> str | None:
    fitting = [dtype for i, dtype in enumerate(DTYPES.values()) if fault.elements >> i & 1]
    given = call.dtypes[fault.operand] if fault.operand < len(call.dtypes) else None
    if not fitting or given is None:
        return None
    if fitting == ["bool"]:
        return f"{fault.name} has elements of {given}, expected bool: a comparison, as in x != 0"
    wanted = "floats" if {"float16", "float32"} <= set(fitting) else " or ".join(filter(None, (", ".join(fitting[:-1]), fitting[-1])))
    to = "float32" if wanted == "floats" else fitting[-1]
    also = ", or by nn.Rescaling(1 / 255) as the first layer" if call.is_layer and (given, wanted) == ("uint8", "floats") else ""
    return f"{fault.name} has elements of {given}, expected {wanted}; cast it first, as in ops.cast(x, '{to}'){also}"


def _element_types_differ(fault: Fault, call: Call) -> str:
    first, other = call.dtypes[fault.operand], call.dtypes[fault.other]
    said = f"{fault.name} has {first}, {fault.value} has {other}" if fault.name else f"{first} and {other}"
    return f"operands differ in type: {said}; cast one of them, as in ops.cast(x, '{other}'), or the array, as in x.astype('{other}')"


# What an attribute has to be, as arguments are checked.
_CHECKS: dict[str, Callable[[str, Any], object]] = {
    "integer": integer,
    "integers": lambda name, value: [integer(name, one) for one in several(name, value)],
    "number": number_of,
    "truth": truth,
}


def _attribute_kind(fault: Fault, call: Call) -> str | None:
    value = call.attributes[fault.name]
    if fault.value in _CHECKS:
        _CHECKS[fault.value](f"{call.op}: {fault.name}", value)
    return f"{fault.name} is {shown(value)}"


def _unknown_word(fault: Fault, call: Call) -> str | None:
    if fault.name == "padding":
        return None  # which may be numbers, too
    near = nearest(fault.value, fault.known)
    return f"{fault.name} is {fault.value!r}; {f'did you mean {near!r}? ' if near else ''}expected one of {', '.join(fault.known)}"


_HINTS: dict[int, Callable[[Fault, Call], str | None]] = {
    FaultCode.OPERAND_TYPE: _operand_type,
    FaultCode.ELEMENT_TYPES_DIFFER: _element_types_differ,
    FaultCode.ATTRIBUTE_KIND: _attribute_kind,
    FaultCode.UNKNOWN_WORD: _unknown_word,
    FaultCode.OTHER_POLICY: lambda fault, call: (
        f"{fault.detail}: was made with policy '{fault.name}', this run has '{fault.value}'; train under that one, or anew from its load_weights"),
    FaultCode.HAS_CHECKPOINT: lambda fault, call: f"{fault.detail}: has a checkpoint; go on from it with resume=True, or remove it",
}


def hint(fault: Fault, call: Call = Call()) -> str | None:
    """What is said of an error, or None where its own text says it all."""
    known = _HINTS.get(fault.code)
    return None if known is None else known(fault, call)
