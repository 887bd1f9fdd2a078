"""Steps on batches that somebody else makes: one by one, or of iterables of (x, y), PyTorch's DataLoaders among them."""

from __future__ import annotations

import math
import time
import warnings

import numpy

from halfstep import _arrays
from halfstep._data import Model, count_rows, fill_up, name_inputs, takes_targets
from halfstep._errors import Error, level_of_user
from halfstep._progress import Progress
from halfstep._watchers import Watchers
from halfstep.callbacks import History

_SKIP_LIMIT = 50  # as the runtime has it where an executable says nothing


def _batch(model: Model, given):
    if not takes_targets(model):
        several = isinstance(given, (tuple, list))
        return (dict(zip(model.input_names(), given)) if several else given), None
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Error(f"a batch is (inputs, targets), not {type(given).__name__}" +
                    (f" of {len(given)}" if isinstance(given, (tuple, list)) else ""))
    return given


def _each(batches, name: str = "x"):
    if isinstance(batches, dict) or hasattr(batches, "__array__") or hasattr(batches, "__dlpack__"):
        kind = "a dictionary of arrays" if isinstance(batches, dict) else "an array"
        said = " and y is None, expected targets, one for each row, or for x what gives batches (x, y)" if name == "x" else ", expected (inputs, targets)"
        raise Error(f"{name} is {kind}{said}")
    try:
        return iter(batches)
    except TypeError:
        raise Error(f"x is {_arrays.told(batches)}, expected an array with y, or what gives batches (x, y)") from None


def rows_of(model: Model, data, name: str = "x"):
    """Inputs and targets of all rows: of a pair of them, or of the batches of an iterable."""
    if isinstance(data, (tuple, list)) and len(data) == 2 and not isinstance(data[0], (tuple, list)):
        return data
    inputs: list = []
    targets: list = []
    for given in _each(data, name):
        x, y = _batch(model, given)
        inputs.append({name: _arrays.array_of(f"'{name}'", one) for name, one in x.items()} if isinstance(x, dict) else _arrays.array_of("x", x))
        if y is not None:
            targets.append(_arrays.array_of("y", y))
    if not inputs:
        raise Error("the batches are none")
    if isinstance(inputs[0], dict):
        if any(not isinstance(one, dict) or set(one) != set(inputs[0]) for one in inputs):
            raise Error(f"batches have different inputs; the first has {', '.join(inputs[0])}")
        return {name: numpy.concatenate([one[name] for one in inputs]) for name in inputs[0]}, numpy.concatenate(targets) if targets else None
    return numpy.concatenate(inputs), numpy.concatenate(targets) if targets else None


def update(trainer, parts, size: int, seed: int, *, pad: bool = False) -> dict[str, float]:
    """One step of a trainer on as many micro-batches as it takes, of `size` rows each; with `pad`, which is of one, of fewer."""
    session = trainer.prepare(parts[0], size, seed, pad=pad)
    results, counts = [], [count_rows(trainer.model, one) for one in parts]
    first = 0
    for one, rows in zip(parts, counts):
        _check_labels(session, one.get("y"), first)
        first += rows
    program = "train_step" if len(parts) == 1 else "accumulate"
    try:
        for one in parts:
            results.append(session.run(program, fill_up(trainer.model, one, size) if pad else one))
        last = results[0] if len(parts) == 1 else session.run("apply")
    except BaseException:
        if results and len(parts) > 1:
            _forget_gradients(session)
        raise
    trainer.steps += 1

    def mean(name: str) -> float:
        """Over all rows, of a number for each of them or for a micro-batch."""
        sums = [float(numpy.mean(own[name][:rows] if pad and own[name].ndim else own[name])) * rows for own, rows in zip(results, counts)]
        return math.fsum(sums) / sum(counts)

    is_skipped = bool("bad" in last and last["bad"] >= 0)
    _watch_skips(trainer, session, is_skipped, last)
    return {**{name: mean(name) for name in ("loss", *trainer._compiled().metrics)}, "skipped": is_skipped}


def evaluate(trainer, parts) -> dict[str, float]:
    """Loss and metrics of batches whose rows are fixed: the mean over them."""
    session = trainer.prepare(parts[0], count_rows(trainer.model, parts[0]), trains=False)
    results = [session.run("eval", one) for one in parts]
    return {name: math.fsum(float(numpy.mean(one[name])) for one in results) / len(results) for name in ("loss", *trainer._compiled().metrics)}


def _check_labels(session, labels, first: int) -> None:
    """That they are classes that the loss has, as the runtime checks those of arrays."""
    classes, ignored = (session.executable._handle.text(f"{key}:y") for key in ("classes", "ignored"))
    if classes is None or labels is None or labels.dtype.kind not in "iub" or not labels.size:
        return
    wrong = (labels < 0) | (labels >= int(classes))
    wrong = numpy.argwhere(wrong if ignored is None else wrong & (labels != int(ignored)))
    if len(wrong):
        at = tuple(wrong[0])
        row = f" of row {first + at[0]}" if at else ""
        also = (f", and the label {ignored} for rows that do not count" if ignored is not None else
                f"; by ignore_label={labels[at]} a loss leaves such rows out" if labels[at] < 0 or labels[at] == 255 else "")
        raise Error(f"label {labels[at]}{row} is out of range: input 'y' has {classes} classes{also}")


def _forget_gradients(session):
    """Those of micro-batches whose step was not finished."""
    for name in session.state:
        base, _, kind = name.rpartition("/")
        if kind == "gradient_sum":
            session.state[name] = numpy.zeros_like(session.state[name])
        elif kind == "pending":
            session.state[name] = session.state[base]


def _watch_skips(trainer, session, is_skipped: bool, last):
    """Ends training as the runtime does when too many steps are skipped one after another, or the scale has no way down."""
    if not is_skipped:
        trainer._skips = 0
        return
    trainer._skips += 1
    limit, floor = (session.executable._handle.text(key) for key in ("skip_limit", "raise_error_at_min_scale"))
    if floor is not None and "loss_scale" in last and last["loss_scale"] <= float(floor) and last.get("hysteresis_tracker", 1) <= 1:
        raise Error(f"step {trainer.steps} overflowed at loss scale {float(last['loss_scale']):g}, and its floor is {float(floor):g}")
    most, count = _SKIP_LIMIT if limit is None else int(limit), trainer._skips
    if "consecutive_skips" in session.state:
        count = int(session.state["consecutive_skips"])
    if most and count >= most:
        raise Error(f"{count} consecutive steps were skipped, the last is step {trainer.steps}: gradients are not finite; "
                    "model.fit(x, y, find_nonfinite=True) says which op they come from")


def _gather(trainer, batches, size: int, is_padding: bool, warned: set[str]):
    """The micro-batches of each step, and their size, 0 where none was there before; what does not fill a step is dropped, or filled up."""
    count, parts = trainer._micro_batches(), []

    def drop(kind: str, found: str, rule: str):
        if kind not in warned:
            warned.add(kind)
            rest = "" if count > 1 else "; last_batch=\"pad\" fills it up with rows that weigh nothing"
            warnings.warn(f"{found} dropped: {rule}{rest}", stacklevel=level_of_user())

    for given in _each(batches):
        arrays = name_inputs(trainer.model, *_batch(trainer.model, given))
        rows = count_rows(trainer.model, arrays)
        if not rows:
            continue
        size = size or rows
        if rows > size:
            raise Error(f"a batch has {rows} rows, the first had {size}; give batches of one size, the largest first")
        if rows < size:
            if not is_padding:
                drop("rows", f"a batch of {rows} rows is", f"the first had {size}")
                continue
        parts.append(arrays)
        if len(parts) == count:
            yield parts, size
            parts = []
    if parts:
        drop("batches", f"the last {len(parts)} batches of an epoch are", f"a step has accumulate={count}")


def fit(trainer, batches, epochs: int, first_epoch: int, validation_data, callbacks, verbose: bool, seed: int, last_batch: str) -> History:
    """Steps on each batch; one that is smaller than the first is dropped, or filled up."""
    model, history = trainer.model, History()
    watchers = Watchers(trainer, [history, *callbacks], trainer.epochs + epochs, first_epoch)
    test = trainer._rows_of(validation_data, "validation_data") if validation_data is not None else None
    size, skipped, began, first, seen = 0, 0, time.monotonic(), trainer.steps, 0
    is_padding, warned = last_batch == "pad", set[str]()
    progress = Progress(batches, trainer._micro_batches(), trainer.epochs + 1, trainer.epochs + epochs) if verbose else None
    with watchers:
        for _ in range(epochs):
            sums: dict[str, float] = {}
            steps, total, epoch, skipped_before = 0, 0, trainer.epochs + 1, skipped
            for parts, size in _gather(trainer, batches, size, is_padding, warned):
                logs = update(trainer, parts, size, seed, pad=is_padding)
                rows = sum(count_rows(model, one) for one in parts)
                steps, total, seen = steps + 1, total + rows, seen + rows
                skipped += int(logs["skipped"])
                for name, value in logs.items():
                    if name != "skipped":
                        sums[name] = sums.get(name, 0.0) + value * rows
                scale, bad = trainer.scaler.get_scale(), 0 if logs["skipped"] else -1
                rate = seen / (time.monotonic() - began)
                if progress is not None:
                    progress.step(epoch, steps, logs["loss"], rate)
                if watchers.on_step(trainer.steps, epoch, logs["loss"], scale, math.nan, bad, skipped, rate):
                    break
            if progress is not None:
                progress.clear()
            if model.stop_training:
                break
            if not steps:
                raise Error(f"epoch {epoch} has no batches: an iterable gives them each time, a generator once")
            scores = {name: value / total for name, value in sums.items()}
            test_scores = trainer.evaluate(*test, size) if test is not None else {}
            if verbose:
                told = {**scores, **{f"val_{name}": value for name, value in test_scores.items()}}
                line = ", ".join(f"{name} {value:.4f}" for name, value in told.items())
                if not math.isfinite(scores["loss"]):
                    line += f", {skipped - skipped_before} of {steps} steps skipped"
                print(f"epoch {epoch}: {line}", flush=True)
            if watchers.on_epoch(epoch, trainer.steps, scores, test_scores):
                break
        history.skipped_steps = skipped
        history.seconds_per_step = (time.monotonic() - began) / max(trainer.steps - first, 1)
    return history
