"""Remainders, whole quotients, bits, sums, bounds and orders, against NumPy, with Python's operators and by their names, of every integer type and of floats.

RUN: %{python} %s
"""

import operator

import numpy

import halfstep
from halfstep import nn, ops

random = numpy.random.default_rng(5)


def results(functions, x, y):
    """What a model computes of both with each function."""

    class Of(nn.Module):
        def forward(self, x, y):
            return {name: function(x, y) for name, function in functions.items()}

    model = Of().specify(x=nn.Input(x.shape[1:], x.dtype.name), y=nn.Input(y.shape[1:], y.dtype.name))
    model.compile(threads=1, policy="float32")
    return model.predict({"x": x, "y": y})


OF_INTEGERS = {
    "and": (operator.and_, numpy.bitwise_and), "or": (operator.or_, numpy.bitwise_or), "xor": (operator.xor, numpy.bitwise_xor),
    "not": (lambda x, y: ~x, lambda x, y: numpy.bitwise_not(x)), "by number": (lambda x, y: 5 & x | 2, lambda x, y: 5 & x | 2),
    "bitwise_and": (ops.bitwise_and, numpy.bitwise_and), "bitwise_not": (lambda x, y: ops.bitwise_not(y), lambda x, y: numpy.bitwise_not(y)),
}
OF_NUMBERS = {
    "%": (operator.mod, numpy.remainder), "//": (operator.floordiv, numpy.floor_divide), "fmod": (ops.fmod, numpy.fmod),
    "remainder": (ops.remainder, numpy.remainder), "divmod": (lambda x, y: divmod(x, y)[0] + divmod(x, y)[1], lambda x, y: x // y + x % y),
    "of a number": (lambda x, y: 17 % y, lambda x, y: 17 % y), "number by": (lambda x, y: 17 // y, lambda x, y: 17 // y),
}

for dtype in ("int32", "int64", "uint8"):
    limits = numpy.iinfo(dtype)
    x = random.integers(limits.min, limits.max, (64, 33), dtype, endpoint=True)
    y = random.integers(max(limits.min, -9), 9, (64, 33), dtype, endpoint=True)
    x[:2], y[0], y[1] = limits.min, -1 if limits.min else 255, 1
    x[2], y[3] = limits.max, limits.min
    table = {**OF_INTEGERS, **OF_NUMBERS}
    found = results({name: own for name, (own, _) in table.items()}, x, y)
    with numpy.errstate(all="ignore"):
        for name, (_, peer) in table.items():
            expected = peer(x, y)
            # By 0 NumPy has 0, too, and of the least number by -1 what wraps.
            assert found[name].dtype == x.dtype and (found[name] == expected).all(), (dtype, name, x[found[name] != expected], y[found[name] != expected])
    # By fewer bits than there are as NumPy has it, by more none.
    bits = random.integers(0, limits.bits - 1, x.shape, dtype, endpoint=True)
    found = results({"<<": operator.lshift, ">>": operator.rshift, "number": lambda x, n: 3 << n}, x, bits)
    assert (found["<<"] == x << bits).all() and (found[">>"] == x >> bits).all() and (found["number"] == numpy.left_shift(numpy.array(3, dtype), bits)).all()
    many = numpy.full_like(x, limits.bits)
    for beyond in (many, many + 100, *([-many // many] if limits.min else [])):
        found = results({"<<": operator.lshift, ">>": operator.rshift}, x, beyond)
        assert (found["<<"] == 0).all() and (found[">>"] == numpy.where(x < 0, -1, 0)).all(), (dtype, beyond[0, 0])

# Along dimensions: sums wrap in int64, as there; of what is equal the first stands first.
for dtype in ("int32", "int64", "uint8", "bool"):
    limits = numpy.iinfo("uint8" if dtype == "bool" else dtype)
    x = random.integers(limits.min, limits.max, (6, 5, 7), limits.dtype, endpoint=True).astype(dtype)
    x[1] = x[2, 0] = 0
    x[3] = x[3] % 3 if dtype != "bool" else x[3]
    table = {"sum": (lambda x, y: ops.sum(x, 1), lambda x: x.sum(1, dtype="int64")), "sum of all": (lambda x, y: ops.sum(x, (1, 2), True), lambda x: x.sum((1, 2), "int64", keepdims=True)),
             "cumsum": (lambda x, y: ops.cumsum(x, 1), lambda x: x.cumsum(1, "int64")), "any": (lambda x, y: ops.any(x, 2), lambda x: x.any(2)), "all": (lambda x, y: ops.all(x, (1, 2)), lambda x: x.all((1, 2)))}
    if dtype != "bool":
        least, most = limits.min // 2, limits.max // 3
        table |= {"abs": (lambda x, y: abs(x), numpy.abs), "neg": (lambda x, y: -x, numpy.negative), "relu": (lambda x, y: ops.relu(x), lambda x: numpy.maximum(x, 0)),
                  "rounded": (lambda x, y: ops.floor(x) - ops.ceil(x) + round(x), lambda x: x), "square": (lambda x, y: ops.square(x), numpy.square),
                  "powers": (lambda x, y: x**5 + x**0 + x**13, lambda x: x**5 + x**0 + x**13), "cumprod": (lambda x, y: ops.cumprod(x, 1), lambda x: x.cumprod(1, x.dtype)),
                  "max": (lambda x, y: ops.reduce_max(x, (1, 2)), lambda x: x.max((1, 2))), "min": (lambda x, y: ops.reduce_min(x, 2, True), lambda x: x.min(2, keepdims=True))}
        table |= {"clamp": (lambda x, y: ops.clamp(x, least, most), lambda x: x.clip(least, most)), "at most": (lambda x, y: ops.clamp(x, -numpy.inf, most), lambda x: x.clip(None, most)),
                  "sort": (lambda x, y: ops.sort(x, 1)[0], lambda x: numpy.sort(x, 1)), "places": (lambda x, y: ops.sort(x, 2)[1], lambda x: numpy.argsort(x, 2, "stable")),
                  "median": (lambda x, y: ops.median(x, 2)[0], lambda x: numpy.sort(x, 2)[:, :, 3]), "lower": (lambda x, y: ops.median(x[:, :4], 1, True)[0], lambda x: numpy.sort(x[:, :4], 1)[:, 1:2])}
    found = results({name: own for name, (own, _) in table.items()}, x, x)
    for name, (_, peer) in table.items():
        wanted = peer(x)
        assert found[name].dtype == wanted.dtype and found[name].shape == wanted.shape and (found[name] == wanted).all(), (dtype, name, found[name], wanted)
x = random.standard_normal((4, 5, 6)).astype("float32")
x[0, 1, 2], x[1] = numpy.nan, 0
found = results({"any": lambda x, y: ops.any(x, 1), "all": lambda x, y: ops.all(x, 1), "median": lambda x, y: ops.median(x)[0],
                 "places": lambda x, y: ops.median(x, 1)[1]}, x, x)
assert (found["any"] == x.any(1)).all() and (found["all"] == x.all(1)).all()
assert numpy.array_equal(found["median"], numpy.where(numpy.isnan(x).any(2), numpy.nan, numpy.sort(x, 2)[:, :, 2]), equal_nan=True)
assert (found["places"] == numpy.where(numpy.isnan(x).any(1), 1, numpy.argsort(x, 1, "stable")[:, 2])).all()

# Of bool they are conditions.
x, y = random.random((2, 8, 9)) < 0.5
for name, values in results({name: own for name, (own, _) in OF_INTEGERS.items() if name != "by number"}, x, y).items():
    assert values.dtype == bool and (values == OF_INTEGERS[name][1](x, y)).all(), name

# Of floats exact, whatever their sizes are; sums of a remainder and the divisor are rounded once.
for dtype in ("float32", "float16"):
    info = numpy.finfo(dtype)
    sizes = numpy.exp2(random.uniform(info.minexp - info.nmant, info.maxexp - 1, (2, 256, 33)))
    x, y = (sizes * random.choice([-1, 1], sizes.shape)).astype(dtype)
    y[0], x[1], y[2], x[3] = numpy.inf, -numpy.inf, 0, numpy.nan
    y[4:60] = (x[4:60] * random.uniform(0.001, 1, x[4:60].shape)).astype(dtype)
    found = results({name: own for name, (own, _) in OF_NUMBERS.items() if name in ("%", "fmod", "//")}, x, y)
    with numpy.errstate(all="ignore"):
        wide = numpy.fmod(x.astype("float64"), y)
        assert numpy.array_equal(found["fmod"], wide.astype(dtype), equal_nan=True), dtype
        sums = wide + y.astype("float64")
        assert numpy.array_equal(found["%"], numpy.where((wide != 0) & (numpy.sign(wide) != numpy.sign(y)), sums, wide).astype(dtype), equal_nan=True), dtype
        near = numpy.abs(x.astype("float64") / y) < 2.0**10  # what a quotient has no digits behind
        assert numpy.array_equal(found["//"][near], numpy.floor_divide(x, y)[near], equal_nan=True), dtype


def refused(words, function, dtype="float32"):
    x = numpy.ones((2, 3), dtype)
    try:
        results({"y": lambda x, y: function(x)}, x, x)
    except halfstep.Error as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words}: nothing was refused")


refused("^ is of integers and bool, and the tensor has elements of float32; x ** 2 is a power", lambda x: x ^ 2)
refused("elements of float32, expected uint8, int32 or int64", lambda x: x << 1)
refused("elements of float32, expected uint8, int32 or int64", lambda x: x & x)
refused("elements of bool, expected", lambda x: x % x, "bool")
