"""The loss scale of a training, as loops of one's own read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halfstep._training import Trainer


class Scaler:
    """The loss scale of a training, with the names of torch.amp.GradScaler."""

    def __init__(self, trainer: Trainer):
        self._trainer = trainer

    def _state(self, name: str, otherwise):
        session = self._trainer.session
        return session.state[name].item() if session is not None and name in session.state else otherwise

    def is_enabled(self) -> bool:
        return self._trainer.session is not None and "loss_scale" in self._trainer.session.state

    def get_scale(self) -> float:
        return self._state("loss_scale", 1.0)

    def state_dict(self) -> dict[str, float]:
        return {"scale": self.get_scale(), "growth_tracker": self._state("growth_tracker", 0),
                "skipped_steps": self._state("skipped_steps", 0)}
