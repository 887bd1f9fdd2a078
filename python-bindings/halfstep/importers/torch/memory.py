"""Where the elements of PyTorch's tensors are: what ops in place change, and the views that see it.

PyTorch's tensors share memory; ours are values. A place stands for memory: of a tensor of its own, or for a part of
another place, a view. What is written to a view is written to what it is a view of, and so on to the tensor that has
the memory; what is read of any view of that tensor later is taken from it anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halfstep.importers.images import leaf_tensor
from halfstep.importers.library import torch
from halfstep.importers.torch.call import as_type, tensor_of, type_name
from halfstep.layers.leaves import Leaf
from halfstep_runtime._errors import Error


class Place:
    """A tensor that has its own memory."""

    def __init__(self, value: Any, kept: str = ""):
        self._value = value
        self.kept = kept  # why nothing may be written to it
        self.version = 0  # how often something was

    @property
    def root(self) -> Place:
        return self

    def read(self) -> Any:
        return self._value

    def write(self, value: Any) -> None:
        if self.kept:
            raise Error(self.kept)
        self._value = _as_before(self.read(), value)
        self.version += 1


class Held(Place):
    """A parameter or a state, which is an argument of the graph as soon as it is read."""

    def __init__(self, leaf: Leaf, kept: str = ""):
        super().__init__(None, kept)
        self._leaf = leaf

    def read(self) -> Any:
        return self._value if self.version else leaf_tensor(self._leaf)


class View(Place):
    """What `take` gives of a place, and `put` writes to it: that gives of the place's elements, and those for the view, what the place has then."""

    def __init__(self, base: Place, value: Any, take: Callable[[Any], Any], put: Callable[[Any, Any], Any]):
        super().__init__(value)
        self._base, self._take, self._put = base, take, put
        self._seen = self.root.version

    @property
    def root(self) -> Place:
        return self._base.root

    def read(self) -> Any:
        if self._seen != self.root.version:
            self._value, self._seen = self._take(self._base.read()), self.root.version
        return self._value

    def write(self, value: Any) -> None:
        value = _as_before(self.read(), value)
        self._base.write(self._put(self._base.read(), value))
        # Who reads this view next needs nothing else of what it is of.
        self._value, self._seen = value, self.root.version


def _as_before(old: Any, value: Any) -> Any:
    """In the type that an op in place keeps."""
    if isinstance(old, torch.Tensor) and isinstance(value, torch.Tensor):
        return value.to(old.dtype)
    value = tensor_of(value)
    if tuple(value.shape) != tuple(old.shape):
        raise Error(f"an op in place gives elements of shape {tuple(value.shape)} for {tuple(old.shape)}")
    return as_type(value, type_name(old.dtype))


def memory_of(value: Any) -> object:
    """What tells the memory of a value of torch.export from that of others."""
    is_plain = isinstance(value, torch.Tensor) and value.layout == torch.strided
    return value.untyped_storage()._cdata if is_plain else None


def is_whole(view: Any, base: Any) -> bool:
    """Whether a view has each element of what it is of, in its place."""

    def layout(value: Any) -> tuple[object, ...]:
        return value.dtype, str(tuple(value.shape)), str(value.stride()), str(value.storage_offset())

    return layout(view) == layout(base)


def check_disjoint(view: Any) -> None:
    """That no two elements of a view are one in memory."""
    if any(str(stride) == "0" and str(size) != "1" for size, stride in zip(view.shape, view.stride())):
        raise Error("elements of what expand gives are one in memory, and are not written to: write to its clone()")
