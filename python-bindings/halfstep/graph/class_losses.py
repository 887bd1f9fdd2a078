"""Losses of classes: of labels, and of rows of probabilities; how outputs and targets lie, and the logits that probabilities were made of."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from halfstep import ops
from halfstep.graph import generated, margins
from halfstep.graph.graph import apply, operand, type_of
from halfstep.graph.shapes import alike, as_type, in_float32, product, second_last
from halfstep.graph.tensor import Tensor
from halfstep.hints.types import ClassWeights, Mean, Operand
from halfstep_runtime._arrays import DTypeName
from halfstep_runtime._errors import Error, fraction, integer, is_integer, number_of, shown

# What Keras keeps probabilities away from 0 and 1 by.
_EPSILON = 1e-7


def _reshaped(given: Tensor, result: Tensor, axis: int, attributes: Mapping[str, Any]) -> int | None:
    """The dimension that has as many elements, each as far from the next."""

    def place(x: Tensor, i: int) -> tuple[int | None, int | None]:
        return x.shape[i], product(x.shape[i + 1 :])

    own = place(result, axis)
    return None if own[1] is None else next((i for i in range(len(given.shape)) if place(given, i) == own), None)


def _cut(given: Tensor, result: Tensor, axis: int, attributes: Mapping[str, Any]) -> int | None:
    return axis if given.shape[axis] == result.shape[axis] else None


# Ops that change no element, with where a dimension of the result is in what they are given.
_VIEWS: dict[str, Callable[[Tensor, Tensor, int, Mapping[str, Any]], int | None]] = {
    "mp.cast": _cut, "mp.reshape": _reshaped, "mp.slice": _cut, "mp.transpose": lambda given, result, axis, attributes: int(attributes["permutation"][axis]),
}


def _again(view: Tensor, x: Tensor) -> Tensor:
    """Another tensor under the op that gave a view."""
    op, _, attributes = view.made_by
    if op == "mp.cast":
        return x
    if op == "mp.reshape":
        return generated.reshape(x, result=type_of(view.shape, x.dtype))
    return apply(op, [x], attributes)


def _made(x: Tensor, through: tuple[str, ...]) -> tuple[Tensor, int | None, list[Tensor]]:
    """The tensor that is no view, the dimension of it that is that of the classes of `x`, and the views on the way, the last first."""
    views: list[Tensor] = []
    rank = len(x.shape)
    axis = None if not rank else 1 if x.classes_second and rank > 2 else rank - 1
    while x.made_by[0] in through:
        op, (given, *_), attributes = x.made_by
        axis = None if axis is None else _VIEWS.get(op, _cut)(given, x, axis, attributes)
        views.append(x)
        x = given
    return x, axis, views


def _is_made_by(x: Tensor, axis: int | None, op: str) -> bool:
    """Whether it is the result of the op, of a softmax of one along that dimension."""
    return x.made_by[0] == op and (op != "mp.softmax" or axis == len(x.shape) - 1)


def logits_of(probabilities: Tensor, op: str) -> Tensor | None:
    """What `op`, mp.sigmoid or mp.softmax along the classes, has made these of, in their shape, whatever casts and moves of elements
    are between; None where it has not."""
    x, axis, views = _made(probabilities, (*_VIEWS,))
    if not _is_made_by(x, axis, op):
        return None
    logits = x.made_by[1][0]
    for view in reversed(views):
        logits = _again(view, logits)
    return logits


def are_probabilities(x: Tensor, op: str) -> bool:
    """Whether `op` has made these, or what else gives probabilities, perhaps kept away from 0 and 1."""
    x, axis, _ = _made(x, (*_VIEWS, "mp.clamp"))
    return any(_is_made_by(x, axis, one) for one in (op, "mp.softmax", "mp.sigmoid", "mp.hard_sigmoid"))


def classes_last(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Outputs and targets with the classes last: those of a module of PyTorch have them second, whatever comes behind."""
    rank = len(outputs.shape)
    are_second = outputs.classes_second and rank > 2
    wanted = (outputs.shape[0], *outputs.shape[2:]) if are_second else outputs.shape[:-1]
    if len(wanted) == 2 and wanted[1] == 1 and targets.shape == wanted[:1]:  # a column of labels comes as one for each row
        targets = ops.reshape(targets, wanted)
    if not are_second:
        return outputs, targets
    of_classes = targets.shape == outputs.shape  # a number for each class
    if not of_classes and targets.shape != wanted:
        raise Error(f"a module of PyTorch has its classes in dimension 1: outputs of {outputs.shape} have targets of {wanted}, or of probabilities "
                    f"in their own shape, and the targets have {targets.shape}; where classes are last, transpose in the forward, "
                    f"outputs.movedim(-1, 1)")
    last = outputs.channels_last if outputs.channels_last is not None else second_last(outputs)
    return last, second_last(targets) if of_classes else targets


def _behind(x: Tensor) -> tuple[Tensor, tuple[DTypeName, ...]]:
    """What casts were given, and the types that they gave, the first first."""
    types: list[DTypeName] = []
    while x.made_by[0] == "mp.cast":
        types.insert(0, x.dtype)
        x = x.made_by[1][0]
    return x, tuple(types)


def _positions(x: Tensor) -> tuple[int | None, ...]:
    """The dimensions behind the batch's that a reshape has merged with it."""
    if x.made_by[0] != "mp.reshape" or x.shape[:1] != (None,):
        return ()
    given = x.made_by[1][0].shape
    merged = len(given) - len(x.shape) + 1
    return given[1:merged] if merged > 1 and given[0] is None and given[merged:] == x.shape[1:] else ()


def apart(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors with the batch as their first dimension, where all are `x.reshape(-1, ...)` of such, as language models have their logits and
    labels: what each row of the batch weighs is then known. Else as they are."""
    found = [_behind(one) for one in tensors]
    positions = {_positions(one) for one, _ in found}
    if len(positions) != 1 or positions == {()}:
        return tensors
    return tuple(functools.reduce(ops.cast, types, one.made_by[1][0]) for one, types in found)


def _class_weights(loss: str, weight: ClassWeights, outputs: Tensor) -> Tensor | None:
    if weight is None:
        return None
    classes = outputs.shape[-1] or 0
    if isinstance(weight, dict):  # as Keras' class_weight: a class that is not there has 1
        stray = [key for key in weight if not (is_integer(key) and 0 <= key < classes)]
        if stray:
            raise Error(f"{loss}: weight: there is no class {shown(stray[0])} of {classes}")
        weight = [weight.get(one, 1.0) for one in range(classes)]
    if isinstance(weight, Tensor):
        if weight.shape != (classes,):
            raise Error(f"{loss}: weight has shape {weight.shape}, expected one for each of {classes} classes")
        return ops.cast(weight, "float32") if weight.dtype in ("float16", "bfloat16") else weight
    try:
        numbers = [number_of("", one) for one in weight]
    except (Error, TypeError):
        raise Error(f"{loss}: weight is {shown(weight)}, expected a number for each class") from None
    if len(numbers) != classes:
        raise Error(f"{loss}: weight has {len(numbers)} numbers for {classes} classes")
    if not all(0 <= one < math.inf for one in numbers):
        raise Error(f"{loss}: weight is {shown(weight)}, expected numbers that are finite and not negative")
    return ops.constant(numbers, "float32")


def _ignored(loss: str, labels: Tensor, ignore_label: int | None) -> int | None:
    """The label that labels may be, and that does not count: probabilities and unsigned ones are none below 0."""
    if ignore_label is not None:
        ignore_label = integer(f"{loss}: ignore_label", ignore_label)
    return None if ignore_label is not None and ignore_label < 0 and labels.dtype not in ("int32", "int64") else ignore_label


def _weights_of(labels: Tensor, weights: Tensor, ignore_label: int | None) -> Tensor:
    """The weight of each label; of one that is ignored, which may be no class, that of another."""
    if ignore_label is not None:
        labels = ops.cast(labels, "int64")
        labels = ops.select(labels != ignore_label, labels, 0)
    with in_float32(weights) as (weights,):
        return ops.gather(weights, labels, 0)


def _with_weights(loss: Callable[..., Tensor], rows: Tensor, labels: Tensor, weights: Tensor | None, **options: Any) -> Tensor:
    """PyTorch's: a row weighs what its label does, and the sum is divided by that of the labels' own weights."""
    labels = ops.cast(labels, "uint8") if labels.dtype == "bool" else labels
    if labels.shape not in (rows.shape, rows.shape[:-1]):
        several = len(rows.shape) > 2 and len(labels.shape) == 1
        hint = "; where an image has one label, nn.Flatten() or nn.GlobalAvgPool2D() comes before the last layer" if several else ""
        raise Error(f"labels of shape {labels.shape} are not one for each row of {rows.shape}, expected {rows.shape[:-1]}{hint}")
    if "float" in labels.dtype and labels.shape != rows.shape:
        raise Error(f"labels are {labels.dtype}, one for each row, and classes are whole numbers: give y.astype('int64')")
    if weights is None:
        return loss(rows, labels, **options)
    return loss(rows, labels, _weights_of(labels, weights, options.get("ignore_label")), **options)


def _of_smoothed_labels(logs: Tensor, labels: Tensor, weights: Tensor, label_smoothing: float, ignore_label: int | None) -> Tensor:
    """With weights of classes, all of which smoothing has a part of, as in PyTorch."""
    of_label = _with_weights(ops.nll_loss, logs, labels, weights, ignore_label=ignore_label)
    labels = ops.cast(labels, "int64")
    counts = _weights_of(labels, weights, ignore_label)
    of_all = -ops.sum(logs * weights, -1)
    if ignore_label is not None:
        of_all, counts = (ops.select(labels != ignore_label, one, 0.0) for one in (of_all, counts))
    return of_label * (1 - label_smoothing) + ops.sum(of_all) / ops.sum(counts) * (label_smoothing / (logs.shape[-1] or 1))


def of_labels(logs: Tensor, labels: Tensor, weight: Tensor | None, ignore_label: int | None, label_smoothing: float, reduction: Mean) -> Tensor:
    """-log of the label's probability times its weight, 0 of the ignored label, of each row or summed; a part of it, the smoothing, is of all labels."""
    classes = logs.shape[-1] or 0
    labels = ops.cast(labels, "int64")
    scaled = logs if weight is None else logs * weight
    is_label = ops.iota(len(logs.shape) - 1, like=logs, dtype="int64") == ops.reshape(labels, (*labels.shape, 1))
    found = -ops.sum(ops.select(is_label, scaled, 0.0), -1)
    if label_smoothing:
        found = found * (1 - label_smoothing) - ops.sum(scaled, -1) * (label_smoothing / classes)
    found = ops.select(ops.logical_and(labels >= 0, labels < classes), found, math.nan)
    return margins.reduced(found if ignore_label is None else ops.select(labels == ignore_label, 0.0, found), reduction)


def cross_entropy(logits: Operand, labels: Operand, *, label_smoothing: float | None = None, ignore_label: int | None = None,
                  weight: ClassWeights = None, from_logits: bool = True) -> Tensor:
    """The mean over rows of -log softmax(logits)[label]. Labels in the logits' shape are probabilities of classes, as one-hot
    rows are. `weight` has a number for each class. Without `from_logits`, probabilities stand in the place of logits: the loss is of the
    logits where a softmax has just made them, else they are divided by their sum as in Keras."""
    logits, labels = apart(*classes_last(operand(logits), operand(labels)))
    if not from_logits and (made_of := logits_of(logits, "mp.softmax")) is not None:
        logits, from_logits = made_of, True
    if not logits.shape:
        raise Error("cross_entropy: the outputs are one number, expected [rows, classes]")
    if label_smoothing is not None:
        label_smoothing = fraction("label_smoothing", label_smoothing)
    is_soft, ignore_label = labels.shape == logits.shape, _ignored("cross_entropy", labels, ignore_label)
    if is_soft and ignore_label is not None:
        raise Error("labels that are probabilities have no ignore_label")
    if is_soft and "float" not in labels.dtype:
        labels = ops.cast(labels, "float32")
    options = {"label_smoothing": label_smoothing, "ignore_label": ignore_label}
    weights = _class_weights("cross_entropy", weight, logits)
    if weights is not None and (is_soft or label_smoothing):
        with in_float32(logits) as (outputs,):
            logs = ops.log_softmax(outputs) if from_logits else ops.log(ops.clamp(_shares(outputs), _EPSILON, 1 - _EPSILON))
            if is_soft:
                targets = as_type(labels, "float32")
                if label_smoothing:
                    targets = targets * (1 - label_smoothing) + label_smoothing / (logs.shape[-1] or 1)
                return ops.mean(-ops.sum(targets * weights * logs, -1))
            return _of_smoothed_labels(logs, labels, weights, label_smoothing or 0.0, ignore_label)
    if from_logits:
        return _with_weights(ops.softmax_cross_entropy, logits, labels, weights, **options)
    with in_float32(logits) as (outputs,):
        return _with_weights(ops.cross_entropy, _shares(outputs), labels, weights, **options)


def _shares(probabilities: Tensor) -> Tensor:
    return probabilities / ops.sum(probabilities, -1, True)


def _of_keras(kind: str, outputs: Tensor, targets: Tensor, from_logits: bool, **options: Any) -> Tensor:
    """`cross_entropy` as Keras means it: of what a softmax has made, or by `from_logits` of what one would be made of."""
    outputs, targets = classes_last(outputs, targets)
    if not from_logits:
        check_probabilities(outputs, "mp.softmax", f"halfstep.losses.{kind}(from_logits=True)", "halfstep.losses.CrossEntropy(from_logits=False)")
    return cross_entropy(outputs, targets, from_logits=from_logits, **options)


def sparse_categorical_crossentropy(outputs: Tensor, labels: Tensor, *, from_logits: bool = False, ignore_label: int | None = None) -> Tensor:
    return _of_keras("SparseCategoricalCrossentropy", outputs, labels, from_logits, ignore_label=ignore_label)


def categorical_crossentropy(outputs: Tensor, targets: Tensor, *, from_logits: bool = False, label_smoothing: float | None = None) -> Tensor:
    return _of_keras("CategoricalCrossentropy", outputs, targets, from_logits, label_smoothing=label_smoothing)


def check_probabilities(outputs: Tensor, maker: str, of_logits: str, otherwise: str) -> None:
    """Keras' names are of probabilities: of logits they would be some number, too, and a model would train on it."""
    if not are_probabilities(outputs, maker):
        raise Error(f"the loss takes probabilities, and no {maker.removeprefix('mp.')} has made the outputs: loss={of_logits} takes logits, "
                    f"loss={otherwise} probabilities that something else has made")


def nll_loss(logs: Operand, labels: Operand, *, weight: ClassWeights = None, ignore_label: int | None = None) -> Tensor:
    """The mean over rows of -logs[label], of logarithms of probabilities, as of log_softmax (torch.nn.NLLLoss)."""
    logs, labels = apart(*classes_last(operand(logs), operand(labels)))
    if not logs.shape:
        raise Error("nll_loss: the outputs are one number, expected [rows, classes]")
    weights = _class_weights("nll_loss", weight, logs)
    return _with_weights(ops.nll_loss, logs, labels, weights, ignore_label=_ignored("nll_loss", labels, ignore_label))


def check_reduction(name: str, reduction: object) -> None:
    if not isinstance(reduction, str) or reduction not in ("mean", "batchmean"):
        raise Error(f'{name}: reduction is {shown(reduction)}, expected "batchmean" or "mean"')


def kl_div(logs: Operand, targets: Operand, *, reduction: Literal["mean", "batchmean"] = "batchmean") -> Tensor:
    """sum(target * (log target - output)) of outputs that are logarithms: a row's mean, or by reduction="mean" an element's
    (torch.nn.KLDivLoss)."""
    check_reduction("kl_div", reduction)
    logs, targets = alike(logs, targets)
    margins.of_ranks("kl_div", targets, logs)
    first, *rest = logs.shape or (1,)
    columns = product(rest) or 0
    if len(logs.shape) != 2:
        logs, targets = (ops.reshape(one, (first, columns)) for one in (logs, targets))
    rows = ops.kl_div(logs, targets)
    return rows / columns if reduction == "mean" else rows


def kl_divergence(probabilities: Tensor, targets: Tensor) -> Tensor:
    """sum(target * log(target / output)) along the last dimension, meant over the others; both kept between 1e-7 and 1
    (keras.losses.KLDivergence)."""
    with in_float32(probabilities, targets) as both:
        outputs, targets = (ops.clamp(one, _EPSILON, 1.0) for one in both)
        margins.of_ranks("kl_divergence", targets, outputs)
        return ops.kl_div(ops.log(outputs), targets)
