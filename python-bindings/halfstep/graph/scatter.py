"""Elements that are put or added where indices say."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence

from halfstep.graph import generated
from halfstep.graph.graph import operand, operands
from halfstep.graph.shapes import alike, as_type, broadcast, concat, constant, in_widest, index_of, iota, known_sizes, of_halves, part, reshape, tile
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error, axis


def places_of(indices: list[Tensor], sizes: Sequence[int]) -> Tensor:
    """The rows, in row-major order, that indices into dimensions of these sizes are of; -1 where one is outside."""
    steps, beyond = [], []
    for i, (own, size) in enumerate(zip(indices, sizes)):
        own = as_type(own, "int64")  # which the number of a row may need
        steps.append(own * math.prod(sizes[i + 1:]))
        beyond.append(generated.logical_or(own < 0, own >= size))
    return generated.select(functools.reduce(generated.logical_or, beyond), -1, functools.reduce(generated.add, steps))


def from_start(indices: Operand, size: int | None) -> Tensor:
    """Indices of which negative ones count from the end, as from the start."""
    if size is None:
        raise Error("the batch, whose size is open, takes no indices")
    indices = operand(indices)
    return generated.select(indices < 0, indices + size, indices)


def _cut(x: Tensor, shape: Sequence[int | None], dimension: int) -> Tensor:
    """What is in front of the sizes of `shape`, but in a dimension."""
    index = tuple(slice(None) if i == dimension or size == own else slice(0, size) for i, (own, size) in enumerate(zip(x.shape, shape)))
    return x if all(one == slice(None) for one in index) else index_of(x, index)


def _check_places(name: str, input: Tensor, shape: Sequence[int | None], dimension: int) -> None:
    own = input.shape
    others = [(a, b) for i, (a, b) in enumerate(zip(shape, own)) if i != dimension]
    if len(shape) != len(own) or not all(a == b or (a is not None and b is not None and a < b) for a, b in others):
        raise Error(f"{name}: indices of shape {tuple(shape)} do not lie in {own}")


def gather_elements(input: Operand, indices: Operand, dimension: int) -> Tensor:
    """Elements by an index for each along a dimension (numpy.take_along_axis, torch.gather). Where there are fewer indices along another
    dimension, they are of the first elements there."""
    x, = operands(input)
    places = operand(indices)
    dimension = axis("gather_elements", dimension, len(x.shape))
    _check_places("gather_elements", x, places.shape, dimension)
    return generated.gather_elements(_cut(x, places.shape, dimension), places, dimension)


def gather_slices(input: Tensor, places: Tensor) -> Tensor:
    """Of each row of the batch, [rows, places, ...], the slices that its own `places`, [rows, ...], say."""
    rows, count, *rest = input.shape
    columns, width = (math.prod(known_sizes(some)) for some in (places.shape[1:], rest))
    wide = reshape(places, (places.shape[0], columns, 1))
    wide = tile(wide, (1, 1, width)) if width else wide[:, :, :0]
    found = generated.gather_elements(reshape(input, (rows, count, width)), wide, 1)
    return reshape(found, (*places.shape, *rest))


def _scattered(name: str, op: Callable[..., Tensor], input: Operand, dimension: int, indices: Operand, updates: Operand) -> Tensor:
    """An op that puts updates to their places, of indices that may be fewer than they and the input's elements."""
    x, put = alike(input, updates)
    indices, = operands(indices)
    own, others, shape = x.shape, put.shape, indices.shape
    dimension = axis(name, dimension, len(own))
    if len(others) != len(shape) or any(a != b and (a is None or b is None or a > b) for a, b in zip(shape, others)):
        raise Error(f"{name}: indices of shape {shape} do not lie in updates of {others} for {own}")
    _check_places(name, x, shape, dimension)
    taken = put if others == shape else index_of(put, tuple(slice(None) if size is None else slice(0, size) for size in shape))

    def into(some: Tensor, dimensions: Sequence[int]) -> Tensor:
        """A part of `input`; beyond the indices it stays what it is."""
        if not dimensions:
            return op(some, indices, taken, dimension)
        first, *others = dimensions
        front, rest = (part(some, first, one) for one in (slice(0, shape[first]), slice(shape[first], None)))
        return concat([into(front, others), rest], first)

    return into(x, [i for i, size in enumerate(shape) if i != dimension and size != own[i]])


def scatter_add_elements(input: Operand, dimension: int, indices: Operand, updates: Operand) -> Tensor:
    """Adds each element of `updates` to that of `input` at its own place but in `dimension`, where the index in the same place of
    `indices` says, in their order (torch.scatter_add). An index that is none of the dimension's adds nothing. Where there are fewer indices
    along another dimension, they are of the first elements there. The sum is in the wider of the two types."""
    return _scattered("scatter_add_elements", generated.scatter_add_elements, input, dimension, indices, updates)


def scatter_elements(input: Operand, dimension: int, indices: Operand, updates: Operand) -> Tensor:
    """`input` with each element of `updates` at its own place but in `dimension`, where the index in the same place of `indices` says
    (numpy.put_along_axis, torch.scatter): of several for one place the last. An index that is none of the dimension's writes nothing. Where
    there are fewer indices along another dimension, they are of the first elements there. In the wider of the two types."""
    return _scattered("scatter_elements", generated.scatter_elements, input, dimension, indices, updates)


def summed(add: Callable[[Tensor, Tensor], Tensor], x: Tensor, updates: Tensor) -> Tensor:
    """What adds `updates` to `x` at places; of integers exact, and what wraps."""
    return as_type(of_halves(add, x, updates), x.dtype)


def put_slices(x: Tensor, places: Tensor, values: Tensor, dimension: int) -> Tensor:
    """`x` with slices of `values` at as many places of a dimension, of several for one place the last."""
    size = x.shape[dimension]
    none = broadcast(constant(-1, "int64"), (size,))
    last = generated.scatter_elements(none, places, iota(0, places.shape, dtype="int64"), 0)
    is_put = reshape(last >= 0, (size, *[1] * (len(x.shape) - 1 - dimension)))
    return generated.select(is_put, generated.gather(values, last, dimension), x)


def index_put(input: Operand, indices: Iterable[Operand], values: Operand, *, accumulate: bool = False) -> Tensor:
    """`input` with `values` where tensors of indices into its first dimensions say, `input[indices] = values`, or added there with
    `accumulate` (torch.index_put). Values broadcast to the indices' shape and the dimensions behind; indices outside of a dimension,
    negative ones too, change nothing. Of several values for one place it is the last. In the wider of the two types."""
    x, added = alike(input, values)
    places_in = operands(*indices)
    if any(None in (opened := one.shape) for one in (x, added, *places_in)):
        raise Error(f"index_put: shape {opened} is open; indices go into tensors of known sizes")
    own, *shapes = (tuple(known_sizes(one.shape)) for one in (x, *places_in))
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
        return reshape(generated.scatter_add(rows, places, added, 0) if accumulate else put_slices(rows, places, added, 0), x.shape)
