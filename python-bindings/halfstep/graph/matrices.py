"""Products of matrices and vectors, with what is added to them, by PyTorch's names."""

from __future__ import annotations

import string
from collections.abc import Iterable

from halfstep.graph import generated
from halfstep.graph.graph import apply, operands
from halfstep.graph.products import einsum, matmul
from halfstep.graph.promotion import alike, in_widest
from halfstep.graph.shapes import known_sizes, reshape, transpose
from halfstep.hints.types import Operand, Tensor
from halfstep_runtime._errors import Error, axis, integer, is_integer, several, shown


def _times(x: Tensor, factor: float) -> Tensor:
    return x if factor == 1 else x * factor


def _ranks(name: str, *wanted: tuple[Tensor, int]) -> None:
    for x, rank in wanted:
        if len(x.shape) != rank:
            kind = ("a number", "a vector", "a matrix", "matrices of a batch")[rank]
            raise Error(f"{name}: shape {x.shape} is not that of {kind}")


def _with(name: str, input: Operand, beta: float, product: Tensor, alpha: float) -> Tensor:
    """`beta * input + alpha * product`, in the product's shape, and in its type under autocast, which lowers all that such a function is
    given; without the input's values where beta is 0, as PyTorch has it."""
    input, = operands(input)
    extra = len(product.shape) - len(input.shape)
    if extra < 0 or any(own not in (1, size) for own, size in zip(input.shape, product.shape[extra:])):
        raise Error(f"{name}: shape {input.shape} does not broadcast to the product's {product.shape}")
    product = _times(product, alpha)
    return product if beta == 0 else apply("mp.add", alike(_times(input, beta), product), {"mp.follows": 1})


def addmm(input: Operand, lhs: Operand, rhs: Operand, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """`beta * input + alpha * (lhs @ rhs)` of matrices, to whose product `input` broadcasts (torch.addmm). All of it is in autocast's
    low type, as in the other functions of products with what is added to them."""
    input, = operands(input)
    lhs, rhs = alike(lhs, rhs)
    _ranks("addmm", (lhs, 2), (rhs, 2))
    if len(input.shape) == 1 and input.shape == rhs.shape[1:] and alpha == 1 and beta != 0:
        return matmul(*alike(lhs, rhs, _times(input, beta)))
    return _with("addmm", input, beta, matmul(lhs, rhs), alpha)


def baddbmm(input: Operand, lhs: Operand, rhs: Operand, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """`beta * input + alpha * (lhs @ rhs)` of matrices of a batch (torch.baddbmm)."""
    lhs, rhs = alike(lhs, rhs)
    _ranks("baddbmm", (lhs, 3), (rhs, 3))
    return _with("baddbmm", input, beta, matmul(lhs, rhs), alpha)


def addbmm(input: Operand, lhs: Operand, rhs: Operand, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """`beta * input + alpha * sum(lhs[b] @ rhs[b])` over a batch of matrices, as one product (torch.addbmm)."""
    lhs, rhs = alike(lhs, rhs)
    _ranks("addbmm", (lhs, 3), (rhs, 3))
    return _with("addbmm", input, beta, einsum("bij,bjk->ik", lhs, rhs), alpha)


def mv(matrix: Operand, vector: Operand) -> Tensor:
    """The product of a matrix and a vector (torch.mv)."""
    matrix, vector = alike(matrix, vector)
    _ranks("mv", (matrix, 2), (vector, 1))
    return matmul(matrix, vector)


def addmv(input: Operand, matrix: Operand, vector: Operand, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """`beta * input + alpha * (matrix @ vector)` (torch.addmv)."""
    return _with("addmv", input, beta, mv(matrix, vector), alpha)


def addr(input: Operand, lhs: Operand, rhs: Operand, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """`beta * input + alpha * outer(lhs, rhs)` of two vectors, as a matrix product (torch.addr)."""
    lhs, rhs = alike(lhs, rhs)
    _ranks("addr", (lhs, 1), (rhs, 1))
    return _with("addr", input, beta, matmul(reshape(lhs, (*lhs.shape, 1)), reshape(rhs, (1, *rhs.shape))), alpha)


def vecdot(lhs: Operand, rhs: Operand, dimension: int = -1) -> Tensor:
    """The sum of products of vectors along a dimension, as a matrix product of each two (numpy.vecdot, torch.linalg.vecdot); the other
    dimensions broadcast."""
    lhs, rhs = alike(lhs, rhs)
    rank = max(len(lhs.shape), len(rhs.shape))
    if not lhs.shape or not rhs.shape:
        raise Error(f"vecdot: shapes {lhs.shape} and {rhs.shape} are not both of vectors")
    lhs, rhs = (one if len(one.shape) == rank else reshape(one, (*[1] * (rank - len(one.shape)), *one.shape)) for one in (lhs, rhs))
    dimension = axis("vecdot", dimension, rank)
    order = [*(one for one in range(rank) if one != dimension), dimension]
    rows, columns = (one if dimension == rank - 1 else transpose(one, order) for one in (lhs, rhs))
    if all(size == 1 for size in rows.shape[:-1]):  # one vector for all is the one matrix on the right
        rows, columns = columns, rows
    others = () if all(size == 1 for size in columns.shape[:-1]) else columns.shape[:-1]
    product = matmul(reshape(rows, (*rows.shape[:-1], 1, rows.shape[-1])), reshape(columns, (*others, columns.shape[-1], 1)))
    return reshape(product, product.shape[:-2])


def dot(lhs: Operand, rhs: Operand) -> Tensor:
    """The sum of products of two vectors, in the wider of their types and added up in float32 at least (torch.dot)."""
    with in_widest(lhs, rhs) as (a, b):
        _ranks("dot", (a, 1), (b, 1))
        return matmul(a, b)


def vdot(lhs: Operand, rhs: Operand) -> Tensor:
    """`dot`, whose left operand numpy.vdot conjugates: there are no complex numbers here."""
    return dot(lhs, rhs)


def tensordot(lhs: Operand, rhs: Operand, dimensions: int | Iterable[int | Iterable[int]] = 2) -> Tensor:
    """Sums of products over the last of one's dimensions and the first of the other's, so many, or over those that two lists name, as
    numpy.tensordot; in the wider of the two types (torch.tensordot)."""
    with in_widest(lhs, rhs) as (a, b):
        left, right = len(a.shape), len(b.shape)
        if is_integer(dimensions):
            count = integer("tensordot: dimensions", dimensions, 0)
            if count > min(left, right):
                raise Error(f"tensordot: shapes {a.shape} and {b.shape} have no {count} dimensions to add up")
            first, second = list(range(left - count, left)), list(range(count))
        else:
            both = several("tensordot: dimensions", dimensions)
            if len(both) != 2:
                raise Error(f"tensordot: dimensions are {shown(dimensions)}, expected a number of them, or two lists")
            first, second = (several("tensordot: dimensions", one) for one in both)
        if len(first) != len(second):
            raise Error(f"tensordot: {len(first)} dimensions meet {len(second)}")
        own, other = list(string.ascii_letters[:left]), list(string.ascii_letters[left : left + right])
        for i, j in zip(first, second):
            other[axis("tensordot", j, right)] = own[axis("tensordot", i, left)]
        shared = set(own) & set(other)
        kept = [one for one in (*own, *other) if one not in shared]
        return einsum(f"{''.join(own)},{''.join(other)}->{''.join(kept)}", a, b)


def _cheapest(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each run of matrices of sizes[i] x sizes[i + 1]: Cormen et al., Introduction to Algorithms, 15.2."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = {k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)}
            split[i, j] = min(costs, key=costs.__getitem__)
            cost[i, j] = costs[split[i, j]]
    return split


def multi_dot(matrices: Iterable[Operand]) -> Tensor:
    """The product of several matrices in the order that multiplies least; the first and the last may be vectors (numpy.linalg.multi_dot,
    torch.linalg.multi_dot, torch.chain_matmul). An open size counts as 1024."""
    found = alike(*matrices)
    if not found:
        raise Error("multi_dot: there are no matrices")
    for i, one in enumerate(found):
        if len(one.shape) != 2 and not (len(one.shape) == 1 and i in (0, len(found) - 1)):
            raise Error(f"multi_dot: shape {one.shape} is not that of a matrix")
    known = [[1024 if size is None else size for size in one.shape] for one in found]
    sizes = [known[0][0] if len(known[0]) == 2 else 1, *(one[0] for one in known[1:]), known[-1][1] if len(known[-1]) == 2 else 1]
    split = _cheapest(sizes)

    def product(first: int, last: int) -> Tensor:
        if first == last:
            return found[first]
        at = split[first, last]
        return matmul(product(first, at), product(at + 1, last))

    return product(0, len(found) - 1)


def bilinear(lhs: Operand, rhs: Operand, weight: Operand, bias: Operand | None = None) -> Tensor:
    """`lhs W[o] rhs + bias[o]` for each o of a weight [O, I, J], of vectors lhs [..., I] and rhs [..., J], in the widest type of all
    (torch.nn.functional.bilinear)."""
    with in_widest(lhs, rhs, weight, bias) as (a, b, w, offset):
        _ranks("bilinear", (w, 3))
        if None in w.shape:
            raise Error(f"bilinear: a weight of shape {w.shape} has an open size")
        outputs, left, right = known_sizes(w.shape)
        if a.shape[-1:] != (left,) or b.shape[-1:] != (right,) or a.shape[:-1] != b.shape[:-1]:
            raise Error(f"bilinear: shapes {a.shape} and {b.shape} do not fit a weight of {w.shape}")
        each = matmul(a, reshape(transpose(w, (1, 0, 2)), (left, outputs * right)))
        each = reshape(each, (*a.shape[:-1], outputs, right))
        sums = matmul(each, reshape(b, (*b.shape, 1)))
        result = reshape(sums, sums.shape[:-1])
        return result if offset is None else result + offset


def conv_tbc(input: Operand, weight: Operand, bias: Operand | None = None, pad: int = 0) -> Tensor:
    """A convolution over time of [time, batch, channels], with a weight [width, channels, outputs] and `pad` zeros at both ends
    (torch.conv_tbc)."""
    x, w, offset = alike(input, weight, bias)
    _ranks("conv_tbc", (x, 3), (w, 3))
    pad = integer("conv_tbc: pad", pad, 0)
    rows = generated.conv(transpose(x, (1, 0, 2)), transpose(w, (2, 0, 1)), offset, padding=(pad, pad))
    return transpose(rows, (1, 0, 2))
