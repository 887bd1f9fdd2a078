"""Files of NumPy as data."""

from __future__ import annotations

import os
import zipfile

import numpy

from halfstep._errors import Error, of_file


def is_npz(x) -> bool:
    """A path, or what numpy.load gives."""
    return isinstance(x, (str, os.PathLike)) or type(x).__name__ == "NpzFile"


def read(x):
    """Inputs and targets, and those of the test, or None: `x_train`, `y_train`, `x_test` and `y_test`, as `mp-run --data=F.npz` takes
    them, or `y` and inputs by their names."""
    if not isinstance(x, (str, os.PathLike)):
        return _parts("x", x)
    path = os.fspath(x)
    try:
        file = numpy.load(path, allow_pickle=False)
        if isinstance(file, numpy.ndarray):
            raise Error(f"{path}: is one array, expected a file of several by name, as numpy.savez writes it")
        with file:
            return _parts(path, file)
    except OSError as error:
        raise of_file(path, error, "cannot open: ") from None
    except (EOFError, ValueError, zipfile.BadZipFile) as error:
        raise Error(f"{path}: is no file of arrays, as numpy.savez writes it: {error}") from error


def _parts(what: str, file):
    names = list(file.files)
    if {"x_train", "y_train"} <= set(names):
        test = (file["x_test"], file["y_test"]) if {"x_test", "y_test"} <= set(names) else None
        return file["x_train"], file["y_train"], test
    if "y" in names and len(names) > 1:
        return {name: file[name] for name in names if name != "y"}, file["y"], None
    raise Error(f"{what}: has arrays {', '.join(names) or 'none'}; expected x_train and y_train, or y and inputs by their names")
