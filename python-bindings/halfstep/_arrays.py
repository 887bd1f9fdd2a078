"""Arrays of any library, as programs take them and give them."""

from __future__ import annotations

import numpy

# As MpElementType numbers them.
ELEMENTS = ("i1", "ui8", "i32", "i64", "f16", "bf16", "f32", "f64")
BF16 = ELEMENTS.index("bf16")
DTYPES = dict(
    zip(ELEMENTS, ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"), strict=True)
)


def bfloat16():
    """NumPy's type of bf16, which ml_dtypes adds, or None."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes.bfloat16


def to_runtime(name: str, value, element: str | None):
    """An array that the runtime reads, without a copy where its elements lie in a row, and its element's number or -1.

    Numbers and lists become arrays of `element`; the type of an array is its owner's choice, and never changed.
    """
    if not hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
        value = numpy.asarray(value, dtype=bfloat16() if element == "bf16" else DTYPES[element] if element else None)
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        # By DLPack, and by NumPy where that can: it knows what to do with strides.
        try:
            value = numpy.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError):
            return value, -1
    value = numpy.asarray(value, order="C")
    if value.dtype.name == "bfloat16":
        return value.view(numpy.uint16), BF16
    if value.dtype.name not in DTYPES.values() or not value.dtype.isnative:
        raise TypeError(f"'{name}' has elements of {value.dtype}, expected one of {', '.join(DTYPES.values())}")
    return value, -1


def from_runtime(element: int, array):
    """The array as its owner's library gave it; bf16 by ml_dtypes where it is there, else as f32."""
    if element != BF16:
        return array
    if bfloat16() is not None:
        return array.view(bfloat16())
    return (array.astype(numpy.uint32) << 16).view(numpy.float32)
