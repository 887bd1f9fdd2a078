"""Losses and metrics by their names."""

from __future__ import annotations

from halfstep import ops
from halfstep._errors import Error


def cross_entropy(logits, labels):
    """The mean over rows of -log softmax(logits)[label]."""
    return ops.softmax_cross_entropy(logits, labels)


def accuracy(logits, labels):
    """1 where the largest logit is the label's."""
    guess = ops.argmax(logits)
    return ops.cast(guess == (labels if labels.dtype == "int32" else ops.cast(labels, "int32")), "float32")


LOSSES = {
    "cross_entropy": cross_entropy,
    "sparse_categorical_crossentropy": cross_entropy,
}
METRICS = {"accuracy": accuracy, "sparse_categorical_accuracy": accuracy}


def find(table, kind, given):
    if callable(given):
        return given
    if given not in table:
        raise Error(f"there is no {kind} {given!r}; expected {', '.join(table)}, or a function of outputs and targets")
    return table[given]
