"""Tensors: values of a model with Python's operators, which are made of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from halfstep import ops
from halfstep.graph.functions import abs, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, floor_divide, neg, pow, round
from halfstep.graph.graph import Value, apply, check_operand, operand, type_of
from halfstep.graph.products import matmul
from halfstep.graph.shapes import cast, index_of, reshape
from halfstep.hints.elsewhere import FUNCTIONS, OF_NUMPY, VALUES
from halfstep.hints.types import DType, Operand
from halfstep_runtime._arrays import DTypeName
from halfstep_runtime._errors import Error, is_integer, shown
from halfstep_runtime._keywords import tell_methods

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


def _elsewhere(name: str) -> str | None:
    """What is here for a method that a tensor has elsewhere."""
    return f"ops.{name}(x, ...) computes it" if name in ops.__all__ else f"here it is ops.{FUNCTIONS[name]}" if name in FUNCTIONS else None


def _of_two(op: str, *, turned: bool = False, **attributes: str) -> Callable[[Any, Operand], Tensor]:
    """An operator that an op computes, of what is on the right where it is `turned`."""
    return lambda self, other: apply(op, [other, self] if turned else [self, other], attributes)


def _of_one(function: Callable[[Any], Tensor]) -> Callable[[Any], Tensor]:
    return lambda self: function(self)


def _by(function: Callable[[Any, Any], Tensor], *, turned: bool = False) -> Callable[[Any, Operand], Tensor]:
    """An operator that a function of two computes, where what is beside the tensor can be an operand."""

    def operator(self: Any, other: Operand) -> Tensor:
        check_operand(f"mp.{function.__name__}", "an operand", other)
        return function(other, operand(self)) if turned else function(operand(self), other)

    return operator


class Operators:
    """Python's operators, of a tensor and of what is one in a forward."""

    dtype: DTypeName

    __add__, __radd__ = _of_two("mp.add"), _of_two("mp.add", turned=True)
    __sub__, __rsub__ = _of_two("mp.sub"), _of_two("mp.sub", turned=True)
    __mul__, __rmul__ = _of_two("mp.mul"), _of_two("mp.mul", turned=True)
    __truediv__, __rtruediv__ = _of_two("mp.div"), _of_two("mp.div", turned=True)
    __mod__, __rmod__ = _of_two("mp.remainder"), _of_two("mp.remainder", turned=True)
    __floordiv__, __rfloordiv__ = _by(floor_divide), _by(floor_divide, turned=True)
    __lshift__, __rlshift__ = _of_two("mp.shift_left"), _of_two("mp.shift_left", turned=True)
    __rshift__, __rrshift__ = _of_two("mp.shift_right"), _of_two("mp.shift_right", turned=True)
    __and__, __rand__ = _by(bitwise_and), _by(bitwise_and, turned=True)
    __or__, __ror__ = _by(bitwise_or), _by(bitwise_or, turned=True)
    __lt__, __gt__ = _of_two("mp.compare", predicate="lt"), _of_two("mp.compare", predicate="gt")
    __le__, __ge__ = _of_two("mp.compare", predicate="le"), _of_two("mp.compare", predicate="ge")
    __matmul__, __rmatmul__ = _by(matmul), _by(matmul, turned=True)
    __pow__, __rpow__ = _by(pow), _by(pow, turned=True)
    __abs__, __neg__, __pos__, __invert__ = _of_one(abs), _of_one(neg), _of_one(operand), _of_one(bitwise_not)

    def __round__(self: Any, digits: None = None) -> Tensor:
        if digits is not None:
            raise Error(f"round of a tensor to {shown(digits)} digits: ops.round(x) is to whole numbers; ops.round(x * 10.0**digits) / 10.0**digits")
        return round(self)

    def __divmod__(self: Any, other: Operand) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self: Any, other: Operand) -> tuple[Tensor, Tensor]:
        return other // self, other % self

    def __xor__(self: Any, other: Operand) -> Tensor:
        if "float" in self.dtype:
            raise Error(f"^ is of integers and bool, and the tensor has elements of {self.dtype}; x ** 2 is a power")
        return _by(bitwise_xor)(self, other)

    __rxor__ = __xor__

    def __getitem__(self: Any, index: Any) -> Tensor:
        return index_of(operand(self), index)


class Tensor(Operators, Value):
    """A value of a model: its shape, in which None is the batch, and the type of its elements; no numbers. What a forward is given and
    what ops give are tensors, with Python's operators and NumPy's indices; nothing else makes one."""

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<halfstep.Tensor {type_of(self.shape, self.dtype)}>"

    def __array_ufunc__(self, function: Any, method: str, *given: Any, **named: Any) -> Any:
        """Operators of arrays on the left, which NumPy's functions for them cannot be told from: those of this class. Others are refused."""
        ours = _OPERATORS.get(function.__name__)
        if ours is not None and method == "__call__" and not named:
            if len(given) == 1:
                return getattr(self, ours[0])()
            lhs, rhs = given
            return getattr(lhs, ours[0])(rhs) if isinstance(lhs, Tensor) else getattr(rhs, ours[1])(lhs)
        return self.__array_function__(function, (), given, named)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> NoReturn:
        instead = OF_NUMPY.get(function.__name__) or _elsewhere(function.__name__)
        raise Error(f"numpy.{function.__name__} takes arrays, and is given a tensor of a model" + (f"; {instead}" if instead else ""))

    def __bool__(self) -> NoReturn:
        raise Error("a tensor of a model has no value yet: use ops.select for what depends on one")

    __eq__ = _of_two("mp.compare", predicate="eq")  # type: ignore[assignment]
    __ne__ = _of_two("mp.compare", predicate="ne")  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __iter__(self) -> NoReturn:
        raise Error("a tensor of a model has no elements to go through; ops.split gives parts of it", self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """What a tensor of NumPy or PyTorch has and this one does not, with what is here."""
            if name.startswith("_"):
                raise AttributeError(name)
            said = VALUES.get(name) or _elsewhere(name)
            raise AttributeError(f"a tensor of a model has no '{name}'" + (f"; {said}" if said else ""))

    def reshape(self, *shape: Any) -> Tensor:
        return reshape(self, shape[0] if len(shape) == 1 and not is_integer(shape[0]) and shape[0] is not None else shape)

    def astype(self, dtype: DType) -> Tensor:
        return cast(self, dtype)


tell_methods(Tensor, ["reshape", "astype"])
