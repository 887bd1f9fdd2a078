"""Training of a module: what compile, fit, evaluate and predict do, and steps one by one."""

from __future__ import annotations

import dataclasses
import math
import os
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from halfstep.callbacks import Advice, History, Watchers, check_callbacks
from halfstep.compiler.compile import compile_traced
from halfstep.compiler.progress import in_notebook
from halfstep.compiler.settings import for_device, spell_settings
from halfstep.graph import losses
from halfstep.graph.graph import Graph, TensorType
from halfstep.graph.tensor import Tensor
from halfstep.hints.faults import hint
from halfstep.layers.leaves import Input
from halfstep.layers.undo import undone_on_error
from halfstep.training import batches
from halfstep.training.data import (
    LABEL, Arrays, Named, as_given, count_rows, cut, has_rows, is_fixed, name_inputs, part_of, parts_of, refuse_rows, specified_targets, split_arrays,
    targets_of,
)
from halfstep.training.job import Job
from halfstep.training.predictions import Predictions
from halfstep.training.scaler import Scaler
from halfstep_runtime._arrays import dtype_name
from halfstep_runtime._errors import Error, as_float, check_folder, fraction, integer, level_of_user, path_of, shown
from halfstep_runtime._files import check_kind, check_written
from halfstep_runtime._keywords import tell_methods
from halfstep_runtime._session import Session
from halfstep_runtime._tensor_files import read_metadata, read_tensors

if TYPE_CHECKING:
    from halfstep.layers.module import Module

# Settings of a loss scale that changes.
_SCALING = ("init_scale", "growth_factor", "backoff_factor", "growth_interval", "hysteresis", "hysteresis_kind", "floor", "ceiling")
# States that training adds to a model's own.
_ADDED = ("row_weights", "learning_rate", "loss_scale", "growth_tracker", "hysteresis_tracker", "skipped_steps", "consecutive_skips")


def _check_names_of(module: Module, optimizer: str, takes_targets: bool) -> None:
    """That inputs, parameters and states are called otherwise than what training adds: of its own, or beside another's."""
    own = {**dict.fromkeys(module._inputs, "input"), **{name: type(leaf).__name__ for name, leaf in module.named_leaves()}}
    added = {*_ADDED, f"{optimizer}.step", f"{optimizer}.momentum_product", *[LABEL] * takes_targets}
    for name in own:
        of, _, kept = name.rpartition("/")
        if name in added or of in own and (kept in ("pending", "gradient_sum") or kept.startswith(f"{optimizer}.")):
            raise Error(f"{type(module).__name__}: training has a '{name}' of its own; call the {own[name]} something else")


def _tensor_of(what: str, value: Any) -> Tensor:
    """What a loss or a metric of the user's gives."""
    if isinstance(value, Tensor):
        return value
    meant = "" if value is None or not isinstance(value, (tuple, list)) else f" of {len(value)}"
    how = ("return ops.mean(...) of what each row has" if what == "the loss" else "return a number for each row") + ", made of outputs and targets by halfstep.ops"
    if callable(value):  # halfstep.losses.CrossEntropy, which makes a loss
        how = f"call what makes {what} where it is given, as loss=halfstep.losses.CrossEntropy()"
    raise Error(f"{what} gives {'None' if value is None else type(value).__name__}{meant}, expected a tensor: {how}")


class Trainer:
    """A model's training, in a loop of one's own:

        trainer = halfstep.Trainer(model)
        for x, y in batches:
            logs = trainer.step(x, y)
        print(trainer.scaler.get_scale())

    `fit` uses the same, so that both go on from where the other ended.
    """

    def __init__(self, model: Module):
        self.model = model
        self._predictions = Predictions(self)
        self.session: Session | None = None
        self.steps = 0
        self.epochs = 0
        self._job: Job | None = model._job
        self._batch_size: int | None = None
        self._pads = False  # whether rows may only fill a batch up
        self._skips = 0  # the last steps, one after another
        self._warned = False  # of a loss that computes what the model has computed
        # What the first session is to have: of the scaler, the learning rate, and a file of all state.
        self.scaler_state: dict[str, float] = {}
        self._rate: float | None = None
        self._saved: str | None = None
        self._label_type: TensorType | None = None
        self.source: tuple[Any, str, dict[str, Any]] = (None, "", {})  # the traced model that the session runs, its name and settings

    def prepare(self, arrays: Named, batch_size: int, seed: int = 0, *, trains: bool = True,
                pad: bool = False) -> Session:
        """The session for such arrays and batches, which rows may only fill up if it is to `pad`; state is kept where another was
        there before. Where that fails, neither the model nor this has seen the arrays."""
        batch_size, seed = integer("batch_size", batch_size, 1), integer("seed", seed, bits=64)
        with undone_on_error(self.model, self):
            self._specify({name: array for name, array in arrays.items() if name != LABEL})
            if LABEL in arrays and self._label_type is None and (self._job is None or self._job.takes_targets):
                self._label_type = targets_of(self.model, arrays[LABEL])
            is_fit = self._batch_size == batch_size and (self._pads or not pad)
            if self.session is not None and (is_fit or not trains):
                return self.session
            job = self._compiled()
            if pad and job.settings.get("pad") not in (None, True, "true"):
                raise Error('last_batch="pad": the model was compiled with pad=False; leave that out')
            pads = self._pads or pad
            if self._label_type is None and job.takes_targets:
                raise Error("the model has not seen targets yet; train it before")
            model, name, settings = self.source_of_step(batch_size, pads)
            executable = compile_traced(model, name, job.device, **settings)
            session = job.open(executable)
            self.model._initialize(session, seed)
            if self._saved is not None:
                session.load_state(self._saved)
        if self.session is not None:
            # What is derived follows from the rest, and may be kept in another layout. Another loss scaling has other states.
            own, state = session.executable.state, self.session.state
            session.set_states({name: state[name] for name, of in own.items() if of.role != "derived" and name in state})
            self.session.close()
        self.session, self._batch_size, self._pads, self._saved = session, batch_size, pads, None
        self.scaler.put()
        if self._rate is not None:
            session.state["learning_rate"], self._rate = self._rate, None
        self.source = model, name, for_device(job.device, settings)
        return session

    def _specify(self, arrays: Named) -> None:
        """Has the model's inputs be of such rows, where they are not known."""
        if not self.model._inputs:
            self.model.specify(**{name: Input(array.shape[1:], dtype_name("an array", array.dtype)) for name, array in arrays.items()})

    def source_of_step(self, batch_size: int, pads: bool) -> tuple[Any, str, dict[str, Any]]:
        """The traced model that trains, its name and settings."""
        job = self._compiled()
        _check_names_of(self.model, job.optimizer.kind, job.takes_targets)
        settings: dict[str, Any] = {"batch_size": batch_size, **({"pad": True} if pads else {}), **job.settings}
        return self.model._traced(objective=self._objective, batch_size=batch_size), f"{type(self.model).__name__}.mlir", settings

    def targets_type(self) -> TensorType | None:
        """What is known of the targets: of those that were seen, or as specify says."""
        return specified_targets(self.model) or self._label_type

    def _objective(self, graph: Graph, outputs: dict[str, Any]) -> None:
        job, label = self._compiled(), self.targets_type()
        loss: Any = job.loss
        own = loss.take(outputs) if isinstance(loss, losses.Output) else None
        target: Any = graph.inputs if label is None or own is not None else graph.argument(LABEL, "input", label)
        given = next(iter(outputs.values())) if len(outputs) == 1 else outputs
        if (said := losses.twice(job.loss, given)) is not None and not self._warned:
            self._warned = True
            warnings.warn(said, stacklevel=level_of_user())
        for kind, function in {"the loss": job.loss, **{f"the metric '{name}'": metric for name, metric in job.metrics.items()}}.items():
            losses.refuse_several(kind, function, given)
        graph.add_result(_tensor_of("the loss", loss(given, target)) if own is None else own, "loss")
        for name, metric in job.metrics.items():
            graph.add_result(_tensor_of(f"the metric '{name}'", metric(given, target)), "metric", name)

    def step(self, x: Any, y: Any = None, *, seed: int = 0) -> dict[str, float]:
        """One step on one batch: its loss and metrics, and whether it was skipped for a gradient that is not finite. `seed` is
        that of first values, in the first step. With `accumulate=N` the batch is as many micro-batches, of equal parts of its rows."""
        arrays, count = name_inputs(self.model, x, y), self._micro_batches()
        rows = count_rows(self.model, arrays)
        if rows % count or not rows:
            raise Error(f"step: accumulate={count}: a batch of {rows} rows is not {count} micro-batches of as many rows each")
        size = rows // count
        return batches.update(self, [part_of(self.model, arrays, i * size, size) for i in range(count)], size, seed)

    def _micro_batches(self) -> int:
        """How many batches the gradients of a step are of: `accumulate` of compile."""
        given = self._compiled().settings.get("accumulate")
        return 1 if given is None else integer("accumulate", int(given) if isinstance(given, str) and given.isdecimal() else given, 1)

    @property
    def scaler(self) -> Scaler:
        return Scaler(self)

    @property
    def learning_rate(self) -> float:
        if self.session is not None:
            return float(self.session.state["learning_rate"])
        return self._compiled().optimizer.learning_rate if self._rate is None else self._rate

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        number = math.nan if (found := as_float(rate)) is None else found
        if not 0 <= number <= numpy.finfo(numpy.float32).max:
            raise Error(f"learning_rate is {shown(rate)}, expected a finite number of float32, of at least 0")
        if self.session is not None:
            self.session.state["learning_rate"] = number
        else:
            self._compiled()
            self._rate = number

    def save(self, path: str | os.PathLike[str]) -> None:
        """All that training goes on from as a safetensors file: parameters, what optimizer, loss scale and random generators keep,
        the learning rate, and how many steps and epochs are behind it."""
        self._live().save_state(check_written(path), steps=self.steps, epochs=self.epochs)

    def load(self, path: str | os.PathLike[str]) -> None:
        """What `save` wrote, or the checkpoint of a folder: all of it, or nothing where it is that of another model, optimizer or loss
        scaling. Before the first step, too, when what is not the model's own is compared as that begins."""
        check_kind(path)
        scalars: dict[str, float] = {}
        if self.session is not None:
            self.session.load_state(path)
        else:
            self._compiled()
            if self.model._inputs:
                self.model.load_weights(path)
            self._saved = os.fspath(path)
            scalars = {name: array.item() for name, value in read_tensors(path).items() if not (array := numpy.asarray(value)).shape}
        said = read_metadata(path)
        self.steps, self.epochs = int(said.get("step", 0)), int(said.get("epoch", 0))
        # What is asked for before the first step is what that has.
        self._skips, self.scaler_state = 0, {name: scalars[name] for name in ("loss_scale", "growth_tracker") if name in scalars}
        self._rate = scalars.get("learning_rate")

    def _compiled(self) -> Job:
        if self._job is None:
            raise Error("the model is not compiled; call model.compile(optimizer=..., policy=...) before")
        return self._job

    def _live(self) -> Session:
        if self.session is None:
            raise Error("the model has not been trained yet: it has no state")
        return self.session

    def keep(self) -> None:
        """Makes parameters and states what a trainer after this one starts from."""
        if self.session is not None:
            for name, leaf in self.model.named_leaves():
                if name in self.session.state:
                    leaf.value = self.session.state[name]

    def set_loss_scale(self, scale: float) -> None:
        """Compiles the next step with a loss scale that stays."""
        job = self._compiled()
        settings = {name: value for name, value in job.settings.items() if name not in _SCALING}
        self._job = dataclasses.replace(job, settings={**settings, "loss_scale": scale})
        self._batch_size = None
        if self.session is not None:
            self.session.state["loss_scale"] = scale

    def start_from(self, values: Named) -> None:
        """Sets parameters and states, each in its own type: in what trains, or as the first values of what will."""
        if self.session is not None:
            state = self.session.state
            self.session.set_states({name: value for name, value in values.items() if name in state})
        for name, leaf in self.model.named_leaves():
            if name in values:
                leaf.value = values[name]
        self._predictions.first_values += 1

    # fit, evaluate, predict

    def _are_rows(self, x: Any) -> bool:
        """Whether that is all of a model that has its targets among its inputs."""
        return not self._compiled().takes_targets and (isinstance(x, dict) or hasattr(x, "__array__") or hasattr(x, "__dlpack__"))

    def _rows_of(self, data: Any, name: str = "x") -> tuple[Any, Any]:
        return (data, None) if self._are_rows(data) else batches.rows_of(self.model, data, name)

    def fit(self, x: Any, y: Any, batch_size: int, epochs: int, *, validation_data: Any, seed: int, last_batch: str, verbose: bool, callbacks: Any,
            validation_split: float = 0.0, checkpoint: str | os.PathLike[str] | None = None, resume: bool = False,
            log: str | os.PathLike[str] | None = None, find_nonfinite: bool = False, initial_epoch: int = 0) -> History:
        x, y, test_data = parts_of("fit", x, y)
        validation_data = test_data if validation_data is None and not validation_split else validation_data
        seed, first = integer("seed", seed, bits=64), integer("initial_epoch", initial_epoch, 0)
        if first and resume:
            raise Error("initial_epoch and resume exclude each other: the checkpoint says which epoch is the first")
        epochs = max(integer("epochs", epochs, 0) - first, 0)
        validation_split = fraction("validation_split", validation_split)
        checkpoint, log = (None if one is None else path_of(one) for one in (checkpoint, log))
        callbacks = check_callbacks(callbacks)
        if verbose and not find_nonfinite:
            callbacks.append(Advice())
        if not isinstance(last_batch, str) or last_batch not in ("drop", "pad"):
            raise Error(f"last_batch is {shown(last_batch)}, expected 'drop' or 'pad'")
        if last_batch == "pad" and self._job is not None and self._micro_batches() > 1:
            raise Error("last_batch=pad and accumulate exclude each other")
        if is_fixed(self.model) and (y is not None or self._are_rows(x)):
            parts = cut(self.model, name_inputs(self.model, x, y))
            x, y = [({name: one for name, one in part.items() if name != LABEL}, part[LABEL]) if LABEL in part else part for part in parts], None
        gives_batches = y is None and not self._are_rows(x)
        if gives_batches and validation_split:
            raise Error("validation_split is for arrays, whose last rows it takes, not for batches; validation_data are rows of their own")
        if resume and checkpoint is None:
            raise Error("resume needs checkpoint=DIR")
        if log is not None:
            check_folder(log)
        pads, source = last_batch == "pad", None
        arrays, test = {} if gives_batches else name_inputs(self.model, x, y), {}
        if validation_data is not None:
            test = name_inputs(self.model, *self._rows_of(validation_data, "validation_data"))
        elif validation_split:
            arrays, test = split_arrays(arrays, validation_split)
        if gives_batches:
            source = batches.Source(self, x, pads)
        session = self.prepare(arrays, batch_size, seed, pad=pads) if source is None else source.prepare(seed)
        data, history = as_given(session, "train_step", arrays), History()
        flags = {"seed": seed, "last-batch": last_batch, "checkpoint": checkpoint, "resume": "true" if resume else None}
        behind = 0
        if resume and checkpoint is not None and os.path.exists(os.path.join(checkpoint, "manifest.json")):
            # Before callbacks are told: its steps are behind it, at least one, so that nothing is trained.
            self._run(history, {**flags, "steps": 1, "quiet": "true"}, data, source)
            said = read_metadata(checkpoint)
            self.epochs, behind = int(said["epoch"]), int(said["batch"]) // self._micro_batches()
        total, first = (epochs, self.epochs) if resume else (self.epochs + epochs, first)
        if resume and 0 < total <= self.epochs:
            warnings.warn(f"nothing to train: {checkpoint} has {self.epochs} epochs, and epochs={total} asks for so many in all; epochs=0 loads it "
                          "alone", stacklevel=level_of_user())
        flags.update(epochs=total, log=log, quiet=None if verbose else "true")
        flags["progress-bar"] = "true" if in_notebook() else None
        finder = None
        if find_nonfinite:
            from halfstep.report import nonfinite

            model, name, settings = self.source
            finder = nonfinite.Finder(model.text(True), name, spell_settings(settings), history.nonfinite, verbose).see
        rate = self.learning_rate
        with Watchers(self, [history, *callbacks], total, first, behind) as watchers:
            if self.epochs < total:
                # What a callback said is lost where the checkpoint is loaded again.
                flags["learning-rate"] = repr(self.learning_rate) if self.learning_rate != rate else None
                # Rows that are fixed are scored here: the runtime gives eval any number of them.
                scored = test if is_fixed(self.model) else {}
                self._run(history, flags, data, source, as_given(session, "eval", {} if scored else test), watchers, finder, scored)
        return history

    def _run(self, history: History, flags: Mapping[str, object], data: Arrays, source: batches.Source | None = None,
             validation: Arrays = ([], [], []), watchers: Watchers | None = None, finder: Callable[[Any, Any], bool] | None = None,
             scored: Named | None = None) -> None:
        """Trains as `mp-run train` does under such flags, of which None are not said."""
        session = self._live()
        said = {name: str(value) for name, value in flags.items() if value is not None}
        on_step, on_epoch = (watchers.on_step, watchers.on_epoch) if watchers is not None else (None, None)

        def on_scored(epoch: int, step: int, scores: dict[str, float], _: object) -> bool:
            return on_epoch(epoch, step, scores, batches.evaluate(self, cut(self.model, scored or {}))) if on_epoch else False

        try:
            self.steps, history.skipped_steps, _, history.seconds_per_step, history.resident_bytes = session._handle.train(
                list(said), list(said.values()), *data, *validation, (self.steps, self.epochs), on_step, on_scored if scored else on_epoch, finder, source,
                source.steps_per_epoch if source is not None else 0, watchers is not None and watchers.steps)
        except Error as error:
            error.args = (hint(error.fault) or str(error),)
            error.nonfinite = tuple(history.nonfinite)
            raise
        finally:
            session.changes += 1
        self._skips = 0

    def evaluate(self, x: Any, y: Any, batch_size: int) -> dict[str, float]:
        x, y, test = parts_of("evaluate", x, y)
        x, y = test or (x, y)
        batch_size = integer("batch_size", batch_size, 1)
        arrays = name_inputs(self.model, *((x, y) if y is not None else self._rows_of(x)))
        if is_fixed(self.model):
            return batches.evaluate(self, cut(self.model, arrays))
        session = self.prepare(arrays, batch_size, trains=False)
        scores = session._handle.evaluate(*as_given(session, "eval", arrays))
        return {name: float(value) for name, _, value in scores}

    def predict(self, x: Any) -> Any:
        refuse_rows("predict", x)
        if batches.are_batches(x):
            return batches.predict(self, x)
        arrays = name_inputs(self.model, x)
        with undone_on_error(self.model, self):
            self._specify(arrays)
            rows = [len(array) for name, array in arrays.items() if array.ndim and has_rows(self.model, name)]
            session = self._predictions.session_for(rows[0] if rows else 0)
        for name, one in self.model._inputs.items():
            if one.batched and one.shape and name in arrays and tuple(arrays[name].shape) == one.shape:
                raise Error(f"predict: '{name}' is one row, of shape {one.shape}, expected rows; array[None] is a batch of it alone")
            if not one.batched and name in arrays and arrays[name].ndim == len(one.shape) > 0 and len(arrays[name]) != one.shape[0]:
                raise Error(f"predict: '{name}' has {len(arrays[name])} rows, and the model takes {one.shape[0]} alone: give so many, "
                            f"or an iterable of batches of so many, as (x[i : i + {one.shape[0]}] for i in range(0, len(x), {one.shape[0]}))")
        # What a model takes and does not use is no input of the program.
        unused = set(self.model._inputs) - set(session._programs["infer"].inputs)
        results = session.run("infer", {name: value for name, value in arrays.items() if name not in unused})
        return next(iter(results.values())) if len(results) == 1 else results


tell_methods(Trainer)
