"""Recurrent layers: their time is unrolled, each position in ops of its own.

What a position takes of the input is one product for all of them; what it takes of the position before is one product each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, Union

from halfstep import ops
from halfstep.graph.graph import operand
from halfstep.graph.tensor import Tensor
from halfstep.hints.types import Operand
from halfstep_runtime._errors import Error


State: TypeAlias = tuple[Tensor, ...]
Cell: TypeAlias = Callable[[Any, Any, Union[State, None]], State]


@dataclasses.dataclass
class Weights:
    """Of one layer in one direction, the gates beside each other as PyTorch has them. Products of the input and of the state;
    `transposed` are those of PyTorch, [gates * units, features]. A bias may be None."""

    kernel: Operand
    recurrent: Operand
    bias: Operand | None = None
    recurrent_bias: Operand | None = None
    transposed: bool = False


def plus(a: Any, b: Any) -> Any:
    """A sum in which None is 0."""
    return b if a is None else a if b is None else a + b


def _lstm_cell(given: Any, recurrent: Any, state: State | None) -> State:
    i, f, g, o = ops.split(plus(given, recurrent), 4, -1)
    memory = ops.sigmoid(i) * ops.tanh(g)
    if state is not None:
        memory = ops.sigmoid(f) * state[1] + memory
    return ops.sigmoid(o) * ops.tanh(memory), memory


def between(update: Tensor, new: Tensor, state: State | None) -> Tensor:
    """What a GRU keeps of its state, None of which is 0, and of what is new, by its gate."""
    return new - update * new if state is None else new + update * (state[0] - new)


def _gru_cell(given: Any, recurrent: Any, state: State | None) -> State:
    reset, update, new = ops.split(given, 3, -1)
    own_reset, own_update, own_new = ops.split(recurrent, 3, -1) if recurrent is not None else (None, None, None)
    reset, update = ops.sigmoid(plus(reset, own_reset)), ops.sigmoid(plus(update, own_update))
    new = ops.tanh(plus(new, None if own_new is None else reset * own_new))
    return (between(update, new, state),)


#: A step of each kind: of what the input gives, what the state gives, and the state, None where it is zero, the new state, of
#: which the first part is the output. And how many gates it has.
CELLS: dict[str, tuple[Cell, int]] = {
    "gru": (_gru_cell, 3),
    "lstm": (_lstm_cell, 4),
    "rnn_relu": (lambda given, recurrent, state: (ops.relu(plus(given, recurrent)),), 1),
    "rnn_tanh": (lambda given, recurrent, state: (ops.tanh(plus(given, recurrent)),), 1),
}


def _recurrent_part(weights: Weights, state: State | None) -> Tensor | None:
    if state is None:
        return None if weights.recurrent_bias is None else operand(weights.recurrent_bias)
    return ops.matmul(state[0], weights.recurrent, weights.recurrent_bias, transpose_rhs=weights.transposed)


def step(kind: str, x: Tensor, weights: Weights, state: State | None) -> State:
    """The state after one position, of an input [rows, features]."""
    given = ops.matmul(x, weights.kernel, weights.bias, transpose_rhs=weights.transposed)
    return CELLS[kind][0](given, _recurrent_part(weights, state), state)


def walk(cell: Cell, x: Tensor, count: int, weights: Weights, state: State | None, backwards: bool = False) -> tuple[list[Tensor], Any]:
    """Outputs of all `count` positions, in their order, and the last state."""
    if cell is not CELLS["gru"][0]:  # which alone has a product between both biases: their sum is added once, and has one gradient
        weights = dataclasses.replace(weights, bias=plus(weights.bias, weights.recurrent_bias), recurrent_bias=None)
    given = ops.matmul(x, weights.kernel, weights.bias, transpose_rhs=weights.transposed)
    outputs = []
    for position in reversed(range(count)) if backwards else range(count):
        state = cell(given[:, position], _recurrent_part(weights, state), state)
        outputs.append(state[0])
    return (outputs[::-1] if backwards else outputs), state


def run(kind: str, x: Tensor, layers: Sequence[Sequence[Any]], states: Sequence[State | None] | None = None,
        dropout: float = 0.0) -> tuple[Tensor, list[State]]:
    """Layers over [rows, positions, features], each with one direction or two: Weights, or what makes them of its input. `states` has the first of each layer and direction,
    None for zeros. Gives outputs [rows, positions, units of all directions] and the last states, in the same order."""
    if len(x.shape) != 3 or x.shape[1] is None or x.shape[2] is None:
        raise Error(f"shape {x.shape} is not [rows, positions, features] with a number of positions that is known: time is unrolled")
    count = x.shape[1]
    if not count:
        raise Error("the sequence has no positions")
    last: list[tuple[Tensor, ...]] = []
    for number, directions in enumerate(layers):
        if number and dropout:
            x = ops.dropout(x, dropout)
        found: list[list[Tensor]] = []
        for one in directions:
            weights = one if isinstance(one, Weights) else one(x)
            first = states[len(last)] if states is not None else None
            outputs, state = walk(CELLS[kind][0], x, count, weights, first, backwards=bool(found))
            found.append(outputs)
            last.append(state)
        joined = [one[0] if len(one) == 1 else ops.concat(one, -1) for one in zip(*found)]
        x = ops.stack(joined, 1)
    return x, last
