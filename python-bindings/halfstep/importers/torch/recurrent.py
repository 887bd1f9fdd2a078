"""ATen's recurrent layers in our ops."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from halfstep import ops
from halfstep.graph.recurrent import CELLS, Weights, run, step
from halfstep.graph.tensor import Tensor
from halfstep.importers.torch.call import Call, Handler, OpenZeros, Operand, alike, tensor_of
from halfstep_runtime._errors import Error


def _parts_of(call: Call) -> list[Operand]:
    """The first state, as it was given: zeros are none."""
    given = call.named["hx"]
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _weights(params: Sequence[Operand], has_biases: bool, count: int) -> list[Weights]:
    each = 4 if has_biases else 2
    if len(params) != each * count:
        raise Error("proj_size is not supported: multiply the outputs by a matrix, in a layer of its own")
    return [_of_torch(*params[i : i + each]) for i in range(0, len(params), each)]


def _of_torch(*given: Operand) -> Weights:
    return functools.partial(Weights, transposed=True)(*alike(*given))


def _layers(kind: str) -> Handler:
    def handle(call: Call, x: Any, _: object, params: Sequence[Operand], has_biases: bool, count: int, dropout: float, train: bool,
               bidirectional: bool, batch_first: bool) -> tuple[Tensor | None, ...]:
        if call.node.target._overloadname != "input":
            raise Error("packed sequences are not supported: pad them to one length")
        directions = 2 if bidirectional else 1
        weights = _weights(params, has_biases, count * directions)
        parts = _parts_of(call)
        states: list[Any] = [tuple(None if isinstance(one, OpenZeros) else tensor_of(one)[i] for one in parts) for i in range(count * directions)]
        zeros = [sum(part is None for part in one) for one in states]
        if any(0 < missing < len(parts) for missing in zeros):
            raise Error("a first state of which one part is zeros and the other is not is not supported: make both tensors")
        x, *_ = alike(x, params[0])
        layers = [weights[i : i + directions] for i in range(0, len(weights), directions)]
        outputs, last = run(kind, x if batch_first else ops.transpose(x, (1, 0, 2)), layers,
                            [None if missing else one for one, missing in zip(states, zeros)], dropout if train else 0.0)
        used = {node.args[1] for node in call.node.users if node.users}  # results that something reads
        return (outputs if batch_first else ops.transpose(outputs, (1, 0, 2)),
                *(ops.stack([one[part] for one in last], 0) if part + 1 in used else None for part in range(len(parts))))

    return handle


def _cell(kind: str) -> Handler:
    def handle(call: Call, x: Any, _: object, *given: Operand) -> Tensor | tuple[Tensor, ...]:
        parts = _parts_of(call)
        state = None if all(isinstance(one, OpenZeros) for one in parts) else tuple(map(tensor_of, parts))
        x, *weights = alike(x, *given)
        results = step(kind, x, _of_torch(*weights), state)
        return results if kind == "lstm" else results[0]

    return handle


RECURRENT: dict[str, Handler] = {
    **{kind: _layers(kind) for kind in CELLS},
    **{f"{kind}_cell": _cell(kind) for kind in CELLS},
    "zeros": lambda call, *_: OpenZeros(call.shape, call.dtype, lambda: call.filled(0)),  # the other sizes are computed when the module is imported
}
