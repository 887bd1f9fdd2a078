"""ATen's losses in ours. Means are ops of ours; what a loss gives of each element, and sums of it, are PyTorch's decompositions, in float32, but
for those of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfstep import ops
from halfstep.graph import class_losses, margins
from halfstep.graph.shapes import in_float32, second_last
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function
from halfstep.importers.torch.call import Call, Handler, is_float

if TYPE_CHECKING:
    from halfstep.hints.types import Mean

_REDUCTIONS: tuple[Mean, ...] = ("none", "mean", "sum")  # by torch's number
_MEAN = _REDUCTIONS.index("mean")


def _mean(function: Function, *settings: str) -> Handler:
    """A mean without weights, and with these settings, which are tensors and numbers, at their defaults; all else is decomposed."""

    def handle(call: Call, prediction: Tensor, target: Tensor, *_: object) -> Any:
        given = [one for name in ("weight", *settings) if (one := call.named.get(name)) is not None]
        if call.named["reduction"] != _MEAN or any(not isinstance(one, (int, float)) or one != 1 for one in given):
            return NotImplemented
        own = {"delta": call.named["delta"]} if "delta" in call.named else {}
        return function(*class_losses.apart(prediction, target), **own)

    return handle


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
    **dict.fromkeys(["huber_loss", "smooth_l1_loss"], _mean(ops.huber_loss, "beta")),
    **dict.fromkeys(["nll_loss", "nll_loss2d", "nll_loss_nd"], _nll_loss),
    "binary_cross_entropy": _mean(ops.binary_cross_entropy),
    "binary_cross_entropy_with_logits": _mean(ops.sigmoid_cross_entropy, "pos_weight"),
    "cross_entropy_loss": _cross_entropy,
    "kl_div": lambda call, logs, targets, reduction, log_target=False: (
        class_losses.kl_div(logs, targets, reduction="mean") if reduction == _MEAN and not log_target else NotImplemented),
    "l1_loss": _mean(ops.l1_loss),
    "mse_loss": _mean(ops.mse_loss),
}
