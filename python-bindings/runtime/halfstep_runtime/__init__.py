"""Runs what Halfstep compiled: executables, and sessions on this machine's devices. There is no compiler in it, and no LLVM.

    import halfstep_runtime

    with halfstep_runtime.Session("step.mpx") as session:
        session.initialize(seed=0)
        logits = session.run("infer", x=images)["logits"]

The package `halfstep` compiles, and has the same classes.
"""

import os

from halfstep_runtime._libraries import libraries

with libraries():
    from halfstep_runtime import _runtime
from halfstep_runtime import _keywords
from halfstep_runtime._errors import Error, MissingFile, UnknownArgument, UnknownName
from halfstep_runtime._executable import Executable, Program, Value
from halfstep_runtime._session import Session

__version__ = _runtime.version()

__all__ = ["Error", "Executable", "MissingFile", "Program", "Session", "UnknownArgument", "UnknownName", "Value", "devices", "prefix"]


def devices() -> list[str]:
    """The devices of this machine, as Session takes them."""
    return _runtime.device_names()


def prefix() -> str:
    """The folder of the runtime for C: `include`, `lib` with the library and what CMake and pkg-config read, `bin` with mp-exec."""
    return os.path.dirname(os.path.abspath(__file__))


devices, prefix = _keywords.told(devices, __name__), _keywords.told(prefix, __name__)
