"""Models being made: the graph that ops go into, and what every value of it is."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import numbers
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from halfstep.hints.faults import Call, hint
from halfstep.hints.types import DType, OpenSizes, Operand, ResultType
from halfstep_runtime import _arrays
from halfstep_runtime._arrays import DTYPES, ELEMENTS
from halfstep_runtime._errors import PACKAGES, Error, WrongOperand, integer, is_integer, several, shown, truth
from halfstep_runtime._keywords import told
from halfstep_runtime._libraries import Lazy

if TYPE_CHECKING:
    from halfstep import _compiler
    from halfstep._compiler import ElementType
    from halfstep.graph.tensor import Tensor
    from halfstep.layers.leaves import Leaf
    from halfstep.layers.module import Module
else:
    _compiler = Lazy("halfstep._compiler")  # which loads LLVM

_ELEMENTS: dict[str, str] = {dtype: element for element, dtype in DTYPES.items()}
_TYPE = re.compile(r"tensor<((?:(?:\?|\d+)x)*)(\w+)>")

_current: contextvars.ContextVar[Graph | None] = contextvars.ContextVar("halfstep graph", default=None)


class TensorType(NamedTuple):
    """The type of a tensor, which as text is MLIR's; a size of None is open."""

    element: str  # MLIR's name
    shape: tuple[int | None, ...]

    def __str__(self) -> str:
        sizes = "".join("?x" if size is None else f"{size}x" for size in self.shape)
        return f"tensor<{sizes}{self.element}>"


def element_of(dtype: object, where: str = "") -> str:
    """MLIR's name of an element type that NumPy, PyTorch or MLIR names: "f32" of "float32", numpy.float32, torch.float32."""
    name = getattr(dtype, "__name__", None) or ("" if isinstance(dtype, int) else str(dtype).removeprefix("torch."))
    element = _ELEMENTS.get(name, name)
    if element not in DTYPES:
        raise Error(f"{where}there is no element type {shown(dtype)}; expected one of {', '.join(_ELEMENTS)}", dtype)
    return element


def element_type(dtype: object, where: str = "") -> ElementType | None:
    """The compiler's number of an element type, or None of None."""
    if dtype is None:
        return None
    return _compiler.ElementType(ELEMENTS.index(element_of(dtype, where)))


def type_of(shape: OpenSizes, dtype: object) -> TensorType:
    """The type of tensors of that shape; a size of None or -1 is open."""
    sizes = (None if size is None else None if is_integer(size) and size == -1 else integer("a size", size, 0) for size in several("shape", shape))
    return TensorType(element_of(dtype), tuple(sizes))


def result_type(result: object) -> TensorType | None:
    """A whole type that the result of an op is told: one, or its text as "tensor<?x16xf32>"; None of an element type alone."""
    if isinstance(result, str) and (found := _TYPE.fullmatch(result)):
        return TensorType(element_of(found[2]), tuple(None if size == "?" else int(size) for size in found[1].split("x")[:-1]))
    return result if isinstance(result, TensorType) else None


class Graph:
    """A model being made."""

    def __init__(self, name: str, tensor: type[Tensor], root: Module | None = None, rows: int | None = None) -> None:
        self.handle = _compiler.Model(name)
        self._tensor = tensor  # the class of its values, whose operators are made of ops and so lie above this file
        self.root = root  # the module whose attributes name what it is made of
        self.rows = rows  # of each batch, where its size is none that is open
        self.of_rows: list[int] = []  # inputs that have them
        self.scope: list[str] = []
        self.place: tuple[str, int] | None = None  # the file and the line of what is imported
        self.leaves: dict[int, tuple[object, Tensor]] = {}
        self.names: set[str] = set()  # of arguments
        self.inputs: dict[str, Tensor] = {}
        self.next: dict[int, Tensor] = {}
        self.streams = 0
        self.groups = 0
        self.marks: dict[str, object] = {}  # attributes of every op that is made
        self._rng: Tensor | None = None
        self._known: dict[int, tuple[object, str]] = {}  # modules and leaves, with their names

    def saved(self) -> tuple[Any, ...]:
        """What `restore` goes back to, as often as one likes: values that were made before it stay values of the graph."""
        return self.handle.copy(), dict(self.leaves), set(self.names), dict(self.next), list(self.of_rows), self.streams, self.groups, self._rng

    def restore(self, saved: tuple[Any, ...]) -> None:
        handle, leaves, names, after, of_rows, self.streams, self.groups, self._rng = saved
        self.handle, self.leaves, self.names, self.next, self.of_rows = handle.copy(), dict(leaves), set(names), dict(after), list(of_rows)

    @contextlib.contextmanager
    def current(self) -> Iterator[Graph]:
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    def argument(self, name: str, role: str, kind: TensorType, initializer: tuple[str, float, float, int] | None = None) -> Tensor:
        """An input, a parameter or a state. An initializer is a kind, two numbers and a seed."""
        if name in self.names:
            raise Error(f"two of inputs, parameters and states are called '{name}'; call one of them something else")
        if "\0" in name:
            raise Error(f"{name!r} has a zero byte, where names of models end; call it something else")
        self.names.add(name)
        has_rows = self.rows is not None and role == "input" and kind.shape[:1] == (None,)
        made = self.stand_in(name, TensorType(kind.element, (self.rows, *kind.shape[1:])) if has_rows else kind, role, initializer)
        self.of_rows += [made.index] if has_rows else []
        return made

    def stand_in(self, name: str, kind: TensorType, role: str = "input", initializer: tuple[str, float, float, int] | None = None) -> Tensor:
        """An argument that is not looked for by its name: of an op that there is not, whose model is refused."""
        own = None if initializer is None else (_compiler.InitializerKind[initializer[0]], *initializer[1:])
        given = self.handle.add_argument(name, _compiler.Role[role], _native_type(kind), own)
        return self._tensor(self, *given)

    def close(self) -> None:
        """All results are added."""
        if self.rows is not None:
            self.handle.set_batch(self.rows, self.of_rows)

    def add_result(self, value: Tensor, role: str, name: str = "") -> None:
        self.handle.add_result(value.index, _compiler.Role[role], name)

    def leaf(self, leaf: Leaf) -> Tensor:
        """The argument of a parameter or a state, made where it is used first."""
        if id(leaf) not in self.leaves:
            if (root := self.root) is None or (name := self._name_of(leaf, "named_leaves")) is None:
                raise Error("a parameter is used that is no attribute of the model or of a module in it: make layers in __init__ or build, as attributes")
            if name == "rng":
                raise Error(f"a {type(leaf).__name__} is called 'rng', as the state of random numbers is; call it something else")
            stays = leaf.role == "parameter" and not root._trains(name, leaf)
            own = leaf.initializer.numbered(len(self.leaves) + 1)
            self.leaves[id(leaf)] = leaf, self.argument(name, "state" if stays else leaf.role, type_of(leaf.shape, leaf.dtype), own)
        return self.leaves[id(leaf)][1]

    def name_of(self, module: Module) -> str:
        """What the model calls a module that is in it."""
        return self._name_of(module, "named_modules") or ""

    def _name_of(self, one: object, listed: str) -> str | None:
        """All names are looked up again where one is not known: layers are made as the forward comes to them."""
        if id(one) not in self._known and self.root is not None:
            self._known.update((id(other), (other, name)) for name, other in getattr(self.root, listed)())
        return self._known.get(id(one), (None, None))[1]

    def random(self) -> tuple[Tensor, int]:
        """What every random op reads: the state of random numbers, and the number of a stream of its own."""
        if self._rng is None:
            self._rng = self.argument("rng", "state", TensorType("i64", (2,)))
        self.streams += 1
        return self._rng, self.streams

    def apply(self, op: str, operands: Sequence[Tensor | None], attributes: dict[str, Any], result: ResultType | None = None) -> tuple[Tensor, ...]:
        """Adds an op; an operand of None is left out."""
        where = self.place or _line_of_user()
        label = self.scope[-1] if self.scope else ""
        if self.marks and op != "mp.constant":
            attributes = {**attributes, **self.marks}
        kind: Any = None if result is None else _native_type(whole) if (whole := result_type(result)) else (ELEMENTS.index(element_of(result)), None)
        try:
            made = self.handle.add_op(op, [None if one is None else one.index for one in operands], attributes, kind, label, *where)
        except Error as error:
            # An importer's labels are its nodes.
            is_layer = bool(label) and self.root is not None and label in (name for name, _ in self.root.named_modules())
            said = hint(error.fault, Call(op, [None if one is None else one.dtype for one in operands], attributes, is_layer))
            if said is not None:
                error.args = (f"{op}: {said}",)
            raise
        results = [self._tensor(self, *one) for one in made]
        given = [one for one in operands if one is not None]
        for one in results:
            one.made_by = op, given, attributes
        return tuple(results)


@functools.cache
def _file_of_user(path: str) -> str | None:
    """The name of a file that is not ours."""
    return None if path.startswith(PACKAGES) else os.path.basename(path)


def _line_of_user() -> tuple[str, int]:
    frame = sys._getframe(2)
    while frame.f_back and _file_of_user(frame.f_code.co_filename) is None:
        frame = frame.f_back
    return _file_of_user(frame.f_code.co_filename) or os.path.basename(frame.f_code.co_filename), frame.f_lineno


def _native_type(kind: TensorType) -> tuple[Any, tuple[int | None, ...]]:
    return ELEMENTS.index(kind.element), kind.shape


class Value:
    """What every tensor of a model has, without the operators that are made of ops."""

    def __init__(self, graph: Graph, index: int, element: int, shape: tuple[int | None, ...]) -> None:
        self.graph = graph
        self.index = index
        self.shape = shape
        self.dtype = DTYPES[ELEMENTS[element]]
        self.channels_last: Tensor | None = None  # an importer's: the image that this one is, transposed
        self.classes_second = False  # an importer's: whether it is an output of PyTorch's, which has its classes in dimension 1
        self.made_by: tuple[str, list[Tensor], dict[str, Any]] = ("", [], {})  # the op that it is a result of, its operands and attributes
        self.pieces: tuple[int, list[Tensor]] | None = None  # an importer's: of what, along which dimension, it is put together


def current() -> Graph:
    graph = _current.get()
    if graph is None:
        raise Error("ops make models: call them in the forward of a module")
    return graph


@contextlib.contextmanager
@functools.partial(told, module=__name__, instead={"device_type": 'model.compile(device="cuda") says where it runs'})
def autocast(dtype: DType | None = None, *, enabled: bool = True) -> Iterator[None]:
    """In a forward: what is in it is computed with autocast on, in `dtype` or the policy's low type, or off.

        with halfstep.autocast(enabled=False):
            x = ops.exp(x)
    """
    graph, enabled = current(), truth("autocast: enabled", enabled)
    graph.handle.open_autocast(enabled, element_type(dtype, "autocast: dtype: "))
    try:
        yield
    finally:
        graph.handle.close_autocast()


@contextlib.contextmanager
def _marked(name: str, value: object) -> Iterator[None]:
    """An attribute for every op that is made in it."""
    graph = current()
    outside, graph.marks = graph.marks, {**graph.marks, name: value}
    try:
        yield
    finally:
        graph.marks = outside


def listed_as(op: str) -> contextlib.AbstractContextManager[None]:
    """Ops that stand for another, whose entries in lists of autocast hold for them, too."""
    return _marked("mp.listed_as", op)


def promoted() -> contextlib.AbstractContextManager[None]:
    """Ops that autocast gives one type, the widest of those that it gives what comes to them."""
    graph = current()
    graph.groups += 1
    return _marked("mp.promote_group", graph.groups)


# What a None that is given for an operand often is.
_OF_NONE = "; the size of the batch, x.shape[0], is None, since any number of rows may come"


def is_tensor(value: object) -> bool:
    """Whether it is a tensor, or a parameter or a state, which is one in a forward."""
    return isinstance(value, Value) or hasattr(value, "initializer")


def check_operand(function: str, name: str, value: Any) -> None:
    """Refuses what is no tensor, number, array or parameter, and so can be no operand."""
    if is_tensor(value):
        return
    # A class, as numpy.float32 is one, has what its values are asked for.
    is_array = any(hasattr(value, one) for one in ("__array__", "__dlpack__", "__len__")) and not isinstance(value, (str, bytes, Mapping, type))
    if not is_array and not isinstance(value, numbers.Number):
        raise WrongOperand(f"{function}: {name} is {_arrays.told(value)}, expected a tensor, an array or a number{_OF_NONE if value is None else ''}")
    _arrays.numbers_of(f"{function}: {name}", value)


def own_type(values: Sequence[object], like: Value | None = None) -> str:
    """The type of arrays and numbers that have no tensor of their kind beside them; of floats that of `like`, if it has floats."""
    dtype = _arrays.common_type(values)
    return like.dtype if like is not None and "float" in dtype and "float" in like.dtype else dtype


def operand(value: Operand) -> Tensor:
    """A tensor, the tensor of a parameter, or an array in its own type."""
    if isinstance(value, Value):
        return value
    return current().leaf(cast("Leaf", value)) if hasattr(value, "initializer") else constant(value, own_type([value]))


def constant(value: object, dtype: object) -> Tensor:
    """A number, or an array, that the model holds."""
    element = element_of(dtype)
    data = _arrays.to_element(_arrays.checked(value, element), element)
    return current().apply("mp.constant", [], {"value": (element_type(element), data)})[0]


def operands(*values: Operand | None) -> list[Tensor]:
    """Tensors, and arrays in the type of the first of them; None stays what it is."""
    found: list[Any] = [operand(one) if one is not None and hasattr(one, "initializer") else one for one in values]
    dtype: str = next((one.dtype for one in found if isinstance(one, Value)), None) or own_type([one for one in values if one is not None])
    tensors: list[Any] = [one if one is None or isinstance(one, Value) else constant(one, dtype) for one in found]
    return tensors


def apply(op: str, given: Sequence[Operand | None], attributes: dict[str, Any] | None = None, result: ResultType | None = None, *,
          required: int | None = None, kinds: tuple[int, ...] | None = None) -> Tensor:
    """Adds an op, as `apply_all`, and gives its one result."""
    return apply_all(op, given, attributes, result, required=required, kinds=kinds)[0]


def apply_all(op: str, given: Sequence[Operand | None], attributes: dict[str, Any] | None = None, result: ResultType | None = None, *,
              required: int | None = None, kinds: tuple[int, ...] | None = None) -> tuple[Tensor, ...]:
    """Adds an op to the graph of its operands, of which those behind the `required` ones may be None; `kinds` is a number for each, the
    same for those of one type, and None where all are. Numbers and arrays take the type of the first tensor that the op wants to be of
    their type; where there is none, an array keeps its own, and numbers have float32 or, beside tensors of other kinds, their own."""
    graph = current()
    tensors: list[Any] = list(given)
    optional = len(given) if required is None else required
    if not all(isinstance(one, Value) and one.graph is graph or one is None and i >= optional for i, one in enumerate(given)):
        tensors = _as_tensors(op, graph, given, required, kinds or (0,) * len(given))
    return graph.apply(op, tensors, attributes or {}, result)


def _as_tensors(op: str, graph: Graph, given: Sequence[Any], required: int | None, kinds: tuple[int, ...]) -> list[Any]:
    for one in given[:required]:
        if not isinstance(one, Value):
            check_operand(op, "an operand", one)
    tensors = [graph.leaf(one) if hasattr(one, "initializer") else one for one in given]
    first = next((one for one in tensors if isinstance(one, Value)), None)
    for kind in sorted(set(kinds)):
        places = [i for i, one in enumerate(tensors) if kinds[i] == kind and one is not None]
        own = [tensors[i] for i in places]
        beside = next((one for one in own if isinstance(one, Value)), None)
        values = [one for one in own if not isinstance(one, Value)]
        if any(one.graph is not graph for one in own if isinstance(one, Value)):
            raise Error(f"{op}: a tensor of another model")
        if not values:
            continue
        are_numbers = first is None and all(isinstance(one, (bool, int, float)) for one in values)
        dtype = beside.dtype if beside is not None else "float32" if are_numbers else own_type(values, first)
        for i in places:
            if not isinstance(tensors[i], Value):
                tensors[i] = constant(tensors[i], dtype)
    return tensors
