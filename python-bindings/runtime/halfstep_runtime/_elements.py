"""Element types."""

from __future__ import annotations

from typing import Literal, get_args

from halfstep_runtime._errors import Error

DTypeName = Literal["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
# NumPy's names, by MLIR's, in the order in which MpElementType numbers them.
ELEMENTS = ("i1", "ui8", "i32", "i64", "f16", "bf16", "f32", "f64")
DTYPES: dict[str, DTypeName] = dict(zip(ELEMENTS, get_args(DTypeName)))


def dtype_name(what: str, dtype: object) -> DTypeName:
    """An element type as models have it, by the name that NumPy and PyTorch have for it."""
    for name in DTYPES.values():
        if name == str(dtype):
            return name
    raise Error(f"{what} has elements of {dtype}, expected one of {', '.join(DTYPES.values())}")
