"""Traces forwards of PyTorch, and sees what torch.export leaves out of their graphs: backward functions of the user's own, and regions of
autocast for CUDA where there is none."""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import inspect
import os
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from halfstep.importers.library import torch
from halfstep_runtime._errors import PACKAGES

# An owner, a name, and what stands there while a forward is traced.
_Stand: TypeAlias = tuple[Any, str, Any]

_OF_OPS = "the gradient of what is imported is that of its ops"
_FUNCTION = f"its backward is lost: {_OF_OPS}; write the forward of ops whose gradient is meant"
_HOOK = f"it is lost: {_OF_OPS}; remove the hook, and weigh the loss instead"
_REENTRANT = "it traces the forward without gradients: give use_reentrant=False"
_SAVED = f"what it gives a backward is lost: {_OF_OPS}; leave it out"
_INFERENCE = "it is not in the graph, and gradients would flow through it: write torch.no_grad()"
_PACKED = "their lengths depend on data: pad them to one length"
_GRADIENT = "it has no gradient itself, and would have one here: give create_graph=True, if it is to have one"
_EARLIER = ("a region of CUDA that was made before the forward is off where there is no CUDA, whether or not it was to be: write "
            '`with torch.autocast("cuda"):` in the forward, or make one of "cpu" with a dtype')


class Tracing:
    """What was met in the forward of `module` that its graph does not have."""

    def __init__(self, module: torch.nn.Module):
        self.module = module
        self._names = {id(one): name for name, one in module.named_modules()}
        self._met: dict[tuple[str, str, str], None] = {}

    @property
    def problems(self) -> list[tuple[str, str, str]]:
        """(what, why, place)"""
        return list(self._met)

    @contextlib.contextmanager
    def watched(self, on_cuda: bool) -> Iterator[None]:
        """PyTorch's functions tell what is met. Gradients are on, whatever they are for who imports."""
        self._read_hooks()
        with contextlib.ExitStack() as stack:
            for owner, name, function in [*self._backward_functions(), *self._hooks(), *self._lost(), *([] if on_cuda else _regions_of_cuda(self._tell))]:
                stack.enter_context(_in_place_of(owner, name, function))
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.enable_grad())
            yield
        self._read_hooks()

    def _tell(self, what: str, why: str) -> None:
        """At the module and the line that call what is watched."""
        frame: types.FrameType | None = sys._getframe(1)
        line = ""
        while frame is not None:
            if not line and _is_of_user(frame):
                line = f" ({os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno})"
            if line and (name := self._names.get(id(frame.f_locals.get("self")))) is not None:
                break
            frame = frame.f_back
        else:
            name = ""
        self._met[what, why, f"'{name}'{line}"] = None

    def _telling(self, function: Any, what: str, why: str, when: Callable[..., bool] = lambda *_, **__: True) -> Any:
        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            if when(*arguments, **named):
                self._tell(what, why)
            return function(*arguments, **named)

        return call

    def _read_hooks(self) -> None:
        """Those that there are."""
        from torch.nn.modules import module as modules

        found = [("a backward hook of all modules", "", getattr(modules, f"_global{kind}")) for kind in ("_backward_hooks", "_backward_pre_hooks")]
        for name, one in self.module.named_modules():
            found += [("a backward hook of a module", name, getattr(one, kind)) for kind in ("_backward_hooks", "_backward_pre_hooks")]
        for name, one in self.module.named_parameters():
            found += [("a hook of a parameter", name, getattr(one, kind)) for kind in ("_backward_hooks", "_post_accumulate_grad_hooks")]
        for what, name, hooks in found:
            for hook in (hooks or {}).values():
                code = getattr(hook, "__code__", None)
                line = f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else ""
                self._met[what, _HOOK, f"'{name}'{line}"] = None

    def _backward_functions(self) -> Iterator[_Stand]:
        """Of all that has a backward of its own."""
        from torch.utils.checkpoint import CheckpointFunction

        known = [one for one in _subclasses(torch.autograd.Function) if "forward" in vars(one) and not _is_of_torch(one)]
        for one in known:  # their forward: `apply` may be held by another name
            yield one, "forward", staticmethod(self._telling(getattr(one, "forward"), f"torch.autograd.Function {one.__name__}", _FUNCTION))
        yield CheckpointFunction, "forward", staticmethod(self._telling(CheckpointFunction.forward, "torch.utils.checkpoint", _REENTRANT))

        def apply(own: Any, *arguments: Any, **named: Any) -> Any:
            if not _is_of_torch(own) and not any(issubclass(own, one) for one in known):  # made in the forward
                self._tell(f"torch.autograd.Function {own.__name__}", _FUNCTION)
            return applied.__get__(None, own)(*arguments, **named)

        applied = next(vars(one)["apply"] for one in torch.autograd.Function.__mro__ if "apply" in vars(one))
        yield torch.autograd.Function, "apply", classmethod(apply)
        create_graph = 3  # its place
        yield torch.autograd, "_engine_run_backward", self._telling(torch.autograd._engine_run_backward, "torch.autograd.grad", _GRADIENT,
                                                                    lambda *arguments, **_: not arguments[create_graph])

    def _hooks(self) -> Iterator[_Stand]:
        from torch.utils.hooks import RemovableHandle

        def register(tensor: torch.Tensor, hook: object) -> Any:
            self._tell("a backward hook of a tensor", _HOOK)
            return RemovableHandle(collections.OrderedDict())

        yield torch.Tensor, "register_hook", register
        yield torch.Tensor, "register_post_accumulate_grad_hook", register
        saved = torch.autograd.graph.saved_tensors_hooks
        yield saved, "__init__", self._telling(saved.__init__, "torch.autograd.graph.saved_tensors_hooks", _SAVED,
                                               lambda *_: _is_of_user(sys._getframe(2)))

    def _lost(self) -> Iterator[_Stand]:
        """What a graph has not, or is an error of torch.export's own."""
        from torch.nn.utils.rnn import PackedSequence

        yield torch.inference_mode, "__enter__", self._telling(torch.inference_mode.__enter__, "torch.inference_mode", _INFERENCE,
                                                               lambda mode: mode.mode)
        yield PackedSequence, "__new__", staticmethod(self._telling(PackedSequence.__new__, "packed sequences", _PACKED))
        data = torch.Tensor.data

        def read(tensor: torch.Tensor) -> torch.Tensor:
            """`data`, which torch.export has no op for, as what is the same to a graph."""
            return tensor.detach() if _is_of_user(sys._getframe(1)) else data.__get__(tensor)

        yield torch.Tensor, "data", property(read, data.__set__)
        # Whether a mask that is given is the causal one is looked for in its numbers; it is the same mask either way.
        yield torch.nn.modules.transformer, "_detect_is_causal_mask", lambda mask, is_causal=None, size=None: bool(is_causal)


@contextlib.contextmanager
def _in_place_of(owner: Any, name: str, function: Any) -> Iterator[None]:
    own = vars(owner).get(name)
    setattr(owner, name, function)
    try:
        yield
    finally:
        if own is None:  # what it inherits
            delattr(owner, name)
        else:
            setattr(owner, name, own)


def _subclasses(of: type[Any]) -> list[type[Any]]:
    return [found for one in of.__subclasses__() for found in (one, *_subclasses(one))]


def _is_of_torch(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "torch"


def _is_of_user(frame: types.FrameType) -> bool:
    return not frame.f_code.co_filename.startswith((os.path.dirname(torch.__file__) + os.sep, *PACKAGES))


def _regions_of_cuda(tell: Callable[[str, str], None]) -> list[tuple[Any, str, Any]]:
    """(owner, name, what stands there while a forward is traced): they are entered as regions of the CPU, with the type that they have on CUDA.
    Where that is not known, `tell` is told what and why."""
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
