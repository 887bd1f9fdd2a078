"""First values of parameters."""

from __future__ import annotations

import dataclasses
from typing import get_args

from halfstep.hints.types import InitializerName, Initializer as GivenInitializer
from halfstep_runtime._errors import Error, integer, nearest, number_of, shown

# What others call them.
_MEANT = {
    **{f"{name}_{kind}": f"'{ours}_{kind}'" for name, ours in (("kaiming", "he"), ("xavier", "glorot")) for kind in ("uniform", "normal")},
    **dict.fromkeys(["random_normal", "normal", "truncated_normal"], "nn.Normal(stddev=0.05)"),
    **dict.fromkeys(["random_uniform", "uniform"], "nn.Uniform(-0.05, 0.05)"),
}
WORDS: tuple[str, ...] = get_args(InitializerName)
_KINDS = ("constant", "normal", "uniform", *WORDS)


@dataclasses.dataclass(frozen=True)
class Initializer:
    """How a parameter gets its first value; without a seed, that is the parameter's number in the model."""

    kind: str
    numbers: tuple[tuple[str, float], ...] = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in _KINDS:
            raise Error(f"Initializer: kind is {shown(self.kind)}, expected one of {', '.join(_KINDS)}")
        try:
            pairs = [(name, number_of(f"Initializer: {name}", number)) for name, number in self.numbers]
        except (TypeError, ValueError):
            raise Error(f"Initializer: numbers is {shown(self.numbers)}, expected pairs of a name and a number, as (('value', 1.0),)") from None
        object.__setattr__(self, "numbers", tuple(pairs))
        _seed("Initializer", self.seed)

    def numbered(self, number: int) -> tuple[str, float, float, int]:
        """The kind, its numbers and its seed, of the parameter that has this number in its model."""
        first, second = ([value for _, value in self.numbers] + [0.0, 0.0])[:2]
        return self.kind, first, second, number if self.seed is None else self.seed


def initializer(given: GivenInitializer, name: str) -> Initializer:
    """An initializer by its name, itself, or a number that all elements get, given for the argument `name`."""
    if isinstance(given, Initializer):
        return given
    if not isinstance(given, str):
        return Initializer("constant", (("value", number_of(name, given)),))
    if given not in WORDS:
        own = nearest(given, WORDS)
        near = _MEANT.get(given) or own and repr(own)
        meant = f"did you mean {near}? " if near else ""
        raise Error(f"{name}: there is no initializer {shown(given)}; {meant}expected {', '.join(WORDS)}, a number, "
                    "nn.Normal(...) or nn.Uniform(...)")
    return Initializer(given)


def _seed(name: str, seed: int | None) -> int | None:
    return None if seed is None else integer(f"{name}: seed", seed)


def Constant(value: float) -> Initializer:
    return Initializer("constant", (("value", number_of("Constant: value", value)),))


def Normal(mean: float = 0.0, stddev: float = 1.0, seed: int | None = None) -> Initializer:
    return Initializer("normal", (("mean", number_of("Normal: mean", mean)), ("stddev", number_of("Normal: stddev", stddev))), _seed("Normal", seed))


def Uniform(low: float, high: float, seed: int | None = None) -> Initializer:
    return Initializer("uniform", (("low", number_of("Uniform: low", low)), ("high", number_of("Uniform: high", high))), _seed("Uniform", seed))
