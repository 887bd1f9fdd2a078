"""How far a training is on batches that somebody else makes, as the runtime tells it of arrays."""

from __future__ import annotations

import shutil
import sys
import time


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def in_notebook() -> bool:
    """Whether standard error is a cell of a notebook, where a line is drawn over by returning to its start."""
    return type(sys.stderr).__module__.split(".")[0] == "ipykernel"


class Progress:
    """A line of a step, on standard error: rewritten where that is a terminal, and as wide as that is, or a notebook; else one every
    five seconds."""

    def __init__(self, batches, accumulate: int, first: int, last: int):
        self._first, self._last = first, last  # epochs, from 1
        self._steps = len(batches) // accumulate if hasattr(batches, "__len__") else None  # of an epoch, where it is known
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._is_bar, self._shown = self._is_terminal or in_notebook(), 0
        self._pause = 0.1 if self._is_bar else 5.0
        self._began = self._told = time.monotonic()

    def step(self, epoch: int, step: int, loss: float, rows_per_second: float) -> None:
        now = time.monotonic()
        if sys.stderr is None or now - self._told < self._pause:
            return
        self._told = now
        elapsed, of, left = now - self._began, "", ""
        if self._steps:
            done, all_steps = (epoch - self._first) * self._steps + step, (self._last - self._first + 1) * self._steps
            of, left = f"/{self._steps}", f", {_clock(elapsed / done * max(all_steps - done, 0))} left"
        line = f"epoch {epoch}/{self._last}, step {step}{of}: loss {loss:.4f}, {rows_per_second:.0f} rows/s, {_clock(elapsed)}{left}"
        if self._is_bar:
            self._draw(line[: shutil.get_terminal_size().columns - 1])
        else:
            print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Makes room for another line."""
        if self._is_bar and self._shown:
            self._draw("")

    def _draw(self, line: str) -> None:
        behind = "\033[K" if self._is_terminal else " " * (self._shown - len(line)) + "\r" * (not line)
        print("\r" + line + behind, end="", file=sys.stderr, flush=True)
        self._shown = len(line)
