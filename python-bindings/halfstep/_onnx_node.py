"""A node of ONNX, and what the rules of all kinds read of its inputs."""

from __future__ import annotations

from typing import NoReturn

import numpy

from halfstep import _errors, nn, ops
from halfstep._errors import Error
from halfstep._graph import Tensor


class Node:
    """A node, with what its handler reads of it."""

    def __init__(self, proto):
        from onnx import helper

        self.op = proto.op_type if proto.domain in ("", "ai.onnx") else f"{proto.domain}.{proto.op_type}"
        self.name = proto.name or f"{proto.op_type} of {next(filter(None, proto.output), 'nothing')}"
        self.inputs = list(proto.input)
        self.outputs = list(proto.output)
        self.attributes = {one.name: helper.get_attribute_value(one) for one in proto.attribute}

    def __str__(self):
        return f"node '{self.name}' ({self.op})"

    def refuse(self, why: str) -> NoReturn:
        raise Error(f"{self}: {why}")

    def get(self, name: str, otherwise=None):
        value = self.attributes.get(name, otherwise)
        return value.decode() if isinstance(value, bytes) else value

    def only(self, name: str, *accepted):
        """Refuses values of an attribute that the handler does not know."""
        value = self.get(name, accepted[0])
        if value not in accepted:
            self.refuse(f"{name}={value!r} is not supported, only {', '.join(map(repr, accepted))}")
        return value


def numbers(node: Node, value, what: str) -> list[int]:
    """What has to be known when the model is made: shapes, axes."""
    if isinstance(value, (Tensor, nn.Parameter)):
        node.refuse(f"its {what} depend on inputs")
    return [int(one) for one in numpy.asarray(value).reshape(-1)]


def tensor(value, like=None):
    """A tensor of a constant, of its own type."""
    if isinstance(value, (Tensor, nn.Parameter)):
        return value
    array = numpy.asarray(value)
    return ops.constant(array, array.dtype)


def axis_of(node, x, otherwise=-1) -> int:
    return _errors.axis(str(node), node.get("axis", otherwise), len(x.shape))


def axes_of(node, value, rank: int) -> list[int]:
    """Several dimensions of `rank`, in the order in which an input has them."""
    axes = numbers(node, value, "axes")
    _errors.axes(str(node), axes, rank)  # none is there twice
    return [one % rank for one in axes]
