"""What the compiler and the runtime say, in tests of what Python says: as it is or, where a test is told "coded", the number of its code. Python's
own part of an error is then the same, since nothing in it is found in their words.

Imported before halfstep.
"""

import sys

from halfstep_runtime import _errors
from halfstep_runtime._errors import FaultCode

IS_CODED = "coded" in sys.argv


def words(text: str, code: int = FaultCode.OTHER) -> str:
    """What of an expected text is the compiler's or the runtime's."""
    return f"#{int(code)}" if IS_CODED else text


class _Fault(_errors.Fault):
    def __init__(self, code, *rest):
        *rest, text, constraint = rest
        super().__init__(code, *rest, f"#{code}" if text else "", constraint)
        if self.detail:
            object.__setattr__(self, "detail", f"#{code}")


class _Diagnostic(_errors.Diagnostic):
    def __init__(self, severity, file, line, column, message):
        super().__init__(severity, file, line, column, "#0")


if IS_CODED:
    _errors.Fault, _errors.Diagnostic = _Fault, _Diagnostic
