"""Training on batches that somebody else makes: iterables of (x, y), PyTorch's DataLoaders among them."""

from __future__ import annotations

import math
import time

import numpy

from halfstep._errors import Error
from halfstep.callbacks import History


def _batch(given):
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Error(f"a batch is (inputs, targets), not {type(given).__name__}" +
                    (f" of {len(given)}" if isinstance(given, (tuple, list)) else ""))
    return given


def _array(value):
    return value if isinstance(value, numpy.ndarray) else numpy.from_dlpack(value) if hasattr(value, "__dlpack__") else numpy.asarray(value)


def rows_of(data):
    """Inputs and targets of all rows: of a pair of them, or of the batches of an iterable."""
    if isinstance(data, (tuple, list)) and len(data) == 2 and not isinstance(data[0], (tuple, list)):
        return data
    inputs: list = []
    targets: list = []
    for given in data:
        x, y = _batch(given)
        inputs.append({name: _array(one) for name, one in x.items()} if isinstance(x, dict) else _array(x))
        targets.append(_array(y))
    if not inputs:
        raise Error("the batches are none")
    if isinstance(inputs[0], dict):
        return {name: numpy.concatenate([one[name] for one in inputs]) for name in inputs[0]}, numpy.concatenate(targets)
    return numpy.concatenate(inputs), numpy.concatenate(targets)


def fit(trainer, batches, epochs: int, validation_data, callbacks, verbose: bool, seed: int, last_batch: str) -> History:
    """Steps on each batch; one that is smaller than the first is dropped."""
    from halfstep import _training

    if last_batch != "drop":
        raise Error(f"last_batch={last_batch!r} is for arrays: batches are dropped that are smaller than the first")
    model, history = trainer.model, History()
    watchers = _training.Watchers(trainer, [history, *callbacks], trainer.epochs + epochs)
    test = rows_of(validation_data) if validation_data is not None else None
    size, skipped, began, first = None, 0, time.monotonic(), trainer.steps
    watchers.begin()
    for _ in range(epochs):
        sums: dict[str, float] = {}
        steps, epoch = 0, trainer.epochs + 1
        for given in batches:
            x, y = _batch(given)
            arrays = _training.name_inputs(model, x, y)
            rows = len(arrays["y"])
            size = size or rows
            if rows < size:
                continue
            logs = trainer.step(x, y, seed=seed)
            steps += 1
            skipped += logs["skipped"]
            for name, value in logs.items():
                if name != "skipped":
                    sums[name] = sums.get(name, 0.0) + value
            scale, bad = trainer.scaler.get_scale(), 0 if logs["skipped"] else -1
            rate = (trainer.steps - first) * size / (time.monotonic() - began)
            if watchers.on_step(trainer.steps, epoch, logs["loss"], scale, math.nan, bad, skipped, rate):
                break
        if model.stop_training:
            break
        if not steps:
            raise Error(f"epoch {epoch} has no batches: an iterable gives them each time, a generator once")
        scores = {name: value / steps for name, value in sums.items()}
        test_scores = trainer.evaluate(*test, size) if test is not None else {}
        if verbose:
            told = {**scores, **{f"val_{name}": value for name, value in test_scores.items()}}
            print(f"epoch {epoch}: " + ", ".join(f"{name} {value:.4f}" for name, value in told.items()), flush=True)
        if watchers.on_epoch(epoch, trainer.steps, scores, test_scores):
            break
    history.skipped_steps = skipped
    history.seconds_per_step = (time.monotonic() - began) / max(trainer.steps - first, 1)
    watchers.end()
    return history
