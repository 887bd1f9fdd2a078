"""A node of ONNX, and what the rules of all kinds read of its inputs."""

from __future__ import annotations

from typing import NoReturn

import numpy

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import leaf_tensor
from halfstep.layers.leaves import Leaf
from halfstep_runtime import _errors
from halfstep_runtime._elements import DTYPES
from halfstep_runtime._errors import Error


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


# The inputs that handlers need as constants: what is one of these is no parameter, whatever its type.
CONSTANTS: dict[str, tuple[int, ...]] = {"Clip": (1, 2), "Dropout": (1,), "OneHot": (1, 2), "Pad": (2,)}


def known(node: Node, value, what: str) -> numpy.ndarray:
    """What has to be known when the model is made."""
    if isinstance(value, (Tensor, Leaf)):
        node.refuse(f"its {what} depend on inputs")
    return numpy.asarray(value)


def numbers(node: Node, value, what: str) -> list[int]:
    """Shapes, axes, counts."""
    values = known(node, value, what).reshape(-1)
    if not (values == numpy.floor(values)).all():
        node.refuse(f"its {what} {values.tolist()} are no whole numbers")
    return [int(one) for one in values]


def number(node: Node, value, what: str) -> float:
    """A number, alone or in a tensor."""
    values = known(node, value, what)
    if values.size != 1:
        node.refuse(f"its {what} are of shape {values.shape}, expected one number")
    return float(values.reshape(()))


def tensor(value) -> Tensor:
    """A tensor, that of a parameter or a state, or that of a constant, of its own type."""
    if isinstance(value, Leaf):
        return leaf_tensor(value)
    if isinstance(value, Tensor):
        return value
    array = numpy.asarray(value)
    return ops.constant(array, array.dtype)


def dtype_of(node, name: str, otherwise=None) -> str:
    """An attribute that is an element type."""
    from onnx import helper

    dtype = helper.tensor_dtype_to_np_dtype(node.get(name, otherwise)).name
    if dtype not in DTYPES.values():
        node.refuse(f"elements of {dtype} are not supported")
    return dtype


def axis_of(node, x, otherwise=-1) -> int:
    return _errors.axis(str(node), node.get("axis", otherwise), len(x.shape))


def axes_of(node, value, rank: int) -> list[int]:
    """Several dimensions of `rank`, in the order in which an input has them."""
    axes = numbers(node, value, "axes")
    _errors.axes(str(node), axes, rank)  # none is there twice
    return [one % rank for one in axes]
