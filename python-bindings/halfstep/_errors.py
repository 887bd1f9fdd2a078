"""What goes wrong, as exceptions."""

from __future__ import annotations

import dataclasses


class Error(RuntimeError):
    """What the compiler or the runtime refuses, in one line or more."""

    nonfinite: tuple = ()  # of a training that looked for it: the Nonfinite that were found before it ended


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One thing that the compiler says. Line and column are from 1, 0 where none is known."""

    severity: str  # "error", "warning", "note" or "remark"
    file: str
    line: int
    column: int
    message: str

    def __str__(self):
        where = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{where}{self.severity}: {self.message}"


class CompileError(Error):
    """A model that was not compiled, with all that the compiler said."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message)
        self.diagnostics = diagnostics
