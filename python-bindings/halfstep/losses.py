"""Losses with settings, for `model.compile(loss=...)`, where a name stands for one without; and functions that are one, or that a
forward calls.

    model.compile(loss=halfstep.losses.CrossEntropy(label_smoothing=0.1))
    loss = halfstep.losses.triplet_margin_loss(anchor, positive, negative)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

from halfstep.graph import class_losses as _classes, losses as _losses
from halfstep.graph.class_losses import cross_entropy, kl_div, nll_loss
from halfstep.graph.losses import Output
from halfstep.graph.margins import (
    cosine_embedding_loss, hinge_embedding_loss, margin_ranking_loss, multi_margin_loss, multilabel_margin_loss, poisson_nll_loss,
    soft_margin_loss, triplet_margin_loss,
)
from halfstep.graph.operands import checked
from halfstep.hints.types import ClassWeights, Tensor
from halfstep_runtime._errors import fraction, plain
from halfstep_runtime._keywords import tell

__all__ = [
    "BinaryCrossentropy", "CategoricalCrossentropy", "CrossEntropy", "Huber", "KLDiv", "NLL", "Output", "SparseCategoricalCrossentropy", "cosine_embedding_loss",
    "cross_entropy", "hinge_embedding_loss", "kl_div", "margin_ranking_loss", "multi_margin_loss", "multilabel_margin_loss", "nll_loss",
    "poisson_nll_loss", "soft_margin_loss", "triplet_margin_loss",
]


def CrossEntropy(label_smoothing: float = 0.0, ignore_label: int | None = None, weight: ClassWeights = None,
                 from_logits: bool = True) -> Callable[..., Tensor]:
    """The mean of -log softmax(logits)[label], with a part of each label spread over all classes; rows of `ignore_label` do
    not count, others as `weight` says for their class. Labels may be rows of probabilities. Without `from_logits` the model
    gives probabilities itself: the loss is of the logits where a softmax has just made them, else of what there is, kept between 1e-7 and
    1 - 1e-7, which is less exact."""
    fraction("label_smoothing", label_smoothing)
    return functools.partial(_classes.cross_entropy, label_smoothing=label_smoothing or None, ignore_label=ignore_label,
                             weight=weight, from_logits=from_logits)


def SparseCategoricalCrossentropy(from_logits: bool = False, ignore_class: int | None = None) -> Callable[..., Tensor]:
    """Keras' loss of labels and of the probabilities that a softmax has made, which is computed from what is in front of that softmax; by
    `from_logits` the model ends there. Rows of `ignore_class` do not count."""
    return functools.partial(_classes.sparse_categorical_crossentropy, from_logits=from_logits, ignore_label=ignore_class)


def CategoricalCrossentropy(from_logits: bool = False, label_smoothing: float = 0.0) -> Callable[..., Tensor]:
    """The same of rows of probabilities, as one-hot rows are, with a part of each spread over all classes."""
    fraction("label_smoothing", label_smoothing)
    return functools.partial(_classes.categorical_crossentropy, from_logits=from_logits, label_smoothing=label_smoothing or None)


def BinaryCrossentropy(from_logits: bool = False, label_smoothing: float = 0.0) -> Callable[..., Tensor]:
    """Keras' loss of yes or no and of the probabilities that a sigmoid has made, which is computed from what is in front of that sigmoid; by
    `from_logits` the model ends there. Smoothed targets are nearer to a half."""
    fraction("label_smoothing", label_smoothing)
    return functools.partial(_losses.binary_crossentropy, from_logits=from_logits, label_smoothing=label_smoothing or None)


def Huber(delta: float = 1.0) -> Callable[..., Tensor]:
    """The mean of an error that is squared up to `delta` and absolute beyond."""
    return functools.partial(_losses.huber_loss, delta=delta)


def KLDiv(reduction: Literal["mean", "batchmean"] = "batchmean") -> Callable[..., Tensor]:
    """The divergence of targets, which are probabilities, from outputs that are logarithms of them: a row's mean, or with
    "mean" an element's, which is PyTorch's default."""
    _classes.check_reduction("KLDiv", reduction)
    return functools.partial(_classes.kl_div, reduction=reduction)


def NLL(weight: ClassWeights = None, ignore_label: int | None = None) -> Callable[..., Tensor]:
    """The mean of -output[label], for outputs that are logarithms of probabilities."""
    return functools.partial(_classes.nll_loss, weight=weight, ignore_label=ignore_label)


def _absent(name: str) -> str:
    """What is here for a name that is not."""
    ours = next((one for one in __all__ if plain(one).removesuffix("loss") == plain(name).removesuffix("loss")), None)
    known = next((one for one in _losses.LOSSES if plain(one) == plain(name)), None)
    return f"did you mean losses.{ours}?" if ours else f'compile(loss="{known}") takes it by its name' if known else f"there are {', '.join(__all__)}"


tell(__name__, __all__, globals(), absent=_absent, checked=checked)
