"""Callbacks of a training, told what happens in it."""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from halfstep.callbacks import Callback
from halfstep_runtime._errors import Error

if TYPE_CHECKING:
    from halfstep.training.trainer import Trainer

_METHODS = [name for name in vars(Callback) if name.startswith("on_")]


def check_callbacks(given: Any) -> list[Callback]:
    """Those of fit: one, several or None, each an object with the methods of a callback."""
    if given is None:
        return []
    several = list(given) if isinstance(given, Iterable) and not hasattr(given, "on_epoch_end") and getattr(given, "shape", None) != () else [given]
    for one in several:
        name = getattr(one, "__name__", type(one).__name__)
        if isinstance(one, type):
            raise Error(f"callbacks has the class {name}, expected an object of it: {name}(...)")
        missing = [] if isinstance(one, Callback) else [method for method in _METHODS if not callable(getattr(one, method, None))]
        if missing:
            raise Error(f"callbacks has a {name}, which has no {missing[0]}; derive it from halfstep.callbacks.Callback")
    return several


class Advice(Callback):
    """Says at the first epoch whose loss is not finite what there is to do about it, as `mp-run train` does."""

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._is_told = False

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if not self._is_told and not math.isfinite((logs or {})["loss"]):
            print("the loss is not finite; model.fit(x, y, find_nonfinite=True) says which op that comes from", file=sys.stderr, flush=True)
            self._is_told = True


class Watchers:
    """Callbacks of one fit, which is a `with` of it: they are told of its begin and, once, of its end, however it ends. Their epochs
    are counted from `first`, and their batches from the begin of an epoch, of which `behind` steps may have been made."""

    def __init__(self, trainer: Trainer, callbacks: list[Callback], epochs: int, first: int = 0, behind: int = 0):
        self.trainer = trainer
        self.epochs = epochs  # in all
        self._shift = first - trainer.epochs
        self._before = trainer.steps - behind  # steps before those of the epoch
        self.callbacks = callbacks
        self.steps = any(getattr(type(one), "on_train_batch_end", None) is not Callback.on_train_batch_end for one in callbacks)
        self.logs: dict[str, float] = {}
        self._begun: list[Callback] = []
        trainer.model.stop_training = False
        for one in callbacks:
            one.model = trainer.model

    def __enter__(self) -> Watchers:
        try:
            for one in self.callbacks:
                one.on_train_begin({})
                self._begun.append(one)
            if self.trainer.epochs < self.epochs:
                self._begin_epoch()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def _begin_epoch(self) -> None:
        for one in self.callbacks:
            one.on_epoch_begin(self.trainer.epochs + self._shift, {})

    def on_step(self, step: int, epoch: int, loss: float, loss_scale: float, gradient_norm: float, bad: int, skipped: int, samples_per_second: float,
                gradient: str = "") -> bool:
        self.trainer.steps = step
        if self.steps:
            logs: dict[str, Any] = {"step": step, "loss": loss, "loss_scale": loss_scale, "gradient_norm": gradient_norm, "skipped": bad >= 0,
                    "gradient": gradient, "skipped_steps": skipped, "samples_per_second": samples_per_second}
            for one in self.callbacks:
                one.on_train_batch_end(step - 1 - self._before, logs)
        return bool(self.trainer.model.stop_training)

    def on_epoch(self, epoch: int, step: int, scores: Mapping[str, float], test_scores: Mapping[str, float]) -> bool:
        self.logs = {**scores, **{f"val_{name}": value for name, value in test_scores.items()}}
        self.trainer.epochs, self.trainer.steps, self._before = epoch, step, step
        for one in self.callbacks:
            one.on_epoch_end(epoch - 1 + self._shift, dict(self.logs))
        if not self.trainer.model.stop_training and epoch < self.epochs:
            self._begin_epoch()
        return bool(self.trainer.model.stop_training)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: types.TracebackType | None) -> None:
        raised = error
        for one in self._begun:
            try:
                one.on_train_end(dict(self.logs))
            except Exception as own:  # the others end, too, and what was wrong first is told
                raised = raised or own
        if raised is not None and raised is not error:
            raise raised
