"""Modules of PyTorch as modules of ours, by torch.export."""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import inspect
import io
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy

from halfstep import nn
from halfstep.graph.graph import current
from halfstep.graph.tensor import Tensor
from halfstep.importers.library import GraphModule, Node, torch
from halfstep.importers.model import Imported, input_of, leaf_of, only_filters
from halfstep.importers.torch.aten import INSTEAD
from halfstep.importers.torch.call import IGNORED, name_of, sizes_of, type_name
from halfstep.importers.torch.export import Interpreter
from halfstep.importers.torch.stops import REGIONS, Stops
from halfstep.importers.torch.tracing import Tracing
from halfstep.layers.leaves import check_keys, number_arrays
from halfstep.layers.trainable import Trainable
from halfstep_runtime._arrays import dtype_name
from halfstep_runtime._errors import PACKAGES, Error


def from_torch(module: torch.nn.Module, args: torch.Tensor | Sequence[torch.Tensor], *, batched: bool = True, trainable: str | Iterable[str] | None = None,
               frozen: str | Iterable[str] | None = None) -> TorchModel:
    """A module that does what `module` of PyTorch does with inputs as the tensors `args`, and starts from its parameters.

    The first size of inputs is the batch, of any size, unless `batched` is False. What the module has that Halfstep lacks is
    one error that lists all of it. Whether the module is in training or eval mode is taken over, too.

    Parameters train as their `requires_grad` says; `trainable` names all that train instead, `frozen` what does not: names of parameters or
    patterns as "encoder.*", one or several.
    """
    if not isinstance(module, torch.nn.Module):
        told = f"the class {module.__name__}, expected an object of it" if isinstance(module, type) else (
            f"a {type(module).__name__}, expected a torch.nn.Module: a function is the forward of one")
        raise Error(f"from_torch: module is {told}")
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if not all(isinstance(one, torch.Tensor) for one in args):
        raise Error(f"args are tensors, not {', '.join(type(one).__name__ for one in args)}; bind all else by functools.partial")
    if batched and len(rows := dict.fromkeys(len(one) for one in args if one.ndim)) > 1:
        raise Error(f"args have {' and '.join(map(str, rows))} rows, and a batch has one number of them; batched=False takes all sizes as they are")
    tracing = Tracing(module)
    try:
        program, least = _traced(tracing, args, batched)
        is_open = least <= _LEAST_ROWS[0]
        model = TorchModel(program, module, Trainable("from_torch", trainable, frozen), tracing.problems)
        lacking = model.lacking(None) if is_open else None
        if lacking is not None and not model.has_batch():
            raise lacking
        if lacking is not None or not is_open:
            # The module as it is now: what is changed in it later is not.
            kept = Tracing(copy.deepcopy(module))
            model._least, model._smaller = least, functools.cache(lambda few: _traced(kept, _of_rows(args, few), False)[0])
            if (error := model.lacking(max(2, next((len(one) for one in args if one.ndim), 2)))) is not None:
                if lacking is None:
                    raise error
                raise lacking from lacking.__cause__ or error
    except Error:
        raise
    except Exception as error:
        raise Error(f"from_torch ended with an error of its own, which is a fault of Halfstep's: {_said(error)}") from error
    return model


def _of_rows(args: Sequence[torch.Tensor], rows: int) -> tuple[torch.Tensor, ...]:
    return tuple(one.repeat(-(-rows // len(one)), *[1] * (one.ndim - 1))[:rows] if one.ndim and len(one) else one for one in args)


def _traced(tracing: Tracing, args: tuple[torch.Tensor, ...], batched: bool) -> tuple[torch.export.ExportedProgram, int]:
    """The program of a module, and the least size of the batch that it is for."""
    module = tracing.module
    try:
        # Where some small sizes are special, as that of one pair of neighbours, the graph is of larger ones.
        for least in _LEAST_ROWS if batched else (0,):
            dynamic = None
            if batched:
                batch = torch.export.Dim("batch", min=least)
                args = tuple(_of_rows([one], least)[0] if one.ndim and 0 < len(one) < least else one for one in args)
                dynamic = _as_parameters(module, [{0: batch} if one.ndim else None for one in args])
            try:
                # Not decomposed: composites are ops of ours, and regions of autocast are still there.
                with _without_graphs(), tracing.watched(any(one.is_cuda for one in args)):
                    return _with_parameters(torch.export.export(module, args, dynamic_shapes=dynamic), module), least
            except torch._dynamo.exc.UserError as error:
                if least == _LEAST_ROWS[-1] or error.error_type is not torch._dynamo.exc.UserErrorType.CONSTRAINT_VIOLATION:
                    raise
    except Error:
        raise
    except Exception as error:
        if tracing.problems:  # of which the error may be one more
            raise Error(_report(tracing.problems)) from error
        raise Error(_why_not(module, error, batched)) from error
    raise AssertionError


# Of a batch: one of a single row would be taken for a size that is always 1.
_LEAST_ROWS = (2, 17, 26)


def _with_parameters(program: torch.export.ExportedProgram, module: torch.nn.Module) -> torch.export.ExportedProgram:
    """With parameters that a forward takes from elsewhere than its module, as Keras' layers do, which torch.export has as constants."""
    from torch.export.graph_signature import InputKind

    def memory(one: torch.Tensor) -> tuple[Any, ...]:
        return one.data_ptr(), one.dtype, one.shape, one.stride()

    names = {memory(one): (name, InputKind.PARAMETER) for name, one in module.named_parameters() if one.numel()}
    for spec in program.graph_signature.input_specs:
        constant = program.constants.get(spec.target or "") if spec.kind is InputKind.CONSTANT_TENSOR else None
        if constant is not None and memory(constant) in names:
            spec.target, spec.kind = names[memory(constant)]
    return program


def _why_not(module: torch.nn.Module, error: Exception, batched: bool) -> str:
    """What torch.export ended with, in our words."""
    if isinstance(error, torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode):
        return (f"the forward branches on data, or needs a number of it{_line_of(error)}: a model is compiled before there are data; "
                "write torch.where(condition, a, b)")
    if batched and isinstance(error, torch._dynamo.exc.UserError) and error.error_type is torch._dynamo.exc.UserErrorType.CONSTRAINT_VIOLATION:
        return ("the module depends on the first size of its inputs, which is that of the batch; batched=False takes all sizes as they "
                "are, x.shape[0] is open where len(x), int() and float() of it are not, and recurrent layers have the batch first with "
                f"batch_first=True. PyTorch says: {error}")
    for name, one in module.named_modules():
        if isinstance(one, torch.jit.ScriptModule):
            told = f"'{name}'" if name else "the module"
            return f"{told} is one of TorchScript, which is not traced again: give the module that it was made of"
    instead = next((said for op, said in INSTEAD.items() if re.search(rf"\b{re.escape(op)}\b", str(error))), None)
    return f"the forward cannot be traced{_line_of(error)}: {_said(error)}" + ("" if instead is None else f"; {instead}")


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip(": ").partition("\n")[0]


def _as_parameters(module: torch.nn.Module, values: Sequence[Any]) -> tuple[Any, ...]:
    """Values of arguments as the forward has them: what *args takes is one."""
    kinds = [one.kind for one in inspect.signature(module.forward).parameters.values()]
    at = kinds.index(inspect.Parameter.VAR_POSITIONAL) if inspect.Parameter.VAR_POSITIONAL in kinds else len(values)
    if at >= len(values):  # where *args takes nothing, it is not there
        return tuple(values)
    return (*values[:at], tuple(values[at:]))


@contextlib.contextmanager
def _without_graphs() -> Iterator[None]:
    """Without the graphs and warnings that torch.export prints before the errors of branches on data, nor tracebacks of what an error tells."""
    from torch.fx.experimental import symbolic_shapes

    logger, tracer = (logging.getLogger(f"torch.{name}") for name in ("fx.experimental.symbolic_shapes", "_subclasses.fake_tensor"))
    printed, levels = io.StringIO(), (logger.level, tracer.level)
    logger.setLevel(logging.ERROR)
    tracer.setLevel(logging.CRITICAL)
    try:
        with contextlib.redirect_stderr(printed):
            yield
    except symbolic_shapes.GuardOnDataDependentSymNode:
        printed = io.StringIO()
        raise
    finally:
        logger.setLevel(levels[0])
        tracer.setLevel(levels[1])
        sys.stderr.write(printed.getvalue())


def _line_of(error: Exception) -> str:
    """Where a forward stood."""
    own = [one for one in traceback.extract_tb(error.__traceback__)
           if not one.filename.startswith((os.path.dirname(torch.__file__), *PACKAGES, "<"))]
    return f" ({os.path.basename(own[-1].filename)}:{own[-1].lineno})" if own else ""


class TorchModel(Imported):
    """The graph of a module of PyTorch. Parameters, buffers and locations have the names that they have there."""

    _of_classes = {"ignore_label": -100}  # as PyTorch's losses have it

    def __init__(self, program: torch.export.ExportedProgram, module: torch.nn.Module, trainable: Trainable, problems: list[tuple[str, str, str]]):
        self._program, self._least = program, 0
        self._smaller: Callable[[int], torch.export.ExportedProgram]  # of fewer rows than the least
        signature = program.graph_signature
        # Of parameters that modules share, the first name of each.
        owners: dict[int, str] = {}
        tensors = dict([*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)])
        self._aliases = {name: owners.setdefault(id(tensor), name) for name, tensor in tensors.items()}
        trainable.check(name for name, _ in module.named_parameters(remove_duplicate=False))
        placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
        read = {node: self._aliases[spec.target] for node, spec in zip(placeholders, signature.input_specs) if spec.target in self._aliases}
        filters = only_filters(_uses_of(program.graph_module, read))
        names = {name: [one for one, owner in self._aliases.items() if owner == name] for name in owners.values()}
        trained = {name for name, own in names.items() if trainable.trains(own, tensors[name].requires_grad)}
        self._problems, self._trains_at_first = problems, trained
        stops = self._stops_of(program)
        self._leaves = {name: _leaf_of(name, tensors[name], name in trained - stops.frozen, name in filters) for name in names}
        self._kept = list(module.state_dict())
        values = {node.name: node.meta["val"] for node in placeholders}
        self._inputs = {name: input_of(sizes_of(values[name]), dtype_name(f"input '{name}'", type_name(values[name].dtype)))
                        for name in signature.user_inputs}  # not by specify, to which "y" is something else

    def _stops_of(self, program: torch.export.ExportedProgram) -> Stops:
        """Where it stops gradients of parameters that train."""
        targets = [self._aliases.get(one.target) for one in program.graph_signature.input_specs]
        return Stops(program.graph_module, [one if one in self._trains_at_first else None for one in targets])

    def _input_of(self, program: torch.export.ExportedProgram, spec: Any) -> Any:
        """What a placeholder stands for: a leaf, a constant, or None for an input."""
        kind = spec.kind.name
        if kind == "USER_INPUT":
            return None
        if spec.target in self._aliases:
            return self._leaves[self._aliases[spec.target]]
        if kind == "CONSTANT_TENSOR":
            return program.constants[spec.target]
        raise Error(f"the module takes '{spec.target}' ({kind}), which is no tensor")

    def forward(self, *inputs: Tensor) -> Any:
        program, rows = self._program, current().rows
        if rows is not None and rows < self._least:
            program = self._smaller(rows)
        inputs_of_graph = [self._input_of(program, one) for one in program.graph_signature.input_specs]
        given = iter(inputs)
        values = [next(given) if one is None else one for one in inputs_of_graph]
        interpreter = Interpreter(self._stops_of(program).needed)
        with contextlib.ExitStack() as sizes:
            if rows is not None and program is self._program:
                try:
                    sizes.enter_context(_with_sizes(program.graph_module, [one.shape for one in inputs], [one is None for one in inputs_of_graph]))
                except Exception as error:
                    raise Error(f"the module cannot be made for a batch of {rows} rows: {_said(error)}") from error
            outputs = interpreter.outputs(program.graph_module, values)
        problems = [*self._problems, *interpreter.problems]
        if problems:
            raise Error(_report(problems)) from interpreter.unexpected
        for leaf in self._leaves.values():
            place = interpreter.place_of(leaf)
            if place.version or (isinstance(leaf, nn.State) and id(leaf) in current().leaves):
                current().next[id(leaf)] = place.read()
        return self._as_returned(outputs, program.call_spec.out_spec)

    def _as_returned(self, outputs: list[Any], spec: Any) -> Any:
        """By their names where the module gives a dictionary."""
        for one in outputs:
            if isinstance(one, Tensor):
                one.classes_second = True
        returned = torch.utils._pytree.tree_unflatten(outputs, spec)
        if isinstance(returned, dict) and len(returned) == len(outputs):
            return {str(name): one for name, one in returned.items()}
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def __deepcopy__(self, memo: dict[int, Any]) -> TorchModel:
        memo[id(self._program)] = self._program  # which nothing changes
        return super().__deepcopy__(memo)

    def state_dict(self) -> dict[str, object]:
        """Parameters and buffers as PyTorch's module has them, for its load_state_dict."""
        live = {} if self._trained is None else self._trained.state
        values = {name: leaf.given(live[name] if name in live else leaf.value) for name, leaf in self._leaves.items()}
        return {name: torch.from_numpy(numpy.array(values[self._aliases[name]])) for name in self._kept}

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        """Parameters and buffers by their names in PyTorch's module, all of them."""
        try:
            check_keys(self._kept, values)
        except Error as error:
            differing = ", ".join(sorted(set(values) ^ set(self._kept))) if hasattr(values, "items") else "none"
            raise Error(f"the state has other names than the module: {differing}; {error}") from None
        arrays = number_arrays({name: self._leaves[self._aliases[name]] for name in self._kept}, values)
        self.trainer.start_from({self._aliases[name]: array for name, array in arrays.items()})


_CONVOLUTIONS = {f"{kind}{rank}d" for kind in ("conv", "conv_transpose") for rank in (1, 2, 3)}


def _uses_of(module: GraphModule, owners: Mapping[Node, str]) -> Iterator[tuple[str, bool]]:
    """Each read of a parameter, and whether it is that of a convolution's filter; `owners` has their names by the nodes that they are."""
    for node in module.graph.nodes:
        if (op := name_of(node.target)) in REGIONS:
            inner, *operands = node.args[REGIONS[op] :]
            graph = getattr(module, inner.target)
            inside = [one for one in graph.graph.nodes if one.op == "placeholder"]
            yield from _uses_of(graph, {one: owners[given] for one, given in zip(inside, operands, strict=True) if given in owners})
        else:
            for one in set(node.all_input_nodes) & owners.keys():
                yield owners[one], op in _CONVOLUTIONS and node.args[1] is one and sum(other is one for other in node.args) == 1


def _leaf_of(name: str, tensor: torch.Tensor, trains: bool, is_filter: bool) -> nn.Parameter | nn.State:
    dtype = type_name(tensor.dtype)
    if dtype in ("bfloat16", "float16"):
        raise Error(f"'{name}' is in {dtype}: give the module in float32, module.float(); a policy says what is computed in {dtype}")
    dtype_name(f"'{name}'", dtype)
    return leaf_of(tensor.detach().cpu().numpy().copy(), is_state=not isinstance(tensor, torch.nn.Parameter), is_filter=is_filter, trains=trains)


def _report(problems: list[tuple[str, str, str]]) -> str:
    """All that is lacking: what, how often, where, and what to do."""
    groups = collections.defaultdict(list)
    for op, why, place in problems:
        groups[op, why].append(place)
    lines = []
    for (op, why), places in sorted(groups.items()):
        named = list(dict.fromkeys(places))
        more = f" and {len(named) - 3} more places" if len(named) > 3 else ""
        lines.append(f"  {op}: {len(places)}, in {', '.join(named[:3])}{more}: {why}")
    return "the module has what Halfstep does not:\n" + "\n".join(lines)


_ONE_AT_A_TIME = threading.RLock()  # copies of a model share its graph


@contextlib.contextmanager
def _with_sizes(module: GraphModule, shapes: Sequence[Sequence[int | None]], are_inputs: Sequence[bool]) -> Iterator[None]:
    """Gives the inputs of a graph these shapes, and all values of it those that follow, so that no size is open."""
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
