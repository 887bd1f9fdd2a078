"""Files of safetensors, by the runtime's reader and writer."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from halfstep_runtime import _arrays, _runtime
from halfstep_runtime._errors import Error, check_folder, check_there, path_of


def write_tensors(path: str | os.PathLike[str], tensors: Mapping[str, object]) -> None:
    """Writes arrays by name, whole or not at all."""
    given = [_arrays.to_runtime(name, value, None) for name, value in tensors.items()]
    _runtime.write_tensors(check_folder(path), list(tensors), [array for array, _ in given], [element for _, element in given])


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


# What names of files of other formats end in.
_OTHERS = {
    **dict.fromkeys([".h5", ".hdf5", ".keras"], "of Keras"),
    **dict.fromkeys([".pt", ".pth", ".pkl", ".pickle"], "of pickled objects"),
    **dict.fromkeys([".npy", ".npz"], "of NumPy"),
    ".ckpt": "of a checkpoint of another system",
    ".onnx": "of a model of ONNX",
    ".bin": "of pickled objects, or of bytes in any order",
    ".gguf": "of llama.cpp",
    ".msgpack": "of Flax",
    **dict.fromkeys([".pb", ".tflite"], "of TensorFlow"),
    ".mlir": "of a model's text",
    ".mpx": "of an executable",
}


def check_ending(path: str | os.PathLike[str]) -> str:
    """The path of a file of weights, whose name does not say that it is something else."""
    path = path_of(path)
    ending = os.path.splitext(path)[1]
    if ending.lower() in _OTHERS:
        raise Error(f"{path}: a file of weights is written as safetensors, and {ending} is {_OTHERS[ending.lower()]}; expected "
                    f"{path[: -len(ending)]}.safetensors")
    return path


def check_written(path: str | os.PathLike[str]) -> str:
    """The path of a file of weights that is to be written."""
    return check_folder(check_ending(path))


def check_kind(path: str | os.PathLike[str]) -> None:
    """That there is a folder, or a file of safetensors: the size of a header of JSON, and the header."""
    if not os.path.isfile(check_there(path)):
        return
    with open(path, "rb") as file:
        head, size = file.read(9), os.fstat(file.fileno()).st_size
    if len(head) < 9 or head[8:] != b"{" or int.from_bytes(head[:8], "little") > size - 8:
        raise Error(f"{os.fspath(path)}: is no safetensors file, as save_weights writes it, nor the folder of a checkpoint")
