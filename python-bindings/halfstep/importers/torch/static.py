"""Graphs of torch.export for one size of the batch."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfstep.importers.torch.call import IGNORED, name_of

if TYPE_CHECKING:
    import torch
    from torch.fx import GraphModule, Node


def set_sizes(module: GraphModule, shapes: Sequence[Sequence[int | None]], are_inputs: Sequence[bool]) -> None:
    """Gives the inputs of a graph these shapes, and all values of it those that follow, so that no size is open."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    given = iter(shapes)
    with FakeTensorMode(), torch.no_grad():
        memories: dict[object, torch.Tensor] = {}  # of what is given twice
        values = []
        for node, is_input in zip([one for one in module.graph.nodes if one.op == "placeholder"], are_inputs, strict=True):
            value = node.meta["val"]
            shape = next(given) if is_input else value.shape
            own = torch.empty([size or 0 for size in shape], dtype=value.dtype)
            values.append(own if is_input else memories.setdefault(value.untyped_storage()._cdata, own))
        _run_with_sizes(module, values)


def _run_with_sizes(module: GraphModule, values: Sequence[Any]) -> Any:
    import torch

    class Sizes(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, node: Node) -> Any:
            result = node.meta["val"] = super().run_node(node)
            return result

        def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if name_of(target) in IGNORED:
                return None
            args = tuple(functools.partial(_of_region, one) if isinstance(one, torch.fx.GraphModule) else one for one in args)
            return super().call_function(target, args, kwargs)

    def _of_region(inner: GraphModule, *operands: Any) -> Any:
        return _run_with_sizes(inner, operands)

    return Sizes(module).run(*values)
