"""What a training step is compiled from, beside the model: optimizer, precision policy, loss scaling."""

from __future__ import annotations

from halfstep._errors import Error


class Settings:
    """Settings of the compiler under the names that the field has for them."""

    def settings(self) -> dict[str, object]:
        raise NotImplementedError

    def __repr__(self):
        words = ", ".join(f"{name}={value!r}" for name, value in self.settings().items() if value is not None)
        return f"halfstep.{type(self).__name__}({words})"


class Optimizer(Settings):
    """How gradients change parameters."""

    kind = ""

    def __init__(self, learning_rate: float, **settings):
        self.learning_rate = learning_rate
        self._settings = settings

    def settings(self):
        return {"optimizer": self.kind, "learning_rate": self.learning_rate, **self._settings}


class SGD(Optimizer):
    kind = "sgd"

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.0, *, nesterov: bool = False,
                 weight_decay: float = 0.0, clip_norm: float | None = None):
        super().__init__(learning_rate, momentum=momentum or None, nesterov=nesterov or None,
                         weight_decay=weight_decay or None, clip_norm=clip_norm)


class Adam(Optimizer):
    kind = "adam"

    def __init__(self, learning_rate: float = 0.001, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8, *,
                 weight_decay: float = 0.0, clip_norm: float | None = None):
        super().__init__(learning_rate, beta1=betas[0], beta2=betas[1], epsilon=epsilon,
                         weight_decay=weight_decay or None, clip_norm=clip_norm)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient; 0.01 as in PyTorch."""

    kind = "adamw"

    def __init__(self, learning_rate: float = 0.001, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8, *,
                 weight_decay: float = 0.01, clip_norm: float | None = None):
        super().__init__(learning_rate, betas, epsilon, weight_decay=weight_decay, clip_norm=clip_norm)


def optimizer(given: str | Optimizer) -> Optimizer:
    kinds = {"sgd": SGD, "adam": Adam, "adamw": AdamW}
    if isinstance(given, Optimizer):
        return given
    if given not in kinds:
        raise Error(f"there is no optimizer {given!r}; expected {', '.join(kinds)}, or one as halfstep.AdamW(1e-3)")
    return kinds[given]()


class Policy(Settings):
    """Which ops run in which type: "mixed_float16", "mixed_bfloat16", "float32", "auto", "pytorch", "tensorflow" or a
    file. `allow`, `deny`, `infer`, `clear` and `promote` are lists of what differs: "mp.exp", "loc:encoder.*"."""

    def __init__(self, name: str = "mixed_float16", **settings):
        self.name = name
        self._settings = settings

    def settings(self):
        return {"policy": self.name, **self._settings}

    @property
    def variable_dtype(self) -> str:
        """What parameters are kept in."""
        return "float32"

    @property
    def compute_dtype(self) -> str | None:
        """What matrix products and convolutions run in; None where the compiler decides."""
        return {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16", "float32": "float32"}.get(self.name)


class LossScaler(Settings):
    """Dynamic loss scaling, with the names and defaults of torch.amp.GradScaler; more are those of `mp-run train --help`:
    hysteresis, floor, ceiling, ..."""

    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True, **settings):
        self.enabled = enabled
        self._settings = {"init_scale": init_scale, "growth_factor": growth_factor, "backoff_factor": backoff_factor,
                          "growth_interval": growth_interval, **settings}

    def settings(self):
        return {"loss_scale": "dynamic", **self._settings} if self.enabled else {"loss_scale": "none"}


def loss_scaling(given: LossScaler | str | float | None) -> dict[str, object]:
    """Settings of a scaler, a constant scale, "none", or of nothing: as the policy needs it."""
    if given is None:
        return {}
    return given.settings() if isinstance(given, LossScaler) else {"loss_scale": given}
