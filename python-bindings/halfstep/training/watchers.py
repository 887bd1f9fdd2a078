"""Callbacks of a training, told what happens in it."""

from __future__ import annotations

import math
import sys
from typing import Any, Protocol

from halfstep.callbacks import Callback
from halfstep_runtime._errors import Error

_METHODS = [name for name in vars(Callback) if name.startswith("on_")]


def check_callbacks(given) -> list:
    """Those of fit: one, several or None, each an object with the methods of a callback."""
    if given is None:
        return []
    several = list(given) if hasattr(given, "__iter__") and not hasattr(given, "on_epoch_end") else [given]
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

    def on_train_begin(self, logs=None):
        self._is_told = False

    def on_epoch_end(self, epoch, logs=None):
        if not self._is_told and not math.isfinite((logs or {})["loss"]):
            print("the loss is not finite; model.fit(x, y, find_nonfinite=True) says which op that comes from", file=sys.stderr, flush=True)
            self._is_told = True


class Watched(Protocol):
    """A Trainer, as its callbacks see it."""

    model: Any
    steps: int
    epochs: int


class Watchers:
    """Callbacks of one fit, which is a `with` of it: they are told of its begin and, once, of its end, however it ends. Their epochs
    are counted from `first`, and their batches from the begin of an epoch, of which `behind` steps may have been made."""

    def __init__(self, trainer: Watched, callbacks: list[Callback], epochs: int, first: int = 0, behind: int = 0):
        self.trainer = trainer
        self.epochs = epochs  # in all
        self._shift = first - trainer.epochs
        self._before = trainer.steps - behind  # steps before those of the epoch
        self.callbacks = callbacks
        self.steps = any(type(one).on_train_batch_end is not Callback.on_train_batch_end
                         if isinstance(one, Callback) else True for one in callbacks)
        self.logs: dict[str, float] = {}
        self._begun: list[Callback] = []
        trainer.model.stop_training = False
        for one in callbacks:
            one.model = trainer.model

    def __enter__(self):
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

    def _begin_epoch(self):
        for one in self.callbacks:
            one.on_epoch_begin(self.trainer.epochs + self._shift, {})

    def on_step(self, step, epoch, loss, loss_scale, gradient_norm, bad, skipped, samples_per_second, gradient="") -> bool:
        self.trainer.steps = step
        if self.steps:
            logs = {"step": step, "loss": loss, "loss_scale": loss_scale, "gradient_norm": gradient_norm, "skipped": bad >= 0,
                    "gradient": gradient, "skipped_steps": skipped, "samples_per_second": samples_per_second}
            for one in self.callbacks:
                one.on_train_batch_end(step - 1 - self._before, logs)
        return self.trainer.model.stop_training

    def on_epoch(self, epoch, step, scores, test_scores) -> bool:
        self.logs = {**scores, **{f"val_{name}": value for name, value in test_scores.items()}}
        self.trainer.epochs, self.trainer.steps, self._before = epoch, step, step
        for one in self.callbacks:
            one.on_epoch_end(epoch - 1 + self._shift, dict(self.logs))
        if not self.trainer.model.stop_training and epoch < self.epochs:
            self._begin_epoch()
        return self.trainer.model.stop_training

    def __exit__(self, kind, error, traceback):
        raised = error
        for one in self._begun:
            try:
                one.on_train_end(dict(self.logs))
            except Exception as own:  # the others end, too, and what was wrong first is told
                raised = raised or own
        if raised is not error:
            raise raised
