"""What a training step is compiled from, beside the model and its precision policy: optimizer, loss scaling."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from halfstep.compiler.settings import Settings, check_values
from halfstep_runtime._errors import Error, UnknownArgument, as_float, nearest, shown


def _betas(kind: str, given: Any, settings: dict[str, Any]) -> dict[str, float]:
    for one in ("beta1", "beta2"):
        if one in settings:
            raise UnknownArgument(f"{kind}: unknown setting {one!r}; expected betas, two numbers, as in (0.9, 0.999)")
    try:
        first, second = map(as_float, given)
    except (TypeError, ValueError):
        first = second = None
    if first is None or second is None:
        raise Error(f"{kind}: betas is {shown(given)}, expected two numbers, as in (0.9, 0.999)")
    return {"beta1": first, "beta2": second}


def _unless_zero(value: Any) -> Any:
    """None of 0 and False, which say what the compiler does by itself."""
    return None if not isinstance(value, str) and as_float(value) == 0 else value


class Optimizer(Settings):
    """How gradients change parameters. Every one takes `weight_decay`, and one of `clip_norm` (of all gradients together),
    `clip_parameter_norm` (of each) and `clip_value` (of each element); gradients are unscaled before. What is None is as the
    compiler has it."""

    kind = ""

    def __init__(self, learning_rate: float, *, weight_decay: float = 0.0, clip_norm: float | None = None,
                 clip_parameter_norm: float | None = None, clip_value: float | None = None, **settings: Any):
        if "optimizer" in settings:
            raise UnknownArgument(f"{type(self).__name__}: unknown setting 'optimizer'; it is one itself")
        self.learning_rate = learning_rate
        self._settings = {**settings, "weight_decay": _unless_zero(weight_decay), "clip_norm": clip_norm,
                          "clip_parameter_norm": clip_parameter_norm, "clip_value": clip_value}
        self._check()

    def settings(self) -> dict[str, Any]:
        return {"optimizer": self.kind, "learning_rate": self.learning_rate, **self._settings}

    def _check(self) -> None:
        """That its settings are arguments of it, or settings of the compiler, with values that it takes."""
        name, settings = type(self).__name__, self.settings()
        arguments = list(dict.fromkeys(one for kind in reversed(type(self).__mro__[:-2]) for one in inspect.signature(kind).parameters if one != "settings"))
        self._check_names(settings, arguments, _MEANT)
        for one, value in settings.items():
            if one in arguments and isinstance(value, (list, tuple)):
                raise Error(f"{name}: {one} is {shown(value)}, expected a number")
            if one.startswith("clip_") and not isinstance(value, str) and as_float(value) == 0:
                raise Error(f"{name}: {one} is 0, under which nothing would be learned; expected more than 0, or None, which clips nothing")
        own = {one: value for one, value in settings.items() if one in {*arguments, "optimizer", "beta1", "beta2"}}
        try:
            check_values({"policy": "float32", **own})
        except Error as error:
            raise Error(f"{name}: {error.fault.spelled({'beta1': 'betas[0]', 'beta2': 'betas[1]'}) or error}") from None


class SGD(Optimizer):
    kind = "sgd"

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.0, *, nesterov: bool = False, **settings: Any):
        super().__init__(learning_rate, momentum=_unless_zero(momentum), nesterov=_unless_zero(nesterov), **settings)


class RMSprop(Optimizer):
    """Epsilon is outside of the root and the learning rate outside of the velocity, as in PyTorch; Keras has both inside."""

    kind = "rmsprop"

    def __init__(self, learning_rate: float = 0.01, alpha: float = 0.99, epsilon: float = 1e-8, *, momentum: float = 0.0,
                 centered: bool = False, **settings: Any):
        super().__init__(learning_rate, alpha=alpha, epsilon=epsilon, momentum=_unless_zero(momentum), centered=_unless_zero(centered),
                         **settings)


class Adagrad(Optimizer):
    kind = "adagrad"

    def __init__(self, learning_rate: float = 0.01, learning_rate_decay: float = 0.0, *,
                 initial_accumulator_value: float = 0.0, epsilon: float = 1e-10, **settings: Any):
        super().__init__(learning_rate, learning_rate_decay=learning_rate_decay,
                         initial_accumulator_value=initial_accumulator_value, epsilon=epsilon, **settings)


class Adam(Optimizer):
    kind = "adam"

    def __init__(self, learning_rate: float = 0.001, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8,
                 **settings: Any):
        super().__init__(learning_rate, **_betas(type(self).__name__, betas, settings), epsilon=epsilon, **settings)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient; 0.01 as in PyTorch."""

    kind = "adamw"

    def __init__(self, learning_rate: float = 0.001, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8, *,
                 weight_decay: float = 0.01, **settings: Any):
        super().__init__(learning_rate, betas, epsilon, weight_decay=weight_decay, **settings)


class NAdam(Adam):
    """Adam with Nesterov momentum, which grows to betas[0] the faster the larger `momentum_decay` is."""

    kind = "nadam"

    def __init__(self, learning_rate: float = 0.002, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8, *,
                 momentum_decay: float = 0.004, **settings: Any):
        super().__init__(learning_rate, betas, epsilon, momentum_decay=momentum_decay, **settings)


class LAMB(Adam):
    """Adam whose step of each parameter has the parameter's norm, for large batches."""

    kind = "lamb"

    def __init__(self, learning_rate: float = 0.001, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-6,
                 **settings: Any):
        super().__init__(learning_rate, betas, epsilon, **settings)


class Lion(Optimizer):
    """Steps of one size, along the sign of the momentum. Its authors take a learning rate of a third to a tenth of Adam's."""

    kind = "lion"

    def __init__(self, learning_rate: float = 1e-4, betas: tuple[float, float] = (0.9, 0.99), **settings: Any):
        super().__init__(learning_rate, **_betas(type(self).__name__, betas, settings), **settings)


# What other frameworks call arguments.
_MEANT = {"lr": "learning_rate", "eps": "epsilon", "rho": "alpha", "beta_1": "betas", "beta_2": "betas", "beta1": "betas",
          "beta2": "betas", "clipnorm": "clip_parameter_norm", "global_clipnorm": "clip_norm", "clipvalue": "clip_value",
          "lr_decay": "learning_rate_decay"}


def optimizer(given: str | Optimizer | type[Optimizer]) -> Optimizer:
    kinds = {kind.kind: kind for kind in (SGD, RMSprop, Adagrad, Adam, AdamW, NAdam, LAMB, Lion)}
    if isinstance(given, Optimizer):
        return given
    if isinstance(given, type) and issubclass(given, Optimizer):
        kind: Callable[[], Optimizer] = given
        return kind()
    if not isinstance(given, str) or given.lower() not in kinds:
        near = nearest(given, kinds) if isinstance(given, str) else None
        meant = f"did you mean {near!r}? " if near else ""
        raise Error(f"there is no optimizer {shown(given)}; {meant}expected {', '.join(kinds)}, or one as halfstep.AdamW(1e-3)", given)
    return kinds[given.lower()]()


class LossScaler(Settings):
    """Dynamic loss scaling, with the names and defaults of torch.amp.GradScaler; more are those of `mp-run train --help`:
    hysteresis, floor, ceiling, ..."""

    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True, **settings: Any):
        self.enabled = enabled
        self._settings = {"init_scale": init_scale, "growth_factor": growth_factor, "backoff_factor": backoff_factor,
                          "growth_interval": growth_interval, **settings}
        own = {**self._settings, "loss_scale": "dynamic"}
        arguments = [*inspect.signature(LossScaler).parameters][:-1]
        self._check_names(own, [*arguments, "hysteresis", "floor", "ceiling"], {}, " and others of docs/loss-scaling.md")
        try:
            check_values({"policy": "float32", **own})
        except Error as error:
            raise Error(f"LossScaler: {error}") from None

    def settings(self) -> dict[str, Any]:
        return {"loss_scale": "dynamic", **self._settings} if self.enabled else {"loss_scale": "none"}

    def state_dict(self) -> dict[str, float]:
        """What a training begins with, as torch.amp.GradScaler has it; that of one under way is `model.trainer.scaler.state_dict()`."""
        if not self.enabled:
            return {}
        names = ("growth_factor", "backoff_factor", "growth_interval")
        return {"scale": self._settings["init_scale"], **{name: self._settings[name] for name in names}, "_growth_tracker": 0}


def loss_scaling(given: LossScaler | str | float | None) -> dict[str, Any]:
    """Settings of a scaler, a constant scale, "none", or of nothing: as the policy needs it."""
    if given is None:
        return {}
    return given.settings() if isinstance(given, LossScaler) else {"loss_scale": given}
