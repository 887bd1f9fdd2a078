"""Which parameters train, by patterns of their names."""

from __future__ import annotations

import difflib
import fnmatch
import math
from collections.abc import Iterable

from halfstep.graph.graph import type_of
from halfstep.layers.leaves import Leaf, Parameter
from halfstep_runtime._errors import Error, nearest, shown


def _patterns(argument: str, given: object) -> list[str] | None:
    """A pattern or several, as a list; None where none is given."""
    if given is None:
        return None
    if isinstance(given, Iterable) and getattr(given, "shape", None) != ():
        several = [given] if isinstance(given, str) else list(given)
        if all(isinstance(one, str) for one in several):
            return several
    raise Error(f"{argument} is {shown(given)}, expected a name or a pattern as 'encoder.*', or several")


def _matches(pattern: str, name: str) -> bool:
    return name == pattern or fnmatch.fnmatchcase(name, pattern)


class Trainable:
    """What `trainable` and `frozen` say: the first names all that trains, the second what of that does not. What is None says nothing."""

    def __init__(self, call: str, trainable: object = None, frozen: object = None) -> None:
        self._call = call
        self._trainable = _patterns(f"{call}: trainable", trainable)
        self._frozen = _patterns(f"{call}: frozen", frozen) or []

    def trains(self, names: Iterable[str], otherwise: bool) -> bool:
        """Whether the parameter of these names does, which is several where it is shared; `otherwise` is without a word of it."""
        does = otherwise if self._trainable is None else any(_matches(one, name) for one in self._trainable for name in names)
        return does and not any(_matches(one, name) for one in self._frozen for name in names)

    def check(self, names: Iterable[str]) -> None:
        """Refuses a pattern that none of the parameters has."""
        names = list(names)
        for argument, patterns in (("trainable", self._trainable or []), ("frozen", self._frozen)):
            for pattern in patterns:
                if not any(_matches(pattern, name) for name in names):
                    raise Error(f"{self._call}: {argument}={pattern!r} is the name of no parameter; {_meant(pattern, names)}")


def _meant(pattern: str, names: list[str]) -> str:
    parts = [name.split(".") for name in names]
    insides = dict.fromkeys(".".join([*part[:i], "*"]) for part in parts for i in range(1, len(part)))
    known = [*insides, *names] if "*" in pattern or f"{pattern}.*" in insides else names
    if near := nearest(pattern, known) or next(iter(difflib.get_close_matches(pattern, known, 1)), None):
        return f"did you mean {near!r}?"
    return "there are " + (", ".join(names[:10]) or "none") + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def summary(leaves: list[tuple[str, Leaf, bool]]) -> str:
    """A line for each parameter and state, and how many numbers train."""
    rows = [(name, str(type_of(leaf.given_shape, leaf.dtype)), "trains" if trains else "frozen" if isinstance(leaf, Parameter) else "state")
            for name, leaf, trains in leaves]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
    counts = [sum(math.prod(leaf.given_shape) for _, leaf, trains in leaves if trains is which) for which in (True, False)]
    return "\n".join([*(f"{name:{widths[0]}}  {kind:{widths[1]}}  {told}" for name, kind, told in rows),
                      f"{counts[0]:,} trainable parameters, {counts[1]:,} numbers that stay or are states"])
