"""Graphs of torch.export for one size of the batch."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from halfstep.importers.torch.call import IGNORED, name_of

if TYPE_CHECKING:
    import torch
    from torch.fx import GraphModule, Node


_ONE_AT_A_TIME = threading.RLock()  # copies of a model share its graph


@contextlib.contextmanager
def with_sizes(module: GraphModule, shapes: Sequence[Sequence[int | None]], are_inputs: Sequence[bool]) -> Iterator[None]:
    """Gives the inputs of a graph these shapes, and all values of it those that follow, so that no size is open."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    given = iter(shapes)
    with _ONE_AT_A_TIME:
        with FakeTensorMode(), torch.no_grad():
            memories: dict[object, torch.Tensor] = {}  # of what may be given twice, in parts
            values = []
            for node, is_input in zip([one for one in module.graph.nodes if one.op == "placeholder"], are_inputs, strict=True):
                value = node.meta["val"]
                if is_input:
                    values.append(torch.empty([size or 0 for size in next(given)], dtype=value.dtype))
                    continue
                storage = value.untyped_storage()
                if (memory := memories.get((storage._cdata, value.dtype))) is None:
                    memory = memories[storage._cdata, value.dtype] = torch.empty(storage.nbytes() // value.itemsize, dtype=value.dtype)
                values.append(torch.as_strided(memory, value.shape, value.stride(), value.storage_offset()))
            _run_with_sizes(module, *values)
        yield


def _run_with_sizes(module: GraphModule, *values: Any) -> Any:
    import torch

    class Sizes(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, node: Node) -> Any:
            result = node.meta["val"] = super().run_node(node)
            return result

        def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if name_of(target) in IGNORED:
                return None
            args = tuple(functools.partial(_run_with_sizes, one) if isinstance(one, torch.fx.GraphModule) else one for one in args)
            return super().call_function(target, args, kwargs)

    return Sizes(module).run(*values)
