"""Element types, and arrays of any library, as programs take them and give them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

from halfstep_runtime._errors import Error
from halfstep_runtime._libraries import numpy

DTypeName = Literal["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
# NumPy's names, by MLIR's, in the order in which MpElementType numbers them.
ELEMENTS = ("i1", "ui8", "i32", "i64", "f16", "bf16", "f32", "f64")
DTYPES: dict[str, DTypeName] = dict(zip(ELEMENTS, get_args(DTypeName)))
Numbers: TypeAlias = "numpy.ndarray[Any, Any]"
BF16 = ELEMENTS.index("bf16")


def dtype_name(what: str, dtype: object) -> DTypeName:
    """An element type as models have it, by the name that NumPy and PyTorch have for it."""
    for name in DTYPES.values():
        if name == str(dtype):
            return name
    raise Error(f"{what} has elements of {dtype}, expected one of {', '.join(DTYPES.values())}")


def bfloat16() -> Any:
    """NumPy's type of bf16, which ml_dtypes adds, or None."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes.bfloat16


def array_of(name: str, value: Any, dtype: Any = None) -> Numbers:
    """NumPy's array of what is one, has one by DLPack, or is numbers and lists of them, in this machine's order of bytes."""
    if isinstance(value, numpy.ma.MaskedArray):
        raise Error(f"{name} is a masked array, whose mask nothing here reads; fill it, as in x.filled(0)")
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        given = value
        try:
            if value is None or isinstance(value, (str, bytes, dict, type)) or dtype is not None and numpy.iscomplexobj(numpy.asarray(value)):
                raise TypeError
            with numpy.errstate(over="ignore"):  # what is too large for the type is infinite
                if str(getattr(value, "dtype", "")) == "torch.bfloat16":
                    value = _of_bfloat16(name, value)
                else:
                    value = numpy.from_dlpack(value) if hasattr(value, "__dlpack__") else numpy.asarray(value, dtype)
        except (BufferError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            why = f": {str(error).split('. ')[0]}" if isinstance(given, (list, tuple)) or hasattr(given, "__dlpack__") else ""
            raise Error(f"{name} is {told(given)}, expected an array of numbers{why}") from None
        if value.dtype == object:
            raise Error(f"{name} is {told(given)}, expected an array of numbers{_beyond(value)}")
    array: Numbers = numpy.asarray(value)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _of_bfloat16(name: str, value: Any) -> Numbers:
    """An array of PyTorch's bfloat16, which NumPy takes by no DLPack."""
    if (own := bfloat16()) is None:
        raise Error(f"{name} is of bfloat16, which NumPy has by the package ml_dtypes: pip install ml_dtypes, or give x.float()")
    bits: Numbers = numpy.from_dlpack(value.detach().view(sys.modules["torch"].int16))
    return bits.view(own)


def _beyond(values: Numbers) -> str:
    """What is said of whole numbers that NumPy has no type for."""
    large = any(isinstance(one, int) and not -(2**63) <= one < 2**64 for one in values.flat)
    return "; whole numbers are at least -2**63 and less than 2**64, what is larger is a float, as 2.0**64" if large else ""


def told(value: object) -> str:
    """A value, or the kind of what has a long text."""
    if isinstance(value, int):  # of which Python spells no longer ones than 4300 digits
        return repr(value) if abs(value) < 10**39 else f"of type {type(value).__name__}"
    return repr(value) if value is None or isinstance(value, (str, bytes, float)) and len(repr(value)) < 40 else f"of type {type(value).__name__}"


def to_runtime(name: str, value: Any, element: str | None) -> tuple[Any, int]:
    """An array that the runtime reads, without a copy where its elements lie in a row, and its element's number or -1.

    Numbers and lists become arrays of `element`; the type of an array is its owner's choice, and never changed.
    """
    if isinstance(value, type) or not hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
        value = array_of(f"'{name}'", value, bfloat16() if element == "bf16" else DTYPES[element] if element else None)
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        # By DLPack, and by NumPy where that can: it knows what to do with strides.
        try:
            value = numpy.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError):
            return value, -1
    value = numpy.asarray(array_of(f"'{name}'", value), order="C")
    if value.dtype.name == "bfloat16":
        return value.view(numpy.uint16), BF16
    dtype_name(f"'{name}'", value.dtype)
    return value, -1


def several_to_runtime(values: Mapping[str, Any], elements: Mapping[str, str | None]) -> tuple[list[str], list[Any], list[int]]:
    """Names, arrays and numbers of element types, of arrays by name; what has no element keeps its own."""
    given = [to_runtime(name, value, elements.get(name)) for name, value in values.items()]
    return list(values), [array for array, _ in given], [element for _, element in given]


def from_runtime(element: int, array: Any) -> Any:
    """The array as its owner's library gave it; bf16 by ml_dtypes where it is there, else as f32."""
    if element != BF16:
        return array
    if bfloat16() is not None:
        return array.view(bfloat16())
    return (array.astype(numpy.uint32) << 16).view(numpy.float32)


# What arrays become whose types models do not have, and those of float64, which is NumPy's where nobody asked for it.
_OWN_TYPES = {"float64": "float32", "int8": "int32", "int16": "int32", "uint16": "int32", "uint32": "int64", "uint64": "int64"}


def numbers_of(name: str, value: Any) -> Numbers:
    """An array of which a model can be given a constant."""
    if hasattr(value, "detach"):  # PyTorch's, perhaps of another device
        value = value.detach().cpu()
    array = array_of(name, value)
    if array.dtype.kind not in "biuf" and array.dtype.name != "bfloat16" or array.dtype.name in ("longdouble", "float96", "float128"):
        raise Error(f"{name} has elements of {array.dtype}, expected numbers: one of {', '.join(DTYPES.values())}")
    return array


def common_type(values: Sequence[Any]) -> str:
    """One type for arrays, whose types their owners chose, and numbers, which have none: whole ones are int32 by themselves."""
    numbers = [one for one in values if isinstance(one, (bool, int, float)) and not isinstance(one, numpy.generic)]
    arrays = [numbers_of("an operand", one).dtype.name for one in values if not any(one is number for number in numbers)]
    types = {_OWN_TYPES.get(name, name) for name in arrays}
    floats, whole = {one for one in types if "float" in one}, {one for one in types if "int" in one}
    if floats or any(isinstance(one, float) for one in numbers):
        return floats.pop() if len(floats) == 1 else "float32"
    if whole:
        return whole.pop() if len(whole) == 1 else "int64"
    return "int32" if any(not isinstance(one, bool) for one in numbers) else next(iter(types), "bool")


def to_element(array: Any, element: str) -> Numbers:
    """The numbers as the compiler takes a constant of that type: rounded to it, those of bf16 as float64, which it rounds itself."""
    dtype = "float64" if element == "bf16" else DTYPES[element]
    with numpy.errstate(all="ignore"):  # what is too large for it is infinite
        return numpy.asarray(array, order="C").astype(dtype, copy=False)


def checked(value: Any, element: str) -> Numbers:
    """A number or an array as NumPy's, if a tensor of that type holds its elements as they are, floats rounded."""
    array = numbers_of("an array", value)
    if element[0] in "fb":
        return array
    bits = {"i1": 1, "ui8": 8}.get(element, int(element.lstrip("ui")) - 1)
    low, end = 0 if element in ("i1", "ui8") else -(2**bits), 2**bits
    if array.dtype.kind == "u":  # beside which NumPy may round numbers with signs to floats
        fits = array <= array.dtype.type(min(end - 1, numpy.iinfo(array.dtype).max))
    elif array.dtype.kind in "bi":
        fits = (array >= low) & (array <= end - 1)
    else:  # the end is a power of two, which no type of floats rounds
        wide = array.astype("float64")
        fits = (wide >= low) & (wide < end) & (wide == numpy.floor(wide))
    if not fits.all():
        raise Error(f"{array[~fits].flat[0]} is no {DTYPES[element]}, which the tensor has that it is to be with; cast that one first, "
                    "as in x.astype('float32')", value)
    return array
