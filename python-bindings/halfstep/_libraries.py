"""What the package needs of the system."""

from __future__ import annotations

import contextlib
import re

# Debian 12's packages, by the libraries that they have.
_PACKAGES = {"libLLVM": "libllvm22", "libMLIR": "libmlir-22", "libminizip": "libminizip1", "libtbb": "libtbb12", "libxxhash": "libxxhash0",
             "libz": "zlib1g"}


@contextlib.contextmanager
def libraries():
    """Around the import of a module that is linked to them: what is missing is told by its package."""
    try:
        yield
    except ImportError as error:
        found = re.match(r"(lib\w+)\S*: cannot open shared object file", str(error))
        if found is None or found[1] not in _PACKAGES:
            raise
        raise ImportError(f"halfstep needs {str(error).partition(':')[0]}, which is not here: Debian's package {_PACKAGES[found[1]]} has it; "
                          f"all that it needs comes by: apt-get install {' '.join(_PACKAGES.values())} lld-22") from error
