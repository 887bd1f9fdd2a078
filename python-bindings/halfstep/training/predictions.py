"""Sessions that predict: that of a training, one of a model with its first values, and those of programs for few rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfstep.compiler.compile import compile_traced
from halfstep.graph import losses
from halfstep_runtime._session import Session

if TYPE_CHECKING:
    from halfstep.training.trainer import Trainer

BATCH = 64  # the compiler's, where nobody says one
_MOST_SESSIONS = 12  # of programs for few rows, or for so many rows
# Settings of a job that predictions follow.
_KEPT = {"policy", "type", "rule", "allow", "deny", "infer", "clear", "promote", "target", "chip"}


def source_of_predictions(trainer: Trainer, batch: int | None = None) -> tuple[Any, str, dict[str, Any]]:
    """The traced model that predicts, its name and settings."""
    job = trainer._job
    settings: dict[str, Any] = {name: value for name, value in job.settings.items() if name in _KEPT} if job else {"policy": "float32"}
    # What a model predicts has no loss.
    own = job.loss if job else None
    drop = (lambda graph, outputs: own.take(outputs)) if isinstance(own, losses.Output) else None
    return trainer.model._traced(objective=drop, batch_size=batch), f"{type(trainer.model).__name__}.mlir", settings


class Predictions:
    """Programs that predict, each compiled when it is first needed, and the state that they have of the training."""

    def __init__(self, trainer: Trainer):
        self._trainer = trainer
        self._sessions: dict[int | None, tuple[Session, Any]] = {}  # by the batch, with what their state is of
        self.first_values = 0  # how often those were set

    def session_for(self, rows: int) -> Session:
        """That of the training; for fewer rows than half of its batch one of the next power of two. Where a result is none of each row, as
        where rows depend on each other, one of as many rows."""
        if (example := self._trainer.model.fixed_rows) is not None:  # what is made for so many rows
            trained = self._trainer.session
            return trained if trained is not None and rows == self._trainer._batch_size else self._compiled(rows or example)
        found = self._session_near(rows)
        infer = found._programs["infer"]
        is_whole = any(None in one.shape for one in infer.inputs.values()) and not all(None in one.shape for one in infer.results.values())
        return self._compiled(rows) if is_whole and rows and rows not in found.executable.batch_sizes else found

    def _session_near(self, rows: int) -> Session:
        trained = self._trainer.session
        batch = (self._trainer._batch_size if trained is not None else None) or BATCH
        job, inputs = self._trainer._job, self._trainer.model._inputs
        # Where types follow from what is measured or counted of a batch, another one may have others.
        is_open = all(one.batched for one in inputs.values()) and (job is None or job.settings.get("policy") != "auto")
        if is_open and 0 < 2 * rows < batch:
            return self._compiled(1 << (rows - 1).bit_length())
        return trained if trained is not None else self._compiled(None)

    def _compiled(self, batch: int | None) -> Session:
        trained = self._trainer.session
        source = (trained, trained.changes) if trained is not None else (None, self.first_values)
        session, own = self._sessions.get(batch, (None, None))
        if session is None:
            job = self._trainer._job
            model, name, settings = source_of_predictions(self._trainer, batch)
            executable = compile_traced(model, name, job.device if job else "cpu", training=False, batch_size=batch, **settings)
            session = job.open(executable) if job else Session(executable)
            if len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        if own != source:
            if trained is None:
                self._trainer.model._initialize(session)
            else:
                session.set_states({name: trained.state[name] for name, of in session.executable.state.items() if of.role != "derived"})
            self._sessions[batch] = session, source
        return session
