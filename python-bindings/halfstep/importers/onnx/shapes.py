"""ONNX's ops on shapes and places of elements, in ours."""

from __future__ import annotations

import math

import numpy

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.onnx.node import Handler, Node, Operand, axes_of, axis_of, known, number, numbers, tensor
from halfstep.layers.leaves import Leaf


def _reshape(node: Node, x: Tensor, shape: Operand) -> Tensor:
    sizes = numbers(node, shape, "sizes")
    return ops.reshape(x, [x.shape[i] if size == 0 and not node.get("allowzero", 0) else size for i, size in enumerate(sizes)])


def _flatten(node: Node, x: Tensor) -> Tensor:
    axis = node.get("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    if not 0 <= axis <= len(x.shape):  # behind the last one, too
        node.refuse(f"axis {node.get('axis')} is out of range of shape {x.shape}")
    if None in x.shape[1:] or (x.shape[:1] == (None,) and axis > 1):
        node.refuse("the batch cannot be joined with other dimensions")
    first = None if x.shape[:1] == (None,) and axis == 1 else math.prod(size or 0 for size in x.shape[:axis])
    return ops.reshape(x, [first, math.prod(size or 0 for size in x.shape[axis:]) if axis else -1])


def _squeeze(node: Node, x: Tensor, axes: Operand = None) -> Tensor:
    drop = [i for i, size in enumerate(x.shape) if size == 1] if axes is None else axes_of(node, axes, len(x.shape))
    return ops.reshape(x, [size for i, size in enumerate(x.shape) if i not in drop])


def _unsqueeze(node: Node, x: Tensor, axes: Operand) -> Tensor:
    rank, sizes = len(x.shape) + len(numbers(node, axes, "axes")), iter(x.shape)
    places = axes_of(node, axes, rank)
    return ops.reshape(x, [1 if i in places else next(sizes) for i in range(rank)])


def _expand(node: Node, x: Tensor, shape: Operand) -> Tensor:
    sizes = numbers(node, shape, "sizes")
    own = (1,) * (len(sizes) - len(x.shape)) + tuple(x.shape)
    wanted = (1,) * (len(own) - len(sizes)) + tuple(sizes)
    return ops.broadcast(x, [a if b == 1 else b for a, b in zip(own, wanted, strict=True)])


def _split(node: Node, x: Tensor, given: Operand = None) -> tuple[Tensor, ...]:
    axis = axis_of(node, x, 0)
    sizes: int | list[int]
    if given is None:
        count = len(node.outputs)
        if node.get("num_outputs", count) != count:
            node.refuse(f"num_outputs={node.get('num_outputs')}, and it has {count} outputs")
        total = x.shape[axis]
        size = -(-(total or 0) // count)
        sizes = count if total is None else [size] * (count - 1) + [total - size * (count - 1)]
    else:
        sizes = numbers(node, given, "sizes")
    return tuple(ops.split(x, sizes, axis))


def _slice(node: Node, x: Tensor, starts: Operand, ends: Operand, axes: Operand = None, steps: Operand = None) -> Tensor:
    first, behind = numbers(node, starts, "starts"), numbers(node, ends, "ends")
    places = range(len(first)) if axes is None else axes_of(node, axes, len(x.shape))
    strides = [1] * len(first) if steps is None else numbers(node, steps, "steps")
    index = [slice(None)] * len(x.shape)
    for axis, start, end, step in zip(places, first, behind, strides, strict=True):
        # What is far beyond an end is the end, in both directions.
        size = x.shape[axis]
        whole = start == 0 and end >= 2**31 - 1 and step == 1
        last = None if step < 0 and size is not None and end < -size else end
        index[axis] = slice(None) if whole else slice(start, last, step)
    return x[tuple(index)]


def _pad(node: Node, x: Tensor, given: Operand, value: Operand = None, axes: Operand = None) -> Tensor:
    node.only("mode", "constant")
    pads = numbers(node, given, "pads")
    places = range(len(x.shape)) if axes is None else axes_of(node, axes, len(x.shape))
    if len(pads) != 2 * len(places):
        node.refuse(f"{len(pads)} pads are not two for each of {len(places)} dimensions")
    low, high = [0] * len(x.shape), [0] * len(x.shape)
    for i, axis in enumerate(places):
        low[axis], high[axis] = pads[i], pads[i + len(places)]
    if min(low + high, default=0) < 0:
        node.refuse("pads below 0 are not supported")
    return ops.pad(x, low, high, value=0.0 if value is None else number(node, value, "value"))


def _from_start(indices: Tensor, size: int) -> Tensor:
    """A negative index counts from the end."""
    behind = ops.add(indices, ops.constant(size, indices.dtype))
    return ops.select(indices < ops.constant(0, indices.dtype), behind, indices)


def _gather(node: Node, x: Tensor, indices: Operand) -> Tensor:
    axis = axis_of(node, x, 0)
    size = x.shape[axis]
    if size is None:
        node.refuse("rows of the batch cannot be chosen")
    if isinstance(indices, (Tensor, Leaf)):
        return ops.gather(x, _from_start(tensor(indices), size), axis)
    array = numpy.asarray(indices)
    return ops.gather(x, tensor(numpy.where(array < 0, array + size, array)), axis)


def _one_hot(node: Node, labels: Tensor, depth: Operand, values: Operand) -> Tensor:
    node.only("axis", -1)
    (classes,) = numbers(node, depth, "depth")
    both = known(node, values, "values")
    if both.shape != (2,):
        node.refuse(f"its values are of shape {both.shape}, expected (2,): off and on")
    hit = ops.one_hot(_from_start(ops.cast(labels, "int64"), classes), classes, "bool")
    return ops.select(hit, tensor(both[1]), tensor(both[0]))


SHAPES: dict[str, Handler] = {
    "Concat": lambda node, *values: ops.concat(list(values), node.get("axis")),
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _gather,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Reshape": _reshape,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Transpose": lambda node, x: ops.transpose(x, node.get("perm")),
    "Unsqueeze": _unsqueeze,
}
