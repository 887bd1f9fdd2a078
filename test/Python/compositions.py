"""Products, norms, attention and losses that are made of several ops, against NumPy.

RUN: %{python} %s
"""

import math

import numpy

import halfstep
from halfstep import nn, ops
from halfstep.graph import losses

random = numpy.random.default_rng(4)


class Itself(nn.Module):
    """Gives its input, by a parameter that is 1."""

    def __init__(self):
        self.one = nn.Parameter((1,), "ones")

    def forward(self, x):
        return x * self.one


def module_of(function, inputs):
    """Inputs by the names a, b, ... in one function whose arguments are named so."""
    names = "abcd"[: len(inputs)]
    made = type("M", (nn.Module,), {})
    scope = {"function": function}
    exec(f"def forward(self, {', '.join(names)}):\n    return function({', '.join(names)})\n", scope)
    made.forward = scope["forward"]
    shapes = {name: nn.Input(x.shape[1:], x.dtype.name) for name, x in zip(names, inputs)}
    return made().specify(**shapes)


def run(function, *inputs, policy="float32"):
    module = module_of(function, inputs)
    executable = halfstep.compile(str(module), training=False, policy=policy, batch_size=len(inputs[0]))
    session = halfstep.Session(executable, "cpu", threads=1)
    session.initialize()
    return session.run("infer", **dict(zip("abcd", inputs)))["output"]


def check(function, wanted, *inputs, tolerance=2e-6, **named):
    found = run(function, *inputs, **named)
    wanted = numpy.asarray(wanted)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    error = numpy.abs(found.astype("float64") - wanted).max(initial=0)
    assert error <= tolerance * max(numpy.abs(wanted).max(initial=0), 1e-30), (error, found, wanted)


def draw(*shape):
    return random.standard_normal(shape).astype("float32")


def in_f64(*arrays):
    return [one.astype("float64") for one in arrays]


# Products
SUBSCRIPTS = [
    ("bqd,bkd->bqk", (2, 3, 4), (2, 5, 4)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)),
    ("bij,bjk->bki", (2, 3, 4), (2, 4, 5)),
    ("bi,bj->bij", (3, 4), (3, 5)),
    ("bi,bi->b", (3, 4), (3, 4)),
    ("bij,bkl->bik", (2, 3, 4), (2, 5, 6)),  # j and l are in one alone
    ("bijk,bjk->bi", (2, 3, 4, 5), (2, 4, 5)),
    ("b i j , b k -> b j k i", (2, 3, 4), (2, 5)),
    ("bij,bij->bij", (2, 3, 4), (2, 3, 4)),
    ("bij,bjk->bik", (1, 1, 1), (1, 1, 1)),
]
for subscripts, first, second in SUBSCRIPTS:
    a, b = draw(*first), draw(*second)
    check(lambda a, b: ops.einsum(subscripts, a, b), numpy.einsum(subscripts, *in_f64(a, b)), a, b)
a = draw(2, 3, 4)
b, c = (numpy.cos(numpy.arange(count, dtype="float32")).reshape(shape) for count, shape in ((40, (2, 4, 5)), (15, (3, 5))))
for subscripts in ("bij,bjk,ik->bi", "bij,bjk,ik->bk", "bij,bjk,ik->b", "bij,bjk,ik->bijk"):
    check(lambda a, b: ops.einsum(subscripts, a, b, c), numpy.einsum(subscripts, *in_f64(a, b, c)), a, b)
for subscripts in ("bij->bji", "bij->b", "bij->bj", "bij"):
    check(lambda a: ops.einsum(subscripts, a), numpy.einsum(subscripts, a.astype("float64")), a)

matrix, vector = draw(4, 5), draw(4)
for function in (
    lambda x, np: x @ np.constant(matrix),
    lambda x, np: x @ np.constant(vector),
):
    class NumPy:
        constant = staticmethod(lambda value: value)

    check(lambda a: function(a, ops), function(a.astype("float64"), NumPy), a)
turned = a.astype("float64").transpose(0, 2, 1)
check(lambda a: ops.constant(vector) @ ops.transpose(a, (0, 2, 1)), vector @ turned, a)
check(lambda a: ops.constant(matrix.T.copy()) @ ops.transpose(a, (0, 2, 1)), matrix.T @ turned, a)
check(lambda a: ops.matmul(ops.constant(matrix.T.copy()), a, transpose_rhs=True), matrix.T @ turned, a)
check(lambda a: ops.matmul(ops.constant(matrix), a, transpose_lhs=True, transpose_rhs=True), matrix.T @ turned, a)
check(lambda a: a * ops.outer(ops.constant(vector[:3]), ops.constant(vector)), a * numpy.outer(vector[:3], vector), a)

# Shapes
check(lambda a: ops.tile(a, (1, 2, 3)), numpy.tile(a, (1, 2, 3)), a)
check(lambda a: ops.tile(a, (2,)), numpy.tile(a, (2,)), a)
check(lambda a: ops.tile(ops.constant(vector), (3, 2)) + a[:, :, :1] * 0, numpy.broadcast_to(numpy.tile(vector, (3, 2)), (2, 3, 8)), a)
check(lambda a: ops.vecdot(a, ops.constant(vector)), a.astype("float64") @ vector, a)
check(lambda a: ops.vecdot(ops.constant(vector[:3, None]), a, 1), vector[:3].astype("float64") @ a, a)
for diagonal in (-2, -1, 0, 1, 5):
    check(lambda a: ops.tril(a, diagonal), numpy.tril(a, diagonal), a)
    check(lambda a: ops.triu(a, diagonal), numpy.triu(a, diagonal), a)

# Norms
check(lambda a: ops.l2_norm(a, -1), numpy.linalg.norm(a.astype("float64"), axis=-1), a)
check(lambda a: ops.l2_norm(a, (1, 2), keep_dims=True), numpy.sqrt((a.astype("float64") ** 2).sum((1, 2), keepdims=True)), a)
with_zero = a.copy()
with_zero[0, 0] = 0
check(lambda a: ops.normalize(a), with_zero / numpy.maximum(numpy.linalg.norm(with_zero, axis=-1, keepdims=True), 1e-12), with_zero)
large = (a * 3e4).astype("float16")  # whose squares float16 does not have
check(lambda a: ops.normalize(a), large / numpy.linalg.norm(large.astype("float64"), axis=-1, keepdims=True), large,
      policy="mixed_float16")
b = draw(2, 3, 4)
cosine = (a * b).sum(-1) / numpy.linalg.norm(a, axis=-1) / numpy.linalg.norm(b, axis=-1)
check(lambda a, b: ops.cosine_similarity(a, b), cosine, a, b)


def group_norm(x, groups, scale, offset, epsilon=1e-5):
    x = x.astype("float64")
    split = x.reshape(len(x), -1, groups, x.shape[-1] // groups)
    mean, variance = split.mean((1, 3), keepdims=True), split.var((1, 3), keepdims=True)
    return ((split - mean) / numpy.sqrt(variance + epsilon)).reshape(x.shape) * scale + offset


image = draw(2, 3, 4, 6)
scale, offset = draw(6), draw(6)
for groups in (1, 2, 3, 6):
    check(lambda a: ops.group_norm(a, groups, ops.constant(scale), ops.constant(offset)), group_norm(image, groups, scale, offset), image)
check(lambda a: ops.group_norm(a, 2), group_norm(image, 2, 1, 0), image)
for groups in (1, 2, 3, 6):  # the layer, in a model that trains
    grouped = nn.Sequential(nn.Input(image.shape[1:]), nn.GroupNorm(groups, 1e-3), nn.Flatten(), nn.Dense(2))
    executable = halfstep.compile(str(grouped), training=False, policy="float32", batch_size=len(image))
    with halfstep.Session(executable, "cpu", threads=1) as session:
        session.initialize()
        session.state["group_norm1.scale"], session.state["group_norm1.offset"] = scale, offset
        wanted = group_norm(image, groups, scale, offset, 1e-3).reshape(len(image), -1) @ session.state["dense1.kernel"] + session.state["dense1.bias"]
        assert numpy.abs(session.run("infer", x=image)["output"] - wanted).max() < 5e-6
    for policy in ("float32", "mixed_float16", "mixed_bfloat16"):
        grouped.compile(halfstep.SGD(0.1), policy=policy)
        history = grouped.fit(image, numpy.arange(len(image)) % 2, len(image), 8, verbose=False).history["loss"]
        assert history[-1] < history[0], (groups, policy, history)


# What NumPy and PyTorch name and no op is: in each float type, with its edges; and their gradients.
edges = numpy.array([[-2.5, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.5, 1e4, -numpy.inf, numpy.inf, numpy.nan]], "float32")


def bits_of(x):
    return [(str(one), bool(numpy.signbit(one))) for one in numpy.asarray(x, "float64").flat]


for dtype in ("float16", "bfloat16", "float32"):
    rounded = run(lambda a: ops.cast(ops.cast(a, dtype), "float32"), edges)
    for function, wanted in ((ops.ceil, numpy.ceil(rounded)), (ops.square, rounded.astype("float64") ** 2)):
        found = run(lambda a: ops.cast(function(ops.cast(a, dtype)), "float32"), edges)
        finite = numpy.isfinite(found)
        assert [one[1] for one in bits_of(found)][:-1] == [one[1] for one in bits_of(wanted)][:-1]
        assert numpy.isnan(found[0, -1]) and numpy.allclose(found[finite], wanted[finite], rtol=2.0**-8 if dtype == "bfloat16" else 2.0**-11)
        assert numpy.isinf(found[~finite][:-1]).all()
    wanted = numpy.where(numpy.isnan(rounded), 0, numpy.sign(rounded))  # of NaN as PyTorch
    assert bits_of(run(lambda a: ops.cast(ops.sign(ops.cast(a, dtype)), "float32"), edges)) == bits_of(wanted + 0.0)
    for function, wanted in ((ops.is_inf, numpy.isinf(rounded)), (ops.is_nan, numpy.isnan(rounded))):
        assert (run(lambda a: function(ops.cast(a, dtype)), edges) == wanted).all()
    assert "xf16>" in str(module_of(lambda a: ops.sign(ops.cast(a, "float16")), [edges]))
for dtype in ("int32", "int64", "uint8"):
    whole = numpy.array([[0, 1, 7, 200 if dtype == "uint8" else -3]], dtype)
    check(lambda a: ops.cast(ops.sign(a), "float32"), numpy.sign(whole.astype("int64")), whole)
check(lambda a: ops.where(a > 0, a, -1.0), numpy.where(a > 0, a, -1), a)
check(lambda a: ops.where(a[:, :1] > 0, 2 * a, a[:, :, :1]), numpy.where(a[:, :1] > 0, 2 * a, a[:, :, :1]), a)
for correction in (0, 1, 1.5):
    for dimensions in (1, (1, 2), -1):
        for keep in (False, True):
            wanted = a.astype("float64")
            count = math.prod(wanted.shape[one] for one in numpy.atleast_1d(dimensions))
            wanted = wanted.var(dimensions, keepdims=keep) * count / (count - correction)
            check(lambda a: ops.var(a, dimensions, keep, correction=correction), wanted, a)
check(lambda a: a[:, 0, 0] * 0 + ops.var(ops.constant(matrix), correction=0), numpy.full(2, matrix.astype("float64").var()), a)
far = (300 * draw(2, 3, 4)).astype("float16")  # whose squares float16 does not have
check(lambda a: ops.var(a, -1, correction=1), far.astype("float64").var(-1, ddof=1), far, policy="mixed_float16")
assert numpy.isnan(run(lambda a: ops.var(a[:, :, :1], -1, correction=1), a)).all()


class Fitted(nn.Module):
    """A number for each of four, by which a function of it is learned."""

    def __init__(self, function, start):
        self.function, self.weight = function, nn.Parameter((4,), "zeros", value=start)

    def forward(self, x):
        return x * 0 + self.function(self.weight)


start = numpy.array([-1.5, -0.5, 0.75, 2.0], "float32")
for function, gradient in ((ops.square, 2 * start), (lambda w: ops.where(w > 0, 3 * w, w), numpy.where(start > 0, 3, 1)),
                           (lambda w: w + ops.sign(w), numpy.ones(4)), (lambda w: w + ops.ceil(w), numpy.ones(4)),
                           (lambda w: ops.var(w, correction=1), 4 * 2 * (start - start.mean()) / 3)):  # of four that have it
    fitted = Fitted(function, start).specify(x=nn.Input((4,)))
    fitted.compile(halfstep.SGD(1.0), loss=lambda outputs, targets: ops.mean(ops.sum(outputs - targets, 1)), metrics=[], policy="float32")
    fitted.fit(numpy.zeros((2, 4), "float32"), numpy.zeros((2, 4), "float32"), batch_size=2, verbose=False)
    assert numpy.allclose(start - fitted.state_dict()["weight"], gradient, rtol=1e-6), (fitted.state_dict()["weight"], gradient)


class Operated(nn.Module):
    """Operators of a parameter, whatever stands beside it."""

    def __init__(self):
        self.w, self.matrix = nn.Parameter((4,), "ones", value=start), nn.Parameter((4, 4), "ones")

    def forward(self, a):
        w = self.w
        parts = [w + 1, 1 + w, w - 1, 1 - w, w * 2, 2 * w, w / 2, 2 / w, w**2, -w, abs(w), start * w, w + start, w[::-1], ops.where(w > 0, w, 0.0)]
        return [a * 0 + part for part in (*parts, w @ self.matrix, start @ self.matrix, self.matrix[0])]


w, every = start, numpy.ones((4, 4), "float32")
wanted = [w + 1, 1 + w, w - 1, 1 - w, w * 2, 2 * w, w / 2, 2 / w, w**2, -w, abs(w), w * w, w + w, w[::-1], numpy.maximum(w, 0), w @ every, w @ every, every[0]]
operated = Operated().specify(a=nn.Input((4,)))
for found, expected in zip(operated.predict(numpy.zeros((1, 4), "float32")).values(), wanted, strict=True):
    assert numpy.allclose(found[0], expected), (found, expected)

# Softmax along any dimension; operators; what has another name elsewhere says which is ours.
for dimension in (1, 2, -1, -2):
    share_of = numpy.exp(a.astype("float64")) / numpy.exp(a.astype("float64")).sum(dimension, keepdims=True)
    check(lambda a: ops.softmax(a, dimension), share_of, a)
    check(lambda a: ops.log_softmax(a, dimension), numpy.log(share_of), a)
check(lambda a: abs(a), abs(a), a)


def lacking(expected, function):
    try:
        run(function, a)
    except AttributeError as error:
        assert expected in str(error), error
        return
    raise AssertionError(expected)


lacking("halfstep.ops has no 'concatenate'; here it is ops.concat([a, b], dimension)", lambda a: ops.concatenate([a, a]))
lacking("halfstep.ops has no 'ReLU'; did you mean ops.relu?", lambda a: ops.ReLU(a))
lacking("halfstep.ops has no 'sofmax'; did you mean ops.softmax?", lambda a: ops.sofmax(a))
lacking("a tensor of a model has no 'sum'; ops.sum(x, ...) computes it", lambda a: a.sum(1))
lacking("a tensor of a model has no 'T'; ops.transpose(x) turns its dimensions around", lambda a: a.T)
lacking("a tensor of a model has no 'item'; it has no value yet", lambda a: a.item())
lacking("a tensor of a model has no 'view'; here it is ops.reshape(x, shape)", lambda a: a.view(2, 12))
lacking("a tensor of a model has no 'quux'", lambda a: a.quux)

# Powers, products, running sums, the largest
for exponent in (-1, 0.5, 2, 3, 4, 2.5, -1.7):
    check(lambda a: ops.pow(a, exponent), abs(a).astype("float64") ** exponent, abs(a))
check(lambda a, b: ops.pow(a, b), abs(a).astype("float64") ** b, abs(a), b)
check(lambda a: ops.prod(a, (1, 2)), a.astype("float64").prod((1, 2)), a)
for dimension in (1, 2, -1):
    check(lambda a: ops.cumsum(a, dimension), a.astype("float64").cumsum(dimension), a)
before = numpy.pad(a.astype("float64").cumsum(1), ((0, 0), (1, 0), (0, 0)))[:, :-1]
check(lambda a: ops.cumsum(a, 1, exclusive=True), before, a)
check(lambda a: ops.cumsum(a, 1, exclusive=True, reverse=True), a.astype("float64").sum(1, keepdims=True) - before - a, a)
check(lambda a: ops.cast(ops.argmin(a, 1), "float32"), a.argmin(1), a)
for largest in (True, False):
    for dimension in (1, 2):
        order = numpy.argsort(-a if largest else a, dimension, kind="stable").take(range(2), dimension)
        check(lambda a: ops.top_k(a, 2, dimension, largest=largest)[0], numpy.take_along_axis(a, order, dimension), a)
        check(lambda a: ops.cast(ops.top_k(a, 2, dimension, largest=largest)[1], "float32"), order, a)
small = numpy.arange(24).reshape(2, 3, 4) * 7 % 13
for dtype in ("uint8", "int32"):
    check(lambda a: ops.cast(ops.top_k(a, 3, 2, largest=False)[0], "float32"), numpy.sort(small, 2)[:, :, :3], small.astype(dtype))


# What functions of several ops give at their edges, and what they refuse.
edges = numpy.array([0, 1e-30, 1e-6, 0.03, 0.5, 0.999, 1, 1.0001, 2, 77, 3e4, 2.6e8, 2.8e8, 1e30, 3e38, numpy.inf, numpy.nan], "float32")
edges = numpy.concatenate([edges, -edges])
for name in ("asinh", "acosh", "atanh"):
    for dtype, near in (("float32", 5e-7), ("float16", 1e-3)):
        with numpy.errstate(all="ignore"):
            given = edges.astype(dtype)
            wanted = getattr(numpy, f"arc{name[1:]}")(given.astype("float64"))
        found = run(getattr(ops, name), given, policy="float32")
        assert found.dtype == given.dtype, (name, found.dtype)
        numpy.testing.assert_allclose(found.astype("float64"), wanted, rtol=near, atol=1e-7 if dtype == "float16" else 0, err_msg=f"{name} {dtype}")
low = (a * 300).astype("float16")
for function, wanted in ((lambda a: ops.vector_norm(a, 3, -1), (numpy.abs(low.astype("float64")) ** 3).sum(-1) ** (1 / 3)),
                         (lambda a: ops.vector_norm(a, 0, 1), (low != 0).sum(1)),
                         (lambda a: ops.vector_norm(a, -math.inf, (1, 2), True), numpy.abs(low).min((1, 2), keepdims=True))):
    check(function, wanted, low, policy="pytorch", tolerance=1e-3)
for order in (1, -1, math.inf, -math.inf, "fro"):
    for keep in (False, True):
        check(lambda a: ops.matrix_norm(a, order, (1, 2), keep), numpy.linalg.norm(a.astype("float64"), order, (1, 2), keepdims=keep), a)
large = a * 1e4  # whose exponentials float32 does not have
top = large.astype("float64").max(-1)
check(lambda a: ops.logsumexp(a, -1), top + numpy.log(numpy.exp(large.astype("float64") - top[..., None]).sum(-1)), large)
check(lambda a: ops.exp(ops.logsumexp(a, -1)), numpy.zeros((2, 3)), numpy.full_like(a, -numpy.inf))
table, rows = draw(5, 3), numpy.array([[0, 4, -1], [7, 2, 2]], "int32")
added = numpy.zeros((2, 5, 3))
for batch in range(2):
    for column, row in enumerate(rows[batch]):
        if 0 <= row < 5:
            added[batch, row, column] += 1
for batch in range(2):  # indices that are none of the dimension's change nothing
    one = rows[batch][None]
    check(lambda a: a[:, :1, :1] * 0 + ops.scatter_add_elements(ops.constant(table), 0, ops.constant(one, "int32"), numpy.ones((1, 3), "float32")),
          numpy.broadcast_to(table + added[batch], (2, 5, 3)), a)
    put = table.copy()
    put[[row for row in rows[batch] if 0 <= row < 5]] = 7
    check(lambda a: a[:, :1, :1] * 0 + ops.index_put(ops.constant(table), [ops.constant(rows[batch], "int32")], 7.0),
          numpy.broadcast_to(put, (2, 5, 3)), a)
a_first = a[0]
check(lambda a: ops.addmm(numpy.full((3, 5), numpy.nan, "float32"), ops.constant(a_first), matrix, beta=0) + a[:, :1, :1] * 0,
      numpy.broadcast_to(a_first.astype("float64") @ matrix, (2, 3, 5)), a)


# Attention
def attention(q, k, v, mask=None, scale=None, causal=False):
    q, k, v = in_f64(q, k, v)
    if q.ndim > 2:
        k, v = (numpy.repeat(one, q.shape[-3] // one.shape[-3], -3) for one in (k, v))
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        scores = numpy.where(numpy.tril(numpy.ones(scores.shape[-2:], bool)), scores, -numpy.inf)
    if mask is not None:
        scores = numpy.where(mask, scores, -numpy.inf) if mask.dtype == bool else scores + mask
    scores = numpy.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True) @ v


q, k, v = draw(2, 6, 5, 8), draw(2, 6, 7, 8), draw(2, 6, 7, 3)
keep = random.random((5, 7)) < 0.7
keep[:, 0] = True
each = random.random((2, 6, 5, 7)) < 0.7
each[..., 0] = True
attend = ops.scaled_dot_product_attention
check(attend, attention(q, k, v), q, k, v)
check(lambda a, b, c: attend(a, b, c, scale=0.3), attention(q, k, v, scale=0.3), q, k, v)
check(lambda a, b, c: attend(a, b, c, is_causal=True), attention(q, k, v, causal=True), q, k, v)
check(lambda a, b, c: attend(a, b, c, ops.constant(keep, "bool")), attention(q, k, v, keep), q, k, v)
check(attend, attention(q, k, v, each), q, k, v, each)
added = draw(2, 6, 5, 7)
check(attend, attention(q, k, v, added), q, k, v, added)
for heads in (1, 2, 3):  # grouped queries
    few, values = k[:, :heads].copy(), v[:, :heads].copy()
    check(attend, attention(q, few, values), q, few, values)
    check(attend, attention(q, few, values, each), q, few, values, each)
    check(attend, attention(q, few, values, each[:, :1]), q, few, values, each[:, :1].copy())
    check(lambda a, b, c: attend(a, b, c, is_causal=True), attention(q, few, values, causal=True), q, few, values)
check(attend, attention(q[:, 0], k[:, 0], v[:, 0]), q[:, 0].copy(), k[:, 0].copy(), v[:, 0].copy())


# Losses
def loss_of(loss, outputs, targets):
    """What evaluate says of a model that gives its input."""
    identity = Itself().specify(x=nn.Input(outputs.shape[1:]))
    identity.compile(halfstep.SGD(0.1), loss=loss, policy="float32", metrics=[])
    return identity.evaluate(outputs, targets, batch_size=len(outputs))["loss"]


def softmax_logs(z):
    z = z.astype("float64")
    z = z - z.max(-1, keepdims=True)
    return z - numpy.log(numpy.exp(z).sum(-1, keepdims=True))


rows, classes = 6, 5
z = draw(rows, classes) * 3
labels = random.integers(0, classes, rows).astype("int32")
hot = numpy.eye(classes)[labels]
soft = numpy.exp(softmax_logs(draw(rows, classes)))
weight = [0.5, 2.0, 1.0, 0.0, 3.0]
logs, w = softmax_logs(z), numpy.array(weight)
own = w[labels]
kept = labels != labels[0]
share = numpy.exp(softmax_logs(z))
CE = halfstep.losses.CrossEntropy


def weighted(smoothing, counts=1.0):
    each = (1 - smoothing) * own * -logs[numpy.arange(rows), labels] + smoothing / classes * -(logs * w).sum(1)
    return (each * counts).sum() / (own * counts).sum()


def divergence(p, q):
    return (p * (numpy.log(p) - numpy.log(q))).sum(-1)


LOSSES = [
    ("cross_entropy", z, hot, -(hot * logs).sum(1).mean()),
    ("cross_entropy", z, soft, -(soft * logs).sum(1).mean()),
    (CE(label_smoothing=0.1), z, soft, -((0.9 * soft + 0.02) * logs).sum(1).mean()),
    (CE(weight=weight), z, soft, -(soft * w * logs).sum(1).mean()),
    (CE(weight=weight), z, labels, weighted(0)),
    (CE(weight=weight, label_smoothing=0.1), z, labels, weighted(0.1)),
    (CE(weight=weight, label_smoothing=0.1, ignore_label=int(labels[0])), z, labels, weighted(0.1, kept)),
    (CE(from_logits=False), share, labels, -logs[numpy.arange(rows), labels].mean()),
    (CE(from_logits=False), 7 * share, hot, -(hot * logs).sum(1).mean()),
    ("nll_loss", logs, labels, -logs[numpy.arange(rows), labels].mean()),
    (halfstep.losses.NLL(weight), logs, labels, weighted(0)),
    (halfstep.losses.NLL(ignore_label=int(labels[0])), logs, labels, -logs[numpy.arange(rows), labels][kept].mean()),
    ("kl_div", logs, soft, divergence(soft, share).mean()),
    ("KLDivLoss", logs, soft, divergence(soft, share).mean() / classes),
    ("kl_div", logs, hot, -(hot * logs).sum(1).mean()),  # 0 log 0 is 0
    ("kl_divergence", share, soft, divergence(soft, share).mean()),
    ("HingeEmbeddingLoss", z, 2 * hot - 1, numpy.where(hot > 0, z, numpy.maximum(1 - z, 0)).mean()),
    ("soft_margin_loss", z, 2 * hot - 1, numpy.log1p(numpy.exp((1 - 2 * hot) * z.astype("float64"))).mean()),
    ("PoissonNLLLoss", z, 4 * soft, (numpy.exp(z.astype("float64")) - 4 * soft * z).mean()),
    ("MultiMarginLoss", z, labels, (numpy.maximum(1 - (z * hot).sum(1, keepdims=True) + z, 0) * (1 - hot)).sum(1).mean() / classes),
    ("cosine_similarity", z, soft, -((z * soft).sum(1) / numpy.linalg.norm(z, axis=1) / numpy.linalg.norm(soft, axis=1)).mean()),
]
for loss, outputs, targets, expected in LOSSES:
    targets = targets if targets.dtype == numpy.int32 else targets.astype("float32")
    found = loss_of(loss, outputs.astype("float32"), targets)
    assert math.isclose(found, expected, rel_tol=3e-6), (loss, found, expected)
# What is smoothed away from 0 meets the logarithm of 0.
masked = z.astype("float32")
masked[0, 0] = -numpy.inf
for targets in (numpy.eye(classes, dtype="float32")[[1] * rows], numpy.full(rows, 1, "int32")):
    assert loss_of(CE(label_smoothing=0.1), masked, targets) == math.inf, targets
no_class = labels.copy()
no_class[0] = -100
left = numpy.arange(rows) > 0
for loss in (CE(weight=weight, ignore_label=-100), halfstep.losses.NLL(weight, -100)):
    assert math.isclose(loss_of(loss, z if loss.func.__name__ == "cross_entropy" else logs.astype("float32"), no_class),
                        weighted(0, left), rel_tol=3e-6), loss
for loss, said in ((CE(), ""), (CE(weight=weight), ""), (CE(from_logits=False), ""), ("nll_loss", ""),
                   (CE(ignore_label=-1), ", and the label -1 for rows that do not count")):
    try:
        loss_of(loss, z, no_class)
        raise AssertionError(loss)
    except halfstep.Error as error:
        assert f"label -100 of row 0 is out of range: input 'y' has 5 classes{said}" in str(error), error

# They train, under each policy, and gradients of zeros are numbers.
x = draw(64, 5)
y = (x[:, 0] > 0).astype("int32")
for loss, targets in (("cross_entropy", numpy.eye(2, dtype="float32")[y]), (CE(weight=[1.0, 2.0]), y), (CE(weight=[1, 2], label_smoothing=0.1), y),
                      ("cosine_similarity", numpy.eye(2, dtype="float32")[y])):
    for policy in ("float32", "mixed_float16", "mixed_bfloat16"):
        model = nn.Sequential(nn.Input((5,)), nn.Dense(2))
        model.compile(halfstep.SGD(0.5), loss=loss, policy=policy)
        history = model.fit(x, targets, batch_size=16, epochs=4, verbose=False).history["loss"]
        assert history[-1] < history[0], (loss, policy, history)


def refused(expected, function, *inputs):
    try:
        str(module_of(function, inputs))
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(expected)


refused("label_smoothing is 1.0, expected a number of at least 0 and less than 1", lambda a: CE(1.0), a)
refused('KLDiv: reduction is \'sum\', expected "batchmean" or "mean"', lambda a: halfstep.losses.KLDiv("sum"), a)
cross_entropy = losses.cross_entropy
refused("label_smoothing is 2, expected a number", lambda a: cross_entropy(a, [0, 1], weight=[1, 2, 3], label_smoothing=2), a[:, :, 0])
refused("labels of shape (2,) are not one for each row of (None, 3)", lambda a: cross_entropy(a, [0, 1]), a[:, :, 0])
refused("cross_entropy: weight has shape (3,), expected one for each of 4 classes", lambda a: cross_entropy(a, [[0] * 3], weight=ops.constant([1, 2, 3])), a)
refused("cross_entropy: weight is 5, expected a number for each class", lambda a: cross_entropy(a, [[0] * 3], weight=5), a)
refused("diagonal is 9223372036854775808, expected a whole number less than 2**63", lambda a: ops.tril(a, 2**63), a)
refused("split: sizes is 1.5, expected a whole number, or several", lambda a: ops.split(a, 1.5), a)
refused("split: parts of [1, 2] are 3 elements, the dimension has 4", lambda a: ops.split(a, [1, 2]), a)
refused("triu: shape (3,) has no matrices of known sizes", lambda a: a + ops.triu([1.0, 2.0, 3.0]), a)
refused("var: say correction=0, as numpy.var has it, or correction=1", ops.var, a)
refused("var: correction=1 needs the number of elements, and that of the batch is open", lambda a: ops.var(a, (0, 1), correction=1), a)
refused("input has elements of int32, expected floats", ops.exp, numpy.ones((2, 2), "int32"))
refused("softmax: dimension 3 is out of range, expected -3 to 2", lambda a: ops.softmax(a, 3), a)
refused("the size of the batch, x.shape[0], is None", lambda a: a / a.shape[0], a)
for order in (2, -2, "nuc"):
    refused(f"matrix_norm: order {order!r} takes singular values, and", lambda a: ops.matrix_norm(a, order), a)
refused('matrix_norm: order is 3, expected "fro", 1, -1, inf or -inf', lambda a: ops.matrix_norm(a, 3), a)
refused("cumprod: the dimension is the batch", lambda a: ops.cumprod(a, 0), a)
refused("shape (None, 3, 4) is not that of a matrix", lambda a: ops.addmm(a, a, a), a)
refused("dimension 2 of shapes (None, 3, 4) and (None, 3, 4) has no 3 elements", ops.cross, a, a)
refused("is open; indices go into tensors of known sizes", lambda a: ops.index_put(a, [0], 1.0), a)
refused("2 dimensions meet 1", lambda a: ops.tensordot(a, a, ((1, 2), (1,))), a)
# No loss or metric makes each with each of [rows] and [rows, 1].
flat, column, labelled = draw(6), draw(6, 1), labels[:, None]
for table in (losses.LOSSES, losses.METRICS):
    for name in table:
        refused("", table[name], flat, column)
for name in ("poisson_nll_loss", "hinge_embedding_loss", "soft_margin_loss", "mse_loss", "l1_loss", "huber_loss", "sigmoid_cross_entropy", "kl_div",
             "kl_divergence", "cosine_similarity"):
    refused(f"{name}: shapes (None,) and (None, 1) have different numbers of dimensions; reshape the second, as in ops.reshape(x, (-1,))",
            losses.LOSSES[name], flat, column)
for name in ("binary_accuracy", "sigmoid_accuracy"):
    refused(f"{name}: shapes (None,) and (None, 1) have different", losses.METRICS[name], flat, column)
refused("accuracy: shapes (None,) and (None, 1) have different", losses.METRICS["accuracy"], z, labelled)
refused("soft_margin_loss: shapes (None, 5) and (None,) have different numbers of dimensions; give them the same number",
        losses.LOSSES["soft_margin_loss"], z, flat)
refused("triplet_margin_loss: shapes (None, 5) and (None,) have", lambda z, y: halfstep.losses.triplet_margin_loss(z, z, y), z, flat)
for name in ("nll_loss", "multi_margin_loss"):
    refused("labels of shape (None, 1) are not one for each row of (None, 5)", losses.LOSSES[name], z, labelled)
refused("labels of shape (None, 1) are not one for each row of (None, 5)", CE(weight=weight), z, labelled)
refused("labels of shape (None,) are not several for each row of (None, 5)", losses.LOSSES["multilabel_margin_loss"], z, labels)
refused('reduction is "mean", "sum" or "none"', lambda a: halfstep.losses.soft_margin_loss(a, a, reduction="all"), a)
refused("einsum: 'j' is 4 and 2", lambda a: ops.einsum("bij,bji->b", a, a[:, :2]), a)
refused("a letter stands twice in 'bii'", lambda a: ops.einsum("bii->b", a), a)
refused("'z' of the result is in no operand", lambda a: ops.einsum("bij->bz", a), a)
refused("has other signs than letters", lambda a: ops.einsum("b...->b", a), a)
refused("'bi' has 2 letters for shape (None, 3, 4)", lambda a: ops.einsum("bi,bi->b", a, a), a)
refused("6 channels are not divided by 4 groups", lambda a: ops.group_norm(a, 4), image)
refused("6 heads of queries are not divided by 4 of keys", lambda a: attend(a, a[:, :4], a[:, :4]), q)
refused("tile: 4 counts for shape (None, 3, 4), whose batch", lambda a: ops.tile(a, (2, 1, 1, 1)), a)
refused("tile: repeats: a count is 0, expected a whole number of at least 1", lambda a: ops.tile(a, (1, 1, 0)), a)
refused("the batch cannot be repeated", lambda a: ops.tile(a, (2, 1, 1)), a)
refused("outer takes two vectors", ops.outer, a, a)
refused("cross_entropy: weight has 2 numbers for 5 classes", lambda z, y: CE(weight=[1, 2])(z, y), z, labels)
refused("expected numbers that are finite and not negative", lambda z, y: CE(weight=[1, -2, 1, 1, 1])(z, y), z, labels)
refused('expected "batchmean" or "mean"', lambda z: halfstep.losses.KLDiv("sum")(z, z), z)
refused("have no known size", lambda z: attend(ops.transpose(z, (1, 0)), z, z), z)
refused("no known channels and places", lambda z: ops.group_norm(ops.transpose(z, (1, 0)), 1), z)
