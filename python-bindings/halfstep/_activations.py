"""Activations of layers, by their names."""

from __future__ import annotations

from halfstep import ops
from halfstep._errors import Error, nearest


def find_activation(name):
    """A function on tensors, by its name or itself; what passes everything for None."""
    if name is None or name == "linear":
        return lambda x: x
    if callable(name):
        return name
    function = getattr(ops, name) if name in ops.__all__ else None
    if function is None:
        instead = ops._INSTEAD.get(str(name), "").partition("(")[0]
        near = instead if instead in ops.__all__ else nearest(name, ops.__all__)
        meant = f"did you mean {near!r}? " if near else ""
        raise Error(f"there is no activation '{name}'; {meant}ops of one operand are: relu, gelu, tanh, sigmoid, softmax, ...")
    return function
