"""ATen's losses in ours. Means are ops of ours; what a loss gives of each element, and sums of it, are made of PyTorch's formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from halfstep import ops
from halfstep.graph import class_losses, margins
from halfstep.graph.promotion import in_float32
from halfstep.graph.shapes import second_last
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function
from halfstep.importers.torch.call import Call, Handler
from halfstep.importers.torch.operands import is_float

if TYPE_CHECKING:
    from halfstep.hints.types import Mean

_REDUCTIONS: tuple[Mean, ...] = ("none", "mean", "sum")  # by torch's number
_MEAN = _REDUCTIONS.index("mean")

# A loss of each element: of the call, the prediction and the target.
_Each: TypeAlias = Callable[[Call, Tensor, Tensor], Tensor]


def _loss(function: Function, each: _Each, *settings: str) -> Handler:
    """`function` is the mean without weights; settings that are not at their defaults are for `each` alone."""

    def handle(call: Call, prediction: Tensor, target: Tensor, *_: object) -> Tensor:
        own, reduction, weight = {}, call.named["reduction"], call.named.get("weight")
        if function is ops.huber_loss and "delta" in call.named:
            own = {"delta": call.named["delta"]}
        if reduction == _MEAN and weight is None and not any(isinstance(one, Tensor) or one not in (None, 1) for one in map(call.named.get, settings)):
            return function(*class_losses.apart(prediction, target), **own)
        with in_float32(prediction, target, weight) as (x, y, w):
            found = each(call, x, y)
            return margins.reduced(found if w is None else found * w, _REDUCTIONS[reduction])

    return handle


def _huber(call: Call, x: Tensor, y: Tensor) -> Tensor:
    """huber_loss by `delta`, or smooth_l1_loss, which is that divided by its `beta`."""
    far, delta = ops.abs(x - y), float(call.named.get("delta", call.named.get("beta", 1.0)))
    if "beta" in call.named and delta == 0:
        return far
    found = ops.select(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta))
    return found / delta if "beta" in call.named else found


def _binary_cross_entropy(call: Call, x: Tensor, y: Tensor) -> Tensor:
    """PyTorch's logarithms are at least -100."""
    with in_float32(x, y) as (x, y):
        yes, no = (ops.maximum(ops.log(one), -100.0) for one in (x, 1 - x))
        return (y - 1) * no - y * yes


def _sigmoid_cross_entropy(call: Call, x: Tensor, y: Tensor) -> Tensor:
    """A weight p of what is positive takes part where softplus(-x) does: (1 - y) x + (1 + (p - 1) y) softplus(-x)."""
    positive = call.named["pos_weight"]
    if positive is None:
        return (1 - y) * x + ops.softplus(-x)
    with in_float32(positive) as (p,):
        return (1 - y) * x + ((p - 1) * y + 1) * ops.softplus(-x)


def _cross_entropy(call: Call, logits: Tensor, labels: Tensor, weight: Tensor | None, reduction: int, ignore: int, smoothing: float) -> Tensor:
    is_soft, logits = is_float(labels), second_last(logits)
    labels = second_last(labels) if is_soft else labels
    if reduction == _MEAN:
        return class_losses.cross_entropy(logits, labels, label_smoothing=smoothing or None, weight=weight, ignore_label=None if is_soft else ignore)
    with in_float32(logits, weight) as (x, w):
        logs = ops.log_softmax(x)
        if not is_soft:
            return class_losses.of_labels(logs, labels, w, ignore, smoothing, _REDUCTIONS[reduction])
        targets = ops.cast(labels, "float32") * (1 - smoothing) + smoothing / (logs.shape[-1] or 1)
        return margins.reduced(-ops.sum(targets * (logs if w is None else logs * w), -1), _REDUCTIONS[reduction])


def _nll_loss(call: Call, logs: Tensor, labels: Tensor, weight: Tensor | None, reduction: int, ignore: int) -> Tensor:
    logs = second_last(logs)
    if reduction == _MEAN:
        return class_losses.nll_loss(logs, labels, weight=weight, ignore_label=ignore)
    with in_float32(logs, weight) as (x, w):
        return class_losses.of_labels(x, labels, w, ignore, 0.0, _REDUCTIONS[reduction])


def _kl_div(call: Call, logs: Tensor, targets: Tensor, reduction: int, log_target: bool = False) -> Tensor:
    if reduction == _MEAN and not log_target:
        return class_losses.kl_div(logs, targets, reduction="mean")
    with in_float32(logs, targets) as (x, y):
        if log_target:
            return margins.reduced(ops.exp(y) * (y - x), _REDUCTIONS[reduction])
        of_target = ops.select(y > 0.0, y * ops.log(ops.select(y > 0.0, y, 1.0)), 0.0)
        return margins.reduced(of_target - y * x, _REDUCTIONS[reduction])


# Settings that have other names there.
_OWN_NAMES = {"eps": "epsilon"}


def _margin(function: Function, operands: int) -> Handler:
    """Of so many tensors, with settings by their names."""

    def handle(call: Call, *values: Any) -> Tensor:
        call.only("reduction", *range(len(_REDUCTIONS)))
        named = {_OWN_NAMES.get(name, name): value for name, value in list(zip(call.named, values))[operands:]}
        return function(*values[:operands], **{**named, "reduction": _REDUCTIONS[named["reduction"]]})

    return handle


# By how many tensors they are of.
_MARGINS = {
    "cosine_embedding_loss": 3, "hinge_embedding_loss": 2, "margin_ranking_loss": 3, "multi_margin_loss": 2, "multilabel_margin_loss": 2,
    "poisson_nll_loss": 2, "soft_margin_loss": 2, "triplet_margin_loss": 3,
}

LOSSES: dict[str, Handler] = {
    **{name: _margin(getattr(margins, name), count) for name, count in _MARGINS.items()},
    **dict.fromkeys(["huber_loss", "smooth_l1_loss"], _loss(ops.huber_loss, _huber, "beta")),
    **dict.fromkeys(["nll_loss", "nll_loss2d", "nll_loss_nd"], _nll_loss),
    "binary_cross_entropy": _loss(ops.binary_cross_entropy, _binary_cross_entropy),
    "binary_cross_entropy_with_logits": _loss(ops.sigmoid_cross_entropy, _sigmoid_cross_entropy, "pos_weight"),
    "cross_entropy_loss": _cross_entropy,
    "kl_div": _kl_div,
    "l1_loss": _loss(ops.l1_loss, lambda call, x, y: ops.abs(x - y)),
    "mse_loss": _loss(ops.mse_loss, lambda call, x, y: (x - y) * (x - y)),
}
