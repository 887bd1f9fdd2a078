"""The loss scale of a training, as loops of one's own read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from halfstep._errors import Error, integer
from halfstep._executable import Executable, compile
from halfstep._job import Job
from halfstep._keywords import tell_methods
from halfstep._session import Session

# What a state has by the names of torch.amp.GradScaler, and states of the executable.
_STATES = {"scale": "loss_scale", "_growth_tracker": "growth_tracker", "growth_tracker": "growth_tracker", "skipped_steps": "skipped_steps"}
# Settings, which are compiled in, and what they are where nobody says.
_SETTINGS = {"growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2000}

_PRODUCT = """\
func.func @product(%x: tensor<?x1xf32> {mp.input = "x"}, %w: tensor<1x1xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %y = mp.matmul %x, %w acc f32 : tensor<?x1xf32>, tensor<1x1xf32> -> tensor<?x1xf32>
  %loss = mp.reduce_mean %y dimensions [0, 1] : tensor<?x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
"""


def _number(given) -> float:
    """A number as the compiler reads it: 1024.0, "1024" or "2^24"."""
    base, power, exponent = str(given).partition("^")
    return float(base) ** float(exponent) if power else float(base)


class Scaled(Protocol):
    """A Trainer, as its loss scale is read."""

    session: Session | None
    scaler_state: dict[str, float]
    _job: Job | None

    def _compiled(self) -> Job: ...


class Scaler:
    """The loss scale of a training, with the names of torch.amp.GradScaler."""

    def __init__(self, trainer: Scaled):
        self._trainer = trainer

    def _first(self) -> float | None:
        """The scale of the first step; None where there is none. Whether there is one the compiler says, of one product: the model's own
        is not known before it is trained."""
        job = self._trainer._job
        if job is None:
            return None
        own = {name: value for name, value in job.settings.items() if name not in ("accumulate", "pad", "plan_in", "plan_out", "target", "chip")}
        executable = compile(_PRODUCT, batch_size=1, on_diagnostic=lambda one: None, **own)
        assert isinstance(executable, Executable)
        with Session(executable, threads=1) as session:
            session.initialize()
            return session.state["loss_scale"].item() if "loss_scale" in session.state else None

    def _state(self, name: str, otherwise):
        session = self._trainer.session
        if session is None:
            return self._trainer.scaler_state.get(name, otherwise)
        return session.state[name].item() if name in session.state else otherwise

    def is_enabled(self) -> bool:
        session = self._trainer.session
        return "loss_scale" in session.state if session is not None else self._first() is not None

    def get_scale(self) -> float:
        first = self._first() if self._trainer.session is None else None
        return self._state("loss_scale", 1.0 if first is None else first)

    def state_dict(self) -> dict[str, float]:
        return {"scale": self.get_scale(), "growth_tracker": self._state("growth_tracker", 0),
                "skipped_steps": self._state("skipped_steps", 0)}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """What state_dict of this or of torch.amp.GradScaler gave, before the first step, too. Factors and the interval are
        compiled in, and have to be those."""
        if not isinstance(state, Mapping):
            raise Error(f"load_state_dict: {type(state).__name__} is no dictionary of a scaler's state")
        if not state and not self.is_enabled():
            return  # as a GradScaler that is not enabled has it
        if "scale" not in state or (unknown := sorted(map(str, set(state) - set(_STATES) - set(_SETTINGS)))):
            raise Error("load_state_dict: " + (f"there is no {unknown[0]!r}" if "scale" in state else "'scale' is missing") +
                        f"; expected {', '.join([*_STATES, *_SETTINGS])}")
        if not self.is_enabled():
            raise Error("load_state_dict: the model has no loss scale; compile it with a loss_scaler")
        job = self._trainer._compiled()
        for name, usual in _SETTINGS.items():
            own = _number(job.settings.get(name) or usual)
            if name in state and float(state[name]) != own:
                raise Error(f"load_state_dict: {name} is {state[name]!r}, and {own:g} is compiled in; "
                            f"compile with loss_scaler=LossScaler({name}={state[name]!r})")
        values = {_STATES[name]: value for name, value in state.items() if name in _STATES}
        for name, value in values.items():
            if name != "loss_scale":
                integer(name, value, 0)
            elif not isinstance(value, (int, float)) or not 0 < value < float("inf"):
                raise Error(f"scale is {value!r}, expected a finite number greater than 0")
        self._trainer.scaler_state = values
        if self._trainer.session is not None:
            self.put()

    def put(self) -> None:
        """Gives the session what was loaded."""
        session, values = self._trainer.session, self._trainer.scaler_state
        assert session is not None
        self._trainer.scaler_state = {}
        for name, value in values.items():
            if name in session.state:  # a scale that stays has no tracker
                session.state[name] = value


tell_methods(Scaler)
