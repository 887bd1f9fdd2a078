"""ONNX's ops on shapes and places of elements, in ours."""

from __future__ import annotations

import math

import numpy

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.onnx.node import axes_of, axis_of, known, number, numbers, tensor
from halfstep.layers.leaves import Leaf


def _reshape(node, x, shape):
    x, shape = tensor(x), numbers(node, shape, "sizes")
    if not node.get("allowzero", 0):
        shape = [x.shape[i] if size == 0 else size for i, size in enumerate(shape)]
    return ops.reshape(x, shape)


def _flatten(node, x):
    x = tensor(x)
    axis = node.get("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    if not 0 <= axis <= len(x.shape):  # behind the last one, too
        node.refuse(f"axis {node.get('axis')} is out of range of shape {x.shape}")
    if None in x.shape[1:] or (x.shape[:1] == (None,) and axis > 1):
        node.refuse("the batch cannot be joined with other dimensions")
    first = None if x.shape[:1] == (None,) and axis == 1 else math.prod(x.shape[:axis])
    return ops.reshape(x, [first, math.prod(x.shape[axis:]) if axis else -1])


def _squeeze(node, x, axes=None):
    x = tensor(x)
    drop = [i for i, size in enumerate(x.shape) if size == 1] if axes is None else axes_of(node, axes, len(x.shape))
    return ops.reshape(x, [size for i, size in enumerate(x.shape) if i not in drop])


def _unsqueeze(node, x, axes):
    x = tensor(x)
    rank, sizes = len(x.shape) + len(numbers(node, axes, "axes")), iter(x.shape)
    places = axes_of(node, axes, rank)
    return ops.reshape(x, [1 if i in places else next(sizes) for i in range(rank)])


def _expand(node, x, shape):
    x, shape = tensor(x), numbers(node, shape, "sizes")
    own = (1,) * (len(shape) - len(x.shape)) + tuple(x.shape)
    wanted = (1,) * (len(own) - len(shape)) + tuple(shape)
    return ops.broadcast(x, [a if b == 1 else b for a, b in zip(own, wanted, strict=True)])


def _concat(node, *values):
    return ops.concat([tensor(value) for value in values], node.get("axis"))


def _split(node, x, sizes=None):
    x = tensor(x)
    axis = axis_of(node, x, 0)
    if sizes is None:
        count = len(node.outputs)
        if node.get("num_outputs", count) != count:
            node.refuse(f"num_outputs={node.get('num_outputs')}, and it has {count} outputs")
        size = -(-x.shape[axis] // count) if x.shape[axis] is not None else None
        sizes = count if size is None else [size] * (count - 1) + [x.shape[axis] - size * (count - 1)]
    else:
        sizes = numbers(node, sizes, "sizes")
    return tuple(ops.split(x, sizes, axis))


def _slice(node, x, starts, ends, axes=None, steps=None):
    x = tensor(x)
    starts, ends = numbers(node, starts, "starts"), numbers(node, ends, "ends")
    axes = range(len(starts)) if axes is None else axes_of(node, axes, len(x.shape))
    steps = [1] * len(starts) if steps is None else numbers(node, steps, "steps")
    index = [slice(None)] * len(x.shape)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        # What is far beyond an end is the end, in both directions.
        size = x.shape[axis]
        whole = start == 0 and end >= 2**31 - 1 and step == 1
        last = None if step < 0 and size is not None and end < -size else end
        index[axis] = slice(None) if whole else slice(start, last, step)
    return x[tuple(index)]


def _pad(node, x, pads, value=None, axes=None):
    node.only("mode", "constant")
    x, pads = tensor(x), numbers(node, pads, "pads")
    axes = range(len(x.shape)) if axes is None else axes_of(node, axes, len(x.shape))
    if len(pads) != 2 * len(axes):
        node.refuse(f"{len(pads)} pads are not two for each of {len(axes)} dimensions")
    low, high = [0] * len(x.shape), [0] * len(x.shape)
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[i + len(axes)]
    if min(low + high, default=0) < 0:
        node.refuse("pads below 0 are not supported")
    return ops.pad(x, low, high, value=0.0 if value is None else number(node, value, "value"))


def _gather(node, x, indices):
    x = tensor(x)
    axis = axis_of(node, x, 0)
    size = x.shape[axis]
    if not isinstance(indices, (Tensor, Leaf)):
        if size is None:
            node.refuse("rows of the batch cannot be chosen")
        indices = numpy.where(indices < 0, indices + size, indices)
        return ops.gather(x, tensor(indices), axis)
    if size is None:
        node.refuse("rows of the batch cannot be chosen")
    behind = ops.add(indices, ops.constant(size, indices.dtype))  # a negative index counts from the end
    return ops.gather(x, ops.select(indices < ops.constant(0, indices.dtype), behind, indices), axis)


def _one_hot(node, labels, depth, values):
    node.only("axis", -1)
    (classes,) = numbers(node, depth, "depth")
    values = known(node, values, "values")
    if values.shape != (2,):
        node.refuse(f"its values are of shape {values.shape}, expected (2,): off and on")
    off, on = values
    labels = ops.cast(tensor(labels), "int64")
    labels = ops.select(labels < ops.constant(0, "int64"), ops.add(labels, ops.constant(classes, "int64")), labels)
    hit = ops.one_hot(labels, classes, "bool")
    return ops.select(hit, tensor(on), tensor(off))


SHAPES = {
    "Concat": _concat,
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _gather,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Reshape": _reshape,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Transpose": lambda node, x: ops.transpose(tensor(x), node.get("perm")),
    "Unsqueeze": _unsqueeze,
}
