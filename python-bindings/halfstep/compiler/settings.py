"""Settings of the compiler: how they are spelled, and that they are what it takes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from halfstep_runtime import _runtime
from halfstep_runtime._errors import Diagnostic, Error, UnknownArgument, error_of, integer, is_integer, is_text, nearest, number_of, path_of, shown, truth
from halfstep_runtime._keywords import unknown_argument
from halfstep_runtime._libraries import Lazy

if TYPE_CHECKING:
    from halfstep import _compiler as _compiler
else:
    _compiler = Lazy("halfstep._compiler")  # which loads LLVM

# The least that a compilation can start with.
_NOTHING = 'func.func @nothing() attributes {mp.program = "model"} { return }'


def _spell(name: str, value: Any) -> str:
    """A setting's value as `mp-run compile` reads it."""
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":
        return "true" if truth(name, value) else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_spell(name, one) for one in value)
    if isinstance(value, os.PathLike):
        return path_of(value)
    if is_text(value) or isinstance(value, float):
        return str(value)
    if is_integer(value):
        return str(integer(name, value))
    if isinstance(value, str) or getattr(value, "shape", None) != ():
        raise Error(f"{name} is {shown(value)}, expected a number, a word, or several")
    return repr(number_of(name, value))


def spell_settings(settings: Mapping[str, object]) -> list[str]:
    return [f"{name.replace('_', '-')}={_spell(name, value)}" for name, value in settings.items() if value is not None]


def for_device(device: str | None, settings: Mapping[str, object]) -> dict[str, object]:
    """Settings for code that the device runs, unless they say a target."""
    if device is None or "target" in settings:
        return dict(settings)
    return {**dict(line.split("=", 1) for line in _runtime.device_settings(device).splitlines()), **settings}


def setting_names() -> list[str]:
    """What the compiler's settings are called in Python."""
    return [name.replace("-", "_") for name in _compiler.setting_names()]


def check_arguments(function: Callable[..., object], given: Iterable[str], instead: Mapping[str, str] | None = None) -> None:
    """That keywords which a function hands on to the compiler are settings of it, and not of those that are elsewhere, with what is here
    `instead`."""
    instead = instead or {}
    known = [name for name in setting_names() if name not in instead]
    for name in given:
        if name not in known:
            own = [one.name for one in inspect.signature(function).parameters.values() if one.kind != one.VAR_KEYWORD and one.name != "self"]
            raise unknown_argument(function.__name__, name, dict.fromkeys([*own, *known]), instead)


def check_values(settings: Mapping[str, object]) -> None:
    """That the compiler takes each setting with its value, whatever the model is."""
    _, fault, told, _ = _compiler.compile(_NOTHING, "model.mlir", spell_settings(settings), "specialize", None, None, False)
    if fault is not None:
        raise error_of(fault, tuple(Diagnostic(*one) for one in told))


class Settings:
    """Settings of the compiler under the names that the field has for them."""

    def settings(self) -> dict[str, object]:
        raise NotImplementedError

    def _check_names(self, given: Iterable[str], arguments: list[str], meant: dict[str, str] | None = None, more: str = "") -> None:
        """That each name is one of `arguments`, or a setting of the compiler; `meant` is what else they are called."""
        for name in given:
            if name not in arguments and name not in setting_names():
                near = (meant or {}).get(name) or nearest(name, arguments)
                said = f"did you mean {near!r}? " if near in arguments else ""
                known = ", ".join(arguments)
                raise UnknownArgument(f"{type(self).__name__}: unknown setting {name!r}; {said}arguments are {known}{more}")

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={value!r}" for name, value in self.settings().items() if value is not None)
        return f"halfstep.{type(self).__name__}({words})"
