"""Operands of ATen's ops as tensors, in the types that PyTorch promotes them to."""

from __future__ import annotations

import functools

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import elementwise
from halfstep_runtime._errors import Error


class OpenZeros:
    """Zeros of as many rows as the batch has: the first state of recurrent layers need not be a tensor."""

    def __init__(self, shape, dtype: str, rows: Tensor | None):
        self.shape, self.dtype, self.rows = shape, dtype, rows

    def tensor(self) -> Tensor:
        return repeated(0, self.shape, self.dtype, self.rows)


def repeated(number, shape, dtype: str, rows: Tensor | None) -> Tensor:
    """A number for each row of a batch, that of `rows`."""
    import numpy

    if rows is None or shape[:1] != (None,) or None in shape[1:]:
        raise Error("a tensor whose rows are not those of the batch is only the first state of recurrent layers; write zeros_like")
    first = ops.broadcast(ops.constant(0, "int64"), like=rows[(slice(None), *[0] * (len(rows.shape) - 1))])
    return ops.gather(ops.constant(numpy.full((1, *shape[1:]), number), dtype), first, 0)


def tensor_of(value) -> Tensor:
    import torch

    if isinstance(value, OpenZeros):
        return value.tensor()
    if isinstance(value, Tensor):
        return value
    if isinstance(value, torch.Tensor):
        return ops.constant(value.detach().cpu().numpy(), str(value.dtype).removeprefix("torch."))
    if value is None:
        raise Error("a number depends on the size of the batch")
    return ops.constant(value, "float32")


def is_float(x: Tensor) -> bool:
    return "float" in x.dtype


def pair(a, b, *, floats=False):
    """Two operands in one type: the one that PyTorch promotes them to."""
    import torch

    if a is None or b is None:
        raise Error("a number depends on the size of the batch")
    tensors = [tensor_of(one) if isinstance(one, (Tensor, torch.Tensor, OpenZeros)) else None for one in (a, b)]
    types = [one.dtype for one in tensors if one is not None]
    if len(set(types)) == 2:
        x, y = (getattr(torch, one) for one in types)
        # A number in a tensor does not widen the others.
        ranks = [len(one.shape) for one in tensors if one is not None]
        same_kind = x.is_floating_point == y.is_floating_point
        common = (x if ranks[0] else y) if same_kind and 0 in ranks and any(ranks) else torch.promote_types(x, y)
        types = [str(common).removeprefix("torch.")]
    dtype = types[0]
    if "float" not in dtype and (floats or any(isinstance(one, float) for one in (a, b))):
        dtype = "float32"
    return [as_type(one, dtype) if one is not None else number for one, number in zip(tensors, (a, b))]


def alike(*values):
    """Operands in the widest of their types, which changes no value: in a region of autocast a cast to a low type may be
    written of one of them alone. None stays None."""
    import torch

    tensors = [None if one is None else tensor_of(one) for one in values]
    types = {one.dtype for one in tensors if one is not None}
    if len(types) == 1:
        return tensors
    common = functools.reduce(torch.promote_types, (getattr(torch, one) for one in types))
    return [one if one is None else as_type(one, str(common).removeprefix("torch.")) for one in tensors]


def as_type(x: Tensor, dtype: str) -> Tensor:
    return x if x.dtype == dtype else ops.cast(x, dtype)


def float_of(value) -> Tensor:
    x = tensor_of(value)
    return x if is_float(x) else ops.cast(x, "float32")


def unary(function):
    def handle(call, x, *_):
        call.only_defaults(1)
        return elementwise(function, float_of(x))

    return handle


def binary(function, *, floats=False):
    def handle(call, a, b, *_):
        call.only_defaults(2)
        return elementwise(function, *pair(a, b, floats=floats))

    return handle


def filled(value, like):
    import numpy

    return ops.constant(numpy.full(like.shape[-1:], value), like.dtype)
