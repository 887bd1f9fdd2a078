"""Products of matrices, vectors and what einsum names."""

from __future__ import annotations

from typing import Any

from halfstep.graph import generated
from halfstep.graph.graph import operands
from halfstep.graph.promotion import alike
from halfstep.graph.reductions import sum
from halfstep.graph.shapes import broadcast, product, reshape, transpose
from halfstep.hints.types import DType, Operand, ResultType, Shape, Tensor
from halfstep_runtime._errors import Error, text


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
