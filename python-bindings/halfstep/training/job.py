"""What a model was compiled with: what `compile` of it is told, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from halfstep.compiler.policy import Policy, global_policy, policy_of
from halfstep.graph import losses
from halfstep.layers.trainable import Trainable
from halfstep.training.optimizers import LossScaler, Optimizer, loss_scaling, optimizer
from halfstep_runtime._errors import Error, check_device, integer, shown, truth
from halfstep_runtime._executable import Executable
from halfstep_runtime._session import Session


@dataclasses.dataclass
class Job:
    """What a model was compiled with."""

    optimizer: Optimizer
    loss: Callable[..., Any] | losses.Output
    metrics: dict[str, Callable[..., Any]]
    settings: dict[str, Any]
    policy: dict[str, Any]  # which of them are the policy's
    device: str
    threads: int
    pin_threads: bool
    trainable: Trainable

    @property
    def takes_targets(self) -> bool:
        """Whether the loss is of targets, and not of the forward's own."""
        return not isinstance(self.loss, losses.Output)

    def open(self, executable: Executable) -> Session:
        """A session on what it was compiled for."""
        return Session(executable, self.device, threads=self.threads, pin_threads=self.pin_threads)

    def under(self, policy: Policy) -> Job:
        """The same under another policy."""
        own = {name: value for name, value in self.settings.items() if name not in self.policy}
        return dataclasses.replace(self, settings={**policy.settings(), **own}, policy=policy.settings())


def _name_of(metric: Any) -> str:
    name: str | None = metric if isinstance(metric, str) else getattr(getattr(metric, "func", metric), "__name__", None)
    if name is None:
        raise Error(f"metrics has {shown(metric)}, expected names and functions of outputs and targets, or a dictionary of them")
    return name


def make_job(optimizer_: str | Optimizer | type[Optimizer], loss: Any, metrics: Any, policy: Any, loss_scaler: LossScaler | str | float | None, device: str, threads: int,
             pin_threads: bool, settings: dict[str, Any], of_classes: Mapping[str, Any], trainable: Trainable = Trainable("compile")) -> Job:
    loss = losses.find_loss(loss, of_classes)
    if metrics is None:
        metrics = ["accuracy"] if losses.is_of_classes(loss) else []
    several = metrics if isinstance(metrics, (dict, list, tuple)) else [metrics]
    named = several if isinstance(several, dict) else {_name_of(metric): metric for metric in several}
    by_name = [metric for metric in named.values() if isinstance(metric, str)]
    if isinstance(loss, losses.Output) and by_name:
        raise Error(f"the metric {by_name[0]!r} is of targets, which are among the inputs where the forward gives the loss: give a function of outputs "
                    "and of inputs by name")
    own = optimizer(optimizer_)
    chosen = global_policy() if policy is None else policy_of(policy)
    integer("threads", threads, 0)
    check_device(device)
    found = {name: losses.beside(loss, losses.find(losses.METRICS, "metric", metric)) for name, metric in named.items()}
    settings = {**chosen.settings(), **own.settings(), **loss_scaling(loss_scaler), **settings}
    return Job(own, loss, found, settings, chosen.settings(), device, threads, truth("compile: pin_threads", pin_threads), trainable)
