"""A node of ONNX, and what the rules of all kinds read of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias, cast

import numpy

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Handler as Handler, leaf_tensor
from halfstep.importers.library import onnx
from halfstep.importers.model import Rows
from halfstep.importers.onnx.known import Open
from halfstep.layers.leaves import Leaf
from halfstep_runtime import _errors
from halfstep_runtime._arrays import DTYPES, DTypeName
from halfstep_runtime._errors import Error, begin

# What an input is when its op is imported: a tensor, or what the file holds of it; None where it is left out.
Operand: TypeAlias = "Tensor | Leaf | Open | numpy.ndarray[Any, Any] | float | None"


class Node:
    """A node, with what its handler reads of it."""

    # While the model is made: the rows of the batch, and how many times as many each input has where it is open.
    rows: Rows | None = None
    shares: Sequence[Fraction | None] = ()

    def __init__(self, proto: Any, opset: int):
        self.proto, self.opset = proto, opset
        self.op = proto.op_type if proto.domain in ("", "ai.onnx") else f"{proto.domain}.{proto.op_type}"
        self.name = proto.name or f"{proto.op_type} of {next(filter(None, proto.output), 'nothing')}"
        self.inputs: list[str] = list(proto.input)
        self.outputs: list[str] = list(proto.output)
        self.attributes: dict[str, Any] = {one.name: onnx.helper.get_attribute_value(one) for one in proto.attribute}
        self.branches: dict[str, list[Node]] = {name: [Node(one, opset) for one in graph.node] for name, graph in self.attributes.items()
                                                if name in ("then_branch", "else_branch")}

    def __str__(self) -> str:
        return f"node '{self.name}' ({self.op})"

    def refuse(self, why: str) -> NoReturn:
        raise begin(Error(why), str(self))

    def get(self, name: str, otherwise: Any = None) -> Any:
        value = self.attributes.get(name, otherwise)
        return value.decode() if isinstance(value, bytes) else value

    def operands(self, values: list[Any]) -> list[Any]:
        """The inputs as handlers take them: tensors, but for those that they need as numbers, which stay as they are."""
        return [one if one is None or i in NUMBERS.get(self.op, ()) else self._of_open(one) if isinstance(one, Open) else tensor(one)
                for i, one in enumerate(values)]

    def _of_open(self, value: Open) -> Tensor:
        """Numbers that follow from the size of the batch as a tensor."""
        first = value.values[0]
        if first.dtype.kind not in "fiu" or first.size != 1 or self.rows is None:
            self.refuse("an input follows from the size of the batch, and is no number")
        if (affine := value.affine()) is None:
            self.refuse("an input follows from the size of the batch, and is no multiple of it")
        times, added = (float(one.reshape(())) for one in affine)
        return ops.reshape(ops.cast(self.rows.count * times + added, cast(DTypeName, first.dtype.name)), first.shape)

    def filled(self, number: float, shape: Sequence[int | None], dtype: DTypeName, sizes: Open) -> Tensor:
        """A number in each place of a shape, whose one open size is as many times the batch's as one of `sizes` is."""
        shares = [one for one in sizes.shares() or [] if one]
        if self.rows is None or list(shape).count(None) != 1 or len(shares) != 1:
            self.refuse(f"a shape of {list(shape)} has another open size than the batch's")
        return self.rows.filled(number, shape, dtype, shares[0])

    def only(self, name: str, *accepted: Any) -> Any:
        """Refuses values of an attribute that the handler does not know."""
        value = self.get(name, accepted[0])
        if value not in accepted:
            self.refuse(f"{name}={value!r} is not supported, only {', '.join(map(repr, accepted))}")
        return value


# The inputs that handlers need as constants: what is one of these is no parameter, whatever its type.
CONSTANTS: dict[str, tuple[int, ...]] = {"Clip": (1, 2), "Dropout": (1,), "OneHot": (1, 2), "Pad": (2,), "Resize": (1, 2)}
# With those that are whole numbers, or whose handlers do something else where they are known.
NUMBERS: dict[str, tuple[int, ...]] = {
    **CONSTANTS,
    **dict.fromkeys(["ConstantOfShape", "If"], (0,)), "Range": (0, 1, 2), "Resize": (1, 2, 3),
    **dict.fromkeys(["CumSum", "Expand", "Gather", "Pow", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                     "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Reshape", "Split", "Squeeze", "Tile", "TopK", "Unsqueeze"], (1,)),
    **dict.fromkeys(["GRU", "LSTM", "RNN"], (4, 5, 6)), "Dropout": (1, 2), "Pad": (1, 2, 3), "Slice": (1, 2, 3, 4), "Trilu": (1,),
}


def known(node: Node, value: Operand, what: str) -> numpy.ndarray[Any, Any]:
    """What has to be known when the model is made."""
    if isinstance(value, Open):
        node.refuse(f"the open size of the batch decides its {what}: give constants")
    if isinstance(value, (Tensor, Leaf)):
        node.refuse(f"an input of the model decides its {what}: give constants")
    return numpy.asarray(value)


def sizes(node: Node, value: Operand, what: str = "sizes") -> list[int | None]:
    """A shape, in which None is open."""
    if not isinstance(value, Open):
        return list(numbers(node, value, what))
    if (shares := value.shares()) is None:
        node.refuse(f"its {what} follow from the size of the batch, and are no multiple of it")
    return [None if share else int(size) for share, size in zip(shares, value.values[0].reshape(-1))]


def numbers(node: Node, value: Operand, what: str) -> list[int]:
    """Shapes, axes, counts."""
    values = known(node, value, what).reshape(-1)
    if not (values == numpy.floor(values)).all():
        node.refuse(f"its {what} {values.tolist()} are no whole numbers")
    return [int(one) for one in values]


def number(node: Node, value: Operand, what: str) -> float:
    """A number, alone or in a tensor."""
    values = known(node, value, what)
    if values.size != 1:
        node.refuse(f"its {what} are of shape {values.shape}, expected one number")
    return float(values.reshape(()))


def tensor(value: Operand) -> Tensor:
    """A tensor, that of a parameter or a state, or that of a constant, of its own type."""
    if isinstance(value, Leaf):
        return leaf_tensor(value)
    if isinstance(value, Tensor):
        return value
    array = numpy.asarray(value)
    return ops.constant(array, array.dtype)


def dtype_of(node: Node, name: str, otherwise: int | None = None) -> DTypeName:
    """An attribute that is an element type."""
    dtype = cast(DTypeName, onnx.helper.tensor_dtype_to_np_dtype(node.get(name, otherwise)).name)
    if dtype not in DTYPES.values():
        node.refuse(f"elements of {dtype} are not supported")
    return dtype


def axis_of(node: Node, x: Tensor, otherwise: int = -1) -> int:
    return _errors.axis("axis", node.get("axis", otherwise), len(x.shape))


def axes_of(node: Node, value: Operand, rank: int) -> list[int]:
    """Several dimensions of `rank`, in the order in which an input has them."""
    axes = numbers(node, value, "axes")
    _errors.axes("axes", axes, rank)  # none is there twice
    return [one % rank for one in axes]
