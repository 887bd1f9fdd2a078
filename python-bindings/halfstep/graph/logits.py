"""What probabilities were made of: the logits in front of a softmax or a sigmoid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import apply, type_of
from halfstep.graph.shapes import product
from halfstep.graph.tensor import Tensor


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
