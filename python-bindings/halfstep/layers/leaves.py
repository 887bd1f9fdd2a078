"""What models are made of that holds values: inputs, parameters, states."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from halfstep.graph.graph import TensorType, apply, constant, current, element_of, operand, type_of
from halfstep.graph.tensor import Operators, Tensor
from halfstep.hints.elsewhere import ATTRIBUTES
from halfstep.hints.types import DType, Initializer as GivenInitializer, OpenSizes
from halfstep.layers.initializers import initializer
from halfstep_runtime._arrays import DTYPES, Numbers, array_of, bfloat16
from halfstep_runtime._errors import Error, integer, several, truth
from halfstep_runtime._libraries import numpy


@dataclasses.dataclass(frozen=True, init=False)
class Input:
    """What a model takes, without the batch. As the first of a Sequential it passes on what it is given."""

    shape: tuple[int | None, ...]
    dtype: DType
    batched: bool  # whether a batch comes before the shape

    def __init__(self, shape: OpenSizes, dtype: DType = "float32", batched: bool = True) -> None:
        self.__dict__.update(shape=tuple(several("Input: shape", shape)), dtype=dtype, batched=batched)
        type_of(self.shape, dtype)  # which says what is wrong

    def __call__(self, x: Tensor) -> Tensor:
        return x

    @property
    def type(self) -> TensorType:
        return type_of((None, *self.shape) if self.batched else self.shape, self.dtype)


class Leaf(Operators):
    """What a model keeps between runs. Modules that have the same one share it."""

    role = ""
    trainable = False
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __iter__ = None  # by indices it would have no end

    def __init__(self, shape: OpenSizes, init: GivenInitializer = "zeros", dtype: DType = "float32", value: Any = None) -> None:
        self.shape = tuple(integer("a size", size, 0) for size in several(f"{type(self).__name__}: shape", shape))
        self.dtype = DTYPES[element_of(dtype)]
        self.value = value  # its first, instead of the initializer's
        self.initializer = initializer(init, f"{type(self).__name__}: init")

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("trainable", "requires_grad") and not value:
            raise Error(f"a {type(self).__name__} has no '{name}' to set: {ATTRIBUTES[name]}")
        super().__setattr__(name, value)

    @property
    def given_shape(self) -> tuple[int, ...]:
        """That which it has where the model is from."""
        return self.shape

    def given(self, array: Numbers) -> Numbers:
        """Its value as it is where the model is from."""
        return array

    def held(self, array: Numbers) -> Numbers:
        """Of such a value its own."""
        return array


class Parameter(Leaf):
    """What training changes by its gradient, unless `trainable` is False."""

    role = "parameter"

    def __init__(self, shape: OpenSizes, init: GivenInitializer = "zeros", dtype: DType = "float32", value: Any = None, *,
                 trainable: bool = True) -> None:
        super().__init__(shape, init, dtype, value)
        self.__dict__["trainable"] = truth("Parameter: trainable", trainable)


class Filter(Parameter):
    """An importer's filters, whose channels are second where they are from: kept with the channels last, as our convolutions read them, so
    that no step moves them."""

    def __init__(self, dtype: Any, value: Numbers, *, trainable: bool = True) -> None:
        value = self.held(value)
        super().__init__(value.shape, "zeros", dtype, value, trainable=trainable)

    @property
    def given_shape(self) -> tuple[int, ...]:
        count, *sizes, channels = self.shape
        return count, channels, *sizes

    def given(self, array: Numbers) -> Numbers:
        return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1)).copy()

    def held(self, array: Numbers) -> Numbers:
        return array.transpose(0, *range(2, array.ndim), 1).copy()


class State(Leaf):
    """What a forward itself changes, by ops and `assign`."""

    role = "state"

    def assign(self, value: Tensor) -> None:
        """Its value after a training step: a tensor of its shape and type, or a number or an array, which all of it becomes."""
        graph = current()
        own = graph.leaf(self)
        value = operand(value) if isinstance(value, (Tensor, Leaf)) else _full(value, own, self.shape)
        if (value.shape, value.dtype) != (own.shape, own.dtype):
            raise Error(f"State.assign: the state is {type_of(own.shape, own.dtype)}, given {type_of(value.shape, value.dtype)}; "
                        "ops.reshape and ops.cast make one of the other")
        graph.next[id(self)] = value


def _full(value: Any, like: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A number or an array in that shape and a tensor's type, by NumPy's rules."""
    array = array_of("State.assign: the value", value)
    try:
        numpy.broadcast_to(array, shape)
    except ValueError:
        raise Error(f"State.assign: the value has shape {array.shape}, the state {shape}") from None
    own = constant(array, like.dtype)
    return own if own.shape == shape else apply("mp.broadcast", [own], result=type_of(shape, like.dtype))


def number_array(name: str, leaf: Leaf, value: Any) -> Numbers:
    """A value of a parameter or a state, as state_dict gives it, in the leaf's own type and order, copied: floats are rounded to a type of
    floats, all else has to be held exactly."""
    if hasattr(value, "detach"):  # of PyTorch, where it may require a gradient, or be of a type that NumPy has not
        value = value.detach().cpu()
        value = value.float() if "bfloat16" in str(value.dtype) else value
    array = array_of(f"'{name}'", value)
    if tuple(array.shape) != tuple(leaf.given_shape):
        raise Error(f"'{name}' has shape {tuple(array.shape)}, expected {tuple(leaf.given_shape)}")
    array = leaf.held(array)
    own = numpy.dtype(bfloat16() if leaf.dtype == "bfloat16" else leaf.dtype)
    are_floats = [one.kind == "f" or one.name == "bfloat16" for one in (array.dtype, own)]
    if array.dtype.kind not in "biu" and not are_floats[0]:
        raise Error(f"'{name}' has elements of {array.dtype}, expected numbers")
    with numpy.errstate(all="ignore"):
        converted = array.astype(own)
        if all(are_floats):
            held = numpy.isfinite(converted) == numpy.isfinite(array)
        else:  # those of another sign may come back, too
            held = (converted.astype(array.dtype) == array) & ((converted < 0) == (array < 0))
    if not numpy.all(held):
        raise Error(f"'{name}' has {array[~held].flat[0] if array.ndim else array}, which no {leaf.dtype} holds")
    return converted


def number_arrays(leaves: Mapping[str, Leaf], values: Mapping[str, Any]) -> dict[str, Numbers]:
    """Values of parameters and states by name in their types; the error says all that are wrong."""
    arrays: dict[str, Numbers] = {}
    wrong: list[str] = []
    for name, value in values.items():
        try:
            arrays[name] = number_array(name, leaves[name], value)
        except Error as error:
            wrong.append(str(error))
    if wrong:
        raise Error("load_state_dict: " + "; ".join(wrong[:10]) + (f"; and {len(wrong) - 10} more" if len(wrong) > 10 else ""))
    return arrays


def first_value(leaf: Leaf) -> Numbers:
    """That of what predictions do not depend on, where it is not random."""
    kind, numbers = leaf.initializer.kind, leaf.initializer.numbers
    if leaf.value is None and kind not in ("zeros", "ones", "constant"):
        raise Error("a parameter that no output depends on has no value before the model is trained; call fit, perhaps with epochs=0")
    number = {"zeros": 0, "ones": 1}.get(kind, numbers[0][1] if numbers else 0)
    return numpy.array(leaf.value) if leaf.value is not None else numpy.full(leaf.shape, number, leaf.dtype)


def _keys(kind: str, names: Iterable[str]) -> str:
    names = sorted(map(str, names))
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"{kind} key{'s' * (len(names) > 1)} {', '.join(map(repr, names[:10]))}{more}"


def check_keys(known: Iterable[str], given: Any) -> None:
    """That a state has the names of a model."""
    if not hasattr(given, "items"):
        raise Error(f"load_state_dict: {type(given).__name__} is no dictionary of parameters and states by name", given)
    missing, unexpected = set(known) - set(given), set(given) - set(known)
    said = [_keys("missing", missing) + ", of what the model has that is not given"] if missing else []
    if unexpected:
        said.append(_keys("unexpected", unexpected) + ("" if missing else f"; the model has {', '.join(known) or 'none'}"))
    if said:
        raise Error("load_state_dict: " + "; ".join(said))
