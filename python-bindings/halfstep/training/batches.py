"""Batches that somebody else makes: steps on one, and iterables of them, PyTorch's DataLoaders among them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from halfstep.training.data import LABEL, Array, Named, as_given, count_rows, fill_up, name_inputs, takes_targets
from halfstep_runtime import _arrays
from halfstep_runtime._errors import Error, level_of_user
from halfstep_runtime._session import Session

if TYPE_CHECKING:
    from halfstep.layers.module import Module
    from halfstep.training.trainer import Trainer

_SKIP_LIMIT = 50  # as the runtime has it where an executable says nothing


def _of_names(model: Module, given: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Inputs and targets of a dictionary of both: targets are 'y', or what alone is no parameter of forward."""
    own = [LABEL] if LABEL in given else [name for name in given if name not in model.input_names()]
    if len(own) != 1:
        raise Error(f"a batch is a dictionary of {', '.join(map(repr, given)) or 'nothing'}, of which the inputs are {', '.join(model.input_names())}; "
                    f"expected the targets under one other name, as {LABEL!r}")
    return {name: value for name, value in given.items() if name != own[0]}, given[own[0]]


def _batch(model: Module, given: Any, name: str = "x") -> Any:
    if not takes_targets(model):
        several = isinstance(given, (tuple, list))
        return (dict(zip(model.input_names(), given)) if several else given), None
    if isinstance(given, Mapping):
        return _of_names(model, given)
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Error(f"{name} is to give batches (inputs, targets), not {type(given).__name__}" +
                    (f" of {len(given)}" if isinstance(given, (tuple, list)) else ""))
    return given


def _each(batches: Any, name: str = "x") -> Iterator[Any]:
    if isinstance(batches, dict) or hasattr(batches, "__array__") or hasattr(batches, "__dlpack__"):
        kind = "a dictionary of arrays" if isinstance(batches, dict) else "an array"
        said = " and y is None, expected targets, one for each row, or for x what gives batches (x, y)" if name == "x" else ", expected (inputs, targets)"
        raise Error(f"{name} is {kind}{said}")
    try:
        return iter(batches)
    except TypeError:
        raise Error(f"{name} is {_arrays.told(batches)}, expected an array with y, or what gives batches (x, y)") from None


def _join(parts: list[Any]) -> Any:
    """Arrays of batches, or dictionaries of them, one behind the other."""
    if not parts:
        raise Error("x has no batches")
    if not isinstance(parts[0], dict):
        return numpy.concatenate(parts)
    if any(not isinstance(one, dict) or set(one) != set(parts[0]) for one in parts):
        raise Error(f"batches have different inputs; the first has {', '.join(parts[0])}")
    return {name: numpy.concatenate([one[name] for one in parts]) for name in parts[0]}


def rows_of(model: Module, data: Any, name: str = "x") -> tuple[Any, Any]:
    """Inputs and targets of all rows: of a pair of them, or of the batches of an iterable."""
    if isinstance(data, (tuple, list)) and len(data) == 2 and not isinstance(data[0], (tuple, list)) and not isinstance(data[1], Mapping):
        return data[0], data[1]
    inputs: list[Any] = []
    targets: list[Array] = []
    for given in _each(data, name):
        x, y = _batch(model, given, name)
        inputs.append({name: _arrays.array_of(f"'{name}'", one) for name, one in x.items()} if isinstance(x, Mapping) else _arrays.array_of("x", x))
        if y is not None:
            targets.append(_arrays.array_of("y", y))
    return _join(inputs), _join(targets) if targets else None


def are_batches(x: Any) -> bool:
    """Whether what predictions are asked of gives batches, and is no array, nor several by name: what is iterated and is neither, and a
    list of pairs, of dictionaries or of lists of one array."""
    if isinstance(x, (tuple, list)):
        return bool(x) and all(isinstance(one, Mapping) or isinstance(one, (tuple, list)) and len(one) in (1, 2) and hasattr(one[0], "ndim") for one in x)
    is_array = any(hasattr(x, name) for name in ("__array__", "__dlpack__", "__array_interface__"))
    return isinstance(x, Iterable) and not is_array and not isinstance(x, (Mapping, str, bytes))


def predict(trainer: Trainer, batches: Iterable[Any]) -> Any:
    """The outputs of all batches, of which targets are not looked at."""
    results: list[Any] = []
    for given in batches:
        if isinstance(given, (tuple, list)) and len(given) in (1, 2) and hasattr(given[0], "__len__"):
            given = given[0]
        elif isinstance(given, Mapping):
            given = {name: value for name, value in given.items() if name in trainer.model.input_names()} or _of_names(trainer.model, given)[0]
        results.append(trainer.predict(given))
    return _join(results)


def update(trainer: Trainer, parts: list[Named], size: int, seed: int) -> dict[str, float]:
    """One step of a trainer on as many micro-batches as it takes, of `size` rows each."""
    session = trainer.prepare(parts[0], size, seed)
    results, counts = [], [count_rows(trainer.model, one) for one in parts]
    first = 0
    for one, rows in zip(parts, counts):
        _check_labels(session, one.get(LABEL), first)
        first += rows
    program = "train_step" if len(parts) == 1 else "accumulate"
    try:
        for one in parts:
            results.append(session.run(program, one))
        last = results[0] if len(parts) == 1 else session.run("apply")
    except BaseException:
        if results and len(parts) > 1:
            _forget_gradients(session, trainer.model)
        raise
    trainer.steps += 1

    def mean(name: str) -> float:
        """Over all rows, of a number for each of them or for a micro-batch."""
        sums = [float(numpy.mean(own[name])) * rows for own, rows in zip(results, counts)]
        return math.fsum(sums) / sum(counts)

    is_skipped = bool("bad" in last and last["bad"] >= 0)
    _watch_skips(trainer, session, is_skipped, last)
    return {**{name: mean(name) for name in ("loss", *trainer._compiled().metrics)}, "skipped": is_skipped}


def evaluate(trainer: Trainer, parts: list[Named]) -> dict[str, float]:
    """Loss and metrics of batches whose rows are fixed: the mean over them."""
    session = trainer.prepare(parts[0], count_rows(trainer.model, parts[0]), trains=False)
    results = [session.run("eval", one) for one in parts]
    return {name: math.fsum(float(numpy.mean(one[name])) for one in results) / len(results) for name in ("loss", *trainer._compiled().metrics)}


def _check_labels(session: Session, labels: Array | None, first: int) -> None:
    """That they are classes that the loss has, as the runtime checks those of arrays."""
    classes, ignored = (session.executable._handle.text(f"{key}:y") for key in ("classes", "ignored"))
    if classes is None or labels is None or labels.dtype.kind not in "iub" or not labels.size:
        return
    is_wrong = (labels < 0) | (labels >= int(classes))
    wrong = numpy.argwhere(is_wrong if ignored is None else is_wrong & (labels != int(ignored)))
    if len(wrong):
        at = tuple(wrong[0])
        row = f" of row {first + at[0]}" if at else ""
        also = (f", and the label {ignored} for rows that do not count" if ignored is not None else
                f"; a loss with ignore_label={labels[at]} leaves such rows out" if labels[at] < 0 or labels[at] == 255 else "")
        raise Error(f"label {labels[at]}{row} is out of range: input 'y' has {classes} classes{also}")


def _forget_gradients(session: Session, model: Module) -> None:
    """Those of micro-batches whose step was not finished."""
    own = dict(model.named_leaves())
    for name in own:
        if (kept := f"{name}/gradient_sum") in session.state and kept not in own:
            session.state[kept] = numpy.zeros_like(session.state[kept])
        if (kept := f"{name}/pending") in session.state and kept not in own:
            session.state[kept] = session.state[name]


def _watch_skips(trainer: Trainer, session: Session, is_skipped: bool, last: Mapping[str, Any]) -> None:
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


class Source:
    """The steps of epochs, of batches that somebody else makes, for the runtime to ask for. All have the size of the first; what does not
    fill a step is dropped, or filled up."""

    def __init__(self, trainer: Trainer, batches: Any, is_padding: bool):
        self._trainer, self._batches, self._is_padding = trainer, batches, is_padding
        self._size, self._warned = 0, set[str]()
        self._micro_batches = trainer._micro_batches()
        self._steps_done = 0  # of the epoch
        # A batch is looked at before training begins, and is of the first epoch all the same: a generator gives it once.
        self._epoch: Iterator[list[Named]] | None = self._gather()
        self._ahead = next(self._epoch, None)
        if self._ahead is None:
            raise self._no_batches()
        self.steps_per_epoch = len(batches) // self._micro_batches if hasattr(batches, "__len__") else 0  # where it is known

    def prepare(self, seed: int) -> Session:
        """The trainer's session for the first batch."""
        assert self._ahead is not None
        return self._trainer.prepare(self._ahead[0], self._size, seed, pad=self._is_padding)

    def __call__(self) -> tuple[list[str], list[Any], list[int], list[int]] | None:
        """Names, arrays and element types of the next step's batches, and the rows of each; None where the epoch is over."""
        if self._epoch is None:
            self._epoch, self._steps_done = self._gather(), 0
        parts, self._ahead = self._ahead or next(self._epoch, None), None
        if parts is None:
            self._epoch = None
            if not self._steps_done:
                raise self._no_batches()
            return None
        self._steps_done += 1
        model, session = self._trainer.model, self._trainer._live()
        given = [as_given(session, "train_step", fill_up(model, one, self._size) if self._is_padding else one) for one in parts]
        names, arrays, elements = ([one for of in kind for one in of] for kind in zip(*given))
        return names, arrays, elements, [count_rows(model, one) for one in parts]

    def _no_batches(self) -> Error:
        return Error(f"epoch {self._trainer.epochs + 1} has no batches: an iterable gives them each time, a generator once")

    def _drop(self, kind: str, found: str, rule: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            rest = "" if self._micro_batches > 1 else "; last_batch=\"pad\" fills it up with rows that weigh nothing"
            warnings.warn(f"{found} dropped: {rule}{rest}", stacklevel=level_of_user())

    def _gather(self) -> Iterator[list[Named]]:
        """The micro-batches of each step of an epoch."""
        parts: list[Named] = []
        for given in _each(self._batches):
            arrays = name_inputs(self._trainer.model, *_batch(self._trainer.model, given))
            rows = count_rows(self._trainer.model, arrays)
            if not rows:
                continue
            self._size = self._size or rows
            if rows > self._size:
                raise Error(f"a batch has {rows} rows, the first had {self._size}; give batches of one size, the largest first")
            if rows < self._size and not self._is_padding:
                self._drop("rows", f"a batch of {rows} rows is", f"the first had {self._size}")
                continue
            parts.append(arrays)
            if len(parts) == self._micro_batches:
                yield parts
                parts = []
        if parts:
            self._drop("batches", f"the last {len(parts)} batches of an epoch are", f"a step has accumulate={self._micro_batches}")
