"""Where progress is shown, and that of a compilation."""

from __future__ import annotations

import sys
import time

_BEFORE, _BETWEEN = 1.0, 0.1  # seconds


def in_notebook() -> bool:
    """Whether standard error is a cell of a notebook, where a line is drawn over by returning to its start."""
    return type(sys.stderr).__module__.split(".")[0] == "ipykernel"


class CompileLine:
    """A line of standard error that says how far a compilation is, from its second second on, as mp-run has it. It is gone behind the
    `with`. Where nobody looks, in a file or a pipe, nothing is written."""

    def __init__(self) -> None:
        self.is_shown = in_notebook() or bool(getattr(sys.stderr, "isatty", bool)())
        self._start, self._last, self._width = time.monotonic(), 0.0, 0

    def __enter__(self) -> CompileLine:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._width:
            self._draw("")

    def show(self, stage: str, done: int, count: int) -> None:
        now = time.monotonic()
        if now - self._start < _BEFORE or now - self._last < _BETWEEN:
            return
        self._last = now
        self._draw(f"compiling: {stage}" + (f" {done}/{count}" if count else "") + f", {int(now - self._start)} s")

    def _draw(self, text: str) -> None:
        """Over what is there: notebooks know no code that clears a line."""
        sys.stderr.write(f"\r{text.ljust(self._width)}\r")
        sys.stderr.flush()
        self._width = len(text)
