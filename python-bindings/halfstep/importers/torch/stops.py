"""Where PyTorch stops gradients, by torch.no_grad and detach, in graphs of torch.export."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from halfstep.importers.library import GraphModule, Node
from halfstep.importers.torch.call import name_of

# Regions by their ops: where their graph is among the arguments; before it is whether gradients are on, or what autocast is.
REGIONS = {"wrap_with_set_grad_enabled": 1, "wrap_with_autocast": 4}


@dataclasses.dataclass(frozen=True)
class _Flow:
    """The parameters that PyTorch gives gradients through a value, and the nodes that stop those of others."""

    reaches: frozenset[str] = frozenset()
    stops: frozenset[Node] = frozenset()

    def __or__(self, other: _Flow) -> _Flow:
        return _Flow(self.reaches | other.reaches, self.stops | other.stops)


_NONE = _Flow()


class Stops:
    """Of a graph of which each placeholder is a parameter that trains, by its name, or None: `frozen` are the parameters that get no gradient,
    `needed` the nodes that stop one of a parameter that gets another."""

    def __init__(self, module: GraphModule, parameters: Sequence[str | None]):
        self._stopped: dict[Node, frozenset[str]] = {}
        flows = [_NONE if name is None else _Flow(frozenset([name])) for name in parameters]
        outputs, _ = self._run(module, flows, True)
        result = _union(outputs)
        self.frozen = frozenset[str]().union(*self._stopped.values()) - result.reaches
        self.needed = frozenset(node for node, names in self._stopped.items() if node in result.stops and names - self.frozen)

    def _run(self, module: GraphModule, inputs: Iterable[_Flow], enabled: bool) -> tuple[list[_Flow], list[_Flow]]:
        """Flows of the outputs, and what is written in place to the inputs."""
        flows: dict[Node, Any] = {}  # of several results a list
        roots: dict[Node, Node] = {}  # of what is a view, what it is one of
        written: dict[Node | None, _Flow] = {}  # to those
        given = iter(inputs)
        placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]

        def read(node: Node) -> _Flow:
            return _union(flows.get(node, _NONE)) | written.get(roots.get(node), _NONE)

        for node in module.graph.nodes:
            roots[node] = node
            if node.op == "placeholder":
                flows[node] = next(given)
            elif node.op == "output":
                return [read(one) for one in node.args[0]], [written.get(one, _NONE) for one in placeholders]
            elif node.op == "call_function" and _name_of(node) in REGIONS:
                inner, *operands = node.args[REGIONS[_name_of(node)] :]
                is_on = node.args[0] if _name_of(node) == "wrap_with_set_grad_enabled" else enabled
                flows[node], changes = self._run(getattr(module, inner.target), [read(one) for one in operands], is_on)
                for one, change in zip(operands, changes):
                    written[roots[one]] = written.get(roots[one], _NONE) | change
            elif node.op == "call_function":
                is_part = node.target is operator.getitem
                several = flows.get(node.args[0]) if is_part else None
                flows[node] = several[node.args[1]] if isinstance(several, list) else self._through(node, read, enabled)
                is_view, is_written = _aliases(node)
                if is_view or is_part:
                    roots[node] = roots[node.args[0]]
                if is_written:  # its history stays that of before, too
                    flows[node] |= read(node.args[0])
                    written[roots[node]] = written.get(roots[node], _NONE) | flows[node]
        return [], []

    def _through(self, node: Node, read: Callable[[Node], _Flow], enabled: bool) -> _Flow:
        if not _has_gradient(node.meta.get("val")):
            return _NONE
        given = _union([read(one) for one in node.all_input_nodes])
        if enabled and _name_of(node) != "detach" or not given.reaches:
            return given
        self._stopped[node] = given.reaches
        return _Flow(frozenset(), given.stops | {node})


def _union(flows: _Flow | list[_Flow]) -> _Flow:
    result = _NONE
    for one in flows if isinstance(flows, list) else [flows]:
        result |= one
    return result


def _name_of(node: Node) -> str:
    return name_of(node.target).rstrip("_")


def _has_gradient(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_gradient, value))
    return hasattr(value, "dtype") and (value.dtype.is_floating_point or value.dtype.is_complex)


def _aliases(node: Node) -> tuple[bool, bool]:
    """Whether a result is a view of the first argument, and whether that is written to."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.arguments or not hasattr(node.args[0] if node.args else None, "op"):
        return False, False
    first = schema.arguments[0].alias_info
    return any(one.alias_info is not None for one in schema.returns), first is not None and first.is_write
