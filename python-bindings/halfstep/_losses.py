"""Losses and metrics by their names."""

from __future__ import annotations

import functools
import math
import re

from halfstep import _graph, _margins, ops
from halfstep._class_axis import classes_last
from halfstep._errors import Error, fraction, is_integer, nearest
from halfstep._graph import Tensor
from halfstep._promotion import alike, in_float32


# What Keras keeps probabilities away from 0 and 1 by.
_EPSILON = 1e-7


def _class_weights(weight, classes):
    if weight is None:
        return None
    if isinstance(weight, dict):  # as Keras' class_weight: a class that is not there has 1
        stray = [key for key in weight if not (is_integer(key) and 0 <= key < classes)]
        if stray:
            raise Error(f"weights by class: there is no class {stray[0]!r} of {classes}")
        weight = [weight.get(one, 1.0) for one in range(classes)]
    if isinstance(weight, Tensor):
        if weight.shape != (classes,):
            raise Error(f"weights of shape {weight.shape} are not one for each of {classes} classes")
        return ops.cast(weight, "float32") if weight.dtype in ("float16", "bfloat16") else weight
    try:
        weight = [float(one) for one in weight]
    except (TypeError, ValueError):
        raise Error(f"weights of classes are a list of numbers, not {weight!r}") from None
    if len(weight) != classes:
        raise Error(f"there are {len(weight)} weights for {classes} classes")
    if not all(0 <= one < math.inf for one in weight):
        raise Error(f"weights of classes are finite and not negative, not {weight}")
    return ops.constant(weight, "float32")


def _integers(labels):
    return ops.cast(labels, "uint8") if labels.dtype == "bool" else labels


def _weights_of(labels, weights, ignore_label):
    """The weight of each label; of one that is ignored, which may be no class, that of another."""
    if ignore_label is not None:
        labels = ops.cast(labels, "int64")
        labels = ops.select(ops.compare("ne", labels, ops.constant(ignore_label, "int64")), labels, ops.constant(0, "int64"))
    with in_float32(weights) as (weights,):
        return ops.gather(weights, labels, 0)


def _with_weights(loss, rows, labels, weights, **options):
    """PyTorch's: a row weighs what its label does, and the sum is divided by that of the labels' own weights."""
    labels = _integers(labels)
    if labels.shape not in (rows.shape, rows.shape[:-1]):
        several = len(rows.shape) > 2 and len(labels.shape) == 1
        hint = "; where an image has one label, nn.Flatten() or nn.GlobalAvgPool2D() comes before the last layer" if several else ""
        raise Error(f"labels of shape {labels.shape} are not one for each row of {rows.shape}, expected {rows.shape[:-1]}{hint}")
    if weights is None:
        return loss(rows, labels, **options)
    return loss(rows, labels, _weights_of(labels, weights, options.get("ignore_label")), **options)


def _of_smoothed_labels(logs, labels, weights, label_smoothing, ignore_label):
    """With weights of classes, all of which smoothing has a part of, as in PyTorch."""
    classes = logs.shape[-1]
    of_label = _with_weights(ops.nll_loss, logs, labels, weights, ignore_label=ignore_label)
    labels = ops.cast(labels, "int64")
    counts = _weights_of(labels, weights, ignore_label)
    of_all = -ops.sum(logs * weights, -1)
    if ignore_label is not None:
        kept = ops.compare("ne", labels, ops.constant(ignore_label, "int64"))
        of_all, counts = (ops.select(kept, one, ops.constant(0.0, "float32")) for one in (of_all, counts))
    return of_label * (1 - label_smoothing) + ops.sum(of_all) / ops.sum(counts) * (label_smoothing / classes)


def _of_targets(logs, targets, weights, label_smoothing):
    """The mean over rows of -sum(target * log of probability), of targets that are probabilities."""
    targets = targets if targets.dtype == "float32" else ops.cast(targets, "float32")
    if label_smoothing:
        targets = targets * (1 - label_smoothing) + label_smoothing / logs.shape[-1]
    targets = targets if weights is None else targets * weights
    return ops.mean(-ops.sum(targets * logs, -1))


def cross_entropy(logits, labels, *, label_smoothing=None, ignore_label=None, weight=None, from_logits=True):
    """The mean over rows of -log softmax(logits)[label]. Labels in the logits' shape are probabilities of classes, as one-hot
    rows are. `weight` has a number for each class. Without `from_logits`, probabilities stand in the place of logits, divided by
    their sum as in Keras."""
    logits, labels = classes_last(_graph.operand(logits), _integers(_graph.operand(labels)))
    if not logits.shape:
        raise Error("the outputs are one number, expected [rows, classes]")
    if label_smoothing is not None:
        label_smoothing = fraction("label_smoothing", label_smoothing)
    is_soft = labels.shape == logits.shape
    if is_soft and ignore_label is not None:
        raise Error("labels that are probabilities have no ignore_label")
    if is_soft and "float" not in labels.dtype:
        labels = ops.cast(labels, "float32")
    options = {"label_smoothing": label_smoothing, "ignore_label": ignore_label}
    weights = _class_weights(weight, logits.shape[-1])
    if weights is not None and (is_soft or label_smoothing):
        with in_float32(logits) as (outputs,):
            logs = ops.log_softmax(outputs) if from_logits else ops.log(ops.clamp(_shares(outputs), _EPSILON, 1 - _EPSILON))
            if is_soft:
                return _of_targets(logs, labels, weights, label_smoothing)
            return _of_smoothed_labels(logs, labels, weights, label_smoothing, ignore_label)
    if from_logits:
        return _with_weights(ops.softmax_cross_entropy, logits, labels, weights, **options)
    with in_float32(logits) as (outputs,):
        return _with_weights(ops.cross_entropy, _shares(outputs), labels, weights, **options)


def _shares(probabilities):
    return probabilities / ops.sum(probabilities, -1, True)


def nll_loss(logs, labels, *, weight=None, ignore_label=None):
    """The mean over rows of -logs[label], of logarithms of probabilities, as of log_softmax (torch.nn.NLLLoss)."""
    logs, labels = classes_last(_graph.operand(logs), _graph.operand(labels))
    return _with_weights(ops.nll_loss, logs, labels, _class_weights(weight, logs.shape[-1]), ignore_label=ignore_label)


def kl_div(logs, targets, *, reduction="batchmean"):
    """sum(target * (log target - output)) of outputs that are logarithms: a row's mean, or by reduction="mean" an element's
    (torch.nn.KLDivLoss)."""
    if reduction not in ("mean", "batchmean"):
        raise Error(f'reduction is "batchmean" or "mean", not {reduction!r}')
    logs, targets = alike(logs, targets)
    _margins.of_ranks("kl_div", targets, logs)
    first, *rest = logs.shape or (1,)
    columns = math.prod(rest)
    if len(logs.shape) != 2:
        logs, targets = (ops.reshape(one, (first, columns)) for one in (logs, targets))
    rows = ops.kl_div(logs, targets)
    return rows / columns if reduction == "mean" else rows


def kl_divergence(probabilities, targets):
    """sum(target * log(target / output)) along the last dimension, meant over the others; both kept between 1e-7 and 1
    (keras.losses.KLDivergence)."""
    with in_float32(probabilities, targets) as both:
        outputs, targets = (ops.clamp(one, _EPSILON, 1.0) for one in both)
        _margins.of_ranks("kl_divergence", targets, outputs)
        return ops.kl_div(ops.log(outputs), targets)


def cosine_similarity(outputs, targets):
    """The mean of minus the cosine between outputs and targets along the last dimension (keras.losses.CosineSimilarity)."""
    _margins.of_ranks("cosine_similarity", targets, outputs)
    return -ops.mean(ops.cosine_similarity(outputs, targets))


def _each_row(values):
    """A metric is a number for each row: the mean of what a row has."""
    return ops.mean(values, range(1, len(values.shape))) if len(values.shape) > 1 else values


def _is_one_column(outputs) -> bool:
    """Whether outputs say yes or no by one number."""
    return not outputs.shape[1:] or outputs.shape[-1] == 1


def accuracy(logits, labels):
    """1 where the largest logit is the label's, or that of the largest of the label's probabilities."""
    logits, labels = classes_last(logits, labels)
    if _is_one_column(logits):
        raise Error("accuracy: the outputs have one column, and the loss does not say whether that is a logit, as "
                    "'BCEWithLogitsLoss' does, or a probability, as 'binary_crossentropy'; metrics are "
                    f"{', '.join(METRICS)}, or functions of outputs and targets")
    guess = ops.argmax(logits)
    labels = ops.argmax(labels) if labels.shape == logits.shape else labels
    _margins.of_ranks("accuracy", labels, guess)
    return _each_row(ops.cast(guess == (labels if labels.dtype == "int32" else ops.cast(labels, "int32")), "float32"))


def _alike(function):
    """Of outputs and targets in the outputs' type and shape: targets [rows] are those of outputs [rows, 1]."""

    @functools.wraps(function)
    def loss(outputs, targets, **options):
        targets = targets if targets.dtype == outputs.dtype else ops.cast(targets, outputs.dtype)
        if len(targets.shape) + 1 == len(outputs.shape) and outputs.shape[-1] == 1:
            targets = ops.reshape(targets, outputs.shape)
        _margins.of_ranks(function.__name__, targets, outputs)
        return function(outputs, targets, **options)

    return loss


mse_loss = _alike(ops.mse_loss)
l1_loss = _alike(ops.l1_loss)
huber_loss = _alike(ops.huber_loss)


@_alike
def binary_cross_entropy(probabilities, targets):
    """The mean of -log of what the probability says of the target, computed in float32 under every policy."""
    with in_float32(probabilities, targets) as both:
        return ops.binary_cross_entropy(*both)


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


def metrics_for(loss, metrics):
    """Metrics as compile is given them, with "accuracy" as Keras resolves it: of one column it is that of two classes, by what the
    loss takes."""
    loss = None if loss is None else find(LOSSES, "loss", loss)
    of_column = (binary_accuracy if loss is binary_cross_entropy else
                 sigmoid_accuracy if loss is sigmoid_cross_entropy else None)
    several = metrics if isinstance(metrics, (dict, list, tuple)) else [metrics]
    if of_column is None or not any(isinstance(one, str) for one in several):
        return metrics

    def resolved(outputs, targets):
        return (of_column if _is_one_column(outputs) else accuracy)(outputs, targets)

    def own(one):
        return resolved if isinstance(one, str) and one == "accuracy" else one

    resolved.__name__ = "accuracy"
    return {name: own(one) for name, one in several.items()} if isinstance(several, dict) else [own(one) for one in several]


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
    "categorical_crossentropy": cross_entropy,
    "CrossEntropyLoss": cross_entropy,
    "nll_loss": nll_loss,
    "NLLLoss": nll_loss,
    "kl_div": kl_div,
    "KLDivLoss": functools.partial(kl_div, reduction="mean"),
    "kl_divergence": kl_divergence,
    "kullback_leibler_divergence": kl_divergence,
    "poisson_nll_loss": _margins.poisson_nll_loss,
    "PoissonNLLLoss": _margins.poisson_nll_loss,
    "hinge_embedding_loss": _margins.hinge_embedding_loss,
    "HingeEmbeddingLoss": _margins.hinge_embedding_loss,
    "soft_margin_loss": _margins.soft_margin_loss,
    "SoftMarginLoss": _margins.soft_margin_loss,
    "multi_margin_loss": _margins.multi_margin_loss,
    "MultiMarginLoss": _margins.multi_margin_loss,
    "multilabel_margin_loss": _margins.multilabel_margin_loss,
    "MultiLabelMarginLoss": _margins.multilabel_margin_loss,
    "cosine_similarity": cosine_similarity,
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
    "categorical_accuracy": accuracy,
    "binary_accuracy": binary_accuracy,
    "sigmoid_accuracy": sigmoid_accuracy,
    "mae": absolute_error,
    "mean_absolute_error": absolute_error,
    "mse": squared_error,
    "mean_squared_error": squared_error,
}


# Losses whose settings are a class of halfstep.losses.
_WITH_SETTINGS = {cross_entropy: "CrossEntropy", huber_loss: "Huber", nll_loss: "NLL", LOSSES["KLDivLoss"]: "KLDiv"}


def _refuse_foreign(table, kind, given):
    """Losses and metrics of other libraries are made of other tensors."""
    given = given.func if isinstance(given, functools.partial) else given
    own = given if isinstance(given, type) else type(given)
    modules = [getattr(given, "__module__", None) or "", *(base.__module__ for base in own.__mro__)]
    library = next((one for one in (module.partition(".")[0] for module in modules) if one in _LIBRARIES), None)
    if library is None:
        return
    name = getattr(given, "__name__", own.__name__)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    known = next((table[one] for one in (name, snake) if one in table), None)
    ours = next((one for one, function in table.items() if function is known), None)
    said = f"a function of outputs and targets, made of halfstep.ops, or one of {', '.join(table)}"
    if ours is not None:
        said = f'{kind} "{ours}"' + (f", or halfstep.losses.{_WITH_SETTINGS[known]}(...) with settings" if known in _WITH_SETTINGS else "")
    raise Error(f"{kind}: {library}'s {name} takes no tensors of a compiled model; give {said}")


# What losses and metrics are called in short.
_SHORT = {"acc": "accuracy", "ce": "cross_entropy", "xent": "cross_entropy", "softmax": "cross_entropy", "nll": "nll_loss", "bce": "binary_crossentropy",
          "logistic": "BCEWithLogitsLoss", "kld": "kl_divergence", "l1": "mae", "l2": "mse"}
_LIBRARIES = ("torch", "torchmetrics", "keras", "tensorflow", "tf_keras")


def find(table, kind, given):
    if callable(given):
        _refuse_foreign(table, kind, given)
        return given
    if isinstance(given, str):
        if given in table:
            return table[given]
        # Classes of Keras have their functions' names in another spelling.
        spelled = {_plain(name): function for name, function in table.items()}
        if (found := spelled.get(_plain(given))) is not None:
            return found
    near = _SHORT.get(given.lower()) or nearest(given, table) if isinstance(given, str) else None
    meant = f"did you mean {near!r}? There are" if near in table else "expected"
    raise Error(f"there is no {kind} {given!r}; {meant} {', '.join(table)}, or a function of outputs and targets")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def refuse_several(kind: str, function, outputs) -> None:
    """A loss or metric that has a name is one of one output."""
    function = getattr(function, "func", function)
    named = [getattr(one, "func", one) for table in (LOSSES, METRICS) for one in table.values()]
    if isinstance(outputs, dict) and function in named:
        raise Error(f"the model has several outputs, {', '.join(repr(one) for one in outputs)}, and {kind} is of one: give a function of a "
                    "dictionary of them and of the targets")
