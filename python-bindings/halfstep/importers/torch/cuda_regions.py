"""Regions of torch.autocast for CUDA in forwards that are traced on the CPU."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Callable
from typing import Any

_EARLIER = ("a region of CUDA that was made before the forward is off where there is no CUDA, whether or not it was to be: write "
            '`with torch.autocast("cuda"):` in the forward, or make one of "cpu" with a dtype')


def regions_of_cuda(tell: Callable[[str, str], None]) -> list[tuple[Any, str, Any]]:
    """(owner, name, what stands there while a forward is traced): they are entered as regions of the CPU, with the type that they have on CUDA.
    Where that is not known, `tell` is told what and why."""
    import torch

    region = torch.amp.autocast_mode.autocast
    initialize, enter, leave = region.__init__, region.__enter__, region.__exit__

    def initialize_any(self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        on_cuda = device_type == "cuda"
        # PyTorch has one of CUDA off where there is none.
        initialize(self, "cpu" if on_cuda else device_type, torch.get_autocast_dtype("cuda") if on_cuda and dtype is None else dtype, enabled, cache_enabled)
        self.device, self.is_known = device_type, True

    def enter_any(self: Any) -> Any:
        if self.device != "cuda":
            return enter(self)
        # What a forward asks of autocast, and what a region in this one is of.
        self.outside = torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda"), self._enabled
        if not self._enabled and not hasattr(self, "is_known") and not torch.cuda.is_available():
            said = _said_by_decorator(self, sys._getframe(1))
            self._enabled = bool(said)
            if said is None:
                tell('torch.autocast("cuda")', _EARLIER)
        torch.set_autocast_enabled("cuda", self._enabled)
        torch.set_autocast_dtype("cuda", self.fast_dtype)
        self.device = "cpu"
        return enter(self)

    def leave_any(self: Any, *raised: Any) -> Any:
        result = leave(self, *raised)
        if hasattr(self, "outside"):
            enabled, dtype, self._enabled = self.__dict__.pop("outside")
            torch.set_autocast_enabled("cuda", enabled)
            torch.set_autocast_dtype("cuda", dtype)
            self.device = "cuda"
        return result

    return [(region, "__init__", initialize_any), (region, "__enter__", enter_any), (region, "__exit__", leave_any)]


def _said_by_decorator(region: Any, frame: types.FrameType | None) -> bool | None:
    """Whether a region is on, by the text of the decorator that it is, of the function that is called; None where that does not say."""
    import torch

    while frame is not None and "autocast_instance" not in frame.f_code.co_freevars:
        frame = frame.f_back if frame.f_globals.get("__name__", "").startswith("torch.") else None
    if frame is None:
        return None
    try:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(frame.f_locals["func"])))).body
    except (KeyError, OSError, SyntaxError, TypeError, ValueError):
        return None
    calls = [one for one in getattr(function, "decorator_list", []) if isinstance(one, ast.Call) and ast.unparse(one.func).endswith("autocast")]
    if len(calls) != 1:
        return None
    before = 0 if isinstance(region, torch.cuda.amp.autocast) else 2  # arguments before `enabled`
    given = [*calls[0].args[before : before + 1], *(one.value for one in calls[0].keywords if one.arg in ("enabled", None))]
    if not given:
        return True
    return given[0].value if isinstance(given[0], ast.Constant) and isinstance(given[0].value, bool) else None
