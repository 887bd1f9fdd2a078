"""What a model is given as data: files of NumPy, and what is refused."""

from __future__ import annotations

import os
import zipfile
import zlib
from typing import Any

import numpy

from halfstep_runtime._errors import Error, of_file, path_of


_EXPECTED = "a file of several by name, as numpy.savez(path, x_train=x, y_train=y) writes it"


def refuse_rows(call: str, x: object) -> None:
    """What gives rows one by one is no array and no batches."""
    if x is None:
        raise Error(f"{call}: x is None, expected an array, or several by name in a dictionary")
    kinds = {base.__name__ for base in type(x).__mro__ if base.__module__ == "torch.utils.data.dataset"}
    if "Dataset" in kinds and "IterableDataset" not in kinds:
        raise Error(f"{call}: a {type(x).__name__} gives rows one by one; wrap it in a DataLoader, as DataLoader(dataset, batch_size=64)")


def parts_of(call: str, x: Any, y: Any) -> tuple[Any, Any, tuple[Any, Any] | None]:
    """Inputs and targets, and those of the test, or None. A file, by its path or as numpy.load gives it, has `x_train`, `y_train`, `x_test`
    and `y_test`, as `mp-run --data=F.npz` takes them, or `y` and inputs by their names."""
    if y is not None:
        return x, y, None
    refuse_rows(call, x)
    if not isinstance(x, (str, os.PathLike)):
        return _parts("x", x) if type(x).__name__ == "NpzFile" else (x, None, None)
    path = path_of(x)
    try:
        if (kind := _kind_of(path)) is not None:
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
