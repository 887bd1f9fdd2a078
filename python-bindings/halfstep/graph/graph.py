"""Models being made: symbolic tensors, and the graph that their ops go into."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
import os
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from halfstep.graph.operand_check import check_operand
from halfstep_runtime._elements import DTYPES, told_of_types
from halfstep_runtime._errors import PACKAGES, Error, integer, is_integer, number_of, several
from halfstep_runtime._keywords import told
from halfstep_runtime._libraries import libraries

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

    def __init__(self, name: str, root=None):
        with libraries():
            from halfstep import _compiler
        self.handle = _compiler.Model(name)
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
        return Tensor(self, self.handle.add_argument(name, type_text, attributes))

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
            results = [Tensor(self, one) for one in self.handle.add_op(op, indices, attributes, result, label, *where)]
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


def own_type(values, like: Tensor | None = None) -> str:
    """The type of arrays and numbers that have no tensor of their kind beside them; of floats that of `like`, if it has floats."""
    from halfstep_runtime import _arrays

    dtype = _arrays.common_type(values)
    return like.dtype if like is not None and "float" in dtype and "float" in like.dtype else dtype


def operand(value) -> Tensor:
    """A tensor, the tensor of a parameter, or an array in its own type."""
    if isinstance(value, Tensor):
        return value
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
    found = [operand(one) if isinstance(one, Tensor) or hasattr(one, "initializer") else one for one in values]
    dtype = next((one.dtype for one in found if isinstance(one, Tensor)), None) or own_type(values)
    return [one if isinstance(one, Tensor) else constant(one, dtype) for one in found]


def apply(op: str, given, attributes: str, result=None, *, required: int | None = None, kinds: tuple[int, ...] | None = None):
    """Adds an op to the graph of its operands, of which those behind the `required` ones may be None; `kinds` is a number for each, the
    same for those of one type, and None where all are. Numbers and arrays take the type of the first tensor that the op wants to be of
    their type; where there is none, an array keeps its own, and numbers have float32 or, beside tensors of other kinds, their own."""
    for one in given[:required]:
        if not isinstance(one, Tensor):
            check_operand(op, "an operand", one)
    graph = current()
    tensors = [graph.leaf(one) if hasattr(one, "initializer") else one for one in given]
    first = next((one for one in tensors if isinstance(one, Tensor)), None)
    kinds = kinds or (0,) * len(tensors)
    for kind in sorted(set(kinds)):
        places = [i for i, one in enumerate(tensors) if kinds[i] == kind and one is not None]
        own = [tensors[i] for i in places]
        beside = next((one for one in own if isinstance(one, Tensor)), None)
        values = [one for one in own if not isinstance(one, Tensor)]
        if any(one.graph is not graph for one in own if isinstance(one, Tensor)):
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
            if not isinstance(tensors[i], Tensor):
                tensors[i] = constant(tensors[i], dtype)
    tensors = [one for one in tensors if one is not None]
    if result is not None:
        result = result if isinstance(result, str) and result.startswith("tensor<") else element_of(result)
    return graph.apply(op, tensors, attributes, result)


# What a tensor would have if it had values, or another shape.
_VALUES = {
    **dict.fromkeys(["item", "numpy", "detach", "cpu", "tolist"], "it has no value yet: what a model computes is what predict gives"),
    "T": "ops.transpose(x) turns its dimensions around; of matrices of a batch, which stays first, ops.transpose(x, (0, 2, 1)) is it",
    "mT": "of matrices of a batch ops.transpose(x, (0, 2, 1)) is it",
    **{name: f"here it is ops.reduce_{name}(x, dimensions)" for name in ("max", "min")},
    "size": "x.shape has its sizes",
    "dim": "x.ndim is their number",
    **dict.fromkeys(["float", "half", "bfloat16", "int", "long"], 'x.astype("float32") is it in another type'),
    "requires_grad": "parameters have gradients, nn.Parameter",
}


# Python's operators by NumPy's names: that of the tensor on the left, and that of one on the right.
_OPERATORS = {
    **{name: (f"__{own}__", f"__r{own}__") for name, own in (("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("divide", "truediv"),
                                                            ("true_divide", "truediv"), ("matmul", "matmul"), ("power", "pow"), ("bitwise_and", "and"),
                                                            ("bitwise_or", "or"), ("bitwise_xor", "xor"), ("floor_divide", "floordiv"),
                                                            ("remainder", "mod"), ("divmod", "divmod"), ("left_shift", "lshift"),
                                                            ("right_shift", "rshift"))},
    **{name: (f"__{own}__", f"__{turned}__") for name, own, turned in (("less", "lt", "gt"), ("less_equal", "le", "ge"), ("greater", "gt", "lt"),
                                                                      ("greater_equal", "ge", "le"), ("equal", "eq", "eq"), ("not_equal", "ne", "ne"))},
    **{name: (f"__{own}__",) for name, own in (("negative", "neg"), ("positive", "pos"), ("absolute", "abs"), ("invert", "invert"))},
}

# Operators that no op computes, by what gives the like of it.
UNDONE = {
    "floordiv": ("//", "for floats write ops.floor(x / y), which differs where the quotient rounds to a whole number"),
    "mod": ("%", "for floats write x - ops.floor(x / y) * y, which differs where the quotient rounds to a whole number"),
    "divmod": ("divmod", "for floats write q = ops.floor(x / y) and x - q * y, which differ where the quotient rounds to a whole number"),
    "lshift": ("<<", "write x * 2**bits"),
    "rshift": (">>", "for floats write ops.floor(x / 2**bits)"),
}

# What NumPy's functions do otherwise than PyTorch's of the same name.
_OF_NUMPY = {
    "std": "here it is ops.sqrt(ops.var(x, dimensions, correction=0))",
    "var": "here it is ops.var(x, dimensions, correction=0)",
    **{name: f"here it is ops.reduce_{name}(x, dimensions)" for name in ("max", "min")},
    "repeat": "here it is ops.gather(x, numpy.arange(size).repeat(repeats), dimension)",
}


# What methods of tensors call: functions made of ops, which halfstep.ops, above this file, puts here.
functions: dict[str, Callable] = {}


class Tensor:
    """A value of a model: its shape, in which None is the batch, and the type of its elements; no numbers. What a forward is given and
    what ops give are tensors, with Python's operators and NumPy's indices; nothing else makes one."""

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

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self):
        return f"<halfstep.Tensor {type_of(self.shape, self.dtype)}>"

    def __array_ufunc__(self, function, method, *given, **named):
        """Operators of arrays on the left, which NumPy's functions for them cannot be told from: those of this class. Others are refused."""
        ours = _OPERATORS.get(function.__name__)
        if ours is not None and method == "__call__" and not named:
            if len(given) == 1:
                return getattr(self, ours[0])()
            lhs, rhs = given
            return getattr(lhs, ours[0])(rhs) if isinstance(lhs, Tensor) else getattr(rhs, ours[1])(lhs)
        return self.__array_function__(function, (), given, named)

    def __array_function__(self, function, types, given, named):
        instead = _OF_NUMPY.get(function.__name__) or functions["instead"](function.__name__)
        raise Error(f"numpy.{function.__name__} takes arrays, and is given a tensor of a model" + (f"; {instead}" if instead else ""))

    def __bool__(self):
        raise Error("a tensor of a model has no value yet: use ops.select for what depends on one")

    def __add__(self, other):
        return apply("mp.add", [self, other], "")

    def __radd__(self, other):
        return apply("mp.add", [other, self], "")

    def __sub__(self, other):
        return apply("mp.sub", [self, other], "")

    def __rsub__(self, other):
        return apply("mp.sub", [other, self], "")

    def __mul__(self, other):
        return apply("mp.mul", [self, other], "")

    def __rmul__(self, other):
        return apply("mp.mul", [other, self], "")

    def __truediv__(self, other):
        return apply("mp.div", [self, other], "")

    def __rtruediv__(self, other):
        return apply("mp.div", [other, self], "")

    def __matmul__(self, other):
        return functions["matmul"](self, other)

    def __rmatmul__(self, other):
        return functions["matmul"](other, self)

    def __pow__(self, other):
        return functions["pow"](self, other)

    def __rpow__(self, other):
        return functions["pow"](other, self)

    def __abs__(self):
        return apply("mp.abs", [self], "")

    def __neg__(self):
        return apply("mp.neg", [self], "")

    def __pos__(self):
        return self

    def __round__(self, digits=None):
        if digits is not None:
            raise Error(f"round of a tensor to {digits!r} digits: ops.round(x) is to whole numbers; ops.round(x * 10.0**digits) / 10.0**digits")
        return apply("mp.round", [self], "")

    def _compare(self, predicate, other):
        return apply("mp.compare", [self, other], f"{{predicate = #mp<predicate {predicate}>}}")

    def __lt__(self, other):
        return self._compare("lt", other)

    def __le__(self, other):
        return self._compare("le", other)

    def __gt__(self, other):
        return self._compare("gt", other)

    def __ge__(self, other):
        return self._compare("ge", other)

    def __eq__(self, other):
        return self._compare("eq", other)

    def __ne__(self, other):
        return self._compare("ne", other)

    __hash__ = object.__hash__

    def __and__(self, other):
        return apply("mp.logical_and", [self, other], "")

    def __rand__(self, other):
        return apply("mp.logical_and", [other, self], "")

    def __or__(self, other):
        return apply("mp.logical_or", [self, other], "")

    def __ror__(self, other):
        return apply("mp.logical_or", [other, self], "")

    def __xor__(self, other):
        if self.dtype != "bool":
            raise Error(f"^ is of bool, and the tensor has elements of {self.dtype}; x ** 2 is a power")
        return self._compare("ne", other)

    __rxor__ = __xor__

    def __invert__(self):
        return apply("mp.logical_not", [self], "")

    def __getitem__(self, index):
        return functions["index"](self, index)

    def __iter__(self):
        raise Error("a tensor of a model has no elements to go through; ops.split gives parts of it")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str):
            """What a tensor of NumPy or PyTorch has and this one does not, with what is here."""
            if name.startswith("_"):
                raise AttributeError(name)
            said = _VALUES.get(name) or functions["instead"](name)
            raise AttributeError(f"a tensor of a model has no '{name}'" + (f"; {said}" if said else ""))

    def reshape(self, *shape):
        return functions["reshape"](self, shape[0] if len(shape) == 1 and not is_integer(shape[0]) and shape[0] is not None else shape)

    def astype(self, dtype):
        return functions["cast"](self, dtype)


def _undone(sign: str, instead: str):
    """An operator that is refused with what is here."""

    def refuse(self, other):
        raise Error(f"tensors of a model have no {sign}; {instead}")

    return refuse


for _name, (_sign, _instead) in UNDONE.items():
    for _one in (f"__{_name}__", f"__r{_name}__"):
        setattr(Tensor, _one, _undone(_sign, _instead))
