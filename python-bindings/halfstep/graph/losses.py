"""Losses of elements, metrics, and both by their names."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from halfstep import ops
from halfstep.graph import margins
from halfstep.graph.class_losses import (
    categorical_crossentropy, check_probabilities, classes_last, cross_entropy, kl_div, kl_divergence, logits_of, nll_loss,
    sparse_categorical_crossentropy,
)
from halfstep.graph.shapes import as_type, in_float32
from halfstep.graph.tensor import Tensor
from halfstep_runtime._errors import Error, nearest, plain, shown, snake_case


def cosine_similarity(outputs: Tensor, targets: Tensor) -> Tensor:
    """The mean of minus the cosine between outputs and targets along the last dimension (keras.losses.CosineSimilarity)."""
    margins.of_ranks("cosine_similarity", targets, outputs)
    return -ops.mean(ops.cosine_similarity(outputs, targets))


def _each_row(values: Tensor) -> Tensor:
    """A metric is a number for each row: the mean of what a row has."""
    return ops.mean(values, range(1, len(values.shape))) if len(values.shape) > 1 else values


def accuracy(logits: Tensor, labels: Tensor, *, of_column: Callable[..., Tensor] | None = None, ignore_label: int | None = None) -> Tensor:
    """1 where the largest logit is the label's, or that of the largest of the label's probabilities. Where labels are ignored the mean over
    rows is that over the others. `of_column` is what one column is given to, which may be a logit or a probability."""
    logits, labels = classes_last(logits, labels)
    if not logits.shape[1:] or logits.shape[-1] == 1:  # which say yes or no by one number
        if of_column is not None:
            return of_column(logits, labels)
        raise Error("accuracy: the outputs have one column, and the loss does not say whether that is a logit, as "
                    "'BCEWithLogitsLoss' does, or a probability, as 'binary_crossentropy'; metrics are "
                    f"{', '.join(METRICS)}, or functions of outputs and targets")
    guess, given = ops.argmax(logits), labels
    labels = ops.argmax(labels) if labels.shape == logits.shape else labels
    margins.of_ranks("accuracy", labels, guess)
    hits = ops.cast(guess == as_type(labels, "int32"), "float32")
    if ignore_label is None or given is not labels:
        return _each_row(hits)
    kept = ops.compare("ne", ops.cast(labels, "int64"), ops.constant(ignore_label, "int64"))
    return _each_row(ops.select(kept, hits, 0.0)) / ops.mean(_each_row(ops.cast(kept, "float32")))


def _alike(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Of outputs and targets in the outputs' type and shape: targets [rows] are those of outputs [rows, 1]."""

    @functools.wraps(function)
    def loss(outputs: Tensor, targets: Tensor, **options: Any) -> Tensor:
        targets = margins.of_shape(function.__name__, as_type(targets, outputs.dtype), outputs)
        if not outputs.shape and not targets.shape:  # one number for all rows is one row
            outputs, targets = (ops.reshape(one, (1,)) for one in (outputs, targets))
        return function(outputs, targets, **options)

    return loss


mse_loss = _alike(ops.mse_loss)
l1_loss = _alike(ops.l1_loss)
huber_loss = _alike(ops.huber_loss)


@_alike
def binary_cross_entropy(probabilities: Tensor, targets: Tensor) -> Tensor:
    """The mean of -log of what the probability says of the target, computed in float32 under every policy."""
    with in_float32(probabilities, targets) as both:
        return ops.binary_cross_entropy(*both)


sigmoid_cross_entropy = _alike(ops.sigmoid_cross_entropy)


def binary_crossentropy(outputs: Tensor, targets: Tensor, *, from_logits: bool = False, label_smoothing: float | None = None) -> Tensor:
    """`binary_cross_entropy` as Keras means it: of what a sigmoid has made, of which it is that of the logits, or by `from_logits` of these."""
    logits = outputs if from_logits else logits_of(outputs, "mp.sigmoid")
    if logits is None:
        check_probabilities(outputs, "mp.sigmoid", "halfstep.losses.BinaryCrossentropy(from_logits=True)", '"BCELoss"')
    if label_smoothing:
        targets = ops.cast(targets, "float32") * (1 - label_smoothing) + label_smoothing / 2
    return binary_cross_entropy(outputs, targets) if logits is None else sigmoid_cross_entropy(logits, targets)


def _same_side(a: Tensor, b: Tensor) -> Tensor:
    a, b = (ops.cast(one, "float32") for one in (a, b))
    return 1 - ops.abs(a - b)


@_alike
def binary_accuracy(probabilities: Tensor, targets: Tensor) -> Tensor:
    """1 where the probability is on the target's side of a half."""
    return _each_row(_same_side(probabilities > 0.5, targets > 0.5))


@_alike
def sigmoid_accuracy(logits: Tensor, targets: Tensor) -> Tensor:
    """1 where the logit is on the target's side."""
    return _each_row(_same_side(logits > 0, targets > 0.5))


@_alike
def absolute_error(outputs: Tensor, targets: Tensor) -> Tensor:
    return _each_row(ops.abs(outputs - targets))


@_alike
def squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    return _each_row((outputs - targets) * (outputs - targets))


# By the names of ops, of Keras and of PyTorch.
LOSSES: dict[str, Callable[..., Tensor]] = {
    "cross_entropy": cross_entropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "CrossEntropyLoss": cross_entropy,
    **dict.fromkeys(["nll_loss", "NLLLoss"], nll_loss),
    "kl_div": kl_div,
    "KLDivLoss": functools.partial(kl_div, reduction="mean"),
    **dict.fromkeys(["kl_divergence", "kullback_leibler_divergence"], kl_divergence),
    **dict.fromkeys(["poisson_nll_loss", "PoissonNLLLoss"], margins.poisson_nll_loss),
    **dict.fromkeys(["hinge_embedding_loss", "HingeEmbeddingLoss"], margins.hinge_embedding_loss),
    **dict.fromkeys(["soft_margin_loss", "SoftMarginLoss"], margins.soft_margin_loss),
    **dict.fromkeys(["multi_margin_loss", "MultiMarginLoss"], margins.multi_margin_loss),
    **dict.fromkeys(["multilabel_margin_loss", "MultiLabelMarginLoss"], margins.multilabel_margin_loss),
    "cosine_similarity": cosine_similarity,
    **dict.fromkeys(["mse", "mean_squared_error", "mse_loss", "MSELoss"], mse_loss),
    **dict.fromkeys(["mae", "mean_absolute_error", "l1_loss", "L1Loss"], l1_loss),
    **dict.fromkeys(["huber", "huber_loss", "HuberLoss"], huber_loss),
    "binary_crossentropy": binary_crossentropy,
    **dict.fromkeys(["binary_cross_entropy", "BCELoss"], binary_cross_entropy),
    **dict.fromkeys(["sigmoid_cross_entropy", "binary_cross_entropy_with_logits", "BCEWithLogitsLoss"], sigmoid_cross_entropy),
}
METRICS: dict[str, Callable[..., Tensor]] = {
    **dict.fromkeys(["accuracy", "sparse_categorical_accuracy", "categorical_accuracy"], accuracy),
    "binary_accuracy": binary_accuracy,
    "sigmoid_accuracy": sigmoid_accuracy,
    **dict.fromkeys(["mae", "mean_absolute_error"], absolute_error),
    **dict.fromkeys(["mse", "mean_squared_error"], squared_error),
}


# Losses whose settings are a class of halfstep.losses.
_WITH_SETTINGS = {cross_entropy: "CrossEntropy", huber_loss: "Huber", nll_loss: "NLL", LOSSES["KLDivLoss"]: "KLDiv",
                  sparse_categorical_crossentropy: "SparseCategoricalCrossentropy", categorical_crossentropy: "CategoricalCrossentropy",
                  binary_crossentropy: "BinaryCrossentropy"}


def _refuse_foreign(table: Mapping[str, Callable[..., Tensor]], kind: str, given: Any) -> None:
    """Losses and metrics of other libraries are made of other tensors."""
    given = given.func if isinstance(given, functools.partial) else given
    own = given if isinstance(given, type) else type(given)
    modules = [getattr(given, "__module__", None) or "", *(base.__module__ for base in own.__mro__)]
    library = next((one for one in (module.partition(".")[0] for module in modules) if one in _LIBRARIES), None)
    if library is None:
        return
    name = getattr(given, "__name__", own.__name__)
    known = next((table[one] for one in (name, snake_case(name)) if one in table), None)
    ours = next((one for one, function in table.items() if function is known), None)
    said = f"a function of outputs and targets, made of halfstep.ops, or one of {', '.join(table)}"
    if ours is not None:
        said = f'{kind} "{ours}"' + (f", or halfstep.losses.{_WITH_SETTINGS[known]}(...) with settings" if known in _WITH_SETTINGS else "")
    raise Error(f"{kind}: {library}'s {name} takes no tensors of a compiled model; give {said}")


# What losses and metrics are called in short.
_SHORT = {"acc": "accuracy", "ce": "cross_entropy", "xent": "cross_entropy", "softmax": "cross_entropy", "nll": "nll_loss", "bce": "binary_crossentropy",
          "logistic": "BCEWithLogitsLoss", "kld": "kl_divergence", "l1": "mae", "l2": "mse"}
_LIBRARIES = ("torch", "torchmetrics", "keras", "tensorflow", "tf_keras")


def find(table: Mapping[str, Callable[..., Tensor]], kind: str, given: Any) -> Callable[..., Tensor]:
    if callable(given):
        _refuse_foreign(table, kind, given)
        return cast("Callable[..., Tensor]", given)
    if isinstance(given, str):
        # Classes of Keras have their functions' names in another spelling.
        if (named := next((one for one in (given, snake_case(given)) if one in table), None)) is not None:
            return table[named]
        spelled = {plain(name): function for name, function in table.items()}
        if (found := spelled.get(plain(given))) is not None:
            return found
    near = _SHORT.get(given.lower()) or nearest(given, table) if isinstance(given, str) else None
    meant = f"did you mean {near!r}? There are" if near in table else "expected"
    raise Error(f"there is no {kind} {shown(given)}; {meant} {', '.join(table)}, or a function of outputs and targets", given)


@dataclasses.dataclass(frozen=True)
class Output:
    """The loss that a forward computes itself, of targets among its inputs: the output of that name. Predictions are the others, and need no
    targets; several outputs that have no names are "output0", "output1", ..."""

    name: str

    def take(self, outputs: dict[str, Tensor]) -> Tensor:
        """The loss, which is no output any more."""
        if self.name not in outputs:
            raise Error(f"the loss is the output {self.name!r}, and the outputs are {', '.join(map(repr, outputs))}")
        loss = outputs.pop(self.name)
        if loss.shape or "float" not in loss.dtype:
            raise Error(f"the loss is the output {self.name!r}, which is of shape {loss.shape} and {loss.dtype}, expected one float")
        return loss


def find_loss(given: Any, of_classes: Mapping[str, Any]) -> Callable[..., Tensor] | Output:
    """The loss of that name, or cross entropy; one of classes has `of_classes`, which the model brings, where its own settings are not said."""
    if isinstance(given, str) and re.fullmatch(r"loss|output\d+", given):
        return Output(given)
    if isinstance(given, Output):
        return given
    loss = find(LOSSES, "loss", "cross_entropy" if given is None else given)
    is_plain = (given is None or isinstance(given, str)) and loss in (cross_entropy, nll_loss)
    return functools.partial(loss, **of_classes) if is_plain and of_classes else loss


def _parts(function: object) -> tuple[Any, Mapping[str, Any]]:
    """A loss without its settings, and these."""
    return getattr(function, "func", function), getattr(function, "keywords", {})


# What losses compute themselves of logits, and whether they take these unless told otherwise.
_OF_LOGITS = {
    cross_entropy: ("mp.softmax", True),
    sparse_categorical_crossentropy: ("mp.softmax", False),
    categorical_crossentropy: ("mp.softmax", False),
    sigmoid_cross_entropy: ("mp.sigmoid", True),
    binary_crossentropy: ("mp.sigmoid", False),
}


def is_of_classes(loss: object) -> bool:
    return _OF_LOGITS.get(_parts(loss)[0], ("", False))[0] == "mp.softmax"


def _computed_of_logits(loss: object) -> str:
    """The op that makes probabilities in a loss that takes logits."""
    function, settings = _parts(loss)
    op, takes_logits = _OF_LOGITS.get(function, ("", False))
    return op if settings.get("from_logits", takes_logits) else ""


def beside(loss: object, metric: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A metric as it goes with a loss, which says what one column is, as Keras has it, and which rows do not count."""
    function, settings = _parts(loss)
    of_column = None
    if function in (binary_crossentropy, binary_cross_entropy, sigmoid_cross_entropy):
        of_column = sigmoid_accuracy if _computed_of_logits(loss) else binary_accuracy
    if metric is accuracy:
        return functools.partial(accuracy, of_column=of_column, ignore_label=settings.get("ignore_label"))
    return of_column if of_column is not None and metric in (binary_accuracy, sigmoid_accuracy) else metric


def twice(loss: object, outputs: object) -> str | None:
    """What there is to say of outputs that are probabilities, where the loss makes such of them itself."""
    op = _computed_of_logits(loss)
    if not op or not isinstance(outputs, Tensor) or logits_of(outputs, op) is None:
        return None
    name = op.removeprefix("mp.")
    keras = "binary_crossentropy" if name == "sigmoid" else "sparse_categorical_crossentropy"
    return (f"the model ends in a {name}, and the loss takes logits, of which it computes a {name} itself: leave the model's out, or "
            f'give loss="{keras}", which takes probabilities')


def refuse_several(kind: str, function: Any, outputs: object) -> None:
    """A loss or metric that has a name is one of one output."""
    if getattr(function, "__module__", "") == "halfstep.losses" and function.__name__[0].isupper():
        raise Error(f"{kind} is {shown(function.__name__)}, which makes one, expected a tensor: call what makes {kind} where it is given, as "
                    "loss=halfstep.losses.CrossEntropy()")
    function = getattr(function, "func", function)
    named = [getattr(one, "func", one) for table in (LOSSES, METRICS) for one in table.values()]
    if isinstance(outputs, dict) and function in named:
        also = '; compile(loss="loss") trains by the output of that name' if "loss" in outputs else ""
        raise Error(f"the model has several outputs, {', '.join(repr(one) for one in outputs)}, and {kind} is of one: give a function of a "
                    f"dictionary of them and of the targets{also}")
