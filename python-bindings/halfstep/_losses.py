"""Losses and metrics by their names."""

from __future__ import annotations

import functools

from halfstep import ops
from halfstep._errors import Error


def cross_entropy(logits, labels, *, label_smoothing=None, ignore_label=None):
    """The mean over rows of -log softmax(logits)[label]."""
    return ops.softmax_cross_entropy(logits, labels, label_smoothing=label_smoothing, ignore_label=ignore_label)


def _each_row(values):
    """A metric is a number for each row: the mean of what a row has."""
    return ops.mean(values, range(1, len(values.shape))) if len(values.shape) > 1 else values


def accuracy(logits, labels):
    """1 where the largest logit is the label's."""
    guess = ops.argmax(logits)
    return _each_row(ops.cast(guess == (labels if labels.dtype == "int32" else ops.cast(labels, "int32")), "float32"))


def _alike(function):
    """Of outputs and targets in the outputs' type and shape: targets [rows] are those of outputs [rows, 1]."""

    @functools.wraps(function)
    def loss(outputs, targets, **options):
        targets = targets if targets.dtype == outputs.dtype else ops.cast(targets, outputs.dtype)
        if len(targets.shape) + 1 == len(outputs.shape) and outputs.shape[-1] == 1:
            targets = ops.reshape(targets, outputs.shape)
        return function(outputs, targets, **options)

    return loss


mse_loss = _alike(ops.mse_loss)
l1_loss = _alike(ops.l1_loss)
huber_loss = _alike(ops.huber_loss)
binary_cross_entropy = _alike(ops.binary_cross_entropy)
sigmoid_cross_entropy = _alike(ops.sigmoid_cross_entropy)


def _same_side(a, b):
    a, b = (ops.cast(one, "float32") for one in (a, b))
    return 1 - ops.abs(a - b)


@_alike
def binary_accuracy(probabilities, targets):
    """1 where the probability is on the target's side of a half."""
    return _each_row(_same_side(probabilities > 0.5, targets > 0.5))


@_alike
def sigmoid_accuracy(logits, targets):
    """1 where the logit is on the target's side."""
    return _each_row(_same_side(logits > 0, targets > 0.5))


@_alike
def absolute_error(outputs, targets):
    return _each_row(ops.abs(outputs - targets))


@_alike
def squared_error(outputs, targets):
    return _each_row((outputs - targets) * (outputs - targets))


# By the names of ops, of Keras and of PyTorch.
LOSSES = {
    "cross_entropy": cross_entropy,
    "sparse_categorical_crossentropy": cross_entropy,
    "CrossEntropyLoss": cross_entropy,
    "mse": mse_loss,
    "mean_squared_error": mse_loss,
    "mse_loss": mse_loss,
    "MSELoss": mse_loss,
    "mae": l1_loss,
    "mean_absolute_error": l1_loss,
    "l1_loss": l1_loss,
    "L1Loss": l1_loss,
    "huber": huber_loss,
    "huber_loss": huber_loss,
    "HuberLoss": huber_loss,
    "binary_crossentropy": binary_cross_entropy,
    "binary_cross_entropy": binary_cross_entropy,
    "BCELoss": binary_cross_entropy,
    "sigmoid_cross_entropy": sigmoid_cross_entropy,
    "binary_cross_entropy_with_logits": sigmoid_cross_entropy,
    "BCEWithLogitsLoss": sigmoid_cross_entropy,
}
METRICS = {
    "accuracy": accuracy,
    "sparse_categorical_accuracy": accuracy,
    "binary_accuracy": binary_accuracy,
    "sigmoid_accuracy": sigmoid_accuracy,
    "mae": absolute_error,
    "mean_absolute_error": absolute_error,
    "mse": squared_error,
    "mean_squared_error": squared_error,
}


def find(table, kind, given):
    if callable(given):
        return given
    if given not in table:
        raise Error(f"there is no {kind} {given!r}; expected {', '.join(table)}, or a function of outputs and targets")
    return table[given]
