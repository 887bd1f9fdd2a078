"""Which tensors of a file of ONNX are weights of layers, and which are filters: a file says neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy

from halfstep.importers.model import only_filters
from halfstep.importers.onnx.node import Node

# The inputs that layers read as weights, by op.
_WEIGHTS = {
    "BatchNormalization": (1, 2), "Conv": (1, 2), "ConvTranspose": (1, 2), "GRU": (1, 2, 3), "Gather": (0,), "Gemm": (0, 1, 2), "GroupNormalization": (1, 2),
    "InstanceNormalization": (1, 2), "LSTM": (1, 2, 3, 7), "LayerNormalization": (1, 2), "MatMul": (0, 1), "PRelu": (1,), "RNN": (1, 2, 3),
}
# Ops through which an initializer stays itself.
_MOVES = {"Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
# Ops that add a bias or multiply by a scale.
_PER_CHANNEL = {"Add", "Mul", "Sum"}
# Layers whose results have channels, of whose place nothing is known here.
_LAYERS = {"GRU", "Gather", "Gemm", "LSTM", "MatMul", "RNN"}
# Ops behind which channels are elsewhere, and those whose results have none: products of two inputs, and probabilities.
_SHAPES = {"Concat", "Expand", "Flatten", "Gather", "Pad", "Reshape", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze"}
_WITHOUT = {"LogSoftmax", "MatMul", "Gemm", "Softmax"}


class _Origin(NamedTuple):
    """An initializer, and its shape where a value is no more than it; None where that was reshaped."""

    name: str
    shape: tuple[int, ...] | None


class _Channels(NamedTuple):
    """What a layer gave channels: their dimension, from the end, and their number; None where a later op put them elsewhere."""

    dimension: int | None = None
    number: int | None = None


def _is_product(equation: str) -> bool:
    """Whether einsum sums products of two operands, and does not multiply element by element."""
    inputs, _, output = equation.partition("->")
    left, _, right = inputs.replace(" ", "").partition(",")
    return any(one in right and one not in output for one in left)


class _Reader:
    """Goes through nodes in their order."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]):
        self.origins = {name: _Origin(name, shape) for name, shape in shapes.items()}
        self.shapes = shapes
        self.channels: dict[str, _Channels] = {}
        self.weights: set[str] = set()

    def read(self, node: Node) -> None:
        for i in (0, 1) if node.op == "Einsum" and _is_product(node.get("equation")) else _WEIGHTS.get(node.op, ()):
            if i < len(node.inputs) and node.inputs[i] in self.origins:
                self.weights.add(self.origins[node.inputs[i]].name)
        if node.op in _MOVES and node.inputs[0] in self.origins:
            self.origins[node.outputs[0]] = self._moved(node, self.origins[node.inputs[0]])
            return
        channels = self._channels_of(node)
        if node.op in _PER_CHANNEL and channels is not None:
            self.weights |= {self.origins[one].name for one in node.inputs if one in self.origins and self._is_per_channel(self.origins[one], channels)}
        if channels is not None:
            self.channels.update(dict.fromkeys(node.outputs, channels))

    def _moved(self, node: Node, origin: _Origin) -> _Origin:
        if node.op in ("Cast", "Identity"):
            return origin
        if node.op == "Transpose" and origin.shape is not None:
            order = node.get("perm", range(len(origin.shape))[::-1])
            return _Origin(origin.name, tuple(origin.shape[i] for i in order) if len(order) == len(origin.shape) else None)
        return _Origin(origin.name, None)

    def _channels_of(self, node: Node) -> _Channels | None:
        """What its results have of channels."""
        if node.op in ("Conv", "ConvTranspose", "Gemm", "MatMul") and node.inputs[1] in self.origins:
            shape = self.origins[node.inputs[1]].shape
            if not shape:
                return _Channels()
            if node.op in ("Conv", "ConvTranspose"):
                return _Channels(1 - len(shape), shape[0] if node.op == "Conv" else shape[1] * node.get("group", 1))
            return _Channels(-1, shape[0] if node.op == "Gemm" and node.get("transB", 0) else shape[-1])
        if node.op in _LAYERS and any(one in self.origins for one in node.inputs):
            return _Channels()
        found = [self.channels[one] for one in node.inputs if one in self.channels]
        if not found or node.op in _WITHOUT:
            return None
        if node.op in _SHAPES or node.op.startswith("Reduce"):
            return _Channels()
        return next((one for one in found if one.dimension is not None), found[0])

    def _is_per_channel(self, origin: _Origin, channels: _Channels) -> bool:
        """Whether it is a number for each channel, and lies along them as far as that is known."""
        shape = self.shapes[origin.name]
        size = int(numpy.prod(shape))
        if max(shape, default=0) != size or (channels.number is None and size == 1):
            return False
        if channels.number is not None and size != channels.number:
            return False
        if origin.shape is None or channels.dimension is None or size == 1:
            return True
        return len(origin.shape) >= -channels.dimension and origin.shape[channels.dimension] == size


def weights_of(nodes: list[Node], shapes: Mapping[str, tuple[int, ...]]) -> set[str]:
    """The initializers, of these shapes, that layers read as weights, straight or through casts, transposes and reshapes, and those that are
    a bias or a scale of each channel of what a layer gives. All else is a constant: masks, scales of attention, tables of angles."""
    reader = _Reader(shapes)
    for node in nodes:
        reader.read(node)
    return reader.weights


def statistics_of(nodes: list[Node]) -> set[str]:
    """Means and variances that norms read, which no gradient reaches."""
    return {name for node in nodes if node.op == "BatchNormalization" for name in node.inputs[3:5]}


def filters_of(nodes: list[Node], outputs: list[str]) -> set[str]:
    """What convolutions read as filters, and nothing else reads."""
    uses = [(name, node.op in ("Conv", "ConvTranspose") and place == 1) for node in nodes for place, name in enumerate(node.inputs)]
    return only_filters(uses) - set(outputs)
