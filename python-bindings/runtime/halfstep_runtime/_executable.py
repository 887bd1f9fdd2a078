"""What is compiled."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from halfstep_runtime import _arrays, _runtime
from halfstep_runtime._arrays import ELEMENTS
from halfstep_runtime._errors import Error, check_there, shown
from halfstep_runtime._files import write
from halfstep_runtime._keywords import tell_methods

_INPUTS, _RESULTS, _STATE = range(3)


@dataclasses.dataclass(frozen=True)
class Value:
    """An input, a result or a state of a program. A size that is None is the batch's, which a run may choose."""

    name: str
    role: str
    element: str
    shape: tuple[int | None, ...]

    def __str__(self) -> str:
        sizes = "".join("?x" if size is None else f"{size}x" for size in self.shape)
        return f"{self.name}: tensor<{sizes}{self.element}> ({self.role})"


def elements_of(values: Mapping[str, Value]) -> dict[str, str | None]:
    return {name: one.element for name, one in values.items()}


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of an executable: what it takes and what it gives, by name."""

    name: str
    inputs: Mapping[str, Value]
    results: Mapping[str, Value]


class Executable:
    """A compiled model: programs that share one state. No device is needed to look at it."""

    def __init__(self, data: bytes) -> None:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            is_path = isinstance(data, (str, os.PathLike))
            raise Error(f"Executable: data is {shown(data)}, expected bytes, as to_bytes() gives them" +
                        (f"; halfstep.Executable.load({os.fspath(data)!r}) reads a file" if is_path else ""))
        self._handle = _runtime.Executable(bytes(data))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Executable:
        self = cls.__new__(cls)
        self._handle = _runtime.Executable.read(check_there(path))
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file that `mp-run` and `mp-exec` take."""
        write(path, [self.to_bytes()])

    def to_bytes(self) -> bytes:
        return self._handle.bytes()

    def _with_values(self, values: Mapping[str, Any]) -> Executable:
        """The same with values of states in it, from which sessions start; of those that it has."""
        known, other = self.state, Executable.__new__(Executable)
        other._handle = self._handle.with_values(*_arrays.several_to_runtime({name: one for name, one in values.items() if name in known}, elements_of(known)))
        return other

    def _values(self, kind: int, program: str = "") -> dict[str, Value]:
        return {name: Value(name, role, ELEMENTS[element], shape) for name, role, element, shape in self._handle.values(kind, program)}

    @property
    def programs(self) -> dict[str, Program]:
        return {name: Program(name, self._values(_INPUTS, name), self._values(_RESULTS, name)) for name in self._handle.programs()}

    @property
    def state(self) -> dict[str, Value]:
        return self._values(_STATE)

    @property
    def batch_sizes(self) -> tuple[int, ...]:
        """The batches that there is code for: a run takes the smallest that holds its rows, or the largest again and again. None where all
        sizes are fixed."""
        return tuple(sorted({size for name in self._handle.programs() for size in self._handle.batches(name)}))

    @property
    def stored(self) -> tuple[str, ...]:
        """The states that it holds values of, which a session's initialize gives them."""
        return tuple(self._handle.stored())

    @property
    def model(self) -> str:
        return self._handle.text("model") or ""

    @property
    def policy(self) -> str:
        return self._handle.text("policy") or ""

    def __repr__(self) -> str:
        return f"<halfstep.Executable {self.model!r}, policy {self.policy}, programs {', '.join(self._handle.programs())}>"


tell_methods(Executable)
