"""Elements that are put or added where indices say."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

from halfstep.graph import generated
from halfstep.graph.graph import operand, operands
from halfstep.graph.promotion import alike, in_float32, in_widest
from halfstep.graph.shapes import broadcast, cast, constant, reshape
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error, axis


def _sizes(name: str, *tensors: Tensor) -> list[tuple[int, ...]]:
    """Their shapes, which are known."""
    for one in tensors:
        if None in one.shape:
            raise Error(f"{name}: shape {one.shape} is open; indices go into tensors of known sizes")
    return [tuple(size or 0 for size in one.shape) for one in tensors]


def places_of(indices: list[Tensor], sizes: Sequence[int]) -> Tensor:
    """The rows, in row-major order, that indices into dimensions of these sizes are of; -1 where one is outside."""
    steps, beyond = [], []
    for i, (own, size) in enumerate(zip(indices, sizes)):
        own = own if own.dtype == "int64" else cast(own, "int64")  # which the number of a row may need
        steps.append(own * math.prod(sizes[i + 1:]))
        beyond.append(generated.logical_or(own < 0, own >= size))
    return generated.select(functools.reduce(generated.logical_or, beyond), -1, functools.reduce(generated.add, steps))


def gather_elements(input: Operand, indices: Operand, dimension: int) -> Tensor:
    """Elements by an index for each along a dimension (numpy.take_along_axis, torch.gather)."""
    input = operand(input)
    return generated.gather_elements(input, indices, axis("gather_elements", dimension, len(input.shape)))


def scatter_elements_add(input: Operand, indices: Operand, updates: Operand, dimension: int) -> Tensor:
    """Adds each element of one tensor to one of another by its index along a dimension, in the order of the indices. The sum is in the
    wider of the two types."""
    x, added = alike(input, updates)
    return generated.scatter_elements_add(x, indices, added, axis("scatter_elements_add", dimension, len(x.shape)))


def scatter_add_elements(input: Operand, dimension: int, indices: Operand, updates: Operand) -> Tensor:
    """`scatter_elements_add` in the words of torch.scatter_add: of `updates` as many are taken along each dimension as there are indices."""
    x, added = alike(input, updates)
    indices, = operands(indices)
    own, others, shape = x.shape, added.shape, indices.shape
    dimension = axis("scatter_add_elements", dimension, len(own))
    if len(shape) != len(own) or len(others) != len(own) or any(a != b and (a is None or b is None or a > b) for a, b in zip(shape, others)):
        raise Error(f"scatter_add_elements: indices of shape {shape} do not lie in updates of {others} for {own}")
    if any(a != b and (a is None or b is None or a > b) for i, (a, b) in enumerate(zip(shape, own)) if i != dimension):
        raise Error(f"scatter_add_elements: indices of shape {shape} do not lie in {own}")
    taken = added if others == shape else added[tuple(slice(None) if size is None else slice(0, size) for size in shape)]
    return generated.scatter_elements_add(x, indices, taken, dimension)


def _means(shape: tuple[int | None, ...], places: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of the values for each place, and whether there are any. Of float16 the sum is float32: it may be out of range where the
    mean is not."""
    with in_float32(values) as (own,):
        zero, one = constant(0.0, own.dtype), constant(1.0, own.dtype)
        counts = generated.scatter_add(broadcast(zero, shape[:1]), places, broadcast(one, places.shape), 0)
        sums = generated.scatter_add(broadcast(zero, shape), places, own, 0)
        counts = reshape(counts, (*counts.shape, *[1] * (len(shape) - 1)))
        return sums / generated.max(counts, one), counts > 0.0


def index_put(input: Operand, indices: Iterable[Operand], values: Operand, *, accumulate: bool = False) -> Tensor:
    """`input` with `values` where tensors of indices into its first dimensions say, `input[indices] = values`, or added there with
    `accumulate` (torch.index_put). Values broadcast to the indices' shape and the dimensions behind; indices outside of a dimension,
    negative ones too, change nothing. Of several values for one place it is their mean. In the wider of the two types."""
    x, added = alike(input, values)
    places_in = operands(*indices)
    own, _, *shapes = _sizes("index_put", x, added, *places_in)
    count = len(shapes)
    if not 1 <= count <= len(own):
        raise Error(f"index_put: {count} tensors of indices for shape {own}")
    shape, rest = shapes[0], own[count:]
    if any(one != shape for one in shapes):
        raise Error(f"index_put: indices have shapes {', '.join(map(str, shapes))}, expected one")
    with in_widest(x, added):
        rows = reshape(x, (math.prod(own[:count]), *rest))
        places = reshape(places_of(places_in, own[:count]), (math.prod(shape),))
        added = reshape(broadcast(added, (*shape, *rest)), (math.prod(shape), *rest))
        if accumulate:
            return reshape(generated.scatter_add(rows, places, added, 0), x.shape)
        shares, is_put = _means(rows.shape, places, added)
        return reshape(generated.select(is_put, shares if shares.dtype == x.dtype else cast(shares, x.dtype), rows), x.shape)
