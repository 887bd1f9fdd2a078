"""The loss scale of a training, as loops of one's own read it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy

from halfstep.compiler.compile import compile
from halfstep_runtime._errors import Error, integer, level_of_user, shown
from halfstep_runtime._keywords import tell_methods
from halfstep_runtime._session import Session

if TYPE_CHECKING:
    from halfstep.training.trainer import Trainer

# What a state has by the names of torch.amp.GradScaler, and states of the executable; and what ours had besides.
_STATES = {"scale": "loss_scale", "_growth_tracker": "growth_tracker", "growth_tracker": "growth_tracker", "skipped_steps": "skipped_steps"}
# What is compiled in, as a scale has it that stays.
_STATIC = {"growth_factor": 1.0, "backoff_factor": 1.0, "growth_interval": 2000}

_PRODUCT = """\
func.func @product(%x: tensor<?x1xf32> {mp.input = "x"}, %w: tensor<1x1xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %y = mp.matmul %x, %w acc f32 : tensor<?x1xf32>, tensor<1x1xf32> -> tensor<?x1xf32>
  %loss = mp.reduce_mean %y dimensions [0, 1] : tensor<?x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
"""


class Scaler:
    """The loss scale of a training, with the names of torch.amp.GradScaler."""

    def __init__(self, trainer: Trainer):
        self._trainer = trainer

    def _compiled(self, **named: Any) -> Any:
        """One product, compiled as the model is: what scaling it gets is the policy's and the settings'. The model's own is not known
        before it is trained."""
        job = self._trainer._compiled()
        own = {name: value for name, value in job.settings.items() if name not in ("accumulate", "pad", "plan_in", "plan_out", "target", "chip")}
        return compile(_PRODUCT, batch_size=1, on_diagnostic=lambda one: None, **own, **named)

    def _first(self) -> float | None:
        """The scale of the first step; None where there is none."""
        if self._trainer._job is None:
            return None
        with Session(self._compiled(), threads=1) as session:
            session.initialize()
            return float(session.state["loss_scale"]) if "loss_scale" in session.state else None

    def _factors(self) -> dict[str, float]:
        """What is compiled in of how the scale changes."""
        found = dict(re.findall(r"(growth_factor|backoff_factor|growth_interval) = ([^ ,}]+)", self._compiled(to="optimizer")))
        return {name: type(usual)(float(found.get(name, usual))) for name, usual in _STATIC.items()}

    def _state(self, name: str, otherwise: float) -> float:
        session = self._trainer.session
        state = self._trainer.scaler_state if session is None else session.state
        return float(state[name]) if name in state else otherwise

    def is_enabled(self) -> bool:
        session = self._trainer.session
        return "loss_scale" in session.state if session is not None else self._first() is not None

    def get_scale(self) -> float:
        first = self._first() if self._trainer.session is None else None
        return self._state("loss_scale", 1.0 if first is None else first)

    def state_dict(self) -> dict[str, float]:
        """What torch.amp.GradScaler has, which loads it; nothing where there is no loss scale. One that stays has factors of 1."""
        if not self.is_enabled():
            return {}
        return {"scale": self.get_scale(), **self._factors(), "_growth_tracker": int(self._state("growth_tracker", 0))}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """What state_dict of this or of torch.amp.GradScaler gave, before the first step, too. Factors and the interval are
        compiled in, and have to be those. `{}`, which a GradScaler gives that is not enabled, is a scale of 1 that stays."""
        if not isinstance(state, Mapping):
            raise Error(f"load_state_dict: {type(state).__name__} is no dictionary of a scaler's state", state)
        if not state:
            if self.is_enabled():
                warnings.warn("load_state_dict: {} is the state of a GradScaler that is not enabled; the loss scale is 1 and stays",
                              stacklevel=level_of_user())
                self._trainer.scaler_state = {}
                self._trainer.set_loss_scale(1.0)
            return
        if "scale" not in state or (unknown := sorted(map(str, set(state) - set(_STATES) - set(_STATIC)))):
            raise Error("load_state_dict: " + (f"there is no {unknown[0]!r}" if "scale" in state else "'scale' is missing") +
                        f"; expected {', '.join([*_STATES, *_STATIC])}")
        if not self.is_enabled():
            raise Error("load_state_dict: the model has no loss scale; compile it with a loss_scaler")
        self._check_factors({name: value for name, value in state.items() if name in _STATIC})
        values = {_STATES[name]: value for name, value in state.items() if name in _STATES}
        for name, value in values.items():
            if name != "loss_scale":
                integer(name, value, 0)
            elif isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= numpy.finfo(numpy.float32).max:
                raise Error(f"scale is {shown(value)}, expected a finite number of float32, greater than 0")
        self._trainer.scaler_state = values
        if self._trainer.session is not None:
            self.put()

    def _check_factors(self, given: Mapping[str, float]) -> None:
        """That they are compiled in."""
        own = self._factors()
        wrong = [name for name, value in given.items() if float(value) != own[name] and not (name == "growth_interval" and own["growth_factor"] == 1)]
        if wrong:
            is_static = all(given.get(name) == 1 for name in ("growth_factor", "backoff_factor"))
            scaler = ", ".join(f"{name}={value!r}" for name, value in given.items())
            raise Error("load_state_dict: " + ", ".join(f"{name} is {given[name]!r}, and {own[name]:g} is compiled in" for name in wrong) +
                        "; compile with " + ("loss_scaler of a number, that of the scale" if is_static else f"loss_scaler=LossScaler({scaler})"))

    def put(self) -> None:
        """Gives the session what was loaded."""
        state, values = self._trainer._live().state, self._trainer.scaler_state
        self._trainer.scaler_state = {}
        for name, value in values.items():
            if name in state:  # a scale that stays has no tracker
                state[name] = value


tell_methods(Scaler)
