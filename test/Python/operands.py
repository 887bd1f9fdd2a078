"""Numbers and arrays beside the tensors of a model, axes and counts: what NumPy takes is taken as NumPy has it, all else is refused.

RUN: %{python} %s
"""

import math
import pathlib
import sys

import numpy

import halfstep
from halfstep import nn, ops

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from checks import model_of

random = numpy.random.default_rng(9)


def run(function, x):
    executable = halfstep.compile(str(model_of(function, x.shape, x.dtype.name)), training=False, policy="float32", batch_size=len(x))
    session = halfstep.Session(executable, "cpu", threads=1)
    session.initialize()
    return session.run("infer", x=x)["output"]


def check(function, wanted, x, tolerance=1e-6, dtype=None):
    """Whether the result has these elements; its type is that of x, or another."""
    found = run(function, x)
    assert found.dtype == (dtype or x.dtype), found.dtype
    assert found.shape == wanted.shape and numpy.abs(found - wanted).max() <= tolerance, (found, wanted)


def type_of(function, dtype="float32"):
    """What the result of a function is of a tensor [2, 3]."""
    seen = []

    def forward(x):
        seen.append(function(x))
        return seen[0]

    model_of(forward, (2, 3), dtype).to_mlir()
    return seen[0].dtype


def refused(expected, function, dtype="float32", shape=(2, 3, 4), whole=False):
    try:
        model_of(function, shape, dtype).to_mlir()
    except halfstep.Error as error:
        assert expected == str(error) if whole else expected in str(error), error
        return
    raise AssertionError(expected)


x = random.standard_normal((2, 3, 4)).astype("float32")
keep = random.random((3, 4)) < 0.5

# A condition is one, whatever stands beside it; where no tensor says the type of values, they have their own.
for condition in (keep, keep.tolist(), keep[0], [True, False, True, True]):
    check(lambda x: ops.select(condition, x, 0.0), numpy.where(condition, x, 0), x)
    check(lambda x: ops.select(condition, 0, x), numpy.where(condition, 0, x), x)
    check(lambda x: ops.select(condition, x, -x), numpy.where(condition, x, -x), x)
check(lambda x: ops.select(x > 0, 2.5, -1), numpy.where(x > 0, 2.5, -1), x)
check(lambda x: ops.cast(ops.select(x > 0, keep, False), "float32"), numpy.where(x > 0, keep, False), x)
check(lambda x: ops.select(x > 0, numpy.arange(4), x), numpy.where(x > 0, numpy.arange(4), x), x)
VALUES = [
    ((1.5, 0), "float32"), ((1, 0), "int32"), ((True, False), "bool"), ((numpy.float64(1.5), 0), "float32"), ((numpy.int64(1), 0), "int64"),
    ((numpy.arange(3, dtype="uint8"), 0), "uint8"), ((numpy.arange(3.0), 1), "float32"), ((numpy.arange(3, dtype="int16"), 7), "int32"),
    ((numpy.arange(3), numpy.zeros(3)), "float32"), ((numpy.zeros(3, "float16"), 1.5), "float16"),
]
for (true, false), dtype in VALUES:
    assert type_of(lambda x: ops.select(x > 0, true, false)) == dtype, (true, false)
assert type_of(lambda x: ops.select([True, False, True], x, 0.5), "bfloat16") == "bfloat16"

# Indices and labels are whole numbers of their own type, tables of theirs.
table = random.standard_normal((5, 4)).astype("float32")
indices = numpy.array([[0, 4], [2, 2]], "int32")
check(lambda i: ops.gather(table, i), table[indices], indices, dtype="float32")
check(lambda i: ops.gather(table.tolist(), i, -2), table[indices], indices, dtype="float32")
for own in (numpy.int64, numpy.int32, numpy.uint8, list):
    taken = [0, 2, 2] if own is list else numpy.array([0, 2, 2], own)
    check(lambda x: ops.gather(x, taken, -1), x[..., [0, 2, 2]], x)
assert "tensor<1xi64>, tensor<1x4xf32>" in model_of(lambda x: x + ops.scatter_add(numpy.zeros((3, 4)), [1], numpy.ones((1, 4))), (2, 3, 4)).to_mlir()
check(lambda x: x * ops.one_hot([1, 3, 0], 4), x * numpy.eye(4)[[1, 3, 0]], x)
assert type_of(lambda x: ops.softmax_cross_entropy(x, numpy.array([0, 1], "uint8"))) == "float32"
refused("indices has elements of float32, expected uint8, int32 or int64; cast it first", lambda x: ops.gather(x, [0.5]))

# A mask of bool keeps, one of floats is added, another is refused.
q = random.standard_normal((2, 5, 8)).astype("float32")
seen = random.random((5, 5)) < 0.6
seen[:, 0] = True
scores = q.astype("float64") @ q.astype("float64").swapaxes(1, 2) / math.sqrt(8)


def attend(scores):
    share = numpy.exp(scores - scores.max(-1, keepdims=True))
    return share / share.sum(-1, keepdims=True) @ q


for mask in (seen, seen.tolist(), seen[None]):
    check(lambda x: ops.scaled_dot_product_attention(x, x, x, mask), attend(numpy.where(seen, scores, -numpy.inf)), q, 1e-6)
added = random.standard_normal((5, 5))
check(lambda x: ops.scaled_dot_product_attention(x, x, x, attn_mask=added, dropout_p=0.0), attend(scores + added), q, 1e-6)
refused("attention: attn_mask has elements of int64; expected bool, which keeps what is true", lambda x: ops.scaled_dot_product_attention(
    x, x, x, seen[:3, :3].astype("int64")))
for rate in (-0.1, 1, math.nan, "a"):
    refused(f"attention: dropout_p is {rate!r}, expected a number of at least 0 and less than 1",
            lambda x: ops.scaled_dot_product_attention(x, x, x, None, rate))

# Else numbers and arrays have the type of the tensor, which holds them or is refused.
check(lambda x: x * keep, x * keep, x)
check(lambda x: keep + x, keep + x, x)
check(lambda x: numpy.arange(4) - x, numpy.arange(4) - x, x)
check(lambda x: x @ numpy.eye(4)[:, :2], x[..., :2], x)
check(lambda x: numpy.eye(3)[:2] @ x, x[:, :2], x)
check(lambda x: ops.cast(keep & (x > 0) | (keep & (x < -1)), "float32"), keep & ((x > 0) | (x < -1)), x)
whole = numpy.arange(24, dtype="int32").reshape(2, 3, 4)
check(lambda x: x + numpy.arange(4), whole + numpy.arange(4), whole)
check(lambda x: x * 2.0 + True, whole * 2 + 1, whole)
for number in (2.5, numpy.array([1, 0.5, 3, 4]), math.inf, math.nan, 2**31):
    refused("is no int32, which the tensor has that it is to be with; cast that one first", lambda x: x * number, "int32")
refused("0.5 is no int32", lambda x: x > 0.5, "int32")
for number in (256, -1, [1, 2, 300, 4]):
    refused("is no uint8", lambda x: x + number, "uint8")
refused("2 is no bool", lambda x: (x > 0) & 2)
refused("2.9 is no int64", lambda x: x + ops.constant(2.9, "int64"))
for odd in (numpy.array(["a"]), numpy.array([1j])):
    refused("expected numbers: one of bool, uint8", lambda x: x + odd)
refused("an operand is of type list, expected an array of numbers", lambda x: x + [None])

# Of 64 bits to the last one, beside numbers and arrays of any type; none comes around to the least.
TOP = 2**63
check(lambda x: x - (TOP - 1) + (TOP - 1), whole, whole.astype("int64"))
check(lambda x: x + numpy.uint64(TOP - 1) - numpy.array([TOP - 1] * 4, "uint64"), whole, whole.astype("int64"))
check(lambda x: x + -TOP - (-TOP), whole, whole.astype("int64"))
check(lambda x: x + float(TOP - 1024) - (TOP - 1024), whole, whole.astype("int64"))
for number in (TOP, numpy.uint64(TOP), [TOP, 1, 2, 3], float(TOP), numpy.float32(TOP), numpy.float16("inf"), -float(TOP) * 2, 2 * TOP - 1):
    refused("is no int64, which the tensor has that it is to be with; cast that one first", lambda x: x + number, "int64")
    refused("is no int64, which the tensor has that it is to be with; cast that one first", lambda x: x < number, "int64")
check(lambda x: x + TOP - float(TOP), numpy.zeros((2, 3, 4), "float32"), numpy.zeros((2, 3, 4), "float32"))
for number in (2**64, -TOP - 1, [2**64], 10**400, 10**5000):
    refused("less than 2**64, what is larger is a float, as 2.0**64", lambda x: x + number)

# What is no operand of an operator is a TypeError that names the op, as for functions.
for wrong, said in (("1", "'1'"), (b"a", "b'a'"), ({}, "of type dict"), (nn.Dense(3), "of type Dense"), (numpy.sin, "of type ufunc")):
    for op, function in (("add", lambda x: x + wrong), ("add", lambda x: wrong + x), ("compare", lambda x: x < wrong), ("div", lambda x: x / wrong)):
        try:
            nn.Sequential(nn.Input((4,)), function).to_mlir()
        except TypeError as error:
            assert f"mp.{op}: an operand is {said}, expected a tensor, an array or a number" in str(error), error
        else:
            raise AssertionError((op, wrong))

# What is nothing is no operand, and what takes floats alone says how to come to them.
NOTHING = [
    ("add", lambda x: x + None), ("add", lambda x: None + x), ("sub", lambda x: x - None), ("mul", lambda x: None * x), ("div", lambda x: x / None),
    ("compare", lambda x: x == None), ("compare", lambda x: x < None), ("bitwise_and", lambda x: (x > 0) & None),
]
for name, function in NOTHING:
    refused(f"mp.{name}: an operand is None, expected a tensor, an array or a number; the size of the batch, x.shape[0], is None, since any number of rows may come", function, whole=True)
for name, function in (("relu: input", lambda x: ops.relu(None)), ("layer_norm: scale", lambda x: ops.layer_norm(x, None, None)),
                       ("select: false_value", lambda x: ops.select(x > 0, x, None)), ("gather: indices", lambda x: ops.gather(x, indices=None))):
    refused(f"{name} is None, expected a tensor, an array or a number; the size of the batch, x.shape[0], is None, since any number of rows may come", function, whole=True)
for dtype in ("int32", "int64", "uint8", "bool"):
    for name, function in (("reduce_mean", ops.mean), ("reduce_prod", lambda x: ops.prod(x, 1)), ("exp", ops.exp),
                           ("softmax", ops.softmax), ("matmul", lambda x: x @ numpy.ones((4, 2)))):
        said = f"mp.{name}: {'lhs' if name == 'matmul' else 'input'} has elements of {dtype}, expected floats; cast it first, as in ops.cast(x, 'float32')"
        refused(said, function, dtype)

# Powers are operators, and what is cheap is a product.
positive = numpy.abs(x) + 0.5
for power in (-1, -0.5, 0, 0.5, 1, 2, 3, 4, 2.5, numpy.float32(2), numpy.int64(3), numpy.array([1, 2, 3, 0.5])):
    check(lambda x: x**power, positive.astype("float64") ** power, positive, 2e-5)
check(lambda x: 2**x, 2.0 ** x.astype("float64"), x, 1e-5)
check(lambda x: numpy.arange(1, 5) ** x, numpy.arange(1.0, 5) ** x, x, 1e-4)
check(lambda x: x**x, positive**positive, positive, 1e-4)
check(lambda x: x**2, whole**2, whole)
assert "= mp.pow" not in model_of(lambda x: x ** numpy.int64(2), (2, 3)).to_mlir()

# Axes are those of NumPy: negative ones from the end, none beyond either end, none twice.
SEVERAL = [
    ("reduce_sum", ops.sum, numpy.sum), ("reduce_mean", ops.mean, numpy.mean), ("reduce_prod", ops.prod, numpy.prod),
    ("reduce_max", ops.reduce_max, numpy.max), ("reduce_min", ops.reduce_min, numpy.min), ("reduce_sum", ops.reduce_sum, numpy.sum),
    ("reduce_mean", ops.reduce_mean, numpy.mean), ("reduce_prod", ops.reduce_prod, numpy.prod), ("flip", ops.flip, numpy.flip),
    ("l2_norm", ops.l2_norm, lambda x, d: numpy.linalg.norm(x, axis=d)),
    ("normalize", ops.normalize, lambda x, d: x / numpy.linalg.norm(x, axis=d, keepdims=True)),
]
ONE = [
    ("cosine_similarity", lambda x, d: ops.cosine_similarity(x, x, d), lambda x, d: numpy.ones_like(x).mean(d)),
    ("argmax", lambda x, d: ops.cast(ops.argmax(x, d), "float32"), numpy.argmax), ("cumsum", ops.cumsum, numpy.cumsum),
    ("argmin", lambda x, d: ops.cast(ops.argmin(x, d), "float32"), numpy.argmin),
    ("gather", lambda x, d: ops.gather(x, [1, 0], d), lambda x, d: numpy.take(x, [1, 0], d)),
    ("top_k", lambda x, d: ops.top_k(x, 1, d)[0], lambda x, d: numpy.max(x, d, keepdims=True)),
    ("concat", lambda x, d: ops.concat([x, x], d), lambda x, d: numpy.concatenate([x, x], d)),
    ("stack", lambda x, d: ops.stack([x, x], d), lambda x, d: numpy.stack([x, x], d)),
    ("split", lambda x, d: ops.split(x, 1, d)[0], lambda x, d: numpy.split(x, 1, d)[0]),
    ("iota", lambda x, d: ops.cast(ops.iota(d, (3, 2, 4)), "float32") + x[:, :1, :1] * 0, lambda x, d: numpy.indices((3, 2, 4))[d] + x[:, :1, :1] * 0),
]
cube = random.standard_normal((3, 2, 4)).astype("float32")
for name, ours, theirs in SEVERAL + ONE:
    for dimension in (1, 2, -1, -2, numpy.int64(1)):
        check(lambda x: ours(x, dimension), theirs(cube, dimension), cube, 1e-5)
    last = 3 if name == "stack" else 2
    for dimension in (4, -5, 7, numpy.int64(-9)):
        refused(f"{name}: dimension {dimension} is out of range, expected {-last - 1} to {last}", lambda x: ours(x, dimension), whole=True)
    for dimension in (1.0, 0.5, True):
        said = "dimensions is {}, expected a whole number, or several as in (2, 3)" if (name, ours, theirs) in SEVERAL else "dimension is {}, expected a whole number"
        refused(f"{name}: {said.format(dimension)}", lambda x: ours(x, dimension), whole=True)
    refused(f"{name}: dimension is '1', expected a whole number", lambda x: ours(x, "1"), whole=True)
for function in (ops.sum, ops.mean, ops.prod, ops.reduce_max, ops.flip, ops.l2_norm):
    check(lambda x: function(x, (2, -2)), run(lambda x: function(x, (1, 2)), cube), cube)
    refused("have one twice", lambda x: function(x, (1, -2)))
    refused("dimension 3 is out of range, expected -3 to 2", lambda x: function(x, (1, 3)))
refused("argmax: dimension 1 is out of range, expected -1 to 0", lambda x: ops.argmax(ops.sum(x, (1, 2)), 1))
check(lambda x: ops.transpose(x, (0, -1, 1)), x.transpose(0, -1, 1), x)
refused("transpose: dimension 3 is out of range", lambda x: ops.transpose(x, (0, 1, 3)))

# Arrays put beside a tensor have its type.
for dtype in ("float16", "bfloat16", "float32", "int32"):
    for order in (1, -1):
        assert type_of(lambda x: ops.concat([ops.gather(x, [0], 0), numpy.zeros((2, 3))][::order], 0), dtype) == dtype
        assert type_of(lambda x: ops.stack([ops.gather(x, 0, 0), [1, 2, 3]][::order]), dtype) == dtype
        if "float" in dtype:
            assert type_of(lambda x: ops.matmul(*[ops.gather(x, [0], 0), numpy.ones((3, 1))][::order]), dtype) == dtype

# Counts and sizes are whole numbers, of NumPy, too.
check(lambda x: ops.top_k(x, numpy.int64(2))[0], -numpy.sort(-x, -1)[..., :2], x)
check(lambda x: ops.tile(x, numpy.array([1, 2, 1])), numpy.tile(x, (1, 2, 1)), x)
check(lambda x: x[:, numpy.int64(1)], x[:, 1], x)
check(lambda x: ops.split(x, numpy.int32(2))[1], x[..., 2:], x)
check(lambda x: x.reshape(None, numpy.int64(12)), x.reshape(2, 12), x)
COUNTS = [
    ("transpose: permutation is 1.5", lambda x: ops.transpose(x, 1.5)), ("iota: shape is 2.5", lambda x: ops.iota(0, 2.5)),
    ("shape is 0.5", lambda x: ops.broadcast(x, 0.5)), ("reshape: shape is 0.5", lambda x: ops.reshape(x, 0.5)),
    ("sum: dimensions is 0.5", lambda x: ops.sum(x, 0.5)), ("tile: repeats is 1.5", lambda x: ops.tile(x, 1.5)),
    ("top_k: k is 2.9", lambda x: ops.top_k(x, 2.9)), ("top_k: k is 0", lambda x: ops.top_k(x, 0)), ("top_k: k is True", lambda x: ops.top_k(x, True)),
    ("reshape: shape: a size is 2.5", lambda x: x.reshape(None, 2.5)), ("reshape: shape: a size is -3", lambda x: ops.reshape(x, (None, -3))),
    ("a size is 2.9", lambda x: ops.one_hot(ops.argmax(x), 2.9)), ("a size is 3.5", lambda x: ops.broadcast(x, (None, 3.5, 4))),
    ("tile: repeats: a count is 1.5", lambda x: ops.tile(x, (1, 1.5, 1))), ("split: a size is 1.5", lambda x: ops.split(x, [1.5, 2.5])[0]),
    ("an index is a number", lambda x: x[:, 1.5]), ("an index is a number", lambda x: x[:, True]),
    ("diagonal is 0.5", lambda x: ops.tril(x, 0.5)), ("group_norm: groups is 2.5", lambda x: ops.group_norm(x, 2.5)),
    ("group_norm: groups is 0", lambda x: ops.group_norm(x, 0)), ("scatter_add: dimension 3 is out of range", lambda x: ops.scatter_add(x, [0], x, 3)),
    ("low is 0.5", lambda x: ops.pad(x, (0, 0.5, 0), (0, 0, 0))), ("window is 2.5", lambda x: ops.max_pool(x, 2.5)),
    ("negative_slope is 'a', expected a number", lambda x: ops.leaky_relu(x, negative_slope="a")),
    ("dropout: rate is 1.5", lambda x: ops.dropout(x, 1.5)), ("dropout: rate is nan", lambda x: ops.dropout(x, math.nan)),
]
for expected, function in COUNTS:
    refused(expected, function)
refused("mp.compare: predicate is 'gtt'; expected one of eq, ne, lt, le, gt, ge", lambda x: ops.compare("gtt", x, x))
refused("mp.gelu: approximate is 'tan'; expected one of none, tanh", lambda x: ops.gelu(x, approximate="tan"))

# Arrays of no elements are constants, whichever of their sizes is 0.
for shape in ((0,), (0, 3), (3, 0), (2, 0, 3), (0, 0), (0, 3, 2)):
    for dtype in ("float32", "int64", "bool", "uint8", "float16"):
        text = str(model_of(lambda x, empty=numpy.zeros(shape, dtype): (ops.constant(empty, empty.dtype), x + 1)[1], (2, 3)))
        assert f"tensor<{'x'.join(map(str, shape))}x{'f' if 'float' in dtype else ''}" in text, text

# Of two, element by element: NumPy's names, and those of the ops, which refuse what NumPy takes for a dimension.
check(lambda t: ops.maximum(t, 0), numpy.maximum(x, 0), x)
check(lambda t: ops.minimum(t, -t), numpy.minimum(x, -x), x)
check(lambda t: ops.max(0, ops.min(t, 0.5)), numpy.clip(x, 0, 0.5), x)
check(lambda t: ops.max(t, 3), numpy.maximum(x, 3), x)
refused("max: rhs is 1, an element or a dimension: ops.maximum(x, 1) is the larger of each element and 1, ops.reduce_max(x, 1) the largest along dimension 1",
        lambda t: ops.max(t, 1), whole=True)
refused("ops.reduce_min(x, -3) the smallest along dimension -3", lambda t: ops.min(t, -3))

# Python's operators: those that an op computes, with a tensor, a parameter, a number or an array on either side, and all others with what is here.
for operator in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b):
    for other in (2, 0.5, x[0]):
        check(lambda t: operator(t, other), operator(x, other), x)
        check(lambda t: operator(other, t), operator(other, x), x, tolerance=1e-3)
check(lambda t: abs(t) ** 2.5, numpy.abs(x) ** 2.5, x, tolerance=1e-4)
check(lambda t: 2**t, 2**x, x, tolerance=1e-4)
check(lambda t: +t, x, x)
check(lambda t: numpy.positive(t), x, x)
check(lambda t: round(t * 3), numpy.round(x * 3), x)
check(lambda t: ops.cast((t > 0) ^ (t < 1), "float32"), (x > 0) ^ (x < 1), x)
check(lambda t: ops.cast(keep ^ (t > 0), "float32"), keep ^ (x > 0), x)
check(lambda t: ops.cast(True ^ (t > 0), "float32"), x <= 0, x)
for operator in (lambda a, b: a % b, lambda a, b: a // b, lambda a, b: divmod(a, b)[0], lambda a, b: divmod(a, b)[1]):
    for other in (2, -3, 0.75):
        check(lambda t: operator(t * 10, other), operator(x * 10, other).astype("float32"), x, tolerance=1e-5)
    check(lambda t: operator(7, t), operator(7, x), x, tolerance=1e-5)
# Zeros have the sign of the quotient.
edges = numpy.array([0, -0.0, 1, -1, 0.3, -7, 1e30, -1e-30, numpy.inf, -numpy.inf, numpy.nan], "float32")
with numpy.errstate(all="ignore"):
    for other in edges:
        found, wanted = run(lambda t: t // other, edges[None])[0], edges // other
        assert numpy.array_equal(found, wanted, equal_nan=True) and (numpy.signbit(found) == numpy.signbit(wanted))[~numpy.isnan(wanted)].all(), (other, found, wanted)
whole = numpy.arange(-6, 6, dtype="int32").reshape(3, 4)
for operator in (lambda a, b: a % b, lambda a, b: a // b, lambda a, b: a << b % 8, lambda a, b: a >> b % 8, lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b):
    for other in (3, -2, numpy.array([1, 2, -3, 5], "int32")):
        check(lambda t: operator(t, other), operator(whole, other), whole)
    check(lambda t: operator(11, t * 2 + 1), operator(11, whole * 2 + 1), whole)
check(lambda t: ~t, ~whole, whole)
for sign, one in (("<<", lambda t: t << 1), ("&", lambda t: t & 1)):
    refused("expected", one)
refused("^ is of integers and bool, and the tensor has elements of float32", lambda t: t ^ 2)
refused("round of a tensor to 2 digits: ops.round(x) is to whole numbers", lambda t: round(t, 2))
