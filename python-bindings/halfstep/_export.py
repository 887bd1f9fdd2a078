"""Runs graphs of torch.export on symbolic tensors."""

from __future__ import annotations

import functools
import os
import re

from halfstep import _aten, _graph, nn
from halfstep._errors import Error
from halfstep._graph import Tensor
from halfstep._images import leaf_tensor
from halfstep._leaves import Leaf
from halfstep._operands import tensor_of

# What has no value of its own.
IGNORED = {"_assert_tensor_metadata", "_assert_scalar", "_assert_async", "sym_constrain_range_for_size"}


def sizes_of(value) -> tuple[int | None, ...]:
    """The shape of a value of torch.export, in which None is open."""
    return tuple(size if isinstance(size, int) else None for size in value.shape)


class Call:
    """An op of a graph with its arguments, by the names of the op's schema."""

    def __init__(self, node, read):
        import torch
        from torch.fx.node import map_arg

        self.node = node
        # What is left out of the graph's values is a size that is open.
        self.arguments = map_arg(node.args, read)
        self.keywords = map_arg(node.kwargs, read)
        self.assigned: dict[object, Tensor] = {}  # nodes, of which handlers change the values
        self.named = {}
        if not isinstance(node.target, torch._ops.OpOverload):
            self.op, self.in_place = getattr(node.target, "__name__", str(node.target)), False
            return
        schema = node.target._schema
        name = schema.name.partition("::")[2]
        self.in_place = name.endswith("_") and not name.endswith("__")
        self.op = name.rstrip("_") if self.in_place else name
        for i, argument in enumerate(schema.arguments):
            given = self.arguments[i] if i < len(self.arguments) else self.keywords.get(argument.name, argument.default_value)
            self.named[argument.name] = given

    @property
    def shape(self):
        """The result's."""
        return sizes_of(self.node.meta["val"])

    def tensors(self):
        """The arguments that are values of the graph, in its order."""
        return [one for node, one in zip(self.node.all_input_nodes, self._inputs(), strict=True) if "val" in node.meta]

    def _inputs(self):
        from torch.fx.node import map_arg

        found: dict[object, object] = {}
        flat = (self.node.args, self.node.kwargs)
        values = (self.arguments, self.keywords)

        def walk(nodes, read):
            if isinstance(nodes, (list, tuple)):
                for one, value in zip(nodes, read):
                    walk(one, value)
            elif isinstance(nodes, dict):
                for key, one in nodes.items():
                    walk(one, read[key])
            else:
                map_arg(nodes, lambda node: found.setdefault(node, read))

        walk(flat, values)
        return [found[node] for node in self.node.all_input_nodes]

    def is_constant(self) -> bool:
        """Whether torch can compute it now."""
        import torch

        target = self.node.target
        if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded in target.tags:
            return False
        inputs = self._inputs()
        return all(isinstance(one, (int, float, torch.Tensor)) for one in inputs) and None not in self.shape_or_empty()

    def shape_or_empty(self):
        value = self.node.meta.get("val")
        return sizes_of(value) if hasattr(value, "shape") else ()

    def only(self, name: str, *accepted):
        """Refuses values of an argument that the handler does not know."""
        if self.named[name] not in accepted:
            raise Error(f"{name}={self.named[name]!r} is not supported, only {', '.join(map(repr, accepted))}")


def decompose(node, tensors):
    """A graph of core ATen for an op that is none of ours, of operands as `tensors`, or None where that has such ops, too."""
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.node import map_arg

    inputs = [one for one in node.all_input_nodes if isinstance(one.meta.get("val"), torch.Tensor)]
    if len(inputs) != len(node.all_input_nodes) or not isinstance(node.target, torch._ops.OpOverload):
        return None

    def function(*tensors):
        given = dict(zip(inputs, tensors))
        result = node.target(*map_arg(node.args, given.get), **map_arg(node.kwargs, given.get))
        return list(result) if isinstance(result, (tuple, list)) else [result]

    with torch.no_grad():
        try:
            # In a region of autocast our types are those of before it: those that PyTorch would have are not cast to.
            typed = [one.meta["val"].to(getattr(torch, tensor_of(given).dtype)) for one, given in zip(inputs, tensors, strict=True)]
            graph = make_fx(function, _decompositions())(*typed)
        except (RuntimeError, NotImplementedError):
            return None
    for one in graph.graph.nodes:
        if one.op == "call_function" and isinstance(one.target, torch._ops.OpOverload):
            name = one.target._schema.name.partition("::")[2]
            if name not in _aten.HANDLERS and not name.startswith("sym_"):
                return None
    return graph


@functools.cache
def _decompositions():
    """PyTorch's, for what is no op of ours."""
    import torch

    table = torch.export.default_decompositions().items()
    return {op: rule for op, rule in table if op._schema.name.partition("::")[2] not in _aten.HANDLERS}


class Interpreter:
    """Runs a graph of torch.export on symbolic tensors."""

    def __init__(self):
        self.problems: list[tuple[str, str, str]] = []
        self.assigned: dict[object, Tensor] = {}  # what a buffer is from now on
        self._decomposes = False

    def run(self, module, inputs) -> list:
        """The outputs; `module` is a graph and the graphs that it calls."""
        values, given = {}, iter(inputs)
        for node in module.graph.nodes:
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                values[node] = _attribute(module, node.target)
            elif node.op == "call_function":
                values[node] = self._call(node, values)
            elif node.op == "output":
                return [self._read(values.get(one)) for one in node.args[0]]
        return []

    def _read(self, value):
        """A value as handlers take it: the tensor of a leaf."""
        return self.value_of(value) if isinstance(value, (nn.Parameter, nn.State)) else value

    def value_of(self, leaf) -> Tensor:
        return self.assigned[leaf] if leaf in self.assigned else leaf_tensor(leaf)

    def _call(self, node, values):
        import operator

        import torch

        result = node.meta.get("val")
        if node.target is operator.getitem:
            return values[node.args[0]][node.args[1]]
        if getattr(node.target, "_schema", None) is not None and node.target._schema.name in ("aten::item", "aten::_local_scalar_dense"):
            self.problems.append(("aten.item", "a number that depends on data is not known when a model is compiled: keep it a tensor",
                                  _describe(node)))
            return 1.0
        if isinstance(result, (int, torch.SymInt, torch.SymFloat, torch.SymBool)):  # of sizes: only the batch is open
            return result if isinstance(result, int) else None
        if any(_has_size_of_data(one.meta.get("val")) for one in node.all_input_nodes):
            return _stand_in(result)  # the op that the size comes from is told
        call = Call(node, lambda one: self._read(values.get(one)))
        if call.op in IGNORED:
            return None
        graph = _graph.current()
        if not self._decomposes:
            graph.scope[-1], graph.place = _path_of(node), _place_of(node)
        try:
            if _has_size_of_data(result):
                raise Error("the size of its result depends on data, and a model is compiled before there are any: keep all elements, as "
                            "torch.where(condition, x, 0) does")
            if call.op == "wrap_with_autocast":
                return self._autocast(call.arguments)
            value = self._compute(call)
        except (Error, TypeError) as error:
            if self._decomposes:
                raise
            self.problems.append((f"aten.{call.op}", str(error), _describe(node)))
            value = _stand_in(result)
        finally:
            if not self._decomposes:
                graph.scope[-1], graph.place = "", None
        if call.in_place:
            first = values[node.args[0]]
            if isinstance(first, Leaf) and not first.trainable:
                self.assigned[first] = value
            else:
                values[node.args[0]] = value
        for leaf, after in call.assigned.items():
            self.assigned[values[leaf]] = after
        return value

    def _compute(self, call):
        if call.is_constant():
            return call.node.target(*call.arguments, **call.keywords)
        if call.op in _aten.HANDLERS:
            return _aten.HANDLERS[call.op](call, *call.named.values())
        tensors = [one for one in call.tensors() if one is not None]
        inner = None if self._decomposes else decompose(call.node, tensors)
        if inner is None:
            raise Error("there is no such op; " + _aten.INSTEAD.get(call.op, "write the forward without it"))
        self._decomposes = True
        try:
            results = self.run(inner, tensors)
        finally:
            self._decomposes = False
        return results[0] if len(results) == 1 else tuple(results)

    def _autocast(self, arguments):
        _, dtype, enabled, _, inner, *operands = arguments
        with _graph.autocast(dtype if enabled else None, enabled=enabled):
            return tuple(self.run(inner, operands))


def _attribute(module, name: str):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def _path_of(node) -> str:
    """The module that a node is in: "encoder.0.norm"."""
    for value in reversed(list((node.meta.get("nn_module_stack") or {}).values())):
        path = value[0] if isinstance(value, tuple) else value
        if "_empty_nn_module_stack" not in path:
            return re.sub(r"^L\['self'\]\.?", "", path)
    return ""


def _place_of(node) -> tuple[str, int] | None:
    """The file and the line of the forward that a node is from."""
    import torch

    found = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    # Where PyTorch's own layers are written says nothing.
    found = [one for one in found if not one[0].startswith(os.path.dirname(torch.__file__))] or found
    return (os.path.basename(found[-1][0]), int(found[-1][1])) if found else None


def _describe(node) -> str:
    place = _place_of(node)
    return f"'{_path_of(node)}'" + (f" ({place[0]}:{place[1]})" if place else "")


def _has_size_of_data(value) -> bool:
    """Whether a tensor, or one of several, has a size that only data tell: that of x[x > 0]."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    if isinstance(value, (tuple, list)):
        return any(map(_has_size_of_data, value))
    return hasattr(value, "shape") and bool(free_unbacked_symbols(value))


def _stand_in(result):
    """A value of that type, so that what comes after an error is looked at, too."""
    if isinstance(result, (tuple, list)):
        return tuple(_stand_in(one) for one in result)
    if not hasattr(result, "dtype"):
        return None
    dtype = "float32" if result.dtype.is_floating_point else str(result.dtype).removeprefix("torch.")
    graph = _graph.current()
    return Tensor(graph, graph.handle.add_argument("missing", _graph.type_of(sizes_of(result), dtype), ""))
