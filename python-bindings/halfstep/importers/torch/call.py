"""An op of a graph of torch.export, as handlers read it: its operands as tensors, in the types that PyTorch promotes them to, and numbers that
follow from the size of the batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy

from halfstep import ops
from halfstep.graph.shapes import as_type as as_type, size_of
from halfstep.graph.tensor import Tensor
from halfstep.importers.images import Function, Handler as Handler, elementwise
from halfstep.importers.library import Node, torch
from halfstep.importers.model import Rows
from halfstep_runtime._arrays import DTypeName
from halfstep_runtime._errors import Error

if TYPE_CHECKING:
    import sympy

# What has no value of its own.
IGNORED = {"_assert_tensor_metadata", "_assert_scalar", "_assert_async", "sym_constrain_range_for_size"}
# What an argument may be: a tensor, one that is known, or a number.
Operand: TypeAlias = "Tensor | OpenZeros | OpenNumber | torch.Tensor | float"
Shape: TypeAlias = tuple[int | None, ...]


class Batch:
    """The batch: its rows, and torch.export's expression of their number."""

    def __init__(self, rows: Rows, size: sympy.Expr):
        self._rows, self._size = rows, size

    def filled(self, number: float, sizes: Sequence[Any], dtype: DTypeName) -> Tensor:
        """A number in each place of a shape, one of whose sizes is the batch's or a multiple of it."""
        places = [size for size in sizes if not isinstance(size, int)]
        share = places[0].node.expr / self._size if len(places) == 1 else None
        if share is None or not share.is_Integer or share < 1:
            raise Error(f"a tensor of {tuple(map(str, sizes))} has another open size than the batch's, {self._size}; give batched=False")
        return self._rows.filled(number, [size if isinstance(size, int) else None for size in sizes], dtype, int(share))

    def number(self, expr: sympy.Expr, dtype: DTypeName) -> Tensor:
        """An expression of its size."""
        count = self._rows.count
        found = _computed(expr, count if dtype == "float64" else ops.cast(count, dtype))
        return found if isinstance(found, Tensor) else ops.constant(found, dtype)


class OpenNumber:
    """A number of torch.export that follows from the size of the batch."""

    def __init__(self, value: Any, batch: Batch | None):
        self._expr, self._batch = value.node.expr, batch
        self.is_float = value.node.pytype is float

    @functools.cached_property
    def tensor(self) -> Tensor:
        if self._batch is None:
            raise Error(f"a number is {self._expr}, which is no size of the batch")
        return self._batch.number(self._expr, "float32") if self.is_float else ops.cast(self._batch.number(self._expr, "float64"), "int64")


# How functions of sympy and torch.export are computed of tensors of floats and numbers, by their names.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(["CleanDiv", "FloatTrueDiv", "IntTrueDiv"], lambda a, b: a / b),
    **dict.fromkeys(["Mod", "PythonMod"], lambda a, b: a - ops.floor(a / b) * b),
    **dict.fromkeys(["FloatPow", "Pow", "PowByNatural"], lambda a, b: a**b),
    "Add": lambda *given: functools.reduce(lambda a, b: a + b, given),
    "FloorDiv": lambda a, b: ops.floor(a / b),
    "Mul": lambda *given: functools.reduce(lambda a, b: a * b, given),
    "OpaqueUnaryFn_sqrt": lambda a: ops.sqrt(a),
    "ToFloat": lambda a: a,
}


def _computed(expr: sympy.Expr, count: Tensor) -> Any:
    """A tensor of the count's type, or a number, of an expression whose one symbol is the batch's size."""
    if expr.is_Symbol:
        return count
    if expr.is_number:
        return float(expr)
    name = type(expr).__name__
    if name not in _FUNCTIONS:
        raise Error(f"a number is {expr}, and {name} of the batch's size is not supported")
    return _FUNCTIONS[name](*(_computed(one, count) for one in expr.args))


class OpenZeros:
    """Zeros of as many rows as the batch has: the first state of recurrent layers need not be a tensor."""

    def __init__(self, shape: Shape, dtype: DTypeName, make: Callable[[], Tensor]):
        self.shape, self.dtype, self.tensor = shape, dtype, make


def type_name(dtype: object) -> DTypeName:
    """An element type of PyTorch as ours: "float32"."""
    return cast(DTypeName, str(dtype).removeprefix("torch."))


def tensor_of(value: Operand) -> Tensor:
    """An operand as a tensor, a number as one of float32."""
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
    tensors = [None if one is None else tensor_of(one) for one in values]
    types = {one.dtype for one in tensors if one is not None}
    if len(types) == 1:
        return tensors
    common = functools.reduce(torch.promote_types, (getattr(torch, one) for one in types))
    return [one if one is None else as_type(one, type_name(common)) for one in tensors]


def float_of(value: Operand) -> Tensor:
    x = tensor_of(value)
    return x if is_float(x) else ops.cast(x, "float32")


def sizes_of(value: Any) -> Shape:
    """The shape of a value of torch.export, in which None is open; none of what is no tensor."""
    return tuple(size if isinstance(size, int) else None for size in getattr(value, "shape", ()))


def name_of(target: Any) -> str:
    """An op's name in PyTorch; with its library's where that is the user's, whose ops may be called as PyTorch's are."""
    if not isinstance(target, torch._ops.OpOverload):
        return getattr(target, "__name__", str(target))
    library, _, name = target._schema.name.partition("::")
    return str(name if library in ("aten", "prims") else target._schema.name)


class Call:
    """An op of a graph with its arguments, by the names of the op's schema. An op in place, or with an `out`, is that which is not."""

    def __init__(self, node: Node, read: Callable[[Node], Any], batch: Batch | None = None):
        self.node = node
        self._batch = batch
        self._values = {one: read(one) for one in node.all_input_nodes}
        self.arguments, self.keywords = (torch.fx.node.map_arg(given, self._values.get) for given in (node.args, node.kwargs))
        self.assigned: dict[Node, Tensor] = {}  # nodes, of which handlers change the values
        self.named: dict[str, Any] = {}
        self.written: list[Node] = []  # the nodes of what it changes
        self.op = name_of(node.target)
        if not isinstance(node.target, torch._ops.OpOverload):
            return
        for i, argument in enumerate(node.target._schema.arguments):
            is_given = i < len(self.arguments)
            given = self.arguments[i] if is_given else self.keywords.get(argument.name, argument.default_value)
            if argument.alias_info is not None and argument.alias_info.is_write:
                self.written.append(node.args[i] if is_given else node.kwargs.get(argument.name))
            if argument.name != "out":
                self.named[argument.name] = given
        if self.written and self.op.startswith("__i"):
            self.op = "__" + self.op.removeprefix("__i")
        elif self.written and not self.op.endswith("__"):
            self.op = self.op.rstrip("_")

    @property
    def shape(self) -> Shape:
        """The result's."""
        return sizes_of(self.node.meta.get("val"))

    def filled(self, number: float) -> Tensor:
        """That number everywhere in the result's shape, which has the batch."""
        value = self.node.meta["val"]
        if self._batch is None:
            raise Error(f"a tensor of {tuple(map(str, value.shape))} follows from no size of the batch")
        return self._batch.filled(number, value.shape, type_name(value.dtype))

    @property
    def dtype(self) -> DTypeName:
        """The result's."""
        return type_name(self.node.meta["val"].dtype)

    def operands(self) -> list[Any]:
        """The arguments, of which those that are known tensors of PyTorch are ours; lists stay, and the first state of recurrent layers."""
        return [tensor_of(one) if name != "hx" and isinstance(one, (torch.Tensor, OpenZeros)) else one for name, one in self.named.items()]

    def typed(self, x: Tensor) -> Tensor:
        """An operand in the type that is asked for, if any is."""
        dtype = self.named.get("dtype")
        return x if dtype is None else as_type(x, type_name(dtype))

    def tensors(self) -> list[Any]:
        """The arguments that are tensors of the graph, in its order."""
        return [one for node, one in self._values.items() if "val" in node.meta and one is not None and not isinstance(one, OpenNumber)]

    def is_constant(self) -> bool:
        """Whether torch can compute it now."""
        target = self.node.target
        if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded in target.tags:
            return False
        return all(isinstance(one, (int, float, torch.Tensor)) for one in self._values.values()) and None not in self.shape

    def on_constants(self) -> Any:
        """What torch computes now. What is in place there changes a copy."""
        arguments, keywords = torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, (self.arguments, self.keywords)) if self.written else (
            self.arguments, self.keywords)
        return self.node.target(*arguments, **keywords)

    def only(self, name: str, *accepted: object) -> None:
        """Refuses values of an argument that the handler does not know; it need not be there."""
        if name in self.named and self.named[name] not in accepted:
            raise Error(f"{name}={self.named[name]!r} is not supported, only {', '.join(map(repr, accepted))}")

    def only_defaults(self, count: int) -> None:
        """Refuses arguments behind the first `count` that are not what they are where nobody says them."""
        for argument in self.node.target._schema.arguments[count:]:
            self.only(argument.name, argument.default_value)


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
