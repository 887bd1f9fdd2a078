"""What is called while `fit` trains."""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import json
import math
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from halfstep.hints.types import Path
from halfstep_runtime._errors import Error, UnknownName, check_folder, integer, is_text, nearest, number_of, of_file, path_of, shown, text
from halfstep_runtime._files import check_ending
from halfstep_runtime._keywords import tell

if TYPE_CHECKING:
    from halfstep.training.trainer import Trainer

__all__ = ["CSVLogger", "Callback", "EarlyStopping", "History", "JSONLinesLogger", "LearningRateScheduler", "ModelCheckpoint", "TensorBoard"]

# By the names of scores, numbers.
Logs: TypeAlias = dict[str, Any]


class Callback:
    """Methods are called by name; `self.model` is what is trained. `epoch` is counted from 0 in each `fit` (from its `initial_epoch`, or
    what a checkpoint has with `resume`), `batch` from 0 in each epoch. With an `on_train_batch_end` each step is told before the next begins, so
    that a learning rate which it sets is that of the next; in its `logs` are "step", the model's own count from 1, over all of its training, "loss" and what
    `fit(log=...)` writes. Those of an epoch have "loss" and the metrics, with "val_" those of the validation data. `on_train_end` is
    called, once, however training ends."""

    model: Any = None

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        for name, value in vars(cls).items():
            if name.startswith("on_") and callable(value) and name not in vars(Callback):
                called = [one for one in vars(Callback) if one.startswith("on_")]
                near = "on_train_batch_end" if name == "on_batch_end" else nearest(name, called)
                # Others of Keras are no slips.
                said = f"did you mean {near!r}? " if near and not re.match("on_(test|predict|train_batch_begin)", name) else ""
                raise UnknownName(f"{cls.__name__}.{name} is never called; {said}a callback has {', '.join(called)}")

    def on_train_begin(self, logs: Logs | None = None) -> None: ...

    def on_train_end(self, logs: Logs | None = None) -> None: ...

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None: ...

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None: ...

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None: ...


class History(Callback):
    """`history` has a list for each score, with an entry for each epoch; `epoch` their numbers, as callbacks have them. `nonfinite` is what
    `fit(find_nonfinite=True)` found."""

    def __init__(self) -> None:
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []
        self.skipped_steps = 0
        self.seconds_per_step = math.nan
        self.resident_bytes = 0  # of the device's memory
        self.nonfinite: list[Any] = []

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def __repr__(self) -> str:
        last = ", ".join(f"{name} {values[-1]:.4f}" for name, values in self.history.items())
        return f"<halfstep.History of {len(self.epoch)} epochs: {last}>"


def is_accuracy(name: str) -> bool:
    """Whether a metric is better upwards: "val_accuracy", "top5_words"; `mp-run report` goes by the same rule."""
    return "accuracy" in name or re.match(r"(val_)?top[0-9]+(_|$)", name) is not None


def _score(logs: Logs | None, monitor: str) -> float:
    """A score so that more is better: accuracies get better upwards, all else down."""
    logs = logs or {}
    if monitor not in logs:
        raise UnknownName(f"monitor: there is no score '{monitor}', only {', '.join(logs) or 'none'}; 'val_' needs validation data")
    score: float = logs[monitor]
    return score if is_accuracy(monitor) else -score


class EarlyStopping(Callback):
    """Ends training when a score gets no better for `patience` epochs; accuracies get better upwards, all else down."""

    def __init__(self, monitor: str = "val_loss", patience: int = 0, min_delta: float = 0.0,
                 restore_best_weights: bool = False) -> None:
        self.monitor = text("EarlyStopping: monitor", monitor, "'val_loss'")
        self.patience = integer("EarlyStopping: patience", patience, 0)
        self.min_delta = number_of("EarlyStopping: min_delta", min_delta)
        self.restore_best_weights = restore_best_weights

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._best, self._waited, self._weights = -math.inf, 0, None

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        value = _score(logs, self.monitor)
        if value > self._best + self.min_delta:
            self._best, self._waited = value, 0
            self._weights = self.model.state_dict() if self.restore_best_weights else None
            return
        self._waited += 1
        if self._waited > self.patience:
            self.model.stop_training = True

    def on_train_end(self, logs: Logs | None = None) -> None:
        if self._weights is not None:
            self.model.load_state_dict(self._weights)


class LearningRateScheduler(Callback):
    """The learning rate of an epoch, from its number, which begins again in each `fit`, and, if the schedule takes it, the rate before."""

    def __init__(self, schedule: Callable[..., float]) -> None:
        if not callable(schedule):
            raise Error(f"LearningRateScheduler: schedule is {shown(schedule)}, expected a function of the epoch, as lambda epoch: 0.1 * 0.5**epoch")
        self.schedule = schedule
        try:
            inspect.signature(schedule).bind(0, 0.0)
            self._takes_rate = True
        except TypeError:
            self._takes_rate = False
        except ValueError:  # what is not of Python may say nothing
            self._takes_rate = True

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self.model.learning_rate = self.schedule(epoch, self.model.learning_rate) if self._takes_rate else self.schedule(epoch)


class ModelCheckpoint(Callback):
    """Parameters as a safetensors file after each epoch, or after those that are the best so far. `path` may have
    "{epoch}", counted from 1, and scores in it: "clothes-{epoch}-{val_loss:.3f}.safetensors"."""

    def __init__(self, path: Path, monitor: str = "val_loss", save_best_only: bool = False) -> None:
        self.path = check_ending(path)
        self.monitor = text("ModelCheckpoint: monitor", monitor, "'val_loss'")
        self.save_best_only = save_best_only

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._best = -math.inf
        if "{" not in os.path.dirname(self.path):
            check_folder(self.path)  # before there is something to lose

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        if self.save_best_only:
            value = _score(logs, self.monitor)
            if not value > self._best:
                return
            self._best = value
        scores = {"epoch": epoch + 1, **(logs or {})}
        try:
            path = self.path.format(**scores)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, KeyError):
                raise UnknownName(f"there is no score {error} for the path '{self.path}', only {', '.join(scores)}") from None
            raise Error(f"the path '{self.path}' cannot be filled in: {error}; expected names as in '{{epoch}}-{{loss:.3f}}'") from None
        self.model.save_weights(path)


class _FileLogger(Callback):
    """What writes to a file: where that fails the error says which, and the file is closed."""

    path: str
    append: bool

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            with contextlib.suppress(OSError, AttributeError):  # that could not be opened
                self._file.close()
            raise of_file(self.path, error, "cannot write: ") from error

    def on_train_begin(self, logs: Logs | None = None) -> None:
        check_folder(self.path)
        with self._writing():
            self._file = open(self.path, "a" if self.append else "w", newline="", encoding="utf-8")

    def _write(self, text: str) -> None:
        with self._writing():
            self._file.write(text)
            self._file.flush()

    def on_train_end(self, logs: Logs | None = None) -> None:
        with self._writing():
            self._file.close()


class CSVLogger(_FileLogger):
    """A file with a line for each epoch: its number and its scores."""

    def __init__(self, path: Path, separator: str = ",", append: bool = False) -> None:
        self.path = path_of(path)
        if not is_text(separator) or len(separator) != 1 or separator in '\r\n"':
            raise Error(f"CSVLogger: separator is {shown(separator)}, expected one character, as ';'")
        self.separator = separator
        self.append = append

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._head = not (self.append and os.path.exists(self.path) and os.path.getsize(self.path))
        super().on_train_begin()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        rows, text = ([["epoch", *(logs or {})]] if self._head else []) + [[epoch, *(logs or {}).values()]], io.StringIO()
        csv.writer(text, delimiter=self.separator).writerows(rows)
        self._write(text.getvalue())
        self._head = False


class JSONLinesLogger(_FileLogger):
    """A file with a line of JSON for each epoch; `fit(log=...)` has one for each step."""

    def __init__(self, path: Path, append: bool = False) -> None:
        self.path = path_of(path)
        self.append = append

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        # What is not finite is no number of JSON.
        scores = {name: value if math.isfinite(value) else None for name, value in (logs or {}).items()}
        self._write(json.dumps({"epoch": epoch, **scores}) + "\n")


class TensorBoard(Callback):
    """Scores of epochs and, with update_freq="batch", loss and loss scale of steps, for TensorBoard; the package tensorboardX
    writes them."""

    def __init__(self, log_dir: Path = "runs", update_freq: Literal["epoch", "batch"] = "epoch") -> None:
        try:
            import tensorboardX
        except ImportError as error:
            raise Error("the callback TensorBoard needs the package tensorboardX: pip install tensorboardX") from error
        if not isinstance(update_freq, str) or update_freq not in ("epoch", "batch"):
            raise Error(f"TensorBoard: update_freq={shown(update_freq)}, expected 'epoch' or 'batch'")
        self._create = tensorboardX.SummaryWriter
        self.log_dir = path_of(log_dir)
        self.update_freq = update_freq

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._writer = self._create(self.log_dir)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        if self.update_freq == "batch":
            for name in ("loss", "loss_scale"):  # a policy without loss scaling has none
                if logs and math.isfinite(logs.get(name, math.nan)):
                    self._writer.add_scalar(f"batch_{name}", logs[name], logs["step"] - 1)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        for name, value in (logs or {}).items():
            self._writer.add_scalar(f"epoch_{name}", value, epoch)

    def on_train_end(self, logs: Logs | None = None) -> None:
        self._writer.close()


def check_callbacks(given: Any) -> list[Callback]:
    """Those of fit: one, several or None, each an object with the methods of a callback."""
    if given is None:
        return []
    several = list(given) if isinstance(given, Iterable) and not hasattr(given, "on_epoch_end") and getattr(given, "shape", None) != () else [given]
    for one in several:
        name = getattr(one, "__name__", type(one).__name__)
        if isinstance(one, type):
            raise Error(f"callbacks has the class {name}, expected an object of it: {name}(...)")
        if isinstance(one, Callback):
            continue
        if missing := [method for method in vars(Callback) if method.startswith("on_") and not callable(getattr(one, method, None))]:
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


tell(__name__, __all__, globals())
