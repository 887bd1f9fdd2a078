"""What the packages need of the system."""

from __future__ import annotations

import contextlib
import platform
import re
from collections.abc import Iterator


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
