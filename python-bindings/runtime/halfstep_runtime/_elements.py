"""Element types."""

from __future__ import annotations

import re

# NumPy's names, by MLIR's, in the order in which MpElementType numbers them.
DTYPES = {
    "i1": "bool",
    "ui8": "uint8",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
ELEMENTS = tuple(DTYPES)

# How verifiers say that an op takes other types than a tensor has, and that two differ.
_UNFIT = re.compile(r"operand #(\d+) must be ranked tensor of ([\w, -]+) values")
_ALIKE = "requires the same element type for all operands and results"
_DIFFERING = re.compile(r"operands differ in type: (\w+) has '(\w+)', (\w+) has '(\w+)'")


def told_of_types(message: str, operands) -> str | None:
    """What a verifier says of the types of operands, by NumPy's names and with what to do about it; None where it says something else."""
    unfit = _UNFIT.search(message)
    if unfit and unfit[2] == "1-bit signless integer":
        return f"an operand has elements of {operands[int(unfit[1])]}, expected bool: a comparison, as in x != 0"
    taken = [DTYPES[one] for one in re.split(", | or ", unfit[2]) if one in DTYPES] if unfit else []
    if unfit and taken:
        wanted = "floats" if {"float16", "float32"} <= set(taken) else " or ".join(filter(None, (", ".join(taken[:-1]), taken[-1])))
        to = "float32" if wanted == "floats" else taken[-1]
        return f"an operand has elements of {operands[int(unfit[1])]}, expected {wanted}; cast it first, as in ops.cast(x, '{to}')"
    if differing := _DIFFERING.search(message):
        first, element, second, other = differing.groups()
        return (f"operands differ in type: {first} has {DTYPES.get(element, element)}, {second} has {DTYPES.get(other, other)}; cast one of "
                f"them, as in ops.cast(x, '{DTYPES.get(other, other)}'), or the array, as in x.astype('{DTYPES.get(other, other)}')")
    other = next((one for one in operands if one != operands[0]), None)
    if _ALIKE in message and other is not None:
        return (f"operands differ in type: {operands[0]} and {other}; cast one of them, as in ops.cast(x, '{other}'), or the array, as in "
                f"x.astype('{other}')")
    return None
