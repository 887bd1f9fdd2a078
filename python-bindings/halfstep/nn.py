"""Layers, and modules of one's own.

    class Classifier(nn.Module):
        def __init__(self):
            self.hidden = nn.Dense(128, "relu")
            self.head = nn.Dense(10)

        def forward(self, x):
            return self.head(self.hidden(x / 255))
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

from halfstep import ops
from halfstep.graph import recurrent
from halfstep.graph.shapes import as_type, product
from halfstep.hints.elsewhere import LAYER_ARGUMENTS, LAYERS
from halfstep.hints.types import Activation as GivenActivation, ComputeDType, Initializer as GivenInitializer, Shape, Tensor
from halfstep.layers.activations import call_of, find_activation, is_activation
from halfstep.layers.initializers import Constant, Initializer, Normal, Uniform
from halfstep.layers.layer import Layer
from halfstep.layers.leaves import Input, Parameter, State
from halfstep.layers.module import Module, Sequential
from halfstep.layers.windows import (
    AvgPool1D, AvgPool2D, AvgPool3D, Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, GlobalAvgPool1D, GlobalAvgPool2D,
    GlobalAvgPool3D, MaxPool1D, MaxPool2D, MaxPool3D,
)
from halfstep_runtime._errors import Error, fraction, integer, is_integer, is_text, level_of_user, nearest, number_of, plain, shown, truth
from halfstep_runtime._keywords import tell

__all__ = [
    "Activation", "AvgPool1D", "AvgPool2D", "AvgPool3D", "BatchNorm", "Constant", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D",
    "Conv3DTranspose", "Dense", "Dropout", "Embedding", "Flatten", "GRU", "GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalAvgPool3D", "GroupNorm",
    "Initializer", "Input", "LSTM", "LayerNorm", "MaxPool1D", "MaxPool2D", "MaxPool3D", "Module", "MultiHeadAttention", "Normal", "Parameter", "RNN",
    "Rescaling", "Reshape", "Sequential", "State", "Uniform",
]


def _absent(name: str) -> str:
    """What is here for a name that is not."""
    from halfstep.graph import losses

    of_op = next((one for one in ops.__all__ if plain(one) == plain(name)), None)
    near = nearest(name, __all__)
    return (f"here it is {LAYERS[name]}" if name in LAYERS else
            f'losses are named to compile, as loss="{name}"' if name in losses.LOSSES else
            f'here it is ops.{of_op}(x), nn.Activation("{of_op}"), or "{of_op}" as the activation of a layer' if of_op and is_activation(of_op) else
            f"here it is {call_of(of_op)} in a forward" if of_op else
            f"did you mean nn.{near}?" if near else f"expected one of {', '.join(__all__)}")


def _features(layer: Module, shape: Shape) -> int:
    """How many features or channels come to a layer: the last dimension, behind that of rows."""
    if not shape or shape[-1] is None:
        raise Error(f"{type(layer).__name__} takes [rows, ..., features], given {len(shape)} dimensions: [{', '.join(map(str, shape))}]")
    return shape[-1]


class Activation(Layer):
    """An op on each element, by its name; `dtype` as every layer has it: "float32", "mixed_bfloat16", ..., what it computes in, whatever
    the policy says."""

    def __init__(self, name: GivenActivation, *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.function = find_activation(name)

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


class Dense(Layer):
    """`activation(x @ kernel + bias)`; the kernel is [features of x, units]."""

    def __init__(self, units: int, activation: GivenActivation = None, *, use_bias: bool = True, init: GivenInitializer = "glorot_uniform",
                 bias_init: GivenInitializer = "zeros", dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.units = integer("Dense: units", units, 1)
        self.activation = find_activation(activation)
        self.use_bias = truth("Dense: use_bias", use_bias)
        self.init = init
        self.bias_init = bias_init

    def build(self, shape: Shape) -> None:
        self.kernel = Parameter((_features(self, shape), self.units), self.init)
        self.bias = Parameter((self.units,), self.bias_init) if self.use_bias else None

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(ops.matmul(x, self.kernel, self.bias))


class Flatten(Layer):
    """Each row in one dimension."""

    def forward(self, x: Tensor) -> Tensor:
        if (size := product(x.shape[1:])) is None:
            raise Error(f"Flatten takes [rows, ...] whose other dimensions are known, given [{', '.join(map(str, x.shape))}]")
        return ops.reshape(x, (None, size))


class Reshape(Layer):
    """Each row in another shape, of which one size may be -1: what is left."""

    def __init__(self, *shape: int, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        given = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        self.shape = tuple(integer("Reshape: a size", size, -1) for size in given)
        if self.shape.count(-1) > 1:
            raise Error(f"Reshape: {self.shape} has two sizes that are -1, expected at most one")

    def forward(self, x: Tensor) -> Tensor:
        shape, row = self.shape, x.shape[1:]
        if (size := product(row)) is not None:
            known = math.prod(one for one in shape if one != -1)
            shape = tuple(size // known if one == -1 and known else one for one in shape)
            if math.prod(shape) != size:
                raise Error(f"Reshape: a row is {list(row)}, of {size} elements, which {list(self.shape)} does not have")
        return ops.reshape(x, (None, *shape))


class Rescaling(Layer):
    """`x * scale + offset` in float32: what images of bytes need."""

    def __init__(self, scale: float, offset: float = 0.0, *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.scale = number_of("Rescaling: scale", scale)
        self.offset = number_of("Rescaling: offset", offset)

    def forward(self, x: Tensor) -> Tensor:
        x = as_type(x, "float32") * self.scale
        return x + self.offset if self.offset else x


class Embedding(Layer):
    """Rows of a table [rows, columns] by their numbers: words by their tokens. Given a number that is none of the table's, as -1,
    `fit` and `predict` end in an error; one that the model computes gives NaN."""

    def __init__(self, rows: int, columns: int, *, init: GivenInitializer = Normal(0.0, 1.0), dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.table = Parameter((integer("Embedding: rows", rows, 1), integer("Embedding: columns", columns, 1)), init)

    def forward(self, tokens: Tensor) -> Tensor:
        return ops.gather(self.table, tokens, 0)


class Dropout(Layer):
    """Zeros instead of a part of the elements, in training alone."""

    def __init__(self, rate: float, *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.rate = fraction("Dropout: rate", rate)

    def forward(self, x: Tensor) -> Tensor:
        return ops.dropout(x, self.rate) if self.rate else x


def _setting(name: str, value: float) -> float:
    """A setting of a layer that finds its size itself: no size."""
    if is_integer(value) and value >= 1:
        raise Error(f"{name} is {shown(value)}, expected a number below 1; how many features or channels there are is found from the input")
    return number_of(name, value)


class _Scaled(Layer):
    """Layers with a factor and a summand for each feature or channel."""

    def build(self, shape: Shape) -> None:
        features = _features(self, shape)
        self.scale = Parameter((features,), "ones")
        self.offset = Parameter((features,), "zeros")


class LayerNorm(_Scaled):
    """Normalization along the last dimension. `epsilon` is PyTorch's; Keras has 1e-3."""

    def __init__(self, epsilon: float = 1e-5, *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.epsilon = _setting("LayerNorm: epsilon", epsilon)

    def forward(self, x: Tensor) -> Tensor:
        return ops.layer_norm(x, self.scale, self.offset, epsilon=self.epsilon)


class GroupNorm(_Scaled):
    """Normalization of each row's channels in groups, over channels and places; channels are last. One group is a layer norm
    over places, too, as many groups as channels an instance norm."""

    def __init__(self, groups: int, epsilon: float = 1e-5, *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.groups = integer("GroupNorm: groups", groups, 1)
        self.epsilon = _setting("GroupNorm: epsilon", epsilon)

    def build(self, shape: Shape) -> None:
        if _features(self, shape) % self.groups:
            raise Error(f"GroupNorm: {shape[-1]} channels are not divided by {self.groups} groups")
        super().build(shape)

    def forward(self, x: Tensor) -> Tensor:
        return ops.group_norm(x, self.groups, self.scale, self.offset, epsilon=self.epsilon)


class BatchNorm(_Scaled):
    """Normalization of each channel over the batch. `momentum` is the weight of the new, as in PyTorch."""

    def __init__(self, momentum: float = 0.1, epsilon: float = 1e-5, *, unbiased: bool = True, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.momentum = _setting("BatchNorm: momentum", momentum)
        self.epsilon = _setting("BatchNorm: epsilon", epsilon)
        self.unbiased = truth("BatchNorm: unbiased", unbiased)

    def build(self, shape: Shape) -> None:
        super().build(shape)
        self.running_mean = State(shape[-1:], "zeros")
        self.running_variance = State(shape[-1:], "ones")

    def forward(self, x: Tensor) -> Tensor:
        result, mean, variance, count = ops.batch_norm(x, self.scale, self.offset, epsilon=self.epsilon)
        for running, batch, unbiased in ((self.running_mean, mean, False), (self.running_variance, variance, self.unbiased)):
            running.assign(ops.update_running(running, batch, count, momentum=self.momentum, unbiased=unbiased))
        return result


class MultiHeadAttention(Layer):
    """Self-attention over [rows, positions, features]."""

    def __init__(self, heads: int, dropout: float = 0.0, *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        self.heads = integer("MultiHeadAttention: heads", heads, 1)
        # Their units are the features of the input, which `build` sees.
        self.query, self.key, self.value, self.output = (Dense(self.heads) for _ in range(4))
        self.dropout = fraction("MultiHeadAttention: dropout", dropout)

    def build(self, shape: Shape) -> None:
        if len(shape) != 3 or None in shape[1:]:
            raise Error(f"MultiHeadAttention takes [rows, positions, features], given {len(shape)} dimensions: [{', '.join(map(str, shape))}]")
        features = shape[-1] or 0
        if features % self.heads:
            raise Error(f"MultiHeadAttention: {features} features are not divided by {self.heads} heads")
        for layer in (self.query, self.key, self.value, self.output):
            layer.units = features

    def forward(self, x: Tensor) -> Tensor:
        _, positions, features = x.shape
        size = (features or 0) // self.heads

        def split(y: Tensor) -> Tensor:
            return ops.transpose(ops.reshape(y, (None, positions, self.heads, size)), (0, 2, 1, 3))

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        mixed = ops.scaled_dot_product_attention(query, key, value, dropout_p=self.dropout)
        mixed = ops.transpose(mixed, (0, 2, 1, 3))
        result: Tensor = self.output(ops.reshape(mixed, (None, positions, features)))
        return result


class _Direction(Module):
    """The weights of one layer in one direction: its gates beside each other, in the order of PyTorch."""

    def __init__(self, layer: _Recurrent) -> None:
        self._layer = layer

    def build(self, shape: Shape) -> None:
        gates, layer = recurrent.CELLS[self._layer.kind][1] * self._layer.units, self._layer
        self.kernel = Parameter((shape[-1], gates), layer.init)
        self.recurrent_kernel = Parameter((layer.units, gates), layer.recurrent_init)
        self.bias = Parameter((gates,), "zeros") if layer.use_bias else None
        # That of a GRU is in a product with its reset gate; of others it would be added to the other bias.
        self.recurrent_bias = Parameter((gates,), "zeros") if layer.use_bias and layer.kind == "gru" else None

    def forward(self, x: Tensor) -> recurrent.Weights:
        return recurrent.Weights(self.kernel, self.recurrent_kernel, self.bias, self.recurrent_bias)


class _Recurrent(Layer):
    """Layers over [rows, positions, features], of which the number of positions is known: time is unrolled."""

    kind = ""

    def __init__(self, units: int, *, layers: int = 1, return_sequences: bool = False, bidirectional: bool = False, dropout: float = 0.0,
                 use_bias: bool = True, init: GivenInitializer = "glorot_uniform", recurrent_init: GivenInitializer = "glorot_uniform",
                 dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        name = type(self).__name__
        self.units, layers = integer(f"{name}: units", units, 1), integer(f"{name}: layers", layers, 1)
        self.return_sequences = truth(f"{name}: return_sequences", return_sequences)
        self.dropout = fraction(f"{name}: dropout", dropout)
        if dropout and layers == 1:
            warnings.warn(f"{name}: dropout={dropout} is between layers, and there is one: it does nothing; write layers=2 or more",
                          stacklevel=level_of_user())
        self.use_bias = truth(f"{name}: use_bias", use_bias)
        self.init = init
        self.recurrent_init = recurrent_init
        names = ("forward", "backward") if truth(f"{name}: bidirectional", bidirectional) else ("forward",)
        self.layers = [{name: _Direction(self) for name in names} for _ in range(layers)]

    def forward(self, x: Tensor) -> Tensor:
        outputs, last = recurrent.run(self.kind, x, [list(directions.values()) for directions in self.layers], dropout=self.dropout)
        if self.return_sequences:
            return outputs
        states = [state[0] for state in last[-len(self.layers[-1]) :]]
        return states[0] if len(states) == 1 else ops.concat(states, -1)


class RNN(_Recurrent):
    """`tanh(x @ kernel + bias + state @ recurrent_kernel)` at each position, or another activation, "relu". Gives the last output,
    [rows, units], or those of all positions; two directions stand beside each other. `dropout` is between layers."""

    def __init__(self, units: int, *, layers: int = 1, activation: Literal["tanh", "relu"] = "tanh", **settings: Any) -> None:
        if not is_text(activation) or activation not in ("tanh", "relu"):
            raise Error(f"RNN: there is no activation {shown(activation)}; expected 'tanh' or 'relu'")
        super().__init__(units, layers=layers, **settings)
        self.kind = f"rnn_{activation}"


class LSTM(_Recurrent):
    """Long short-term memory, its gates in the order input, forget, cell, output. As `RNN` else."""

    kind = "lstm"


class GRU(_Recurrent):
    """Gated recurrent units, as PyTorch and Keras have them today: gates in the order reset, update, new, of which the reset gate
    multiplies what the state gives behind its product. As `RNN` else."""

    kind = "gru"


tell(__name__, __all__, globals(), LAYER_ARGUMENTS, _absent)
