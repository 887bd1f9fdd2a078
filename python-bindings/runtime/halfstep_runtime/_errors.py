"""What goes wrong, as exceptions, and arguments that are checked."""

from __future__ import annotations

import dataclasses
import enum
import errno
import operator
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeGuard

# Folders of our own code, of which no frame is the user's.
_HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = tuple(os.path.join(os.path.dirname(_HERE), name) + os.sep for name in ("halfstep", "halfstep_runtime"))


AnyPath: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


# The kinds of errors of the compiler and the runtime, in the order in which MpFaultCode of mp-c/Runtime.h numbers them.
FaultCode = enum.IntEnum("FaultCode", [
    "OTHER", "UNKNOWN_OP", "OPERAND_COUNT", "OPERAND_TYPE", "ELEMENT_TYPES_DIFFER", "UNKNOWN_ATTRIBUTE", "MISSING_ATTRIBUTE", "ATTRIBUTE_KIND",
    "UNKNOWN_WORD", "MISSING_RESULT_TYPE", "OPEN_SPATIAL_SIZE", "UNKNOWN_SETTING", "SETTING_VALUE", "OTHER_POLICY", "HAS_CHECKPOINT",
    "WINDOW_TOO_LARGE", "CONSTRAINT",
], start=0)

# What stands around the names of flags and of settings in a fault's text.
_NAMED = re.compile("[\x1e\x1f]([^\x1e\x1f]*)[\x1e\x1f]")


@dataclasses.dataclass(frozen=True)
class Fault:
    """What an error of the compiler or the runtime is about, as MpFault has it."""

    code: int
    op: str = ""
    name: str = ""
    value: str = ""
    detail: str = ""
    operand: int = -1
    other: int = -1
    elements: int = 0  # a bit for each element type that fits
    known: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    text: str = ""
    constraint: int = 0  # its number in the description of the op, as (C2) of docs/ops.md

    def spelled(self, names: Mapping[str, str] | None = None) -> str:
        """Its text, in which flags and settings have the names of arguments: those of `names`, else `batch_size` of batch-size."""
        return _NAMED.sub(lambda found: (names or {}).get(found[1], found[1].replace("-", "_")), self.text)


class Error(RuntimeError):
    """What the compiler or the runtime refuses, in one line or more."""

    fault = Fault(FaultCode.OTHER)  # what it is about, where the compiler or the runtime says it
    placed = False  # whether it says in which layer it is
    called = False  # whether it says in which call it is
    of = ""  # the file, or the node of an imported model, that it begins with
    nonfinite: tuple[Any, ...] = ()  # of a training that looked for it: the Nonfinite that were found before it ended

    def __init__(self, said: str = "", value: object = ...) -> None:
        super().__init__(said)
        self.value = value  # what is refused, where the error does not say for which argument it was given


def begin(error: Error, of: str) -> Error:
    """The error, which begins with the file or the node that it is of."""
    if error.of != of:
        error.args, error.of = (f"{of}: {error}",), of
    return error


class UnknownName(Error, KeyError):
    """A name that is asked for and not there: a KeyError, too, as mappings have it."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows it in quotes


class UnknownArgument(Error, TypeError):
    """A keyword that what is called does not have: a TypeError, too, as Python has it."""


class WrongOperand(Error, TypeError):
    """What a function of tensors is given and that can be none: a TypeError, too, as Python has it."""


class MissingFile(FileNotFoundError, Error):
    """A file or folder that is asked for and not there: a FileNotFoundError, too, as `open` has it."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.of = path
        self.errno, self.strerror, self.filename = errno.ENOENT, os.strerror(errno.ENOENT), path

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), tuple(str(self).split(": ", 1))


def of_file(path: AnyPath, error: OSError, what: str = "") -> Error:
    """An error of the system's about a path, as ours: `model.onnx: cannot open: No such file or directory`."""
    path, said = os.fsdecode(path) or "''", f"{what}{error.strerror or error}"
    return MissingFile(path, said) if isinstance(error, FileNotFoundError) else begin(Error(said), path)


def shown(value: object) -> str:
    """A value in one line of an error, or its kind where it has no short text."""
    if isinstance(value, int) and value.bit_length() > 128:  # Python spells none that is much longer
        return f"of {value.bit_length()} bits"
    try:
        said = repr(value)
    except Exception:  # whatever a class of the user's raises
        said = ""
    return said if said.isprintable() and 0 < len(said) < 200 and " at 0x" not in said else f"of type {type(value).__name__}"


def is_text(value: object) -> TypeGuard[str]:
    """Whether it is text that the compiler and the runtime can be given: half of a pair of surrogates is none, and a zero byte ends one."""
    try:
        return isinstance(value, str) and "\0" not in value and value.encode() is not None
    except UnicodeEncodeError:
        return False


def path_of(path: AnyPath) -> str:
    """A path as text, of text, bytes or an object that has one."""
    try:
        found = os.fsdecode(path)
        if not is_text(found) or not found:
            raise TypeError
        return found
    except TypeError:
        raise Error(f"path is {shown(path)}, expected that of a file, as 'model.safetensors'", path) from None


def check_device(device: object) -> None:
    """That a device is named, as the runtime knows it."""
    if not is_text(device):
        raise Error(f"device is {shown(device)}, expected a name, as 'cpu' or 'cuda'; halfstep.devices() lists what there is")


def check_there(path: AnyPath) -> str:
    """The path, of a file or a folder that is to be read."""
    path = path_of(path)
    if not os.path.exists(path):
        raise MissingFile(path, f"cannot open: {os.strerror(errno.ENOENT)}")
    return path


def check_folder(path: AnyPath) -> str:
    """The path of a file that is to be written: its folder is there."""
    path = path_of(path)
    folder = os.path.dirname(path)
    if folder and not os.path.exists(folder):
        raise MissingFile(path, f"folder does not exist: {folder}; make it before, as by os.makedirs({folder!r})")
    return path


def plain(name: object) -> str:
    """A name without what spellings of it differ by: "crossentropy" of "CrossEntropy" and "cross_entropy"."""
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def snake_case(name: str) -> str:
    """A class's name as Keras writes it: conv2d_transpose of Conv2DTranspose. A word begins with a capital before a small letter, or behind one."""
    return re.sub(r"(?<=[A-Za-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _is_slip(a: str, b: str) -> bool:
    """Whether one letter is missing, too many or another, or two have changed places. Short names differ by as much from others that
    there are, sort from sqrt and GLU from GRU: of them only a letter that is there twice, or changed places, is a slip."""
    a, b = sorted((a, b), key=len)
    if len(b) < 4 or len(b) - len(a) > 1:
        return False
    at = next((i for i in range(len(a)) if a[i] != b[i]), len(a))
    if len(a) < len(b):
        return a[at:] == b[at + 1 :] and (len(b) > 4 or b[at] in b[max(at - 1, 0) : at])
    return a[at + 2 :] == b[at + 2 :] and a[at : at + 2] == b[at : at + 2][::-1] or len(a) > 5 and a[at + 1 :] == b[at + 1 :]


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The one of the known names that is meant: spelled otherwise, with a slip, with the number of its dimensions, or the first words of one."""
    import difflib

    if not isinstance(name, str):
        return None
    known, wanted = list(known), plain(name)
    ways: list[Callable[[str], bool]] = [
        lambda one: plain(one) == wanted,
        lambda one: _is_slip(wanted, plain(one)),
        lambda one: plain(one) == re.sub(r"[123]d$", "", wanted),
    ]
    for is_meant in ways:
        if (found := next(filter(is_meant, known), None)) is not None:
            return found
    longer = [one for one in known if str(one).startswith(f"{name}_")]
    if len(longer) == 1:
        return longer[0]
    # Of a long name, more than one slip.
    return next(iter(difflib.get_close_matches(str(name), [one for one in known if len(str(one)) > 9], 1, 0.88)), None)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """`there is no state 'kernl'; did you mean 'kernel'?`"""
    known = list(known)
    near = nearest(name, known)
    many = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return UnknownName(f"there is no {kind} {shown(name)}; " + (f"did you mean {near!r}?" if near else f"expected one of {many or 'none'}"), name)


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One thing that the compiler says. Line and column are from 1, 0 where none is known."""

    severity: str  # "error", "warning", "note" or "remark"
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{where}{self.severity}: {self.message}"


class CompileError(Error):
    """A model that was not compiled, with all that the compiler said."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


def error_of(fault: Fault, diagnostics: tuple[Diagnostic, ...] | None = None) -> Error:
    """The error that the compiler or the runtime tells; with diagnostics the one that a compilation ends with."""
    error = Error(fault.spelled()) if diagnostics is None else CompileError(fault.spelled(), diagnostics)
    error.fault = fault
    return error


def level_of_user() -> int:
    """How far above whoever asks the user's code is, as the `stacklevel` of a warning counts."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(PACKAGES):
        level, frame = level + 1, frame.f_back
    return level


def is_integer(value: object) -> TypeGuard[int]:
    """Whether it is a whole number of Python or of NumPy; True and False are none."""
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]  # which is asked
    except TypeError:
        return False
    return True


def several(name: str, values: Any) -> list[Any]:
    """An argument that is one whole number or has several."""
    if is_integer(values):
        return [values]
    try:
        return list(values)
    except TypeError:
        raise Error(f"{name} is {shown(values)}, expected a whole number, or several as in (2, 3)") from None


def integer(name: str, value: Any, least: int | None = None, *, bits: int | None = None) -> int:
    """An argument that is a whole number: 2.9 is not 2. With `bits` one that an unsigned number of so many holds, else one of 64 bits
    with its sign."""
    low, high = (0, 1 << bits) if bits is not None else (-(1 << 63), 1 << 63)
    is_whole = is_integer(value)
    if is_whole and max(low, low if least is None else least) <= operator.index(value) < high:
        return operator.index(value)
    least = 0 if least is None and bits is not None else least
    is_far = is_whole and not low <= operator.index(value) < high
    number = operator.index(value) if is_far else 0
    limit = f"less than 2**{bits}" if bits is not None else "" if not is_far else "less than 2**63" if number > 0 else "at least -2**63"
    words = [word for word in ("" if least is None else f"of at least {least}", limit) if word]
    raise Error(f"{name} is {shown(value)}, expected a whole number" + "".join(f"{' and' if i else ''} {word}" for i, word in enumerate(words)), value)


def number_of(name: str, value: Any) -> float:
    """An argument that is a number."""
    if (number := as_float(value)) is None:
        raise Error(f"{name} is {shown(value)}, expected a number")
    return number


def as_float(value: Any) -> float | None:
    """What Python's float is of a number; None of all else, as of arrays, and of complex and masked numbers, of which it warns."""
    if getattr(value, "shape", ()) != () or getattr(getattr(value, "dtype", None), "kind", "f") not in "biufV" or hasattr(value, "mask"):
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return None


def text(name: str, value: object, example: str) -> str:
    """An argument that is text."""
    if is_text(value):
        return str(value)
    raise Error(f"{name} is {shown(value)}, expected text, as {example}")


def truth(name: str, value: object) -> bool:
    """An argument that is True or False, Python's or NumPy's: "no" is neither."""
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool" and getattr(value, "shape", None) == ():
        try:
            return bool(value)
        except Error:  # a tensor of a model, which has no value
            pass
    raise Error(f"{name} is {shown(value)}, expected True or False")


def fraction(name: str, value: Any) -> float:
    """An argument that is a part of all: dropout's."""
    number = as_float(value)
    if number is None or not 0 <= number < 1:
        raise Error(f"{name} is {shown(value)}, expected a number of at least 0 and less than 1")
    return number


def axis(name: str, value: object, rank: int) -> int:
    """One of `rank` dimensions, from 0; negative ones are counted from the last."""
    number = integer(f"{name}: dimension", value)
    if not -rank <= number < rank:
        raise Error(f"{name}: dimension {number} is out of range, expected " + (f"{-rank} to {rank - 1}" if rank else "none of a scalar"))
    return number % rank


def axes(name: str, values: Any, rank: int) -> list[int]:
    """Several of them in their order, of one, several, or None for all."""
    if values is None:
        return list(range(rank))
    found = sorted(axis(name, one, rank) for one in several(f"{name}: dimensions", values))
    if len(set(found)) < len(found):
        raise Error(f"{name}: dimensions {shown(values)} have one twice")
    return found
