"""Models being made: the graph that ops go into, and what every value of it is."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
import numbers
import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from halfstep_runtime._elements import DTYPES, told_of_types
from halfstep_runtime._errors import PACKAGES, Error, WrongOperand, integer, number_of, several
from halfstep_runtime._keywords import told
from halfstep_runtime._libraries import libraries

if TYPE_CHECKING:
    from halfstep.graph.tensor import Tensor

_ELEMENTS = {dtype: element for element, dtype in DTYPES.items()}
_TYPE = re.compile(r"tensor<((?:(?:\?|\d+)x)*)(\w+)>")

_current: contextvars.ContextVar[Graph | None] = contextvars.ContextVar("halfstep graph", default=None)


def element_of(dtype) -> str:
    """MLIR's name of an element type that NumPy, PyTorch or MLIR names: "f32" of "float32", numpy.float32, torch.float32."""
    name = getattr(dtype, "__name__", None) or str(dtype).removeprefix("torch.")
    element = _ELEMENTS.get(name, name)
    if element not in DTYPES:
        raise Error(f"there is no element type {dtype!r}; expected one of {', '.join(_ELEMENTS)}")
    return element


def type_of(shape, dtype) -> str:
    """The type's text; a size of None or -1 is open."""
    shape = several("shape", shape)
    sizes = "".join("?x" if size is None or size == -1 else f"{integer('a size', size, 0)}x" for size in shape)
    return f"tensor<{sizes}{element_of(dtype)}>"


# The bits of infinity, and of what is one quiet bit more, by type.
_INFINITY = {"f16": (0x7C00, 0x200), "bf16": (0x7F80, 0x40), "f32": (0x7F800000, 0x400000), "f64": (0x7FF << 52, 1 << 51)}


def spell_float(value, element: str = "f64") -> str:
    value = float(value)
    if not math.isfinite(value):
        infinity, quiet = _INFINITY[element]
        digits = 4 if element in ("f16", "bf16") else 8 if element == "f32" else 16
        sign = 1 << (4 * digits - 1) if value < 0 else 0
        return f"0x{infinity | sign | (quiet if math.isnan(value) else 0):0{digits}X}"
    mantissa, exponent = repr(value).partition("e")[::2]
    return mantissa + ("" if "." in mantissa else ".0") + ("e" + exponent if exponent else "")


def spell(name: str, kind: str, value) -> str:
    """An attribute in MLIR's text, or nothing where it is left out."""
    if value is None or (kind == "UnitAttr" and not value):
        return ""
    if kind == "UnitAttr":
        return name
    if isinstance(value, str) and kind == "DenseI64ArrayAttr":
        text = f'"{value}"'  # a word, as padding="same"
    elif kind == "DenseI64ArrayAttr":
        values = ", ".join(str(integer(name, one)) for one in several(name, value))
        text = f"array<i64: {values}>" if values else "array<i64>"
    elif kind == "DenseI32ArrayAttr":
        text = "array<i32: " + ", ".join(str(int(one)) for one in value) + ">"  # of operands, which are counted here
    elif kind == "BoolAttr":
        text = "true" if value else "false"
    elif kind == "F64Attr":
        text = spell_float(number_of(name, value)) + " : f64"
    elif kind == "TypeAttr":
        text = element_of(value)
    elif kind.startswith("enum:"):
        text = f"#mp<{kind.removeprefix('enum:')} {value}>"
    else:
        text = f"{integer(name, value)} : i64"
    return f"{name} = {text}"


def quote(text: str) -> str:
    """A string of MLIR's text, in which control characters are `\\XX`, as its own printer writes them."""
    return '"' + re.sub(r'[\x00-\x1f"\\\x7f]', lambda found: f"\\{ord(found[0]):02X}", text) + '"'


class Graph:
    """A model being made."""

    def __init__(self, name: str, tensor: type[Tensor], root=None):
        with libraries():
            from halfstep import _compiler
        self.handle = _compiler.Model(name)
        self._tensor = tensor  # the class of its values, whose operators are made of ops and so lie above this file
        self.root = root  # the module whose attributes name what it is made of
        self.scope: list[str] = []
        self.place: tuple[str, int] | None = None  # the file and the line of what is imported
        self.leaves: dict[int, tuple[object, Tensor]] = {}
        self.names: set[str] = set()  # of arguments
        self.inputs: dict[str, Tensor] = {}
        self.next: dict[int, Tensor] = {}
        self.streams = 0
        self.groups = 0
        self.mark = ""  # an attribute of every op that is made
        self._rng: Tensor | None = None

    @contextlib.contextmanager
    def current(self):
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    def argument(self, name: str, type_text: str, attributes: str) -> Tensor:
        if name in self.names:
            raise Error(f"two of inputs, parameters and states are called '{name}'; call one of them something else")
        self.names.add(name)
        return self._tensor(self, self.handle.add_argument(name, type_text, attributes))

    def leaf(self, leaf) -> Tensor:
        """The argument of a parameter or a state, made where it is used first."""
        if id(leaf) not in self.leaves:
            names = {id(one): name for name, one in self.root.named_leaves()} if self.root is not None else {}
            if id(leaf) not in names:
                raise Error("a parameter is used that is no attribute of the model or of a module in it: make layers in __init__ or build, as attributes")
            name = names[id(leaf)]
            if name == "rng":
                raise Error(f"a {type(leaf).__name__} is called 'rng', as the state of random numbers is; call it something else")
            initializer = leaf.initializer.spell(len(self.leaves) + 1)
            stays = leaf.role == "parameter" and not self.root._trains(name, leaf)
            attributes = f"{{mp.{'state' if stays else leaf.role} = {quote(name)}, mp.initializer = {initializer}}}"
            self.leaves[id(leaf)] = leaf, self.argument(name, type_of(leaf.shape, leaf.dtype), attributes)
        return self.leaves[id(leaf)][1]

    def rng(self) -> Tensor:
        """The state of random numbers, which every random op reads with a stream number of its own."""
        if self._rng is None:
            self._rng = self.argument("rng", "tensor<2xi64>", '{mp.state = "rng"}')
        return self._rng

    def stream(self) -> int:
        self.streams += 1
        return self.streams

    def apply(self, op: str, operands, attributes: str, result: str | None):
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename.startswith(PACKAGES):
            frame = frame.f_back
        where = self.place or (os.path.basename(frame.f_code.co_filename), frame.f_lineno)
        label = self.scope[-1] if self.scope else ""
        if self.mark and op != "mp.constant":
            attributes = f"{{{', '.join(filter(None, (attributes[1:-1], self.mark)))}}}"
        indices = [operand.index for operand in operands]
        try:
            results = [self._tensor(self, one) for one in self.handle.add_op(op, indices, attributes, result, label, *where)]
        except Error as error:
            if "are no dictionary" in str(error):
                raise Error(f"{op}: {str(error).splitlines()[0]}") from None  # what the parser says of a word or a number
            why = told_of_types(str(error), [one.dtype for one in operands])
            if why is None:
                raise
            # An importer's labels are its nodes.
            is_layer = self.root is not None and label in (name for name, _ in self.root.named_modules() if name)
            if is_layer and why.startswith("an operand has elements of uint8, expected floats"):
                why += ", or by nn.Rescaling(1 / 255) as the first layer"
            raise Error(f"{op}: {why}") from None
        for one in results:
            one.made_by = op, operands, attributes
        return results[0] if len(results) == 1 else tuple(results)


class Value:
    """What every tensor of a model has, without the operators that are made of ops."""

    def __init__(self, graph: Graph, index: int):
        self.graph = graph
        self.index = index
        self.channels_last: Tensor | None = None  # an importer's: the image that this one is, transposed
        self.classes_second = False  # an importer's: whether it is an output of PyTorch's, which has its classes in dimension 1
        self.made_by: tuple[str, list[Tensor], str] = ("", [], "")  # the op that it is a result of, its operands and attributes
        self.pieces: tuple[int, list[Tensor]] | None = None  # an importer's: of what, along which dimension, it is put together
        text = graph.handle.type(index)
        matched = _TYPE.fullmatch(text)
        assert matched, text
        sizes, element = matched.groups()
        self.shape = tuple(None if size == "?" else int(size) for size in sizes.split("x")[:-1])
        self.dtype = DTYPES[element]


def current() -> Graph:
    graph = _current.get()
    if graph is None:
        raise Error("ops make models: call them in the forward of a module")
    return graph


@contextlib.contextmanager
@functools.partial(told, module=__name__, instead={"device_type": 'model.compile(device="cuda") says where it runs'})
def autocast(dtype=None, *, enabled: bool = True):
    """In a forward: what is in it is computed with autocast on, in `dtype` or the policy's low type, or off.

        with halfstep.autocast(enabled=False):
            x = ops.exp(x)
    """
    graph = current()
    graph.handle.open_autocast(enabled, None if dtype is None else element_of(dtype))
    try:
        yield
    finally:
        graph.handle.close_autocast()


@contextlib.contextmanager
def listed_as(op: str):
    """Ops that stand for another, whose entries in lists of autocast hold for them, too."""
    graph = current()
    outside, graph.mark = graph.mark, ", ".join(filter(None, (graph.mark, f'mp.listed_as = "{op}"')))
    try:
        yield
    finally:
        graph.mark = outside


@contextlib.contextmanager
def promoted():
    """Ops that autocast gives one type, the widest of those that it gives what comes to them."""
    graph = current()
    graph.groups += 1
    outside, graph.mark = graph.mark, f"mp.promote_group = {graph.groups} : i64"
    try:
        yield
    finally:
        graph.mark = outside


_AN_OPERAND = "a tensor, an array or a number"
# What a None that is given for an operand often is.
_OF_NONE = "the size of the batch, x.shape[0], is None, since any number of rows may come"


def _may_be_operand(value) -> bool:
    if isinstance(value, numbers.Number) or hasattr(value, "initializer"):
        return True
    is_array = any(hasattr(value, name) for name in ("__array__", "__dlpack__", "__len__"))
    return is_array and not isinstance(value, (str, bytes, Mapping))


def check_operand(function: str, name: str, value) -> None:
    """Refuses what is no number, array or parameter, and so can be no operand; who has a tensor need not ask."""
    if not _may_be_operand(value):
        from halfstep_runtime._arrays import told  # which needs NumPy

        hint = f"; {_OF_NONE}" if value is None else ""
        raise WrongOperand(f"{function}: {name} is {told(value)}, expected {_AN_OPERAND}{hint}")


def own_type(values, like: Value | None = None) -> str:
    """The type of arrays and numbers that have no tensor of their kind beside them; of floats that of `like`, if it has floats."""
    from halfstep_runtime import _arrays

    dtype = _arrays.common_type(values)
    return like.dtype if like is not None and "float" in dtype and "float" in like.dtype else dtype


def operand(value) -> Tensor:
    """A tensor, the tensor of a parameter, or an array in its own type."""
    if isinstance(value, Value):
        return value  # type: ignore[return-value]  # whose class is the graph's, a Tensor
    return current().leaf(value) if hasattr(value, "initializer") else constant(value, own_type([value]))


def constant(value, dtype) -> Tensor:
    """A number, or an array, that the model holds."""
    from halfstep_runtime import _arrays

    element = element_of(dtype)
    array = _arrays.checked(value, element)

    def spell_element(one) -> str:
        return spell_float(one, element) if element[0] in "fb" else ("true" if one else "false") if element == "i1" else str(int(one))

    def nested(part) -> str:
        return spell_element(part) if part.ndim == 0 else "[" + ", ".join(map(nested, part)) + "]"

    text = f"{{value = dense<{nested(array) if array.size else ''}> : {type_of(array.shape, element)}}}"
    return current().apply("mp.constant", [], text, None)


def operands(*values) -> list[Tensor]:
    """Tensors, and arrays in the type of the first of them."""
    found = [operand(one) if isinstance(one, Value) or hasattr(one, "initializer") else one for one in values]
    dtype = next((one.dtype for one in found if isinstance(one, Value)), None) or own_type(values)
    return [one if isinstance(one, Value) else constant(one, dtype) for one in found]  # type: ignore[misc]


def apply(op: str, given, attributes: str, result=None, *, required: int | None = None, kinds: tuple[int, ...] | None = None):
    """Adds an op to the graph of its operands, of which those behind the `required` ones may be None; `kinds` is a number for each, the
    same for those of one type, and None where all are. Numbers and arrays take the type of the first tensor that the op wants to be of
    their type; where there is none, an array keeps its own, and numbers have float32 or, beside tensors of other kinds, their own."""
    for one in given[:required]:
        if not isinstance(one, Value):
            check_operand(op, "an operand", one)
    graph = current()
    tensors = [graph.leaf(one) if hasattr(one, "initializer") else one for one in given]
    first = next((one for one in tensors if isinstance(one, Value)), None)
    kinds = kinds or (0,) * len(tensors)
    for kind in sorted(set(kinds)):
        places = [i for i, one in enumerate(tensors) if kinds[i] == kind and one is not None]
        own = [tensors[i] for i in places]
        beside = next((one for one in own if isinstance(one, Value)), None)
        values = [one for one in own if not isinstance(one, Value)]
        if any(one.graph is not graph for one in own if isinstance(one, Value)):
            raise Error(f"{op}: a tensor of another model")
        if not values:
            continue
        if beside is not None:
            dtype = beside.dtype
        elif first is None and all(isinstance(one, (bool, int, float)) for one in values):
            dtype = "float32"
        else:
            dtype = own_type(values, first)
        for i in places:
            if not isinstance(tensors[i], Value):
                tensors[i] = constant(tensors[i], dtype)
    tensors = [one for one in tensors if one is not None]
    if result is not None:
        result = result if isinstance(result, str) and result.startswith("tensor<") else element_of(result)
    return graph.apply(op, tensors, attributes, result)
