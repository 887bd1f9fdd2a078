"""Settings of the compiler: how they are spelled, and that they are what it takes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from halfstep import _runtime
from halfstep._errors import CompileError, Diagnostic, Error, UnknownArgument
from halfstep._libraries import libraries

# The least that a compilation can start with.
_NOTHING = 'func.func @nothing() attributes {mp.program = "model"} { return }'


def _spell(value) -> str:
    """A setting's value as `mp-run compile` reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_spell, value))
    return str(value)


def spell_settings(settings: Mapping[str, object]) -> list[str]:
    return [f"{name.replace('_', '-')}={_spell(value)}" for name, value in settings.items() if value is not None]


def for_device(device: str | None, settings: Mapping[str, object]) -> dict[str, object]:
    """Settings for code that the device runs, unless they say a target."""
    if device is None or "target" in settings:
        return dict(settings)
    return {**dict(line.split("=", 1) for line in _runtime.device_settings(device).splitlines()), **settings}


def check_names(settings: Mapping[str, object]) -> None:
    """That each setting is one of the compiler's, whatever its value is."""
    with libraries():
        from halfstep import _compiler
    known = _compiler.setting_names()
    for name in (one.replace("_", "-") for one in settings):
        if name not in known:
            _, message, *_ = _compiler.compile("", "", [f"{name}="], None, None, None, False)
            raise Error(re.sub(r"(?<=[a-z0-9])-(?=[a-z])", "_", message))


def check_values(settings: Mapping[str, object]) -> None:
    """That the compiler takes each setting with its value, whatever the model is."""
    with libraries():
        from halfstep import _compiler
    _, message, told, _ = _compiler.compile(_NOTHING, "model.mlir", spell_settings(settings), "specialize", None, None, False)
    if message is not None:
        raise CompileError(message, tuple(Diagnostic(*one) for one in told))


class Settings:
    """Settings of the compiler under the names that the field has for them."""

    def settings(self) -> dict[str, object]:
        raise NotImplementedError

    def _check_names(self, given, arguments: list[str], meant: dict[str, str] | None = None, more: str = "") -> None:
        """That each name is one of `arguments`, or a setting of the compiler; `meant` is what else they are called."""
        for name in given:
            try:
                check_names({} if name in arguments else {name: None})
            except Error:
                near = (meant or {}).get(name) or next(iter(difflib.get_close_matches(name, arguments, 1)), None)
                said = f"did you mean {near!r}? " if near in arguments else ""
                known = ", ".join(arguments)
                raise UnknownArgument(f"{type(self).__name__}: unknown setting {name!r}; {said}arguments are {known}{more}") from None

    def __repr__(self):
        words = ", ".join(f"{name}={value!r}" for name, value in self.settings().items() if value is not None)
        return f"halfstep.{type(self).__name__}({words})"
