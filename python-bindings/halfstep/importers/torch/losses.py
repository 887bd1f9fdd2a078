"""ATen's losses in ours."""

from __future__ import annotations

from typing import Any

from halfstep import ops
from halfstep.graph import class_losses, margins
from halfstep.graph.class_axis import apart
from halfstep.graph.promotion import in_float32
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function
from halfstep.importers.torch.call import Call, Handler
from halfstep.importers.torch.operands import is_float
from halfstep_runtime._errors import Error

_REDUCTIONS = ("none", "mean", "sum")  # by torch's number
_MEAN = 1


def _loss(function: Function) -> Handler:
    def handle(call: Call, prediction: Tensor, target: Tensor, *_: object) -> Tensor:
        call.only("reduction", _MEAN)
        call.only("weight", None)
        call.only("beta", 1, 1.0)
        own = {"delta": call.named.get("delta", 1.0)} if function is ops.huber_loss else {}
        return function(*apart(prediction, target), **own)

    return handle


def _sigmoid_cross_entropy(call: Call, logits: Tensor, targets: Tensor, weight: Tensor | None = None, positive_weight: Tensor | None = None,
                           *_: object) -> Tensor:
    """A weight of what is positive takes part where softplus(-x) does: (1 - y) x + (1 + (p - 1) y) softplus(-x)."""
    call.only("reduction", _MEAN)
    call.only("weight", None)
    logits, targets = apart(logits, targets)
    if positive_weight is None:
        return ops.sigmoid_cross_entropy(logits, targets)
    with in_float32(logits, targets, positive_weight) as (x, y, p):
        return ops.mean((1 - y) * x + ((p - 1) * y + 1) * ops.softplus(-x))


def _classes_last(x: Tensor) -> Tensor:
    """Classes come second there."""
    rank = len(x.shape)
    return ops.transpose(x, [0, *range(2, rank), 1]) if rank > 2 else x


def _cross_entropy(call: Call, logits: Tensor, labels: Tensor, weight: Tensor | None, reduction: int, ignore: int, smoothing: float) -> Tensor:
    call.only("reduction", _MEAN)
    is_soft = is_float(labels)
    return class_losses.cross_entropy(_classes_last(logits), _classes_last(labels) if is_soft else labels, label_smoothing=smoothing or None, weight=weight,
                                ignore_label=None if is_soft else ignore)


def _nll_loss(call: Call, logs: Tensor, labels: Tensor, weight: Tensor | None, reduction: int, ignore: int) -> Tensor:
    call.only("reduction", _MEAN)
    return class_losses.nll_loss(_classes_last(logs), labels, weight=weight, ignore_label=ignore)


def _kl_div(call: Call, logs: Tensor, targets: Tensor, reduction: int, log_target: bool = False) -> Tensor:
    call.only("reduction", _MEAN)
    call.only("log_target", False)
    return class_losses.kl_div(logs, targets, reduction="mean")


# Settings that have other names there.
_OWN_NAMES = {"eps": "epsilon"}


def _margin(function: Function, operands: int) -> Handler:
    """Of so many tensors, with settings by their names."""

    def handle(call: Call, *values: Any) -> Tensor:
        call.only("reduction", *range(len(_REDUCTIONS)))
        if any(one is None for one in values[:operands]):
            raise Error("a number depends on the size of the batch")
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
    **dict.fromkeys(["huber_loss", "smooth_l1_loss"], _loss(ops.huber_loss)),
    **dict.fromkeys(["nll_loss", "nll_loss2d", "nll_loss_nd"], _nll_loss),
    "binary_cross_entropy": _loss(ops.binary_cross_entropy),
    "binary_cross_entropy_with_logits": _sigmoid_cross_entropy,
    "cross_entropy_loss": _cross_entropy,
    "kl_div": _kl_div,
    "l1_loss": _loss(ops.l1_loss),
    "mse_loss": _loss(ops.mse_loss),
}
