"""Operands of ATen's ops as tensors, in the types that PyTorch promotes them to."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy

from halfstep import ops
from halfstep.graph.shapes import as_type as as_type, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function, elementwise
from halfstep.importers.torch.sizes import OpenNumber
from halfstep_runtime._elements import DTypeName

if TYPE_CHECKING:
    import torch

    from halfstep.importers.torch.call import Call, Handler

# What an argument may be: a tensor, one that is known, or a number.
Operand: TypeAlias = "Tensor | OpenZeros | OpenNumber | torch.Tensor | float"
Shape: TypeAlias = tuple[int | None, ...]


class OpenZeros:
    """Zeros of as many rows as the batch has: the first state of recurrent layers need not be a tensor."""

    def __init__(self, shape: Shape, dtype: DTypeName, make: Callable[[], Tensor]):
        self.shape, self.dtype, self.tensor = shape, dtype, make


def type_name(dtype: object) -> DTypeName:
    """An element type of PyTorch as ours: "float32"."""
    return cast(DTypeName, str(dtype).removeprefix("torch."))


def tensor_of(value: Operand) -> Tensor:
    """An operand as a tensor, a number as one of float32."""
    import torch

    if isinstance(value, OpenZeros):
        return value.tensor()
    if isinstance(value, Tensor):
        return value
    if isinstance(value, torch.Tensor):
        return ops.constant(value.detach().cpu().numpy(), type_name(value.dtype))
    if isinstance(value, OpenNumber):
        return value.tensor
    return ops.constant(value, "float32")


def like(x: Tensor, value: Operand) -> Tensor:
    """An operand in the element type of a tensor."""
    return ops.constant(value, x.dtype) if isinstance(value, (bool, int, float)) else as_type(tensor_of(value), x.dtype)


def is_float(x: Tensor) -> bool:
    return "float" in x.dtype


def pair(a: Operand, b: Operand, *, floats: bool = False) -> list[Any]:
    """Two operands in one type: the one that PyTorch promotes them to. Numbers stay."""
    import torch

    tensors = [tensor_of(one) if isinstance(one, (Tensor, torch.Tensor, OpenZeros)) else None for one in (a, b)]
    types: list[DTypeName] = [one.dtype for one in tensors if one is not None]
    if len(set(types)) == 2:
        x, y = (getattr(torch, one) for one in types)
        # A number in a tensor does not widen the others.
        ranks = [len(one.shape) for one in tensors if one is not None]
        same_kind = x.is_floating_point == y.is_floating_point
        common = (x if ranks[0] else y) if same_kind and 0 in ranks and any(ranks) else torch.promote_types(x, y)
        types = [type_name(common)]
    dtype = types[0]
    if "float" not in dtype and (floats or any(isinstance(one, float) or isinstance(one, OpenNumber) and one.is_float for one in (a, b))):
        dtype = "float32"
    tensors = [one.tensor if isinstance(one, OpenNumber) else known for known, one in zip(tensors, (a, b))]
    return [as_type(one, dtype) if one is not None else number for one, number in zip(tensors, (a, b))]


def alike(*values: Operand) -> list[Any]:
    """Operands in the widest of their types, which changes no value: in a region of autocast a cast to a low type may be
    written of one of them alone. None stays None."""
    import torch

    tensors = [None if one is None else tensor_of(one) for one in values]
    types = {one.dtype for one in tensors if one is not None}
    if len(types) == 1:
        return tensors
    common = functools.reduce(torch.promote_types, (getattr(torch, one) for one in types))
    return [one if one is None else as_type(one, type_name(common)) for one in tensors]


def float_of(value: Operand) -> Tensor:
    x = tensor_of(value)
    return x if is_float(x) else ops.cast(x, "float32")


def unary(function: Function) -> Handler:
    """Of floats; of integers what PyTorch has of them, which of most functions are float32, too."""
    def handle(call: Call, x: Tensor, *_: object) -> Tensor:
        call.only_defaults(1)
        return elementwise(function, x if call.dtype == x.dtype else float_of(x))

    return handle


def binary(function: Function) -> Handler:
    def handle(call: Call, a: Operand, b: Operand, *_: object) -> Tensor:
        call.only_defaults(2)
        return elementwise(function, *pair(a, b))

    return handle


def together(function: Function, count: int = 4) -> Handler:
    """Of operands in one type, so many at most, and settings behind them."""
    return lambda call, *given: function(*alike(*given[:count]), *given[count:])


def filled(given: Tensor | None, number: float, like: Tensor, dimension: int = -1) -> Tensor:
    """A weight; where there is none, one of that number for each channel, which are in that dimension."""
    return given if given is not None else ops.constant(numpy.full(size_of(like, dimension, "the number of channels is open"), number), like.dtype)
