"""Where progress is shown."""

from __future__ import annotations

import sys


def in_notebook() -> bool:
    """Whether standard error is a cell of a notebook, where a line is drawn over by returning to its start."""
    return type(sys.stderr).__module__.split(".")[0] == "ipykernel"
