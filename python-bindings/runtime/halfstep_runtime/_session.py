"""Running what is compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from halfstep_runtime import _arrays, _runtime
from halfstep_runtime._errors import Error, check_device, integer, is_text, shown, truth, unknown_name
from halfstep_runtime._executable import Executable, elements_of
from halfstep_runtime._files import check_kind, check_written
from halfstep_runtime._keywords import tell_methods


class State(MutableMapping[str, Any]):
    """The state of a session by name: parameters, what the optimizer keeps, "learning_rate", ... Reading copies from the
    device, writing copies to it. No name comes or goes."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getitem__(self, name: str) -> Any:
        self._check(name)
        ((_, element, array),) = self._session._handle.state(name)
        return _arrays.from_runtime(element, array)

    def __setitem__(self, name: str, value: object) -> None:
        self._check(name)
        array, element = _arrays.to_runtime(name, value, self._session.executable.state[name].element)
        self._session._handle.set_state(name, array, element)
        self._session._is_changed()

    def __delitem__(self, name: str) -> None:
        raise TypeError("state is the executable's: no name can be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._session._handle.state_names())

    def __len__(self) -> int:
        return len(self._session._handle.state_names())

    def _check(self, name: str) -> None:
        names = self._session._handle.state_names()
        if not isinstance(name, str) or name not in names:
            raise unknown_name("state", name, names)


class Session:
    """An executable on a device, with its state. `threads` are those of the CPU, 0 for all that the process may use; `pin_threads`
    keeps each, while it computes, on one of the processors.

    One thread at a time: a call while one of another thread is under way is an error. Each thread has a session of its own, or
    they take turns by a threading.Lock; the executable is shared."""

    def __init__(self, executable: Executable | str | os.PathLike[str], device: str = "cpu", *, threads: int = 0,
                 pin_threads: bool = False) -> None:
        check_device(device)
        threads, pin_threads = integer("threads", threads, bits=32), truth("Session: pin_threads", pin_threads)
        if not isinstance(executable, Executable):
            executable = Executable.load(executable)
        self.executable = executable
        self._handle = _runtime.Session(executable._handle, device, threads, pin_threads)
        self._programs = executable.programs
        self._has_values = not executable.state  # whether state is what somebody said
        self.changes = 0  # how often state was set or trained

    def initialize(self, seed: int = 0) -> None:
        """Gives all state its first value: the one that the executable holds, else its initializer's under that seed."""
        self._handle.initialize(integer("seed", seed, bits=64))
        self._is_changed()

    def _is_changed(self) -> None:
        self._has_values = True
        self.changes += 1

    def set_states(self, values: Mapping[str, object]) -> None:
        """Several states by name: all of them, or none where one does not fit."""
        if not isinstance(values, Mapping):
            raise Error(f"set_states: values is of type {type(values).__name__}, expected a dictionary of arrays by name")
        for name in values:
            self.state._check(name)
        self._handle.set_states(*_arrays.several_to_runtime(values, elements_of(self.executable.state)))
        self._is_changed()

    @property
    def state(self) -> State:
        return State(self)

    def load_weights(self, path: str | os.PathLike[str]) -> None:
        """Parameters, and states of the model itself that are there, from a safetensors file or from the folder of a checkpoint: all of
        them, or none where one does not fit."""
        self._handle.load_weights(check_kind(path))
        self._is_changed()

    def save_weights(self, path: str | os.PathLike[str]) -> None:
        """Parameters and states of the model itself as a safetensors file, whose name ends in .safetensors or in nothing that is another
        format's."""
        self._handle.save_weights(check_written(path))

    def load_state(self, path: str | os.PathLike[str]) -> None:
        """All state, from what save_state wrote or from the folder of a checkpoint: all of it, or none where something is missing or
        does not fit."""
        self._handle.load_state(check_kind(path))
        self._is_changed()

    def save_state(self, path: str | os.PathLike[str], *, steps: int = 0, epochs: int = 0) -> None:
        """All state as a safetensors file: parameters, and what optimizer, loss scale and random generators keep. `steps` and `epochs`
        are said in it to be behind it."""
        self._handle.save_state(check_written(path), integer("steps", steps, bits=64), integer("epochs", epochs, bits=64))

    def run(self, program: str, inputs: Mapping[str, object] | None = None, /, **arrays: object) -> dict[str, Any]:
        """Runs a program once and gives its results by name, as NumPy arrays that nothing else writes to.

        Inputs are arrays of any library that knows DLPack or the buffer protocol, or numbers and lists. Those with a row
        for each sample may have any number of rows where the program allows.
        """
        if inputs is not None and not isinstance(inputs, Mapping):
            raise Error(f"run: inputs are of type {type(inputs).__name__}, expected a dictionary of arrays by name, or arrays by keyword, "
                        f"as run({shown(program)}, x=x)")
        if not is_text(program):
            raise Error(f"run: the program is of type {type(program).__name__}, expected a name, one of {', '.join(self._programs)}")
        if not self._has_values and program in self._programs:
            raise Error(f"program {program} has no state yet, all of it is zeros: call session.initialize(seed=0), or load_weights(path), before")
        given = {**(inputs or {}), **arrays}
        known = self._programs[program].inputs if program in self._programs else {}
        for name in given:
            if not is_text(name):
                raise Error(f"run: an input's name is {shown(name)}, expected one of {', '.join(known)}")
        sent = _arrays.several_to_runtime(given, elements_of(known))
        if program in ("train_step", "accumulate", "apply"):
            self.changes += 1
        results = self._handle.run(program, *sent)
        return {name: _arrays.from_runtime(element, array) for name, element, array in results}

    def close(self) -> None:
        """Gives back the device's memory."""
        self._handle.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


tell_methods(Session)
