"""Runs graphs of torch.export on symbolic tensors."""

from __future__ import annotations

import functools
import operator
import os
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from halfstep import ops
from halfstep.graph.graph import autocast, current, type_of
from halfstep.graph.shapes import in_float32
from halfstep.graph.tensor import Tensor
from halfstep.importers.library import GraphModule, Node, torch
from halfstep.importers.model import Rows
from halfstep.importers.torch import aten
from halfstep.importers.torch.call import IGNORED, Batch, Call, OpenNumber, as_type, is_float, name_of, sizes_of, tensor_of, type_name
from halfstep.importers.torch.losses import LOSSES
from halfstep.importers.torch.memory import Held, Place, View, check_disjoint, is_whole, memory_of
from halfstep.importers.torch.stops import REGIONS
from halfstep.importers.torch.views import BACK
from halfstep.layers.leaves import Leaf
from halfstep_runtime._errors import Error

# What is said of an exception of a handler that is none of ours.
UNEXPECTED = "the importer's rule for it ended with an error of its own, which is a fault of Halfstep's"


def decompose(node: Node, tensors: Sequence[Any]) -> GraphModule | None:
    """A graph of core ATen for an op that is none of ours, of operands as `tensors`, or None where that has such ops, too."""
    from torch.fx.experimental.proxy_tensor import make_fx

    inputs = [one for one in node.all_input_nodes if isinstance(one.meta.get("val"), torch.Tensor)]
    if len(inputs) != len(node.all_input_nodes) or not isinstance(node.target, torch._ops.OpOverload):
        return None
    target = _functional(node.target)

    def function(*tensors: Any) -> list[Any]:
        given = dict(zip(inputs, tensors))
        result = target(*torch.fx.node.map_arg(node.args, given.get), **torch.fx.node.map_arg(node.kwargs, given.get))
        return list(result) if isinstance(result, (tuple, list)) else [result]

    with torch.no_grad():
        try:
            # In a region of autocast our types are those of before it: those that PyTorch would have are not cast to.
            typed = [one.meta["val"].to(getattr(torch, tensor_of(given).dtype)) for one, given in zip(inputs, tensors, strict=True)]
            graph = make_fx(function, _decompositions())(*typed)
        except (RuntimeError, NotImplementedError):
            return None
    names = [name_of(one.target) for one in graph.graph.nodes if one.op == "call_function" and isinstance(one.target, torch._ops.OpOverload)]
    # What stops gradients is looked for in what the user wrote alone.
    is_ours = all((name in aten.HANDLERS or name.startswith("sym_")) and name != "detach" for name in names)
    return graph if is_ours else None


def _functional(target: Any) -> Any:
    """The op that gives what one in place writes, where there is such."""
    name = name_of(target)
    packet = getattr(torch.ops.aten, name.removesuffix("_"), None) if name.endswith("_") else None
    return getattr(packet, target._overloadname, target)


@functools.cache
def _decompositions() -> dict[Any, Any]:
    """PyTorch's, for what is no op of ours, or not always."""
    ours = aten.HANDLERS.keys() - LOSSES.keys()
    return {op: rule for op, rule in torch.export.default_decompositions().items() if name_of(op) not in ours}


def _check_type(call: Call, found: Any) -> None:
    """What is of whole numbers there, and wraps, is not of floats here; which floats it is decides the policy."""
    own = call.node.meta.get("val")
    if isinstance(found, Tensor) and hasattr(own, "dtype") and not own.dtype.is_floating_point and is_float(found):
        raise Error(f"of whole numbers it is not supported, only of floats: convert them by x.float(), and what it gives by .to({own.dtype})")


class Interpreter:
    """Runs a graph of torch.export on symbolic tensors."""

    def __init__(self, stops: Collection[Node] = ()) -> None:
        self._stops = stops  # nodes whose results have no gradient
        self.problems: list[tuple[str, str, str]] = []
        self.unexpected: Exception | None = None  # the first that a handler ended with and is none of ours
        self._leaves: dict[Leaf, Place] = {}
        self._decomposes = False
        self._batch: Batch | None = None

    def outputs(self, module: GraphModule, inputs: Sequence[Any]) -> list[Any]:
        """What a graph gives of tensors, leaves and constants."""
        given = [one.meta.get("val") for one in module.graph.nodes if one.op == "placeholder"]
        self._batch = next((Batch(Rows(one), value.shape[0].node.expr) for one, value in zip(inputs, given, strict=True)
                           if isinstance(one, Tensor) and one.shape[:1] == (None,)), None)
        places = [self.place_of(one) if isinstance(one, Leaf) else Place(one, kept=_INPUT if isinstance(one, Tensor) else _CONSTANT) for one in inputs]
        owners: dict[object, Place] = {}
        for place, memory in zip(places, map(memory_of, given)):
            other = owners.setdefault(memory, place)
            if memory is not None and other is not place:  # given twice, as parts of one tensor are that are two buffers
                other.kept = place.kept = other.kept or place.kept or _SHARED
        return [self._read(one) for one in self.run(module, places)]

    def place_of(self, leaf: Leaf) -> Place:
        if leaf not in self._leaves:
            self._leaves[leaf] = Held(leaf, _PARAMETER if leaf.trainable else "")
        return self._leaves[leaf]

    def run(self, module: GraphModule, inputs: Iterable[Any]) -> list[Any]:
        """The outputs, as places; `module` is a graph and the graphs that it calls."""
        values: dict[Node, Any] = {}
        given = iter(inputs)
        for node in module.graph.nodes:
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                value = operator.attrgetter(node.target)(module)
                values[node] = Place(value, kept=_CONSTANT) if isinstance(value, torch.Tensor) else value
            elif node.op == "call_function":
                values[node] = self._call(node, values)
            elif node.op == "output":
                return [values.get(one) for one in node.args[0]]
        return []

    def _read(self, value: Any) -> Any:
        """A value as handlers take it."""
        if isinstance(value, tuple):
            return tuple(map(self._read, value))
        return value.read() if isinstance(value, Place) else value

    def _call(self, node: Node, values: dict[Node, Any]) -> Any:
        result = node.meta.get("val")
        if node.target is operator.getitem:
            return values[node.args[0]][node.args[1]]
        op = name_of(node.target)
        if op in ("item", "_local_scalar_dense"):
            self.problems.append(("aten.item", "a number that depends on data is not known when a model is compiled: keep it a tensor",
                                  describe(node)))
            return 1.0
        if isinstance(result, (torch.SymInt, torch.SymFloat)):  # of sizes: only the batch is open
            return OpenNumber(result, self._batch)
        if isinstance(result, (int, float, torch.SymBool)):
            return None if isinstance(result, torch.SymBool) else result
        if any(_has_size_of_data(one.meta.get("val")) for one in node.all_input_nodes):
            return _stand_in(result)  # the op that the size comes from is told
        if op in IGNORED:
            return None
        graph = current()
        if not self._decomposes:
            graph.scope[-1], graph.place = _path_of(node), _place_of(node)
        try:
            if _has_size_of_data(result):
                raise Error(aten.INSTEAD.get(op) or
                            "the size of its result depends on data, and a model is compiled before there are any: keep all elements, as "
                            "torch.where(condition, x, 0) does")
            if op in REGIONS:
                return self._region(op, torch.fx.node.map_arg(node.args, values.get))
            return self._computed(node, values)
        except Exception as error:
            if self._decomposes:
                raise
            why = str(error)
            if not isinstance(error, Error):
                self.unexpected = self.unexpected or error
                why = f"{UNEXPECTED}: {type(error).__name__}: {why}"
            self.problems.append((op if "::" in op or not hasattr(node.target, "_schema") else f"aten.{op}", why, describe(node)))
            return _stand_in(result)
        finally:
            if not self._decomposes:
                graph.scope[-1], graph.place = "", None

    def _computed(self, node: Node, values: dict[Node, Any]) -> Any:
        """The place of an op's result, or of several; what it changes is changed."""
        call = Call(node, lambda one: self._read(values.get(one)), self._batch)
        if call.written and (len(call.written) > 1 or len(node.target._schema.returns) != 1):
            raise Error("it changes several tensors in place: write the forward without it")
        value = self._compute(call, values)
        for one, after in call.assigned.items():
            values[one].write(after)
        if call.written:
            return self._written(call, value, values)
        if isinstance(value, (tuple, list)):
            return tuple(self._result(call, one, values, i) for i, one in enumerate(value))
        return self._result(call, value, values)

    def _written(self, call: Call, value: Any, values: dict[Node, Any]) -> Any:
        """An op in place gives the tensor that it changes."""
        changed, = call.written
        if call.node in self._stops and call.op != "detach":  # what it is changed to, with the gradient of what it was
            value = ops.straight_through(as_type(tensor_of(self._read(value)), call.dtype), as_type(tensor_of(values[changed].read()), call.dtype))
        if torch.Tag.inplace_view in call.node.target.tags:  # transpose_: of another shape from now on
            values[changed] = self._result(call, value, values)
        else:
            values[changed].write(self._read(value))
        return values[changed]

    def _result(self, call: Call, value: Any, values: dict[Node, Any], item: int | None = None) -> Any:
        """A place for a result: a view where PyTorch has it in the memory of an operand."""
        if isinstance(value, Place) or value is None:
            return value
        node, own = call.node, call.node.meta.get("val")
        own = own if item is None or own is None else own[item]
        memory = memory_of(own)
        base = next((one for one in node.all_input_nodes if isinstance(values.get(one), Place) and memory_of(one.meta.get("val")) == memory), None)
        if memory is None or base is None:
            return Place(value)

        def again(read: Any) -> Call:
            return Call(node, lambda one: read if one is base else self._read(values.get(one)), self._batch)

        def take(read: Any) -> Any:
            found = self._compute(again(read), values)
            return found if item is None else found[item]

        def put(read: Any, written: Any) -> Any:
            """A view without a gradient gives what it is of other values, with the gradient of before."""
            found = put_values(read, written)
            return ops.straight_through(tensor_of(found), tensor_of(read)) if node in self._stops and is_float(tensor_of(read)) else found

        def put_values(read: Any, written: Any) -> Any:
            if is_whole(own, base.meta["val"]):
                return written
            if isinstance(read, torch.Tensor) and isinstance(written, torch.Tensor):
                read = read.clone()
                take(read).copy_(written)
                return read
            check_disjoint(own)
            if call.op not in BACK:
                raise Error(f"what aten.{call.op} gives is not written to: write to what it is of, or to its clone()")
            return BACK[call.op](again(read), tensor_of(read), tensor_of(written), item)

        return View(values[base], value, take, put)

    def _compute(self, call: Call, values: dict[Node, Any]) -> Any:
        found = self._with_gradients(call, values)
        _check_type(call, found)
        if call.node not in self._stops or call.written and call.op != "detach":
            return found
        return tuple(map(_stopped, found)) if isinstance(found, (tuple, list)) else _stopped(found)

    def _with_gradients(self, call: Call, values: dict[Node, Any]) -> Any:
        if call.is_constant():
            return call.on_constants()
        if call.op in aten.HANDLERS and (found := aten.HANDLERS[call.op](call, *call.operands())) is not NotImplemented:
            return found
        if call.op not in LOSSES:
            return self._decomposed(call, call.tensors(), [values[one] for one in call.node.all_input_nodes])
        with in_float32(*map(tensor_of, call.tensors())) as wide:
            return self._decomposed(call, wide, map(Place, wide))

    def _decomposed(self, call: Call, tensors: Sequence[Any], places: Iterable[Any]) -> Any:
        inner = None if self._decomposes else decompose(call.node, tensors)
        if inner is None:
            raise Error("there is no such op; " + aten.INSTEAD.get(call.op, "write the forward without it"))
        self._decomposes = True
        try:
            results = self.run(inner, places)
        finally:
            self._decomposes = False
        return results[0] if len(results) == 1 else tuple(results)

    def _region(self, op: str, arguments: Sequence[Any]) -> tuple[Any, ...]:
        inner, *operands = arguments[REGIONS[op] :]
        if op != "wrap_with_autocast":
            return tuple(self.run(inner, operands))
        _, dtype, enabled = arguments[:3]
        with autocast(dtype if enabled else None, enabled=enabled):
            return tuple(self.run(inner, operands))


_INPUT = "it changes an input, which the caller would see: write x = x.clone() in front of it"
_PARAMETER = "it changes a parameter, which the optimizer alone does here: compute another tensor of it, as torch.clamp(weight, 0, 1)"
_SHARED = "it changes a buffer that has its memory in common with another: clone() one of them in __init__"
_CONSTANT = "it changes a tensor that the module has as it is: register it, register_buffer(name, tensor)"


def _stopped(value: Any) -> Any:
    """A value through which no gradient flows."""
    return ops.stop_gradient(value) if isinstance(value, Tensor) and is_float(value) else value


def _path_of(node: Node) -> str:
    """The module that a node is in: "encoder.0.norm"."""
    for value in reversed(list((node.meta.get("nn_module_stack") or {}).values())):
        path = value[0] if isinstance(value, tuple) else value
        if "_empty_nn_module_stack" not in path:
            return re.sub(r"^L\['self'\]\.?", "", path)
    return ""


def _place_of(node: Node) -> tuple[str, int] | None:
    """The file and the line of the forward that a node is from."""
    found = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    # Where PyTorch's own layers are written says nothing.
    found = [one for one in found if not one[0].startswith(os.path.dirname(torch.__file__))] or found
    return (os.path.basename(found[-1][0]), int(found[-1][1])) if found else None


def describe(node: Node) -> str:
    place = _place_of(node)
    return f"'{_path_of(node)}'" + (f" ({place[0]}:{place[1]})" if place else "")


def _has_size_of_data(value: Any) -> bool:
    """Whether a tensor, or one of several, has a size that only data tell: that of x[x > 0]."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    if isinstance(value, (tuple, list)):
        return any(map(_has_size_of_data, value))
    return hasattr(value, "shape") and bool(free_unbacked_symbols(value))


def _stand_in(result: Any) -> Any:
    """The place of a value of that type, so that what comes after an error is looked at, too."""
    if isinstance(result, (tuple, list)):
        return tuple(map(_stand_in, result))
    if not hasattr(result, "dtype"):
        return None
    dtype = "float32" if result.dtype.is_floating_point else type_name(result.dtype)
    return Place(current().stand_in("missing", type_of(sizes_of(result), dtype)))
