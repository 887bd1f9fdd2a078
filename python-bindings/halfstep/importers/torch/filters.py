"""Which parameters of a graph of torch.export are filters of convolutions alone."""

from __future__ import annotations

_CONVOLUTIONS = {f"{kind}{rank}d" for kind in ("conv", "conv_transpose") for rank in (1, 2, 3)}


def filters_of(module, owners) -> set[str]:
    """The parameters that convolutions read as filters and nothing else reads; `owners` has their names by the nodes that they are."""
    filters: set[str] = set()
    others: set[str] = set()
    _read(module, owners, filters, others)
    return filters - others


def _read(module, owners, filters: set[str], others: set[str]) -> None:
    for node in module.graph.nodes:
        inner = next((i for i, one in enumerate(node.args) if getattr(one, "op", "") == "get_attr" and hasattr(getattr(module, one.target, None), "graph")), None)
        if inner is not None:  # a region, of which what follows are the operands
            graph = getattr(module, node.args[inner].target)
            inside = [one for one in graph.graph.nodes if one.op == "placeholder"]
            operands = node.args[inner + 1 :]
            _read(graph, {one: owners[given] for one, given in zip(inside, operands, strict=True) if given in owners}, filters, others)
            continue
        schema = getattr(node.target, "_schema", None)
        is_convolution = schema is not None and schema.name.partition("::")[2] in _CONVOLUTIONS
        for one in node.all_input_nodes:
            if one in owners:
                is_filter = is_convolution and node.args[1] is one and sum(other is one for other in node.args) == 1
                (filters if is_filter else others).add(owners[one])
