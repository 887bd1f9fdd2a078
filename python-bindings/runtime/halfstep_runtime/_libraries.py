"""What the packages need of the system, and what they load when it is first asked for."""

from __future__ import annotations

import contextlib
import importlib
import platform
import re
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any


@contextlib.contextmanager
def libraries() -> Iterator[None]:
    """Around the import of a module of C++: a system that is too old is told as such."""
    try:
        yield
    except ImportError as error:
        found = re.search(r"version `GLIBC_([\d.]+)' not found", str(error))
        if found is None:
            raise
        raise ImportError(f"Halfstep needs glibc {found[1]} or newer, as Debian 12, Ubuntu 22.04 and RHEL 9 have it; this system has "
                          f"{' '.join(platform.libc_ver())}") from error


class Lazy(types.ModuleType):
    """A module that is loaded when something of it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        with libraries() if self.__name__.startswith("halfstep.") else contextlib.nullcontext():
            found = self.__dict__[name] = getattr(importlib.import_module(self.__name__), name)
        return found


if TYPE_CHECKING:
    import numpy as numpy
else:
    numpy = Lazy("numpy")
