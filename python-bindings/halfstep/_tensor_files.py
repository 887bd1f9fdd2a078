"""Files of safetensors, by the runtime's reader and writer."""

from __future__ import annotations

import os
from collections.abc import Mapping

from halfstep import _arrays, _runtime
from halfstep._errors import Error, check_folder, check_there


def write_tensors(path: str | os.PathLike[str], tensors: Mapping[str, object]) -> None:
    """Writes arrays by name, whole or not at all."""
    given = [_arrays.to_runtime(name, value, None) for name, value in tensors.items()]
    _runtime.write_tensors(check_folder(path), list(tensors), [array for array, _ in given], [element for _, element in given])


def read_tensors(path: str | os.PathLike[str]) -> dict[str, object]:
    """The arrays of such a file, or of the folder of a checkpoint."""
    return {name: _arrays.from_runtime(element, array) for name, element, array in _runtime.read_tensors(os.fspath(path))}


def check_kind(path: str | os.PathLike[str]) -> None:
    """That there is a folder, or a file of safetensors: the size of a header of JSON, and the header."""
    if not os.path.isfile(check_there(path)):
        return
    with open(path, "rb") as file:
        head, size = file.read(9), os.fstat(file.fileno()).st_size
    if len(head) < 9 or head[8:] != b"{" or int.from_bytes(head[:8], "little") > size - 8:
        raise Error(f"{os.fspath(path)}: is no safetensors file, as save_weights writes it, nor the folder of a checkpoint")
