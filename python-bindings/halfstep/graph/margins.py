"""Losses of margins and distances, with the names, the arguments and the formulas of torch.nn.functional; all in float32."""

from __future__ import annotations

import functools
import math

from halfstep import ops
from halfstep.graph.graph import operand
from halfstep.graph.shapes import in_float32
from halfstep.graph.reductions import reduce_max
from halfstep.graph.tensor import Tensor
from halfstep.hints.types import Mean, Operand
from halfstep_runtime._errors import Error, as_float, shown


def reduced(each: Tensor, reduction: Mean) -> Tensor:
    if not isinstance(reduction, str) or reduction not in ("mean", "sum", "none"):
        raise Error(f'reduction is "mean", "sum" or "none", not {shown(reduction)}')
    return each if reduction == "none" else ops.mean(each) if reduction == "mean" else ops.sum(each)


def _numbers(x: Tensor) -> Tensor:
    return x if "float" in x.dtype else ops.cast(x, "float32")


def of_shape(name: str, targets: Tensor, outputs: Tensor) -> Tensor:
    """Targets as outputs have their dimensions: targets [rows] are those of outputs [rows, 1]."""
    if len(targets.shape) + 1 == len(outputs.shape) and outputs.shape[-1] == 1:
        targets = ops.reshape(targets, outputs.shape)
    of_ranks(name, targets, outputs)
    return targets


def of_ranks(name: str, targets: Tensor, outputs: Tensor) -> None:
    """Tensors of other numbers of dimensions would meet as each with each."""
    if targets.shape and len(targets.shape) != len(outputs.shape):
        sizes, others = ([size for size in one.shape if size != 1] for one in (outputs, targets))
        shape = tuple(-1 if size is None else size for size in outputs.shape)
        todo = f"reshape the second, as in ops.reshape(x, {shape})" if sizes == others else "give them the same number"
        raise Error(f"{name}: shapes {outputs.shape} and {targets.shape} have different numbers of dimensions; {todo}")


def _targets(name: str, targets: Tensor, outputs: Tensor) -> Tensor:
    return of_shape(name, _numbers(targets), outputs)


def poisson_nll_loss(outputs: Operand, targets: Operand, *, log_input: bool = True, full: bool = False, epsilon: float = 1e-8,
                     reduction: Mean = "mean") -> Tensor:
    """exp(output) - target * output, or without `log_input` output - target * log(output + epsilon); `full` adds Stirling's
    approximation of log(target!) where the target is above 1 (torch.nn.PoissonNLLLoss)."""
    with in_float32(outputs, targets) as (x, y):
        y = _targets("poisson_nll_loss", y, x)
        each = ops.exp(x) - y * x if log_input else x - y * ops.log(x + epsilon)
        if full:
            large = ops.select(y > 1, y, 2.0)
            factorial = large * ops.log(large) - large + 0.5 * ops.log(large * (2 * math.pi))
            each = each + ops.select(y > 1, factorial, 0.0)
        return reduced(each, reduction)


def hinge_embedding_loss(outputs: Operand, targets: Operand, *, margin: float = 1.0, reduction: Mean = "mean") -> Tensor:
    """The output where the target is 1, max(0, margin - output) where it is -1 (torch.nn.HingeEmbeddingLoss)."""
    with in_float32(outputs, targets) as (x, y):
        y = _targets("hinge_embedding_loss", y, x)
        far = ops.select(ops.compare("ne", y, 1.0), ops.relu(margin - x), 0.0)
        return reduced(far + ops.select(ops.compare("ne", y, -1.0), x, 0.0), reduction)


def margin_ranking_loss(first: Operand, second: Operand, targets: Operand, *, margin: float = 0.0, reduction: Mean = "mean") -> Tensor:
    """max(0, margin - target * (first - second)): a target of 1 wants the first to be larger, -1 the second
    (torch.nn.MarginRankingLoss)."""
    with in_float32(first, second, targets) as (a, b, y):
        of_ranks("margin_ranking_loss", b, a)
        y = _targets("margin_ranking_loss", y, a)
        return reduced(ops.relu(margin - y * (a - b)), reduction)


def soft_margin_loss(outputs: Operand, targets: Operand, *, reduction: Mean = "mean") -> Tensor:
    """log(1 + exp(-target * output)) of targets 1 and -1 (torch.nn.SoftMarginLoss)."""
    with in_float32(outputs, targets) as (x, y):
        return reduced(ops.softplus(-_targets("soft_margin_loss", y, x) * x), reduction)


def _matrix(name: str, x: Tensor) -> int:
    if len(x.shape) != 2 or x.shape[1] is None:
        raise Error(f"{name}: outputs of shape {x.shape} are no rows of classes")
    return x.shape[1]


def multi_margin_loss(outputs: Operand, labels: Operand, *, p: float = 1, margin: float = 1.0, weight: Operand | None = None,
                      reduction: Mean = "mean") -> Tensor:
    """The mean over classes, without the label's, of max(0, margin - output[label] + output)^p, p 1 or 2, times the label's weight
    (torch.nn.MultiMarginLoss)."""
    if as_float(p) not in (1.0, 2.0):
        raise Error(f"multi_margin_loss: p is {shown(p)}, expected 1 or 2")
    with in_float32(outputs, weight) as (x, weights):
        classes = _matrix("multi_margin_loss", x)
        labels = ops.cast(operand(labels), "int64")
        if labels.shape != x.shape[:1]:
            raise Error(f"multi_margin_loss: labels of shape {labels.shape} are not one for each row of {x.shape}")
        hot = ops.one_hot(labels, classes, "bool")
        own = ops.sum(ops.select(hot, x, 0.0), -1, True)
        each = ops.relu(margin - own + x)
        each = ops.select(hot, 0.0, each if p == 1 else each * each)
        rows = ops.sum(each, -1) * (1 / classes)
        if weights is not None:
            rows = rows * ops.sum(ops.select(hot, ops.broadcast(weights, like=x), 0.0), -1)
        return reduced(ops.select((labels < 0) | (labels >= classes), math.nan, rows), reduction)  # as in nll_loss


def multilabel_margin_loss(outputs: Operand, labels: Operand, *, reduction: Mean = "mean") -> Tensor:
    """The sum over a row's labels, those before its first -1, and over all other classes of max(0, 1 - output[label] + output), divided
    by the number of classes (torch.nn.MultiLabelMarginLoss)."""
    with in_float32(outputs) as (x,):
        classes = _matrix("multilabel_margin_loss", x)
        labels = ops.cast(operand(labels), "int64")
        if len(labels.shape) != 2 or labels.shape[0] != x.shape[0]:
            raise Error(f"multilabel_margin_loss: labels of shape {labels.shape} are not several for each row of {x.shape}")
        ended = ops.cumsum(ops.cast(labels < 0, "float32"), -1)
        counts = ops.reshape(ended < 0.5, (-1, labels.shape[1], 1))
        hot = ops.logical_and(ops.one_hot(labels, classes, "bool"), counts)  # row, label, class
        every = ops.reshape(x, (-1, 1, classes))
        own = ops.sum(ops.select(hot, every, 0.0), -1, True)
        is_label = reduce_max(ops.cast(hot, "float32"), 1, True) > 0.5
        each = ops.select(counts & ~is_label, ops.relu(1 - own + every), 0.0)
        outside = ops.cast((labels < -1) | (labels >= classes), "float32")
        return reduced(ops.select(reduce_max(outside, -1) > 0.5, math.nan, ops.sum(each, (1, 2)) * (1 / classes)), reduction)


def triplet_margin_loss(anchor: Operand, positive: Operand, negative: Operand, *, margin: float = 1.0, p: float = 2.0, epsilon: float = 1e-6,
                        swap: bool = False, reduction: Mean = "mean") -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) with distances of order p along the last dimension; `swap` takes the
    negative's from the positive where that is less (torch.nn.TripletMarginLoss)."""
    with in_float32(anchor, positive, negative) as (a, near, far):
        for other in (near, far):
            of_ranks("triplet_margin_loss", other, a)
        pairs = [(a, near), (a, far), *[(near, far)] * swap]
        own, *others = (ops.vector_norm(one - other + epsilon, p, -1) for one, other in pairs)
        return reduced(ops.relu(own - functools.reduce(ops.minimum, others) + margin), reduction)


def cosine_embedding_loss(first: Operand, second: Operand, targets: Operand, *, margin: float = 0.0, reduction: Mean = "mean") -> Tensor:
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1, of vectors in the last dimension
    (torch.nn.CosineEmbeddingLoss)."""
    with in_float32(first, second, targets) as (a, b, y):
        of_ranks("cosine_embedding_loss", b, a)
        squares = (ops.sum(a * a, -1) + 1e-12) * (ops.sum(b * b, -1) + 1e-12)
        cosine = ops.sum(a * b, -1) * ops.rsqrt(squares)
        y = _numbers(y)
        y = ops.reshape(y, cosine.shape) if len(y.shape) == len(cosine.shape) + 1 and y.shape[-1] == 1 else y
        of_ranks("cosine_embedding_loss", y, cosine)
        near = ops.select(ops.compare("eq", y, 1.0), 1 - cosine, 0.0)
        return reduced(near + ops.select(ops.compare("eq", y, -1.0), ops.relu(cosine - margin), 0.0), reduction)
