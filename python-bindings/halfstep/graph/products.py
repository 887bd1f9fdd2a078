"""Products of matrices, vectors and what einsum names, and by PyTorch's names with what is added to them."""

from __future__ import annotations

import functools
import string
from collections.abc import Iterable
from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import apply, operands
from halfstep.graph.reductions import sum
from halfstep.graph.shapes import alike, broadcast, in_widest, known_sizes, product, reshape, transpose
from halfstep.hints.types import DType, Operand, ResultType, Shape, Tensor
from halfstep_runtime._errors import Error, axis, integer, is_integer, several, shown, text


def _batch_of(lhs: Tensor, rhs: Tensor) -> Shape:
    a, b = lhs.shape[:-2], rhs.shape[:-2]
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def _repeat(x: Tensor, batch: Shape) -> Tensor:
    shape = (*batch, *x.shape[-2:])
    if x.shape == shape:
        return x
    if None in batch and None not in x.shape:
        raise Error(f"matrices of {x.shape} are not repeated for each row of a batch; only one matrix on the right is")
    return broadcast(x, shape)


def _of_shared(left: Tensor, right: Tensor, transpose_lhs: bool, transpose_rhs: bool, **named: Any) -> Tensor:
    """One matrix times each of a batch, as the transposed product: what is shared stands on the right, where no product
    repeats it."""
    turned = generated.matmul(right, left, transpose_lhs=not transpose_rhs or None, transpose_rhs=not transpose_lhs or None, **named)
    rank = len(turned.shape)
    return transpose(turned, (*range(rank - 2), rank - 1, rank - 2))


def matmul(lhs: Operand, rhs: Operand, bias: Operand | None = None, *, transpose_lhs: bool = False, transpose_rhs: bool = False,
           acc: DType | None = None, result: ResultType | None = None) -> Tensor:
    """The product of matrices [..., M, K] and [..., K, N], with batches and vectors as numpy.matmul has them: a vector is a
    row on the left and a column on the right."""
    lhs, rhs = operands(lhs, rhs)
    is_row, is_column = len(lhs.shape) == 1, len(rhs.shape) == 1
    left = reshape(lhs, (1, *lhs.shape)) if is_row and not transpose_lhs else lhs
    right = reshape(rhs, (*rhs.shape, 1)) if is_column and not transpose_rhs else rhs
    if len(left.shape) == 2 and len(right.shape) > 2 and bias is None and result is None:
        product = _of_shared(left, right, transpose_lhs, transpose_rhs, acc=acc)
    else:
        batch = _batch_of(left, right)
        right = right if len(right.shape) == 2 else _repeat(right, batch)
        product = generated.matmul(_repeat(left, batch), right, bias, transpose_lhs=transpose_lhs or None,
                              transpose_rhs=transpose_rhs or None, acc=acc, result=result)
    *shape, rows, columns = product.shape
    if not is_row and not is_column:
        return product
    return reshape(product, (*shape, *[rows] * (not is_row), *[columns] * (not is_column)))


def outer(lhs: Operand, rhs: Operand) -> Tensor:
    """The products of each element of a vector with each of another, [M] and [N] to [M, N]; for autocast, too, an elementwise product."""
    lhs, rhs = operands(lhs, rhs)
    if len(lhs.shape) != 1 or len(rhs.shape) != 1:
        raise Error(f"outer takes two vectors, not shapes {lhs.shape} and {rhs.shape}")
    return reshape(lhs, (*lhs.shape, 1)) * reshape(rhs, (1, *rhs.shape))


def _letters(subscripts: str, count: int) -> tuple[list[str], str]:
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    operands = inputs.split(",")
    text = "".join(operands) + output
    if not all(one.isascii() and one.isalpha() for one in text):
        raise Error(f"einsum: '{subscripts}' has other signs than letters, commas and an arrow")
    if len(operands) != count:
        raise Error(f"einsum: '{subscripts}' is of {len(operands)} operands, {count} are given")
    for one in (*operands, output):
        if len(set(one)) != len(one):
            raise Error(f"einsum: a letter stands twice in '{one}'; diagonals are not supported")
    if not arrow:  # NumPy's rule: what stands once, in the order of the alphabet
        both = "".join(operands)
        output = "".join(sorted(one for one in set(both) if both.count(one) == 1))
    missing = sorted(set(output) - set("".join(operands)))
    if missing:
        raise Error(f"einsum: '{missing[0]}' of the result is in no operand")
    return operands, output


def _sum_unless(x: Tensor, letters: str, kept: str) -> tuple[Tensor, str]:
    """Without the dimensions that nobody else has."""
    gone = [i for i, one in enumerate(letters) if one not in kept]
    return (sum(x, gone) if gone else x), "".join(one for one in letters if one in kept)


def _spread(x: Tensor, letters: str, output: str) -> Tensor:
    """As the output has its dimensions, of one element where the operand has none."""
    kept = [one for one in output if one in letters]
    order = [letters.index(one) for one in (*kept, *(one for one in letters if one not in output))]
    shape = [x.shape[letters.index(one)] if one in letters else 1 for one in output]
    return reshape(x if order == sorted(order) else transpose(x, order), shape)


def einsum(subscripts: str, *inputs: Operand) -> Tensor:
    """Sums of products by the letters of their dimensions, as numpy.einsum: `"bqd,bkd->bqk"`. Two operands are a matrix product, for
    autocast, too; where no sum is of both, `"bl,d->bld"`, an elementwise one. Of more, the first two become one, and so on."""
    subscripts, tensors = text("einsum: subscripts", subscripts, "'bqd,bkd->bqk'"), alike(*inputs)
    letters, output = _letters(subscripts, len(inputs))
    sizes: dict[str, int | None] = {}
    for x, own in zip(tensors, letters):
        if len(own) != len(x.shape):
            raise Error(f"einsum: '{own}' has {len(own)} letters for shape {x.shape}")
        for letter, size in zip(own, x.shape):
            if sizes.setdefault(letter, size) != size:
                raise Error(f"einsum: '{letter}' is {sizes[letter]} and {size}")
    if len(inputs) == 1:
        x, own = _sum_unless(tensors[0], letters[0], output)
        return transpose(x, [own.index(one) for one in output])
    if len(inputs) > 2:
        rest = ",".join(letters[2:])
        kept = "".join(one for one in dict.fromkeys(letters[0] + letters[1]) if one in rest + output)
        return einsum(f"{kept},{rest}->{output}", einsum(f"{letters[0]},{letters[1]}->{kept}", *tensors[:2]), *tensors[2:])
    (a, left), (b, right) = (_sum_unless(x, own, output + other)
                             for x, own, other in zip(tensors, letters, reversed(letters)))
    batch = [one for one in left if one in right and one in output]
    inner = [one for one in left if one in right and one not in output]
    if all(sizes[one] == 1 for one in inner):
        return _spread(a, left, output) * _spread(b, right, output)
    rows, columns = [one for one in left if one not in right], [one for one in right if one not in left]

    def matrices(x: Tensor, own: str, first: list[str], second: list[str]) -> Tensor:
        order = [own.index(one) for one in (*batch, *first, *second)]
        x = x if order == sorted(order) else transpose(x, order)
        shape = (*(sizes[one] for one in batch), product([sizes[one] for one in first]), product([sizes[one] for one in second]))
        return x if x.shape == shape else reshape(x, shape)

    result = generated.matmul(matrices(a, left, rows, inner), matrices(b, right, inner, columns))
    found = [*batch, *rows, *columns]
    shape = tuple(sizes[one] for one in found)
    result = result if result.shape == shape else reshape(result, shape)
    order = [found.index(one) for one in output]
    return result if order == sorted(order) else transpose(result, order)


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

    @functools.cache
    def cheapest(first: int, last: int) -> tuple[int, int]:
        """What the product of a run of matrices costs at least, and where to split it: Cormen et al., Introduction to Algorithms, 15.2."""
        return min(((cheapest(first, at)[0] + cheapest(at + 1, last)[0] + sizes[first] * sizes[at + 1] * sizes[last + 1], at)
                    for at in range(first, last)), default=(0, first))

    def product(first: int, last: int) -> Tensor:
        at = cheapest(first, last)[1]
        return found[first] if first == last else matmul(product(first, at), product(at + 1, last))

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
