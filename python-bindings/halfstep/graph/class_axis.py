"""How outputs and targets of losses lie: which dimension is that of classes, and rows of the batch merged with their positions."""

from __future__ import annotations

import functools

from halfstep import ops
from halfstep.graph.shapes import second_last
from halfstep.graph.tensor import Tensor
from halfstep_runtime._elements import DTypeName
from halfstep_runtime._errors import Error


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
