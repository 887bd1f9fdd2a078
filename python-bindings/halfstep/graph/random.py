"""Random numbers of models: functions of the seed, of the step, of the op and of the place of an element, on every device the same."""

from __future__ import annotations

import math
from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import autocast, current, operand, type_of
from halfstep.graph.shapes import alike, as_type, cast
from halfstep.hints.types import DType, OpenSizes, Operand, Tensor
from halfstep_runtime._errors import Error, several


# Bits of the significand, and the exponent of the least number.
_FORMATS: dict[Any, tuple[int, int]] = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}


def _below(number: float, dtype: DType) -> float:
    """The largest number of a float type that is below one."""
    bits, least = _FORMATS[dtype]
    share, exponent = math.frexp(number)
    step = 2.0 ** (max(exponent - bits - (share == 0.5), least) if number else least)
    return (math.ceil(number / step) - 1) * step


def _uniform(name: str, shape: OpenSizes, like: Tensor | None) -> Tensor:
    if (shape is None) == (like is None):
        raise Error(f"{name}: a shape or a tensor that it is like has to be given, and not both")
    sizes = several(f"{name}: shape", shape if like is None else like.shape)
    return generated.random_uniform(*current().random(), like, result=type_of(sizes, "float32"))


def random_uniform(shape: OpenSizes = None, *, like: Tensor | None = None, low: float = 0.0, high: float = 1.0, dtype: DType = "float32") -> Tensor:
    """Random numbers from `low` to below `high`, in a shape or in that of a tensor, in evaluation and prediction, too: others in each step and
    in each batch. Of 24 bits, or as many as a low `dtype` has, as torch.rand draws them."""
    with autocast(enabled=False):
        drawn = _uniform("random_uniform", shape, like)
        if dtype in ("float16", "bfloat16"):
            places = 2.0 ** _FORMATS[dtype][0]
            drawn = generated.floor(drawn * places) * (1 / places)
        if (low, high) == (0, 1):
            return as_type(drawn, dtype)
        found = as_type(drawn * (high - low) + low, dtype)
        return generated.min(found, _below(high, dtype)) if low < high and dtype in _FORMATS else found


def random_normal(shape: OpenSizes = None, *, like: Tensor | None = None, mean: float = 0.0, std: float = 1.0, dtype: DType = "float32") -> Tensor:
    """Random numbers of a normal distribution, in a shape or in that of a tensor, in evaluation and prediction, too: others in each step and
    in each batch. None is farther from the mean than 5.8 times the deviation (Box and Muller 1958, of two numbers of 24 bits)."""
    with autocast(enabled=False):
        # From 2^-24 to 1, whose logarithm is finite.
        radius = generated.sqrt(-2.0 * generated.log(1.0 - _uniform("random_normal", shape, like)))
        found = radius * generated.cos(_uniform("random_normal", shape, like) * (2 * math.pi))
        return as_type(found if (mean, std) == (0, 1) else found * std + mean, dtype)


def random_bernoulli(probability: Operand) -> Tensor:
    """1 with the probability that each element is, else 0, in its type: in evaluation and prediction, too, and others in each step and in each
    batch. It has no gradient."""
    chance = operand(probability)
    with autocast(enabled=False):
        drawn, bound = alike(_uniform("random_bernoulli", None, chance), chance)
        return cast(generated.compare("lt", drawn, bound), chance.dtype)
