"""Values from nowhere, types in which operands meet, shapes, and what is cut out of tensors and put together."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, get_args

from halfstep.graph import generated, graph
from halfstep.hints.types import Array, DType, OpenSizes, Operand, PadMode, Sizes, Tensor
from halfstep_runtime._arrays import DTypeName
from halfstep_runtime._errors import Error, axes, axis, integer, is_integer, several, shown

# The limit of a range that goes to the end of a dimension, whatever its size is.
_END = -(2**63)


def constant(value: Array | float, dtype: DType = "float32") -> Tensor:
    """A number or an array that is part of the model."""
    return graph.constant(value, dtype)


def cast(input: Operand, dtype: DType) -> Tensor:
    """The same numbers, in another element type."""
    return generated.cast(input, result=dtype)


def reshape(input: Operand, shape: OpenSizes) -> Tensor:
    """The same elements in another shape; None or -1 stands for the batch, or for what is left. Behind a None that is the batch, as in
    `x.reshape(x.shape[0], -1)`, -1 is what is left of a row."""
    input = graph.operand(input)
    sizes = [None if size is None else integer("reshape: a size", size, -1) for size in ([None] if shape is None else several("reshape: shape", shape))]
    if len(sizes) > 1 and sizes[0] is None and sizes.count(-1) == 1 and input.shape[:1] == (None,) and None not in input.shape[1:]:
        row, rest = math.prod(known_sizes(input.shape[1:])), [size or 0 for size in sizes[1:]]
        known = -math.prod(rest)
        if not known or row % known:
            raise Error(f"reshape: a row of {list(input.shape[1:])} has {row} elements, which {rest} cannot hold")
        sizes = [None, *(row // known if size == -1 else size for size in rest)]
    shape = [None if size == -1 else size for size in sizes]
    if shape.count(None) > 1 and None in input.shape:
        row = math.prod([size for size in input.shape if size is not None])
        raise Error(f"reshape: {tuple(sizes)} leaves two sizes open; of rows, x.reshape(None, {row}) or nn.Flatten() keeps the first")
    known = math.prod(size for size in shape if size is not None)
    if (total := product(input.shape)) is not None and shape.count(None) == 1 and known:
        shape = [total // known if size is None else size for size in shape]
    return generated.reshape(input, result=graph.type_of(shape, input.dtype))


def product(sizes: Sequence[int | None]) -> int | None:
    """None where one of them is open."""
    return None if None in sizes else math.prod(known_sizes(sizes))


def known_sizes(shape: Iterable[int | None]) -> list[int]:
    """The sizes of a shape of which none is open."""
    shape = list(shape)
    known = [size for size in shape if size is not None]
    if len(known) < len(shape):
        raise Error(f"sizes of {shape} are not all known: that of the batch is open")
    return known


def size_of(input: Tensor, dimension: int, refusal: str) -> int:
    """The size of a dimension; where it is open, an error that says so."""
    if (size := input.shape[dimension]) is None:
        raise Error(refusal)
    return size


def part(input: Tensor, dimension: int, index: Any) -> Tensor:
    """A place or a range of one dimension, of the others all."""
    return index_of(input, (*[slice(None)] * dimension, index))


def swapped(input: Tensor, first: int, second: int) -> Tensor:
    """With two dimensions in each other's place."""
    order = list(range(len(input.shape)))
    order[first], order[second] = order[second], order[first]
    return input if first == second else transpose(input, order)


def second_last(input: Tensor) -> Tensor:
    """With the second dimension, where channels and classes are elsewhere, as the last."""
    rank = len(input.shape)
    return transpose(input, [0, *range(2, rank), 1]) if rank > 2 else input


def last_second(input: Tensor) -> Tensor:
    """With the last dimension as the second."""
    rank = len(input.shape)
    return transpose(input, [0, rank - 1, *range(1, rank - 1)]) if rank > 2 else input


def as_type(input: Tensor, dtype: DType) -> Tensor:
    """In that type, by a cast where it is in another."""
    return input if input.dtype == dtype else cast(input, dtype)


def alike(*values: Operand | None) -> list[Tensor]:
    """Tensors, parameters and arrays as tensors in the widest of their float types, float32 where float16 meets bfloat16; None and
    integers stay what they are."""
    found = graph.operands(*values)
    types = {one.dtype for one in found if one is not None and "float" in one.dtype}
    if len(types) < 2:
        return found
    common: DTypeName = "float64" if "float64" in types else "float32"
    return [as_type(one, common) if one is not None and "float" in one.dtype else one for one in found]


@contextlib.contextmanager
def in_float32(*values: Operand | None) -> Iterator[list[Tensor]]:
    """The operands, low ones as float32, with autocast off: sums of squares of float16 are infinite beyond 256 of 1.6."""
    found = graph.operands(*values)
    with graph.autocast(enabled=False):
        yield [as_type(one, "float32") if one is not None and one.dtype in ("float16", "bfloat16") else one for one in found]


@contextlib.contextmanager
def in_widest(*values: Operand | None) -> Iterator[list[Tensor]]:
    """The operands in the widest of their float types, and ops that take the widest of those that autocast gives the operands: what PyTorch's
    autocast calls `promote`, which each op by itself is not."""
    found = alike(*values)
    with graph.promoted():
        yield found


def of_halves(add: Callable[..., Tensor], *values: Tensor) -> Tensor:
    """What a function gives that adds up floats; of integers and bool in int64, and what wraps: float64 has the sums of halves of 32 bits."""
    if "float" in values[0].dtype:
        return add(*values)

    def total(*of: Tensor) -> Tensor:
        return as_type(add(*(as_type(one, "float64") for one in of)), "int64")

    wide = [as_type(one, "int64") for one in values]
    if all(one.dtype != "int64" for one in values):
        return total(*wide)
    return (total(*(one >> 32 for one in wide)) << 32) + total(*(one & 2**32 - 1 for one in wide))


def without(input: Tensor, dimensions: Iterable[int]) -> Tensor:
    """Without dimensions of one element each."""
    return reshape(input, [size for i, size in enumerate(input.shape) if i not in dimensions])


def broadcast(input: Operand, shape: OpenSizes = None, *, like: Tensor | None = None) -> Tensor:
    """Repeats a tensor to a larger shape by NumPy's rule: a shape, or that of another tensor."""
    input = graph.operand(input)
    shape = like.shape if like is not None else shape
    return generated.broadcast(input, like, result=graph.type_of(shape, input.dtype))


def iota(dimension: int, shape: OpenSizes = None, *, like: Tensor | None = None, dtype: DType = "int32") -> Tensor:
    """Each element its index along a dimension."""
    shape = like.shape if like is not None else shape
    shape = several("iota: shape", shape)
    dimension = axis("iota", dimension, len(shape))
    return generated.iota(dimension, like, result=graph.type_of(shape, dtype))


def concat(inputs: Iterable[Operand], dimension: int = -1) -> Tensor:
    """Tensors one behind another along a dimension."""
    inputs = graph.operands(*inputs)
    return generated.concat(inputs, axis("concat", dimension, len(inputs[0].shape)) if inputs else dimension)


def stack(inputs: Iterable[Operand], dimension: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    inputs = graph.operands(*inputs)
    dimension = axis("stack", dimension, len(inputs[0].shape) + 1 if inputs else 1)
    shapes = [list(one.shape) for one in inputs]
    for shape in shapes:
        shape.insert(dimension, 1)
    return concat([reshape(one, shape) for one, shape in zip(inputs, shapes)], dimension)


def split(input: Operand, sizes: Sizes, dimension: int = -1) -> list[Tensor]:
    """Parts of these sizes along a dimension, or so many equal ones."""
    input = graph.operand(input)
    dimension = axis("split", dimension, len(input.shape))
    size = size_of(input, dimension, "the batch cannot be split: its size is open")
    if is_integer(sizes):
        if (count := integer("split: sizes", sizes)) < 1 or size % count:
            raise Error(f"{size} elements cannot be split into {sizes} equal parts")
        sizes = [size // count] * count
    parts = [integer("split: a size", one, 0) for one in several("split: sizes", sizes)]
    if sum(parts) != size:
        raise Error(f"split: parts of {parts} are {sum(parts)} elements, the dimension has {size}")
    return list(generated.split(input, parts, dimension))


def pad(input: Operand, low: Sizes, high: Sizes, interior: Sizes | None = None, value: float = 0.0, *, mode: PadMode = "constant") -> Tensor:
    """Elements before, behind and between those of each dimension: of one value, or before and behind what the dimension itself has, turned
    around at its ends ("reflect"), its ends ("replicate") or from the other side ("circular"), as torch.nn.functional.pad."""
    input = graph.operand(input)
    if mode == "constant":
        return generated.pad(input, low, high, interior=interior, value=value) if "float" in input.dtype else _padded(input, low, high, interior, value)
    if mode not in (modes := get_args(PadMode)):
        raise Error(f"pad: mode is {shown(mode)}, expected one of {', '.join(modes)}")
    if interior is not None:
        raise Error(f"pad: mode={mode!r} has nothing between elements; leave out interior")
    for dimension, sides in enumerate(_sides(input, low, high)):
        input = _continued(mode, input, dimension, *sides)
    return input


def _sides(input: Tensor, low: Sizes, high: Sizes) -> list[tuple[int, int]]:
    both = [[integer(f"pad: {name}", one, 0) for one in several(f"pad: {name}", given)] for name, given in (("low", low), ("high", high))]
    if any(len(one) != len(input.shape) for one in both):
        raise Error(f"pad: {len(both[0])} numbers before and {len(both[1])} behind for shape {input.shape}, expected one for each dimension")
    sides = list(zip(*both))
    if any(size is None and own != (0, 0) for size, own in zip(input.shape, sides)):
        raise Error("pad: the batch is padded, whose size is open")
    return sides


def _padded(input: Tensor, low: Sizes, high: Sizes, interior: Sizes | None, value: float) -> Tensor:
    """Whole numbers and bool, by their places: the op is of floats."""
    between = [0] * len(input.shape) if interior is None else several("pad: interior", interior)
    for dimension, (before, behind) in enumerate(_sides(input, low, high)):
        size, step = input.shape[dimension], between[dimension] + 1
        if size is None or not (before or behind or step > 1):
            continue
        places = range(-before, (size - 1) * step + 1 + behind if size else behind)
        own = [0 <= one < size * step and one % step == 0 for one in places]
        taken = generated.gather(input, constant([max(0, min(one // step, size - 1)) for one in places], "int64"), dimension) if size else (
            broadcast(constant(value, input.dtype), [len(places) if i == dimension else one for i, one in enumerate(input.shape)]))
        is_own = reshape(constant(own, "bool"), (len(places), *[1] * (len(input.shape) - 1 - dimension)))
        input = generated.select(is_own, taken, constant(value, input.dtype))
    return input


def _continued(mode: str, input: Tensor, dimension: int, low: int, high: int) -> Tensor:
    size = input.shape[dimension]
    if size is None or not (low or high):
        return input
    if max(low, high) > (limit := {"reflect": size - 1, "circular": size, "replicate": max(low, high) if size else 0}[mode]):
        raise Error(f"pad: mode={mode!r} adds {max(low, high)} to a dimension of {size}, expected at most {max(limit, 0)}")
    places = {"reflect": ((1, low + 1), (size - 1 - high, size - 1)), "circular": ((size - low, size), (0, high)), "replicate": ((0, 1), (size - 1, size))}
    ends = [part(input, dimension, slice(*own)) for own in places[mode]]
    if mode == "reflect":
        ends = [flip(one, [dimension]) for one in ends]
    elif mode == "replicate":
        ends = [tile(one, [max(count, 1) if i == dimension else 1 for i in range(len(input.shape))]) for one, count in zip(ends, (low, high))]
    return concat([*ends[: low > 0], input, *ends[2 - (high > 0):]], dimension)


def flip(input: Operand, dimensions: Sizes | None) -> Tensor:
    """Elements of some dimensions from the last to the first."""
    input = graph.operand(input)
    return generated.flip(input, axes("flip", dimensions, len(input.shape)))


def _range_of(size: int | None, index: Any, dimension: int) -> tuple[int, int, int, bool]:
    """Start, limit and stride of what NumPy's index takes of a dimension, and whether it is turned around."""
    if size is None:
        if index != slice(None):
            raise Error(f"dimension {dimension} is the batch, whose size is open: it is taken whole, `:`")
        return 0, _END, 1, False
    if is_integer(index):
        if not -size <= index < size:
            raise Error(f"index {index} is outside of dimension {dimension} with {size} elements")
        return index % size, index % size + 1, 1, False
    try:
        start, stop, step = index.indices(size)
    except (TypeError, ValueError) as error:
        raise Error(f"a range of indices is {shown(index)}: {error}") from None
    taken = range(start, stop, step)
    if step > 0:
        return start, start if not taken else taken[-1] + 1, step, False
    return (taken[-1], start + 1, -step, True) if taken else (0, 0, 1, False)


def index_of(input: Tensor, index: Any) -> Tensor:
    """`input[index]` with numbers, ranges, ... and None, as NumPy has it."""
    index = list(index) if isinstance(index, tuple) else [index]
    rank = len(input.shape)
    missing = rank - sum(one is not None and one is not Ellipsis for one in index)
    if missing < 0:
        raise Error(f"there are {rank - missing} indices for {rank} dimensions")
    at = next((i for i, one in enumerate(index) if one is Ellipsis), len(index))
    index[at : at + 1] = [slice(None)] * missing
    ranges: list[list[int]] = []
    turned: list[int] = []
    shape: list[int | None] = []
    for one in index:
        if one is None:
            shape.append(1)
            continue
        if not isinstance(one, slice) and not is_integer(one):
            raise Error(f"an index is a number, a range, ... or None, not {shown(one)}; ops.gather takes tensors")
        size = input.shape[dimension := len(ranges)]
        *taken_of, is_turned = _range_of(size, one, dimension)
        ranges.append(taken_of)
        turned += [dimension] * is_turned
        if not is_integer(one):
            shape.append(size if taken_of[1] == _END else len(range(*taken_of)))
    taken = generated.slice(input, *zip(*ranges)) if ranges else input
    taken = generated.flip(taken, turned) if turned else taken
    return taken if list(taken.shape) == shape else reshape(taken, shape)


def scatter_add(input: Operand, indices: Tensor, updates: Operand, dimension: int = 0) -> Tensor:
    """Adds slices to those of a tensor by their indices along a dimension."""
    input = graph.operand(input)
    return generated.scatter_add(input, indices, updates, axis("scatter_add", dimension, len(input.shape)))


def transpose(input: Operand, permutation: Sizes | None = None) -> Tensor:
    """Dimensions in another order; backwards where none is given."""
    input = graph.operand(input)
    rank = len(input.shape)
    order = reversed(range(rank)) if permutation is None else several("transpose: permutation", permutation)
    return generated.transpose(input, [axis("transpose", one, rank) for one in order])


def tile(input: Operand, repeats: Sizes) -> Tensor:
    """The whole tensor so many times along each dimension, as numpy.tile: of fewer counts the last dimensions, of more new ones in front."""
    input = graph.operand(input)
    repeats = [integer("tile: a count", one, 1) for one in several("tile: repeats", repeats)]
    repeats = [1] * (len(input.shape) - len(repeats)) + repeats
    if (new := len(repeats) - len(input.shape)) and None in input.shape:
        raise Error(f"tile: {len(repeats)} counts for shape {input.shape}, whose batch stays the first dimension")
    input = reshape(input, (*[1] * new, *input.shape)) if new else input
    if any(size is None and count != 1 for size, count in zip(input.shape, repeats)):
        raise Error("the batch cannot be repeated: its size is open")
    return generated.tile(input, repeats)


def _triangle(name: str, function: Callable[..., Tensor], input: Operand, diagonal: int) -> Tensor:
    input = graph.operand(input)
    if len(input.shape) < 2 or None in input.shape[-2:]:
        raise Error(f"{name}: shape {input.shape} has no matrices of known sizes")
    return function(input, diagonal=integer("diagonal", diagonal))


def tril(input: Operand, diagonal: int = 0) -> Tensor:
    """Matrices with zeros above a diagonal, as numpy.tril."""
    return _triangle("tril", generated.tril, input, diagonal)


def triu(input: Operand, diagonal: int = 0) -> Tensor:
    """Matrices with zeros below a diagonal, as numpy.triu."""
    return _triangle("triu", generated.triu, input, diagonal)
