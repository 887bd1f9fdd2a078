"""Losses with settings, for `model.compile(loss=...)`, where a name stands for one without.

    model.compile(loss=halfstep.losses.CrossEntropy(label_smoothing=0.1))
"""

from __future__ import annotations

import functools

from halfstep import _losses

__all__ = ["CrossEntropy", "Huber"]


def CrossEntropy(label_smoothing: float = 0.0, ignore_label: int | None = None):
    """The mean of -log softmax(logits)[label], with a part of each label spread over all classes; rows of `ignore_label` do
    not count."""
    return functools.partial(_losses.cross_entropy, label_smoothing=label_smoothing or None, ignore_label=ignore_label)


def Huber(delta: float = 1.0):
    """The mean of an error that is squared up to `delta` and absolute beyond."""
    return functools.partial(_losses.huber_loss, delta=delta)
