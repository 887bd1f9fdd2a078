"""ONNX's recurrent layers in our ops."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy

from halfstep import ops
from halfstep.graph.graph import Graph, current
from halfstep.graph.recurrent import CELLS, Cell, State, Weights, between, plus, walk
from halfstep.graph.tensor import Tensor
from halfstep.importers.onnx.node import Handler, Node, Operand, numbers, tensor

# Where our gates stand among ONNX's, which are input, output, forget, cell; update, reset, new.
_GATES = {"GRU": (1, 0, 2), "LSTM": (0, 2, 3, 1), "RNN": (0,)}
# Our kind of layer, by the activations of a direction.
_KINDS: dict[str, dict[tuple[str, ...], str]] = {
    "GRU": {("sigmoid", "tanh"): "gru"},
    "LSTM": {("sigmoid", "tanh", "tanh"): "lstm"},
    "RNN": {("tanh",): "rnn_tanh", ("relu",): "rnn_relu"},
}
# Which of the directions go backwards.
_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
# Over all layers and directions. Each position is ops of its own, 0.4 ms and 2 KB of text: a small file that names a large number would
# fill the memory.
_MOST_POSITIONS = 1 << 12
_unrolled: weakref.WeakKeyDictionary[Graph, int] = weakref.WeakKeyDictionary()


def _activations(node: Node) -> list[tuple[str, ...]]:
    """Of each direction."""
    default = next(iter(_KINDS[node.op]))
    count = len(_DIRECTIONS[node.only("direction", *_DIRECTIONS)])
    names = [name.decode().lower() for name in node.get("activations", [])] or [*default] * count
    return [tuple(names[i : i + len(default)]) for i in range(0, len(names), len(default))]


def lacking(node: Node, constants: set[str]) -> str | None:
    """What of a layer ours does not have, or None. `constants` are the names of what the file itself holds."""
    lengths = (*node.inputs, *[""] * 5)[4]
    activations = _activations(node)
    parts = []
    if len(set(activations)) > 1 or activations[0] not in _KINDS[node.op]:
        parts.append("activations " + ", ".join(name for one in activations for name in one))
    if node.get("clip"):
        parts.append("clip")
    if node.get("input_forget"):
        parts.append("input_forget")
    if lengths and lengths not in constants:
        parts.append("sequence_lens that are not constant")
    return f"{node.op} with {' and '.join(parts)}" if parts else None


def _gates_of(node: Node, values: Tensor) -> Tensor:
    """Gates along the first dimension, in our order."""
    order = _GATES[node.op]
    parts = ops.split(values, len(order), 0)
    return ops.concat([parts[i] for i in order], 0) if len(order) > 1 else values


def _weights(node: Node, direction: int, kernels: Tensor, recurrents: Tensor, biases: Tensor | None) -> list[Any]:
    """As Weights has them."""
    both = [None, None] if biases is None else [_gates_of(node, one) for one in ops.split(biases[direction], 2, 0)]
    return [_gates_of(node, kernels[direction]), _gates_of(node, recurrents[direction]), *both]


def _states(given: Sequence[Operand], direction: int, batch_first: bool) -> tuple[Tensor, ...] | None:
    """The first state, of which parts that are left out are zeros; None where all are, or are zeros of the file."""
    known = [None if one is None or (isinstance(one, numpy.ndarray) and not one.any()) else tensor(one) for one in given]
    parts = [one if one is None else one[:, direction] if batch_first else one[direction] for one in known]
    like = next((one for one in parts if one is not None), None)
    if like is None:
        return None
    zeros = ops.broadcast(ops.constant(0, like.dtype), like=like)
    return tuple(zeros if one is None else one for one in parts)


def _with_peepholes(peepholes: Tensor) -> Cell:
    """An LSTM whose gates see the memory."""
    of_input, of_output, of_forget = ops.split(peepholes, 3, 0)

    def cell(given: Any, recurrent: Any, state: State | None) -> State:
        take, forget, new, show = ops.split(plus(given, recurrent), 4, -1)
        if state is None:
            memory = ops.sigmoid(take) * ops.tanh(new)
        else:
            memory = (ops.sigmoid(forget + of_forget * state[1]) * state[1]
                      + ops.sigmoid(take + of_input * state[1]) * ops.tanh(new))
        return ops.sigmoid(show + of_output * memory) * ops.tanh(memory), memory

    return cell


def _reset_before(kernel: Tensor) -> Cell:
    """A GRU whose gate resets the state before the product with this kernel, not what the product gives."""

    def cell(given: Any, recurrent: Any, state: State | None) -> State:
        reset, update, new = ops.split(given, 3, -1)
        if state is not None:
            own_reset, own_update = ops.split(recurrent, 2, -1)
            new = new + ops.matmul(ops.sigmoid(reset + own_reset) * state[0], kernel, transpose_rhs=True)
            update = update + own_update
        update, new = ops.sigmoid(update), ops.tanh(new)
        return (between(update, new, state),)

    return cell


def _direction(node: Node, x: Tensor, count: int, weights: list[Any], state: State | None, peepholes: Tensor | None, backwards: bool) -> tuple[Tensor, State]:
    """Outputs [rows, positions, units], and the last state."""
    kernel, recurrent, bias, own_bias = weights
    cell = CELLS[_KINDS[node.op][_activations(node)[0]]][0]
    if peepholes is not None:
        cell = _with_peepholes(peepholes)
    elif node.op == "GRU" and not node.get("linear_before_reset", 0):
        units = recurrent.shape[1]
        recurrent, own = ops.split(recurrent, [2 * units, units], 0)
        cell = _reset_before(own)
    outputs, last = walk(cell, x, count, Weights(kernel, recurrent, bias, own_bias, transposed=True), state, backwards)
    return ops.stack(outputs, 1), last


def _positions(node: Node, x: Tensor, directions: int, given: Operand) -> int:
    """How many there are, in each row."""
    count = x.shape[1] if len(x.shape) == 3 else None
    if not count:
        node.refuse("the number of positions of its input is not known or 0: time is unrolled")
    total = _unrolled.get(current(), 0) + count * directions
    if total > _MOST_POSITIONS:
        node.refuse(f"with it the model has {total} positions of all layers and directions, more than {_MOST_POSITIONS}: each would be "
                    "ops of its own, since time is unrolled")
    _unrolled[current()] = total
    if given is not None:
        lengths = numbers(node, given, "sequence_lens")
        if len(lengths) != (x.shape[0] or len(lengths)):
            node.refuse(f"{len(lengths)} sequence_lens for {x.shape[0]} rows")
        if set(lengths) != {count}:
            node.refuse(f"sequences that are shorter than the {count} positions of the input are not supported")
    return count


def _layer(node: Node, x: Tensor, kernels: Tensor, recurrents: Tensor, biases: Tensor | None = None, lengths: Operand = None, hidden: Operand = None,
           memory: Operand = None, peepholes: Tensor | None = None) -> tuple[Tensor, ...]:
    batch_first = node.only("layout", 0, 1) == 1
    x = x if batch_first else ops.transpose(x, (1, 0, 2))
    directions = _DIRECTIONS[node.only("direction", *_DIRECTIONS)]
    if kernels.shape[0] != len(directions):
        node.refuse(f"its weights are of {kernels.shape[0]} directions, expected {len(directions)}")
    count = _positions(node, x, len(directions), lengths)
    first = [hidden, memory] if node.op == "LSTM" else [hidden]
    outputs: list[Tensor] = []
    last: list[tuple[Tensor, ...]] = []
    for direction, is_backwards in enumerate(directions):
        values, state = _direction(node, x, count, _weights(node, direction, kernels, recurrents, biases), _states(first, direction, batch_first),
                                   None if peepholes is None else peepholes[direction], is_backwards)
        outputs.append(values if batch_first else ops.transpose(values, (1, 0, 2)))
        last.append(state)
    ends = [ops.stack([state[part] for state in last], 1 if batch_first else 0) for part in range(len(first))]
    return ops.stack(outputs, 2 if batch_first else 1), *ends


RECURRENT: dict[str, Handler] = {"GRU": _layer, "LSTM": _layer, "RNN": _layer}
