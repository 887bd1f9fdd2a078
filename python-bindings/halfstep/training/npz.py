"""Files of NumPy as data."""

from __future__ import annotations

import os
import zipfile
import zlib
from typing import Any

import numpy

from halfstep_runtime._errors import Error, of_file, path_of


_EXPECTED = "a file of several by name, as numpy.savez(path, x_train=x, y_train=y) writes it"


def is_npz(x: object) -> bool:
    """A path, or what numpy.load gives."""
    return isinstance(x, (str, os.PathLike)) or type(x).__name__ == "NpzFile"


def read(x: Any) -> tuple[Any, Any, tuple[Any, Any] | None]:
    """Inputs and targets, and those of the test, or None: `x_train`, `y_train`, `x_test` and `y_test`, as `mp-run --data=F.npz` takes
    them, or `y` and inputs by their names."""
    if not isinstance(x, (str, os.PathLike)):
        return _parts("x", x)
    path = path_of(x)
    try:
        kind = _kind_of(path)
        if kind is not None:
            raise Error(f"{path}: is {kind}, expected {_EXPECTED}")
        with numpy.load(path, allow_pickle=False) as file:
            return _parts(path, file)
    except OSError as error:
        raise of_file(path, error, "cannot open: ") from None
    except (EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        what = "has arrays of Python's objects, which are not read" if "allow_pickle" in str(error) else f"is damaged or cut short ({error})"
        raise Error(f"{path}: {what}, expected {_EXPECTED}") from error


def _kind_of(path: str) -> str | None:
    """What a file is that is no archive of NumPy, by how it begins; None of one that is."""
    with open(path, "rb") as file:
        head = file.read(512)
    if head[:4] == b"PK\x03\x04":
        return None
    if not head or head[:4] == b"PK\x05\x06":
        return "an empty file" if not head else "an archive without arrays"
    if head[:6] == b"\x93NUMPY":
        return "one array"
    known = {b"\x89HDF": "a file of HDF5", b"\x1f\x8b": "compressed by gzip", b"\x80": "a pickle of Python"}
    is_text = not set(head) & {*range(9), *range(14, 32), *range(127, 256)}
    return next((kind for begin, kind in known.items() if head.startswith(begin)), "a text" if is_text else "no archive of arrays")


def _parts(what: str, file: Any) -> tuple[Any, Any, tuple[Any, Any] | None]:
    names = list(file.files)
    if {"x_train", "y_train"} <= set(names):
        test = (file["x_test"], file["y_test"]) if {"x_test", "y_test"} <= set(names) else None
        return file["x_train"], file["y_train"], test
    if "y" in names and len(names) > 1:
        return {name: file[name] for name in names if name != "y"}, file["y"], None
    raise Error(f"{what}: has arrays {', '.join(names) or 'none'}; expected x_train and y_train, or y and inputs by their names")
