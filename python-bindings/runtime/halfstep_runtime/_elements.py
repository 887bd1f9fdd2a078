"""Element types."""

from __future__ import annotations

from typing import Literal

DTypeName = Literal["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
# NumPy's names, by MLIR's, in the order in which MpElementType numbers them.
DTYPES: dict[str, DTypeName] = {
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
