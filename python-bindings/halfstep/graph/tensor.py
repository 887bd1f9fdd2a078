"""Tensors: values of a model with Python's operators, which are made of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from halfstep import ops
from halfstep.graph.functions import pow
from halfstep.graph.graph import Value, apply, type_of
from halfstep.graph.products import matmul
from halfstep.graph.shapes import cast, index_of, reshape
from halfstep.hints.functions import INSTEAD
from halfstep.hints.tensors import OF_NUMPY, UNDONE, VALUES
from halfstep.hints.types import DType, Operand
from halfstep_runtime._errors import Error, is_integer

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
    return f"ops.{name}(x, ...) computes it" if name in ops.__all__ else f"here it is ops.{INSTEAD[name]}" if name in INSTEAD else None


class Tensor(Value):
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

    def __add__(self, other: Operand) -> Tensor:
        return apply("mp.add", [self, other])

    def __radd__(self, other: Operand) -> Tensor:
        return apply("mp.add", [other, self])

    def __sub__(self, other: Operand) -> Tensor:
        return apply("mp.sub", [self, other])

    def __rsub__(self, other: Operand) -> Tensor:
        return apply("mp.sub", [other, self])

    def __mul__(self, other: Operand) -> Tensor:
        return apply("mp.mul", [self, other])

    def __rmul__(self, other: Operand) -> Tensor:
        return apply("mp.mul", [other, self])

    def __truediv__(self, other: Operand) -> Tensor:
        return apply("mp.div", [self, other])

    def __rtruediv__(self, other: Operand) -> Tensor:
        return apply("mp.div", [other, self])

    def __matmul__(self, other: Operand) -> Tensor:
        return matmul(self, other)

    def __rmatmul__(self, other: Operand) -> Tensor:
        return matmul(other, self)

    def __pow__(self, other: Operand) -> Tensor:
        return pow(self, other)

    def __rpow__(self, other: Operand) -> Tensor:
        return pow(other, self)

    def __abs__(self) -> Tensor:
        return apply("mp.abs", [self])

    def __neg__(self) -> Tensor:
        return apply("mp.neg", [self])

    def __pos__(self) -> Tensor:
        return self

    def __round__(self, digits: None = None) -> Tensor:
        if digits is not None:
            raise Error(f"round of a tensor to {digits!r} digits: ops.round(x) is to whole numbers; ops.round(x * 10.0**digits) / 10.0**digits")
        return apply("mp.round", [self])

    def _compare(self, predicate: str, other: Any) -> Tensor:
        return apply("mp.compare", [self, other], {"predicate": predicate})

    def __lt__(self, other: Operand) -> Tensor:
        return self._compare("lt", other)

    def __le__(self, other: Operand) -> Tensor:
        return self._compare("le", other)

    def __gt__(self, other: Operand) -> Tensor:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Tensor:
        return self._compare("ge", other)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return self._compare("eq", other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return self._compare("ne", other)

    __hash__ = object.__hash__

    def __and__(self, other: Operand) -> Tensor:
        return apply("mp.logical_and", [self, other])

    def __rand__(self, other: Operand) -> Tensor:
        return apply("mp.logical_and", [other, self])

    def __or__(self, other: Operand) -> Tensor:
        return apply("mp.logical_or", [self, other])

    def __ror__(self, other: Operand) -> Tensor:
        return apply("mp.logical_or", [other, self])

    def __xor__(self, other: Operand) -> Tensor:
        if self.dtype != "bool":
            raise Error(f"^ is of bool, and the tensor has elements of {self.dtype}; x ** 2 is a power")
        return self._compare("ne", other)

    __rxor__ = __xor__

    def __invert__(self) -> Tensor:
        return apply("mp.logical_not", [self])

    def __getitem__(self, index: Any) -> Tensor:
        return index_of(self, index)

    def __iter__(self) -> NoReturn:
        raise Error("a tensor of a model has no elements to go through; ops.split gives parts of it")

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


def _undone(sign: str, instead: str) -> Callable[[Any, object], NoReturn]:
    """An operator that is refused with what is here."""

    def refuse(self: object, other: object) -> NoReturn:
        raise Error(f"tensors of a model have no {sign}; {instead}")

    return refuse


for _name, (_sign, _instead) in UNDONE.items():
    for _one in (f"__{_name}__", f"__r{_name}__"):
        setattr(Tensor, _one, _undone(_sign, _instead))
