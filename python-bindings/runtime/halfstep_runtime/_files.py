"""Files that are written whole, or not at all, and what files of weights are called."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from halfstep_runtime._errors import Error, check_folder, check_there, of_file, path_of


def _write_whole(path: str, chunks: Sequence[bytes]) -> None:
    """Writes as mp-run does (docs/overview.md): beside, synchronized and renamed; links stay, and what is no plain file is
    written through."""
    import tempfile  # which costs those time who write nothing

    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            file.writelines(chunks)
        return
    target = os.path.realpath(path)
    if mode is None:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    else:
        os.close(os.open(target, os.O_WRONLY))  # it must be writable
    folder = os.path.dirname(target)
    handle, beside = tempfile.mkstemp(prefix=os.path.basename(target) + ".", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fchmod(handle, stat.S_IMODE(mode))
            os.fsync(handle)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write(path: str | os.PathLike[str], chunks: Sequence[bytes]) -> None:
    """Writes bytes, so that a file that was there stays as it is where that fails."""
    path = check_folder(path)
    try:
        _write_whole(path, chunks)
    except OSError as error:
        raise of_file(path, error) from error


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


def check_kind(path: str | os.PathLike[str]) -> str:
    """The path of a folder, or of a file of safetensors: the size of a header of JSON, and the header."""
    path = check_there(path)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            head, size = file.read(9), os.fstat(file.fileno()).st_size
        if len(head) < 9 or head[8:] != b"{" or int.from_bytes(head[:8], "little") > size - 8:
            raise Error(f"{path}: is no safetensors file, as save_weights writes it, nor the folder of a checkpoint")
    return path
