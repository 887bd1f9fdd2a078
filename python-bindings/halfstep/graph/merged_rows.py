"""Rows of the batch with their positions, which a loss over all of them takes apart."""

from __future__ import annotations

from halfstep import ops
from halfstep.graph.tensor import Tensor


def _behind(x: Tensor) -> tuple[Tensor, tuple[str, ...]]:
    """What casts were given, and the types that they gave, the first first."""
    types: list[str] = []
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
    results = []
    for one, types in found:
        x = one.made_by[1][0]
        for dtype in types:
            x = ops.cast(x, dtype)
        results.append(x)
    return tuple(results)
