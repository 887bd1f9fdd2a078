"""ATen's recurrent layers in our ops."""

from __future__ import annotations

from halfstep import ops
from halfstep.graph.recurrent import CELLS, Weights, run, step
from halfstep.importers.torch.operands import OpenZeros, alike, tensor_of
from halfstep_runtime._errors import Error


def _zeros(call, *_):
    """Zeros, of which a size is that of the batch: the others are computed when the module is imported."""
    return OpenZeros(call.shape, call.dtype, call.rows)


def _state_of(given, index: int):
    """Of a layer in a direction; zeros are none."""
    return None if isinstance(given, OpenZeros) else tensor_of(given)[index]


def _of_torch(kernel, recurrent, bias=None, recurrent_bias=None) -> Weights:
    return Weights(kernel, recurrent, bias, recurrent_bias, transposed=True)


def _weights(params, has_biases: bool, count: int) -> list[Weights]:
    each = 4 if has_biases else 2
    if len(params) != each * count:
        raise Error("proj_size is not supported: multiply the outputs by a matrix, in a layer of its own")
    return [_of_torch(*alike(*params[i : i + each])) for i in range(0, len(params), each)]


def _used(call) -> set[int]:
    """Which results something reads."""
    return {node.args[1] for node in call.node.users if node.users}


def _layers(kind: str):
    def handle(call, x, hx, params, has_biases, count, dropout, train, bidirectional, batch_first):
        if call.node.target._overloadname != "input":
            raise Error("packed sequences are not supported: pad them to one length")
        directions = 2 if bidirectional else 1
        weights = _weights(params, has_biases, count * directions)
        parts = list(hx) if isinstance(hx, (list, tuple)) else [hx]
        states = [tuple(_state_of(one, i) for one in parts) for i in range(count * directions)]
        zeros = [sum(part is None for part in one) for one in states]
        if any(0 < missing < len(parts) for missing in zeros):
            raise Error("a first state of which one part is zeros and the other is not is not supported: make both tensors")
        x, *_ = alike(x, params[0])
        layers = [weights[i : i + directions] for i in range(0, len(weights), directions)]
        outputs, last = run(kind, x if batch_first else ops.transpose(x, (1, 0, 2)), layers,
                                       [None if missing else one for one, missing in zip(states, zeros)], dropout if train else 0.0)
        results = [outputs if batch_first else ops.transpose(outputs, (1, 0, 2))]
        used = _used(call)
        for part in range(len(parts)):
            results.append(ops.stack([one[part] for one in last], 0) if part + 1 in used else None)
        return tuple(results)

    return handle


def _cell(kind: str):
    def handle(call, x, hx, kernel, recurrent, bias=None, recurrent_bias=None):
        parts = list(hx) if isinstance(hx, (list, tuple)) else [hx]
        state = None if all(isinstance(one, OpenZeros) for one in parts) else tuple(tensor_of(one) for one in parts)
        x, *weights = alike(x, kernel, recurrent, bias, recurrent_bias)
        results = step(kind, x, _of_torch(*weights), state)
        return results if kind == "lstm" else results[0]

    return handle


RECURRENT = {
    **{kind: _layers(kind) for kind in CELLS},
    **{f"{kind}_cell": _cell(kind) for kind in CELLS},
    "zeros": _zeros,
}
