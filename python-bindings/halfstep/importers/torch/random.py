"""ATen's ops that draw random numbers, in ours: of the same distributions, from a generator of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler, Operand, as_type, tensor_of
from halfstep_runtime._errors import Error


def _drawn(function: Callable[..., Tensor], call: Call, **settings: Any) -> Tensor:
    """Numbers of a distribution in the shape of the result."""
    shape = {"like": call.filled(0)} if None in call.shape else {"shape": call.shape}
    return function(**shape, **settings)


def _uniform(call: Call, x: Any = None, low: float = 0.0, high: float = 1.0, *_: object) -> Tensor:
    """uniform_, of a tensor whose elements it does not read."""
    return _drawn(ops.random_uniform, call, low=low, high=high, dtype=call.dtype)


def _normal(call: Call, *_: object) -> Tensor:
    """Of numbers, or of a mean and a deviation for each element; in place of a tensor whose elements are not read."""
    mean, std = (one if isinstance(one, (int, float)) else as_type(tensor_of(one), "float32") for one in (call.named["mean"], call.named["std"]))
    return as_type(_drawn(ops.random_normal, call) * std + mean, call.dtype)


def _bernoulli(call: Call, x: Operand, p: Any = None, *_: object) -> Tensor:
    """By a probability for each element, or of one for all."""
    if p is None:
        return ops.random_bernoulli(tensor_of(x))
    chance = p if isinstance(p, (int, float)) else as_type(tensor_of(p), "float32")
    return as_type(_drawn(ops.random_uniform, call) < chance, call.dtype)


def _integers(call: Call, *_: object) -> Tensor:
    """From `low` to below `high`, each as likely as the others within 2^-24 of all."""
    low, high = call.named.get("low", 0), call.named["high"]
    if not (isinstance(low, int) and isinstance(high, int)) or not 0 < high - low <= 2**24:
        raise Error(f"numbers from {low} to below {high}, expected known ones, at least one and at most 2^24")
    whole = ops.floor(_drawn(ops.random_uniform, call) * float(high - low))
    return as_type(ops.cast(whole, "int64") + low, call.dtype)


RANDOM: dict[str, Handler] = {
    "bernoulli": _bernoulli,
    "normal": _normal,
    "normal_functional": _normal,
    **dict.fromkeys(["rand", "rand_like"], lambda call, *_: _uniform(call)),
    **dict.fromkeys(["randint", "randint_like"], _integers),
    **dict.fromkeys(["randn", "randn_like"], lambda call, *_: as_type(_drawn(ops.random_normal, call), call.dtype)),
    "uniform": _uniform,
}
