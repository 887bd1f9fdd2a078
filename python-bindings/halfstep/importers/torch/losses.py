"""ATen's losses in ours."""

from __future__ import annotations

from halfstep import ops
from halfstep.graph import losses, margins
from halfstep.graph.class_axis import apart
from halfstep.graph.promotion import in_float32
from halfstep.importers.torch.operands import is_float, tensor_of
from halfstep_runtime._errors import Error

_REDUCTIONS = ("none", "mean", "sum")  # by torch's number
_MEAN = 1


def _loss(function):
    def handle(call, prediction, target, *_):
        call.only("reduction", _MEAN)
        if "weight" in call.named:
            call.only("weight", None)
        return function(*apart(tensor_of(prediction), tensor_of(target)))

    return handle


def _sigmoid_cross_entropy(call, logits, targets, weight=None, positive_weight=None, *_):
    """A weight of what is positive takes part where softplus(-x) does: (1 - y) x + (1 + (p - 1) y) softplus(-x)."""
    call.only("reduction", _MEAN)
    call.only("weight", None)
    logits, targets = apart(tensor_of(logits), tensor_of(targets))
    if positive_weight is None:
        return ops.sigmoid_cross_entropy(logits, targets)
    with in_float32(logits, targets, tensor_of(positive_weight)) as (x, y, p):
        return ops.mean((1 - y) * x + ((p - 1) * y + 1) * ops.softplus(-x))


def _weights(weight):
    return None if weight is None else tensor_of(weight)


def _classes_last(x):
    """Classes come second there."""
    rank = len(x.shape)
    return ops.transpose(x, [0, *range(2, rank), 1]) if rank > 2 else x


def _cross_entropy(call, logits, labels, weight, reduction, ignore, smoothing):
    call.only("reduction", _MEAN)
    labels = tensor_of(labels)
    is_soft = is_float(labels)
    return losses.cross_entropy(_classes_last(tensor_of(logits)), _classes_last(labels) if is_soft else labels,
                                 label_smoothing=smoothing or None, weight=_weights(weight), ignore_label=None if is_soft else ignore)


def _nll_loss(call, logs, labels, weight, reduction, ignore):
    call.only("reduction", _MEAN)
    return losses.nll_loss(_classes_last(tensor_of(logs)), tensor_of(labels), weight=_weights(weight), ignore_label=ignore)


def _kl_div(call, logs, targets, reduction, log_target=False):
    call.only("reduction", _MEAN)
    call.only("log_target", False)
    return losses.kl_div(tensor_of(logs), tensor_of(targets), reduction="mean")


def _huber(call, prediction, target, reduction, delta):
    call.only("reduction", _MEAN)
    return ops.huber_loss(*apart(tensor_of(prediction), tensor_of(target)), delta=delta)


def _smooth_l1(call, prediction, target, reduction, beta):
    call.only("reduction", _MEAN)
    call.only("beta", 1, 1.0)
    return ops.huber_loss(*apart(tensor_of(prediction), tensor_of(target)), delta=1.0)


# Settings that have other names there.
_OWN_NAMES = {"eps": "epsilon"}


def _margin(function, operands):
    """Of so many tensors, with settings by their names."""

    def handle(call, *values):
        call.only("reduction", *range(len(_REDUCTIONS)))
        named = dict(list(call.named.items())[operands:])
        named["reduction"] = _REDUCTIONS[named["reduction"]]
        named = {_OWN_NAMES.get(name, name): value for name, value in named.items()}
        if named.get("weight") is not None:
            named["weight"] = tensor_of(named["weight"])
        if any(one is None for one in values[:operands]):
            raise Error("a number depends on the size of the batch")
        return function(*map(tensor_of, values[:operands]), **named)

    return handle


LOSSES = {
    "binary_cross_entropy": _loss(ops.binary_cross_entropy),
    "binary_cross_entropy_with_logits": _sigmoid_cross_entropy,
    "cosine_embedding_loss": _margin(margins.cosine_embedding_loss, 3),
    "cross_entropy_loss": _cross_entropy,
    "hinge_embedding_loss": _margin(margins.hinge_embedding_loss, 2),
    "huber_loss": _huber,
    "kl_div": _kl_div,
    "l1_loss": _loss(ops.l1_loss),
    "margin_ranking_loss": _margin(margins.margin_ranking_loss, 3),
    "mse_loss": _loss(ops.mse_loss),
    "multi_margin_loss": _margin(margins.multi_margin_loss, 2),
    "multilabel_margin_loss": _margin(margins.multilabel_margin_loss, 2),
    "nll_loss": _nll_loss,
    "nll_loss2d": _nll_loss,
    "nll_loss_nd": _nll_loss,
    "poisson_nll_loss": _margin(margins.poisson_nll_loss, 2),
    "smooth_l1_loss": _smooth_l1,
    "soft_margin_loss": _margin(margins.soft_margin_loss, 2),
    "triplet_margin_loss": _margin(margins.triplet_margin_loss, 3),
}
