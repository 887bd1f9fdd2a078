"""Compiling models."""

from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from halfstep.compiler.policy import with_policy
from halfstep.compiler.progress import CompileLine
from halfstep.compiler.settings import _compiler, check_arguments, for_device, spell_settings
from halfstep_runtime._errors import CompileError, Diagnostic, Error, begin, check_device, check_folder, error_of, level_of_user, of_file, shown, text as text_of
from halfstep_runtime._executable import Executable


if TYPE_CHECKING:
    from halfstep._compiler import Model


def _cache_folder() -> str | None:
    """Where mp-run keeps compiled kernels, too."""
    folder = os.environ.get("HALFSTEP_COMPILE_CACHE")
    if folder is None:
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        folder = os.path.join(caches, "halfstep")
    return None if folder.lower() == "off" else folder


def _warn(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Gives the compiler's warnings to Python's, each once, at the caller's line."""
    level = level_of_user()
    for one in dict.fromkeys(one for one in diagnostics if one.severity == "warning"):
        warnings.warn(f"{one.file}:{one.line}:{one.column}: {one.message}" if one.line else one.message, stacklevel=level)


def _read_text(model: str | os.PathLike[str]) -> str:
    """What is in a model's file."""
    try:
        return pathlib.Path(model).read_text(encoding="utf-8")
    except TypeError:
        is_module = hasattr(model, "to_mlir")
        raise Error(f"model is a {type(model).__name__}, expected MLIR text or the path of a file of it" +
                    (": model.to_mlir() gives it" if is_module else "")) from None
    except UnicodeDecodeError as error:
        raise Error(f"{os.fspath(model)}: is no text of a model: {error}") from None
    except ValueError:  # of a path that none is
        raise Error(f"model is {shown(model)}, expected MLIR text or the path of a file of it") from None
    except OSError as error:
        raise of_file(model, error, "cannot open: ") from None


def compile(model: str | os.PathLike[str], *, to: str | None = None, remarks: str | None = None,
            on_diagnostic: Callable[[Diagnostic], object] | None = None, on_stage: Callable[[str, str], object] | None = None,
            name: str | None = None, device: str | None = None, **settings: Any) -> Executable | str:
    """Compiles a model: MLIR text, or the path of a file of it.

    `settings` are those of `mp-run compile --help`, with `_` for `-`: policy="mixed_float16", batch_size=128. A policy may be a
    Policy; without, it is the global one. With `to` ("autocast", "optimizer", "asm", ...) the result is the text of that stage. With `device` the code is for that device of
    this machine; without, for this machine's CPU or for what `target` and `chip` say. `on_diagnostic` is called with each
    warning, which is one of Python's without it, and, of the categories that the regular expression `remarks` matches, each remark; `on_stage` with the name of each
    stage that has a text, and that text. What is wrong with a model is raised as CompileError.
    """
    check_arguments(compile, settings)
    for what, given, example in (("to", to, "'autocast'"), ("remarks", remarks, "'mp-autocast'"), ("name", name, "'model.mlir'")):
        if given is not None:
            text_of(f"compile: {what}", given, example)
    if device is not None:
        check_device(device)
    for what, callback in (("on_diagnostic", on_diagnostic), ("on_stage", on_stage)):
        if callback is not None and not callable(callback):
            raise Error(f"compile: {what} is {shown(callback)}, expected a function")
    if isinstance(model, str) and ("\n" in model or "func.func" in model):
        text, name = model, name or "model.mlir"
    else:
        text, name = _read_text(model), name or os.fspath(model)
    stage = None if to == "executable" else to
    data, diagnostics, stages = _compiled(text, name, for_device(device, with_policy(settings)), stage, remarks, on_stage is not None)
    if on_diagnostic:
        for diagnostic in diagnostics:
            on_diagnostic(diagnostic)
    else:
        _warn(diagnostics)
    if on_stage:
        for own, own_text in stages:
            on_stage(own, own_text)
    return Executable(data) if stage is None else data.decode()


def compile_traced(model: Model, name: str, device: str | None = None, **settings: Any) -> Executable:
    """Compiles a model that a module was traced as; `name` stands for it in messages."""
    try:
        data, diagnostics, _ = _compiled(model, name, for_device(device, with_policy(settings)))
    except Error as error:
        if error.fault.name or not isinstance(error, CompileError):
            begin(error, "compile")  # which was given the settings
        raise
    _warn(diagnostics)
    return Executable(data)


def _compiled(model: str | Model, name: str, settings: dict[str, object], stage: str | None = None, remarks: str | None = None,
              wants_stages: bool = False) -> tuple[bytes, tuple[Diagnostic, ...], list[tuple[str, str]]]:
    """What is made of a text or a traced model, what is said of it, and the text behind each stage."""
    if settings.get("plan_out") is not None:
        check_folder(str(settings["plan_out"]))
    with CompileLine() as line:
        data, fault, told, stages = _compiler.compile(
            model, name, spell_settings(settings), stage, remarks, _cache_folder(), wants_stages, line.show if line.is_shown else None)
    diagnostics = tuple(Diagnostic(*one) for one in told)
    if fault is not None:
        raise error_of(fault, diagnostics)
    return data, diagnostics, stages
