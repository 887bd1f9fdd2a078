"""Which dimension of outputs is that of classes, for losses and metrics of classes."""

from __future__ import annotations

from halfstep import ops
from halfstep.graph.tensor import Tensor
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
    order = [0, *range(2, rank), 1]
    of_classes = targets.shape == outputs.shape  # a number for each class
    if not of_classes and targets.shape != wanted:
        raise Error(f"a module of PyTorch has its classes in dimension 1: outputs of {outputs.shape} have targets of {wanted}, or of probabilities "
                    f"in their own shape, and the targets have {targets.shape}; where classes are last, transpose in the forward, "
                    f"outputs.movedim(-1, 1)")
    last = outputs.channels_last if outputs.channels_last is not None else ops.transpose(outputs, order)
    return last, ops.transpose(targets, order) if of_classes else targets
