"""Files of safetensors, by the runtime's reader and writer."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from halfstep_runtime import _arrays, _runtime
from halfstep_runtime._errors import check_folder, check_there


def write_tensors(path: str | os.PathLike[str], tensors: Mapping[str, object]) -> None:
    """Writes arrays by name, whole or not at all."""
    _runtime.write_tensors(check_folder(path), *_arrays.several_to_runtime(tensors, {}))


def read_tensors(path: str | os.PathLike[str]) -> dict[str, object]:
    """The arrays of such a file, or of the folder of a checkpoint."""
    return {name: _arrays.from_runtime(element, array) for name, element, array in _runtime.read_tensors(check_there(path))}


def read_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """What such a file, or that of a checkpoint, says beside its tensors, which have been read."""
    path = os.fspath(path)
    if os.path.isdir(path):
        with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
            path = os.path.join(path, json.load(file)["file"])
    with open(path, "rb") as file:
        metadata: dict[str, str] = json.loads(file.read(int.from_bytes(file.read(8), "little"))).get("__metadata__", {})
    return metadata


def has_our_filters(path: str | os.PathLike[str]) -> bool:
    """Whether filters lie in such a file, or in that of a checkpoint, as in a model; in those of others, and of imported models before filters
    were permuted, they lie as in the module."""
    return read_metadata(path).get("filters") == "KRSC"
