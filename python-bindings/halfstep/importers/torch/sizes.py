"""Numbers and tensors of torch.export that follow from the size of the batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.rows import Rows
from halfstep_runtime._elements import DTypeName
from halfstep_runtime._errors import Error

if TYPE_CHECKING:
    import sympy


class Batch:
    """The batch: its rows, and torch.export's expression of their number."""

    def __init__(self, rows: Rows, size: sympy.Expr):
        self._rows, self._size = rows, size

    def filled(self, number: float, sizes: Sequence[Any], dtype: DTypeName) -> Tensor:
        """A number in each place of a shape, one of whose sizes is the batch's or a multiple of it."""
        places = [size for size in sizes if not isinstance(size, int)]
        share = places[0].node.expr / self._size if len(places) == 1 else None
        if share is None or not share.is_Integer or share < 1:
            raise Error(f"a tensor of {tuple(map(str, sizes))} has another open size than the batch's, {self._size}; give batched=False")
        return self._rows.filled(number, [size if isinstance(size, int) else None for size in sizes], dtype, int(share))

    def number(self, expr: sympy.Expr, dtype: DTypeName) -> Tensor:
        """An expression of its size."""
        count = self._rows.count
        found = _computed(expr, count if dtype == "float64" else ops.cast(count, dtype))
        return found if isinstance(found, Tensor) else ops.constant(found, dtype)


class OpenNumber:
    """A number of torch.export that follows from the size of the batch."""

    def __init__(self, value: Any, batch: Batch | None):
        self._expr, self._batch = value.node.expr, batch
        self.is_float = value.node.pytype is float

    @functools.cached_property
    def tensor(self) -> Tensor:
        if self._batch is None:
            raise Error(f"a number is {self._expr}, which is no size of the batch")
        return self._batch.number(self._expr, "float32") if self.is_float else ops.cast(self._batch.number(self._expr, "float64"), "int64")


# How functions of sympy and torch.export are computed of tensors of floats and numbers, by their names.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(["CleanDiv", "FloatTrueDiv", "IntTrueDiv"], lambda a, b: a / b),
    **dict.fromkeys(["Mod", "PythonMod"], lambda a, b: a - ops.floor(a / b) * b),
    **dict.fromkeys(["FloatPow", "Pow", "PowByNatural"], lambda a, b: a**b),
    "Add": lambda *given: functools.reduce(lambda a, b: a + b, given),
    "FloorDiv": lambda a, b: ops.floor(a / b),
    "Mul": lambda *given: functools.reduce(lambda a, b: a * b, given),
    "OpaqueUnaryFn_sqrt": lambda a: ops.sqrt(a),
    "ToFloat": lambda a: a,
}


def _computed(expr: sympy.Expr, count: Tensor) -> Any:
    """A tensor of the count's type, or a number, of an expression whose one symbol is the batch's size."""
    if expr.is_Symbol:
        return count
    if expr.is_number:
        return float(expr)
    name = type(expr).__name__
    if name not in _FUNCTIONS:
        raise Error(f"a number is {expr}, and {name} of the batch's size is not supported")
    return _FUNCTIONS[name](*(_computed(one, count) for one in expr.args))
