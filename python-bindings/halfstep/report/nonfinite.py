"""Which op of a training step makes values that are not finite, as `mp-run train --find-nonfinite` reports it."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

from halfstep import _compiler


@dataclasses.dataclass(frozen=True)
class ValueFacts:
    """What a tensor holds."""

    count: int
    nan: int
    infinite: int
    largest: float  # magnitude among those that are finite


@dataclasses.dataclass(frozen=True)
class Nonfinite:
    """The first op of a step whose result is not finite though its operands are; printed, all that is known of it."""

    step: int
    op: str  # "mp.mul"; or the input or state that was not finite before any op
    is_op: bool
    name: str  # what `loc:` in a policy calls it, "" where it has no name
    line: int  # of the forward, 0 where it is not known
    part: str  # "forward", "backward" or "optimizer"
    type: str  # of its elements: "f16"
    skipped: bool  # whether loss scaling skipped the step
    gradients: tuple[str, ...]  # parameters whose gradients are not finite for it
    result: ValueFacts
    operands: tuple[ValueFacts, ...]
    in_float32: ValueFacts | None  # the same op's result where nothing is low
    advice: str
    text: str

    def __str__(self) -> str:
        return self.text


class Finder:
    """Looks into the steps of one training."""

    def __init__(self, text: str, name: str, settings: list[str], found: list[Nonfinite], shows: bool):
        self._handle = _compiler.NonfiniteFinder(text, name, settings)
        self._found, self._shows = found, shows

    def see(self, step: Any, inputs: Any) -> bool:
        """Adds what it finds, and shows it if it `shows`. Whether there is nothing to see any more; `step` and `inputs` are the runtime's handles."""
        told, goes_on = self._handle.see(step, inputs)
        if told is not None:
            given = json.loads(told)
            reference = given["in_float32"]
            self._found.append(Nonfinite(
                name=given.get("name", ""), line=given.get("line", 0), gradients=tuple(given["gradients"]),
                operands=tuple(ValueFacts(**one) for one in given["operands"]), result=ValueFacts(**given["result"]),
                in_float32=ValueFacts(**reference) if reference is not None else None,
                **{name: given[name] for name in ("step", "op", "is_op", "part", "type", "skipped", "advice", "text")}))
            if self._shows:
                print(self._found[-1], file=sys.stderr, end="", flush=True)
        return not goes_on
