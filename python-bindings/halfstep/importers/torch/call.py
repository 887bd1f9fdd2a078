"""An op of a graph of torch.export, as handlers read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.operands import OpenZeros, Shape, as_type, tensor_of, type_name
from halfstep.importers.torch.sizes import Batch, OpenNumber
from halfstep_runtime._elements import DTypeName
from halfstep_runtime._errors import Error

if TYPE_CHECKING:
    from torch.fx import Node

# What has no value of its own.
IGNORED = {"_assert_tensor_metadata", "_assert_scalar", "_assert_async", "sym_constrain_range_for_size"}
# A rule of an op: of the call and its arguments, a tensor or several.
Handler: TypeAlias = Callable[..., Any]


def sizes_of(value: Any) -> Shape:
    """The shape of a value of torch.export, in which None is open; none of what is no tensor."""
    return tuple(size if isinstance(size, int) else None for size in getattr(value, "shape", ()))


def name_of(target: Any) -> str:
    """An op's name in PyTorch; with its library's where that is the user's, whose ops may be called as PyTorch's are."""
    import torch

    if not isinstance(target, torch._ops.OpOverload):
        return getattr(target, "__name__", str(target))
    library, _, name = target._schema.name.partition("::")
    return str(name if library in ("aten", "prims") else target._schema.name)


class Call:
    """An op of a graph with its arguments, by the names of the op's schema. An op in place, or with an `out`, is that which is not."""

    def __init__(self, node: Node, read: Callable[[Node], Any], batch: Batch | None = None):
        import torch
        from torch.fx.node import map_arg

        self.node = node
        self._batch = batch
        self._values = {one: read(one) for one in node.all_input_nodes}
        self.arguments, self.keywords = (map_arg(given, self._values.get) for given in (node.args, node.kwargs))
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
        import torch

        return [tensor_of(one) if name != "hx" and isinstance(one, (torch.Tensor, OpenZeros)) else one for name, one in self.named.items()]

    def typed(self, x: Tensor) -> Tensor:
        """An operand in the type that is asked for, if any is."""
        dtype = self.named.get("dtype")
        return x if dtype is None else as_type(x, type_name(dtype))

    def tensors(self) -> list[Any]:
        """The arguments that are tensors of the graph, in its order."""
        return [one for node, one in self._values.items() if "val" in node.meta and not isinstance(one, OpenNumber)]

    def is_constant(self) -> bool:
        """Whether torch can compute it now."""
        import torch

        target = self.node.target
        if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded in target.tags:
            return False
        return all(isinstance(one, (int, float, torch.Tensor)) for one in self._values.values()) and None not in self.shape

    def on_constants(self) -> Any:
        """What torch computes now. What is in place there changes a copy."""
        import torch
        from torch.utils import _pytree

        arguments, keywords = _pytree.tree_map_only(torch.Tensor, torch.clone, (self.arguments, self.keywords)) if self.written else (
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
