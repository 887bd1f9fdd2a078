"""What is called while `fit` trains."""

from __future__ import annotations

import math


class Callback:
    """Methods are called by name; `self.model` is what is trained. A step is told when its results are read: up to two
    more may be under way. `logs` has "loss" and the metrics, with "val_" those of the validation data."""

    model = None

    def on_train_begin(self, logs: dict | None = None): ...

    def on_train_end(self, logs: dict | None = None): ...

    def on_epoch_begin(self, epoch: int, logs: dict | None = None): ...

    def on_epoch_end(self, epoch: int, logs: dict | None = None): ...

    def on_train_batch_end(self, batch: int, logs: dict | None = None): ...


class History(Callback):
    """`history` has a list for each score, with an entry for each epoch; `epoch` their numbers, from 0."""

    def __init__(self):
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []
        self.skipped_steps = 0
        self.seconds_per_step = math.nan

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def __repr__(self):
        last = ", ".join(f"{name} {values[-1]:.4f}" for name, values in self.history.items())
        return f"<halfstep.History of {len(self.epoch)} epochs: {last}>"


class EarlyStopping(Callback):
    """Ends training when a score gets no better for `patience` epochs; accuracies get better upwards, all else down."""

    def __init__(self, monitor: str = "val_loss", patience: int = 0, min_delta: float = 0.0,
                 restore_best_weights: bool = False):
        self.monitor = monitor
        self.patience = patience
        self.min_delta = min_delta
        self.restore_best_weights = restore_best_weights
        self._sign = 1.0 if "accuracy" in monitor else -1.0

    def on_train_begin(self, logs=None):
        self._best, self._waited, self._weights = -math.inf, 0, None

    def on_epoch_end(self, epoch, logs=None):
        if self.monitor not in (logs or {}):
            raise KeyError(f"there is no score '{self.monitor}', only {', '.join(logs or {}) or 'none'}")
        value = self._sign * logs[self.monitor]
        if value > self._best + self.min_delta:
            self._best, self._waited = value, 0
            self._weights = self.model.state_dict() if self.restore_best_weights else None
            return
        self._waited += 1
        if self._waited > self.patience:
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if self._weights is not None:
            self.model.load_state_dict(self._weights)


class LearningRateScheduler(Callback):
    """The learning rate of an epoch, from its number and the rate before."""

    def __init__(self, schedule):
        self.schedule = schedule

    def on_epoch_begin(self, epoch, logs=None):
        self.model.learning_rate = self.schedule(epoch, self.model.learning_rate)
