"""Files that are written whole, or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence

from halfstep_runtime._errors import check_folder, of_file


def _write_whole(path: str, chunks: Sequence[bytes]) -> None:
    """Writes as mp-run does (docs/overview.md): beside, synchronized and renamed; links stay, and what is no plain file is
    written through."""
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
