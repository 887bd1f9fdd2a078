"""Which parameters of a graph of torch.export are filters of convolutions alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from halfstep.importers.torch.call import name_of
from halfstep.importers.torch.stops import REGIONS

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

_CONVOLUTIONS = {f"{kind}{rank}d" for kind in ("conv", "conv_transpose") for rank in (1, 2, 3)}


def filters_of(module: GraphModule, owners: Mapping[Node, str]) -> set[str]:
    """The parameters that convolutions read as filters and nothing else reads; `owners` has their names by the nodes that they are."""
    filters: set[str] = set()
    others: set[str] = set()
    _read(module, owners, filters, others)
    return filters - others


def _read(module: GraphModule, owners: Mapping[Node, str], filters: set[str], others: set[str]) -> None:
    for node in module.graph.nodes:
        if (op := name_of(node.target)) in REGIONS:
            inner, *operands = node.args[REGIONS[op] :]
            graph = getattr(module, inner.target)
            inside = [one for one in graph.graph.nodes if one.op == "placeholder"]
            _read(graph, {one: owners[given] for one, given in zip(inside, operands, strict=True) if given in owners}, filters, others)
            continue
        for one in node.all_input_nodes:
            if one in owners:
                is_filter = op in _CONVOLUTIONS and node.args[1] is one and sum(other is one for other in node.args) == 1
                (filters if is_filter else others).add(owners[one])
