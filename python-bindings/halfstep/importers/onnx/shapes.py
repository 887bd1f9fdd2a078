"""ONNX's ops on shapes and places of elements, in ours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy

from halfstep import ops
from halfstep.graph.scatter import from_start, gather_slices, places_of, summed
from halfstep.graph.shapes import known_sizes, product, size_of, without
from halfstep.graph.tensor import Tensor
from halfstep.importers.library import onnx
from halfstep.importers.onnx.known import Open
from halfstep.importers.onnx.node import Handler, Node, Operand, axes_of, axis_of, known, number, numbers, sizes, tensor
from halfstep.layers.leaves import Leaf
from halfstep_runtime._arrays import DTypeName

if TYPE_CHECKING:
    from halfstep.hints.types import PadMode


def _reshape(node: Node, x: Tensor, shape: Operand) -> Tensor:
    wanted = [x.shape[i] if size == 0 and not node.get("allowzero", 0) else size for i, size in enumerate(sizes(node, shape))]
    if isinstance(shape, Open) and -1 in wanted and None in wanted:  # of other rows than those of x it has other columns
        own, rows = node.shares[0], max(shape.shares() or [0]) or node.shares[0]
        if own is None or rows is None:
            node.refuse("how its open size follows from that of the batch is not known")
        known, others = (math.prod(size for size in some if size not in (None, -1)) for some in (x.shape, wanted))
        columns = own * known / (rows * others) if others else own * 0
        if columns % 1:
            node.refuse(f"shape {x.shape} with {own} rows for each of the batch has no such columns")
        wanted[wanted.index(-1)] = int(columns)
    return ops.reshape(x, wanted)


def _flatten(node: Node, x: Tensor) -> Tensor:
    axis = node.get("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    if not 0 <= axis <= len(x.shape):  # behind the last one, too
        node.refuse(f"axis {node.get('axis')} is out of range of shape {x.shape}")
    if None in x.shape[1:] or (x.shape[:1] == (None,) and axis > 1):
        node.refuse("the batch cannot be joined with other dimensions")
    return ops.reshape(x, [product(x.shape[:axis]), product(x.shape[axis:]) if axis else -1])


def _unsqueeze(node: Node, x: Tensor, axes: Operand) -> Tensor:
    rank, sizes = len(x.shape) + len(numbers(node, axes, "axes")), iter(x.shape)
    places = axes_of(node, axes, rank)
    return ops.reshape(x, [1 if i in places else next(sizes) for i in range(rank)])


def _expand(node: Node, x: Tensor, shape: Operand) -> Tensor:
    wanted = sizes(node, shape)
    rank = max(len(wanted), len(x.shape))
    own, other = ([*[1] * (rank - len(one)), *one] for one in (x.shape, wanted))
    found = [a if b == 1 else b for a, b in zip(own, other)]
    if found == list(x.shape):
        return x
    return ops.broadcast(x, like=node.filled(0, found, x.dtype, shape)) if isinstance(shape, Open) else ops.broadcast(x, found)


def _constant_of_shape(node: Node, shape: Operand) -> Tensor:
    if not isinstance(shape, Open):
        node.refuse("an input of the model decides its sizes: give constants")
    value = node.get("value")
    filling = numpy.zeros(1, "float32") if value is None else onnx.numpy_helper.to_array(value)
    return node.filled(filling.item(), sizes(node, shape), cast(DTypeName, filling.dtype.name), shape)


def _range(node: Node, start: Operand, limit: Operand, delta: Operand) -> Tensor:
    first, step = number(node, start, "start"), number(node, delta, "delta")
    if not isinstance(limit, Open):
        node.refuse("its limit depends on inputs")
    dtype = cast(DTypeName, limit.values[0].dtype.name)
    if first or step != 1 or sizes(node, limit, "limit") != [None] or not dtype.startswith("int"):
        node.refuse("a range whose limit follows from the size of the batch is only from 0 on in steps of 1")
    return ops.iota(0, like=node.filled(0, (None,), dtype, limit), dtype=dtype)


def _tile(node: Node, x: Tensor, repeats: Operand) -> Tensor:
    counts = sizes(node, repeats, "repeats")
    if not isinstance(repeats, Open):
        return ops.tile(x, [one or 0 for one in counts])
    if any(own != 1 and count is None for own, count in zip(x.shape, counts)):
        node.refuse("rows are repeated as often as the batch has some only where there is one")
    tiled = ops.tile(x, [1 if one is None else one for one in counts])
    wanted = [None if count is None else size for size, count in zip(tiled.shape, counts)]
    return ops.broadcast(tiled, like=node.filled(0, wanted, x.dtype, repeats))


def _split(node: Node, x: Tensor, given: Operand = None) -> tuple[Tensor, ...]:
    axis = axis_of(node, x, 0)
    if given is None:
        count = len(node.outputs)
        if node.get("num_outputs", count) != count:
            node.refuse(f"num_outputs={node.get('num_outputs')}, and it has {count} outputs")
        total = x.shape[axis] or 0  # an open one is refused below
        size = -(-total // count)
        sizes = [size] * (count - 1) + [total - size * (count - 1)]
    else:
        sizes = numbers(node, given, "sizes")
    return tuple(ops.split(x, sizes, axis))


def _slice(node: Node, x: Tensor, starts: Operand, ends: Operand, axes: Operand = None, steps: Operand = None) -> Tensor:
    first = numbers(node, starts, "starts")
    behind = sizes(node, ends, "ends")
    places = range(len(first)) if axes is None else axes_of(node, axes, len(x.shape))
    for i, axis in enumerate(places):
        if behind[i] is None:  # as many rows as there are, or as are not known
            rows = ends.shares() if isinstance(ends, Open) else None
            if x.shape[axis] is not None or rows is None or node.shares[0] != rows[i]:
                node.refuse("it ends where the size of the batch says, in another dimension than that")
            behind[i] = 2**31
    strides = [1] * len(first) if steps is None else numbers(node, steps, "steps")
    index = [slice(None)] * len(x.shape)
    for axis, start, end, step in zip(places, first, [one or 0 for one in behind], strides, strict=True):
        # What is far beyond an end is the end, in both directions.
        size = x.shape[axis]
        whole = start == 0 and end >= 2**31 - 1 and step == 1
        last = None if step < 0 and size is not None and end < -size else end
        index[axis] = slice(None) if whole else slice(start, last, step)
    return x[tuple(index)]


def _pad(node: Node, x: Tensor, given: Operand, value: Operand = None, axes: Operand = None) -> Tensor:
    mode = node.only("mode", "constant", "reflect", "edge", "wrap")
    pads = numbers(node, given, "pads")
    places = range(len(x.shape)) if axes is None else axes_of(node, axes, len(x.shape))
    if len(pads) != 2 * len(places):
        node.refuse(f"{len(pads)} pads are not two for each of {len(places)} dimensions")
    low, high = [0] * len(x.shape), [0] * len(x.shape)
    for i, axis in enumerate(places):
        low[axis], high[axis] = pads[i], pads[i + len(places)]
    if min(low + high, default=0) < 0:  # which takes away
        x = x[tuple(slice(None) if size is None else slice(max(-a, 0), size - max(-b, 0)) for size, a, b in zip(x.shape, low, high))]
    low, high = ([max(one, 0) for one in side] for side in (low, high))
    return ops.pad(x, low, high, value=0.0 if value is None else number(node, value, "value"), mode=_MODES[mode])


# Of padding, by ONNX's names.
_MODES: dict[str, PadMode] = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}


def _place_of(node: Node, x: Tensor) -> tuple[int, int]:
    """The dimension into which there are indices, and its size."""
    axis = axis_of(node, x, 0)
    return axis, size_of(x, axis, "rows of the batch cannot be chosen")


def _gather(node: Node, x: Tensor, indices: Operand) -> Tensor:
    axis, size = _place_of(node, x)
    if isinstance(indices, (Tensor, Leaf)):
        return ops.gather(x, from_start(tensor(indices), size), axis)
    array = numpy.asarray(indices)
    return ops.gather(x, tensor(numpy.where(array < 0, array + size, array)), axis)


def _gather_elements(node: Node, x: Tensor, indices: Tensor) -> Tensor:
    axis, size = _place_of(node, x)
    return ops.gather_elements(x, from_start(indices, size), axis)


def _is_sum(node: Node) -> bool:
    return bool(node.only("reduction", "none", "add") == "add")


def _scatter_elements(node: Node, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    axis, size = _place_of(node, x)
    places = from_start(indices, size)
    if _is_sum(node):
        return summed(lambda x, updates: ops.scatter_add_elements(x, axis, places, updates), x, updates)
    return ops.scatter_elements(x, axis, places, updates)


def _columns(node: Node, x: Tensor, indices: Tensor, batched: int = 0) -> list[Tensor]:
    """Of indices into the first dimensions behind `batched`, those of each, from its start."""
    count = size_of(indices, len(indices.shape) - 1, "the last size of indices is how many dimensions they are into")
    if count > len(x.shape) - batched:
        node.refuse(f"its indices are into {count} dimensions of {len(x.shape) - batched}")
    return [from_start(indices[..., i], size) for i, size in enumerate(x.shape[batched : batched + count])]


def _gather_nd(node: Node, x: Tensor, indices: Tensor) -> Tensor:
    """Slices by indices into several dimensions, the first or those behind the batch."""
    batched, count = node.get("batch_dims", 0), indices.shape[-1] or 0
    if batched not in (0, 1) or None in x.shape[batched : batched + count]:
        node.refuse("rows of the batch beside other indices are not supported" if batched in (0, 1) else f"batch_dims={batched} is not supported, only 0, 1")
    sizes = known_sizes(x.shape[batched : batched + count])
    places = places_of(_columns(node, x, indices, batched), sizes)
    flat = ops.reshape(x, (*x.shape[:batched], math.prod(sizes), *x.shape[batched + count :]))
    return gather_slices(flat, places) if batched else ops.gather(flat, places, 0)


def _scatter_nd(node: Node, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    columns = _columns(node, x, indices)
    if _is_sum(node):
        return summed(lambda x, updates: ops.index_put(x, columns, updates, accumulate=True), x, updates)
    return ops.index_put(x, columns, updates)


def _one_hot(node: Node, labels: Tensor, depth: Operand, values: Operand) -> Tensor:
    node.only("axis", -1)
    (classes,) = numbers(node, depth, "depth")
    both = known(node, values, "values")
    if both.shape != (2,):
        node.refuse(f"its values are of shape {both.shape}, expected (2,): off and on")
    hit = ops.one_hot(from_start(ops.cast(labels, "int64"), classes), classes, "bool")
    return ops.select(hit, tensor(both[1]), tensor(both[0]))


SHAPES: dict[str, Handler] = {
    "ConstantOfShape": _constant_of_shape,
    "Concat": lambda node, *values: ops.concat(list(values), node.get("axis")),
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": lambda node, x, axes=None: (
        without(x, [i for i, size in enumerate(x.shape) if size == 1] if axes is None else axes_of(node, axes, len(x.shape)))),
    "Tile": _tile,
    "Transpose": lambda node, x: ops.transpose(x, node.get("perm")),
    "Trilu": lambda node, x, k=None: (ops.triu if node.get("upper", 1) else ops.tril)(x, int(number(node, 0 if k is None else k, "k"))),
    "Unsqueeze": _unsqueeze,
}
