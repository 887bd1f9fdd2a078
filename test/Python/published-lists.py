"""Each entry of PyTorch's lists for CUDA computes in the types that its category says, under the policy of that name, and what NumPy
computes in float64.

RUN: %{python} %s %{source}/lib/Analysis/policies/published-lists.csv
"""

import csv
import math
import re
import sys

import numpy

import halfstep
from halfstep import losses, nn, ops
from halfstep.graph.shapes import in_widest

random = numpy.random.default_rng(7)


def draw(*shape, low=-1.0, high=1.0):
    return random.uniform(low, high, shape).astype("float32")


def labels(*shape, classes):
    return random.integers(0, classes, shape).astype("int32")


def signs(*shape):
    return numpy.where(random.random(shape) < 0.5, -1, 1).astype("float32")


def erf(x):
    return numpy.vectorize(math.erf)(x)


def softmax_logs(z):
    z = z - z.max(-1, keepdims=True)
    return z - numpy.log(numpy.exp(z).sum(-1, keepdims=True))


def normal(x, axes):
    return (x - x.mean(axes, keepdims=True)) / numpy.sqrt(x.var(axes, keepdims=True) + 1e-5)


def conv1d(x, w):  # [rows, places, channels], [outputs, width, channels], no padding
    width = w.shape[1]
    return numpy.stack([numpy.einsum("bkc,okc->bo", x[:, i:i + width], w) for i in range(x.shape[1] - width + 1)], 1)


def conv_tbc(x, w, b, pad):
    x = numpy.pad(x, ((pad, pad), (0, 0), (0, 0)))
    return conv1d(x.transpose(1, 0, 2), w.transpose(2, 0, 1)).transpose(1, 0, 2) + b


def attention(q, k, v):
    return numpy.exp(softmax_logs(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))) @ v


def index_put(x, i, j, values, accumulate):
    x = x.copy()
    if accumulate:
        numpy.add.at(x, (i, j), values)
    else:
        x[i, j] = values
    return x


def scatter_add(x, i, updates):
    x = x.copy()
    numpy.add.at(x, (i, numpy.arange(x.shape[1])[None, :].repeat(len(i), 0)), updates)
    return x


def resized(x, size, mode, coordinates):
    def keys(d):
        d = abs(d)
        return 1.25 * d**3 - 2.25 * d**2 + 1 if d <= 1 else -0.75 * (d**3 - 5 * d**2 + 8 * d - 4) if d < 2 else 0

    for axis in range(1, x.ndim - 1):
        of = x.shape[axis]
        weights = numpy.zeros((size, of))
        for o in range(size):
            at = o * of / size if coordinates == "asymmetric" else (o + 0.5) * of / size - 0.5
            first = math.floor(at if coordinates == "asymmetric" else at + 0.5) if mode == "nearest" else math.floor(at)
            for j in range(first - 1, first + 3):
                near = {"nearest": j == first, "linear": max(0, 1 - abs(at - j)), "cubic": keys(at - j)}[mode]
                weights[o, min(max(j, 0), of - 1)] += near
        x = numpy.moveaxis(numpy.tensordot(weights, x, (1, axis)), 0, axis)
    return x


def renorm(x, p, most):
    norms = (numpy.abs(x) ** p).sum((1, 2), keepdims=True) ** (1 / p)
    return numpy.where(norms > most, x * (most / (norms + 1e-7)), x)


def divergence(logs, p):
    return numpy.where(p > 0, p * (numpy.log(numpy.where(p > 0, p, 1)) - logs), 0).mean()


def nll(logs, y, w):
    own = numpy.take_along_axis(logs, y[..., None], -1)[..., 0]
    return -(own * w[y]).sum() / w[y].sum()


def stirling(y):
    large = numpy.where(y > 1, y, 2)
    return numpy.where(y > 1, y * numpy.log(large) - y + 0.5 * numpy.log(2 * math.pi * large), 0)


def multi_margin(x, y, w, p, margin):
    own = numpy.take_along_axis(x, y[:, None], 1)
    each = numpy.maximum(margin - own + x, 0) ** p
    each[numpy.arange(len(x)), y] = 0
    return (each.sum(1) / x.shape[1] * w[y]).mean()


def multilabel_margin(x, y):
    total = 0
    for row, of in zip(x, y):
        end = list(of).index(-1) if -1 in of else len(of)
        total += sum(max(0, 1 - (row[j] - row[i])) for j in of[:end] for i in range(len(row)) if i not in of[:end]) / len(row)
    return total / len(x)


def triplet(a, p, n, swap):
    def distance(x, y):
        return numpy.sqrt(((x - y + 1e-6) ** 2).sum(-1))

    far = numpy.minimum(distance(a, n), distance(p, n)) if swap else distance(a, n)
    return numpy.maximum(distance(a, p) - far + 1, 0).mean()


def cosine(a, b):
    return (a * b).sum(-1) / numpy.sqrt((a * a).sum(-1) * (b * b).sum(-1))


def cosine_embedding(a, b, y):
    return numpy.where(y == 1, 1 - cosine(a, b), numpy.maximum(cosine(a, b) - 0.2, 0)).mean()


def huber(a, b):
    e = numpy.abs(a - b)
    return numpy.where(e <= 1, e * e / 2, e - 0.5).mean()


m34, m45, v4, v5, v3 = draw(3, 4), draw(4, 5), draw(4), draw(5), draw(3)
b234, b245, b235 = draw(2, 3, 4), draw(2, 4, 5), draw(2, 3, 5)
image, kernel = draw(2, 6, 3), draw(4, 3, 3)
positive, share = draw(3, 4, low=0.2, high=3), draw(3, 4, low=-0.9, high=0.9)
logs = softmax_logs(draw(3, 5).astype("float64")).astype("float32")
soft = numpy.exp(softmax_logs(draw(3, 5).astype("float64"))).astype("float32")
y5, w5 = labels(3, classes=5), draw(5, low=0.5, high=2)
several = numpy.array([[2, 0, -1, 1, 1], [-1, 3, 2, 0, 1], [4, 3, 2, 1, 0]], "int32")
places = numpy.array([[0, 2, 1, 0], [2, 2, 0, 1]], "int32")
i3, j3 = numpy.array([0, 2, 1], "int32"), numpy.array([3, 0, 1], "int32")
q, k, v = draw(2, 2, 5, 4), draw(2, 2, 6, 4), draw(2, 2, 6, 3)


def unary(name, x, exact):
    return [x], getattr(ops, name), exact


CONV = [image, kernel], lambda x, w: ops.conv(x, w), conv1d
TRANSPOSED = (
    [image, draw(3, 1, 4)], lambda x, w: ops.conv_transpose(x, w, result=f"tensor<2x6x4xf{x.dtype[5:]}>"),
    lambda x, w: numpy.einsum("bpk,kwc->bpc", x, w))
MATMUL = [m34, m45], ops.matmul, numpy.matmul
BATCHED = [b234, b245], ops.matmul, numpy.matmul
POWER = [positive, share], ops.pow, lambda x, e: x**e
EXPONENTS = (-1, -0.5, 0.5, 2, 3, 4, 1.7)
POWERS = (  # products and roots among them
    [positive], lambda x: ops.concat([*(x**e for e in EXPONENTS), ops.square(x)], 0),
    lambda x: numpy.concatenate([*(x**e for e in EXPONENTS), x**2]))
SUM = [m34], lambda x: ops.sum(x, 1), lambda x: x.sum(1)
PRODUCT = [m34], lambda x: ops.prod(x, 1), lambda x: x.prod(1)
LAYER_NORM = [m34, v4, v4 + 1], ops.layer_norm, lambda x, scale, offset: normal(x, -1) * scale + offset
ATTENTION = [q, k, v], ops.scaled_dot_product_attention, attention
MULTI_DOT = [m34, m45, draw(5, 2)], lambda *all: ops.multi_dot(all), lambda a, b, c: a @ b @ c
TWO = [m34, draw(3, 4)]

# An entry is its operands, what is made of them here, and what NumPy makes of them in float64.
CASES = {
    "_convolution": CONV, "_convolution.deprecated": CONV, "conv1d": CONV, "conv2d": CONV, "conv3d": CONV, "convolution": CONV,
    "cudnn_convolution": CONV,
    "conv_transpose1d": TRANSPOSED, "conv_transpose2d.input": TRANSPOSED, "conv_transpose3d.input": TRANSPOSED,
    "cudnn_convolution_transpose": TRANSPOSED,
    "matmul": MATMUL, "mm": MATMUL, "bmm": BATCHED,
    "linear": ([m34, m45, v5], ops.matmul, lambda x, w, b: x @ w + b),
    "scaled_dot_product_attention": ATTENTION, "_scaled_dot_product_flash_attention": ATTENTION,
    "addbmm": ([draw(3, 5), b234, b245], lambda c, a, b: ops.addbmm(c, a, b, beta=0.5, alpha=2),
               lambda c, a, b: 0.5 * c + 2 * (a @ b).sum(0)),
    "addmm": ([draw(3, 5), m34, m45], lambda c, a, b: ops.addmm(c, a, b, beta=0.5, alpha=2), lambda c, a, b: 0.5 * c + 2 * a @ b),
    "addmv": ([v3, m34, v4], lambda c, a, b: ops.addmv(c, a, b, beta=2, alpha=0.5), lambda c, a, b: 2 * c + 0.5 * a @ b),
    "addr": ([m34, v3, v4], lambda c, a, b: ops.addr(c, a, b, beta=2, alpha=0.5), lambda c, a, b: 2 * c + 0.5 * numpy.outer(a, b)),
    "baddbmm": ([b235, b234, b245], lambda c, a, b: ops.baddbmm(c, a, b, beta=2, alpha=0.5), lambda c, a, b: 2 * c + 0.5 * a @ b),
    "chain_matmul": MULTI_DOT, "linalg_multi_dot": MULTI_DOT,
    "conv_tbc": ([draw(6, 2, 3), draw(3, 3, 4), v4], lambda x, w, b: ops.conv_tbc(x, w, b, 1), lambda x, w, b: conv_tbc(x, w, b, 1)),
    "einsum": ([b234, b235], lambda a, b: ops.einsum("bij,bik->bjk", a, b), lambda a, b: numpy.einsum("bij,bik->bjk", a, b)),
    "linalg_vecdot": ([b234, draw(2, 3, 4)], lambda a, b: ops.vecdot(a, b, 1), lambda a, b: (a * b).sum(1)),
    "mv": ([m34, v4], ops.mv, numpy.matmul),
    "prelu": ([m34, v4], ops.prelu, lambda x, slope: numpy.where(x > 0, x, slope * x)),
    # float32
    "acos": unary("acos", share, numpy.arccos), "asin": unary("asin", share, numpy.arcsin), "tan": unary("tan", share, numpy.tan),
    "cosh": unary("cosh", m34, numpy.cosh), "sinh": unary("sinh", m34, numpy.sinh), "exp": unary("exp", m34, numpy.exp),
    "expm1": unary("expm1", m34, numpy.expm1), "log": unary("log", positive, numpy.log), "log10": unary("log10", positive, numpy.log10),
    "log1p": unary("log1p", share, numpy.log1p), "log2": unary("log2", positive, numpy.log2),
    "erfinv": ([share], lambda x: ops.erfinv(ops.erf(x)), lambda x: x),
    "reciprocal": unary("reciprocal", positive, lambda x: 1 / x), "rsqrt": unary("rsqrt", positive, lambda x: x**-0.5),
    "softplus": unary("softplus", m34, lambda x: numpy.log1p(numpy.exp(x))),
    "pow.Scalar": POWER, "pow.Tensor_Scalar": POWERS, "pow.Tensor_Tensor": POWER,
    "sum": SUM, "sum.dim_IntList": SUM, "prod": PRODUCT, "prod.dim_int": PRODUCT,
    "cumsum": ([m34], lambda x: ops.cumsum(x, 1), lambda x: x.cumsum(1)),
    "cumprod": ([draw(2, 7, 3)], lambda x: ops.cumprod(x, 1), lambda x: x.cumprod(1)),
    "softmax.int": ([m34], ops.softmax, lambda x: numpy.exp(softmax_logs(x))), "log_softmax.int": ([m34], ops.log_softmax, softmax_logs),
    "logsumexp": ([b234], lambda x: ops.logsumexp(x, (0, 2)), lambda x: numpy.log(numpy.exp(x).sum((0, 2)))),
    "layer_norm": LAYER_NORM, "native_layer_norm": LAYER_NORM,
    "rms_norm": ([m34, v4], lambda x, w: ops.rms_norm(x, w, epsilon=1e-5),
                 lambda x, w: x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w),
    "group_norm": ([draw(2, 5, 4)], lambda x: ops.group_norm(x, 2),
                   lambda x: normal(x.reshape(2, 5, 2, 2), (1, 3)).reshape(2, 5, 4)),
    "frobenius_norm.dim": ([b234], lambda x: ops.vector_norm(x, 2, (0, 2)), lambda x: numpy.sqrt((x * x).sum((0, 2)))),
    "linalg_vector_norm": ([b234], lambda x: ops.vector_norm(x, 3, 1), lambda x: (abs(x) ** 3).sum(1) ** (1 / 3)),
    "norm.Scalar": ([b234], lambda x: ops.vector_norm(x, 1), lambda x: abs(x).sum()),
    "norm.ScalarOpt_dim": ([b234], lambda x: ops.vector_norm(x, math.inf, 1, True), lambda x: abs(x).max(1, keepdims=True)),
    "linalg_matrix_norm": ([b234], lambda x: ops.matrix_norm(x, 1), lambda x: numpy.linalg.norm(x, 1, (-2, -1))),
    "linalg_matrix_norm.str_ord": ([b234], ops.matrix_norm, lambda x: numpy.linalg.norm(x, "fro", (-2, -1))),
    "renorm": ([b234], lambda x: ops.renorm(x, 3, 0, 1.1), lambda x: renorm(x, 3, 1.1)),
    "cosine_similarity": (TWO, ops.cosine_similarity, cosine),
    "binary_cross_entropy_with_logits": (
        [m34, draw(3, 4, low=0)], ops.sigmoid_cross_entropy, lambda x, y: (numpy.log1p(numpy.exp(x)) - x * y).mean()),
    "mse_loss": (TWO, ops.mse_loss, lambda a, b: ((a - b) ** 2).mean()), "l1_loss": (TWO, ops.l1_loss, lambda a, b: abs(a - b).mean()),
    "huber_loss": (TWO, ops.huber_loss, huber), "smooth_l1_loss": (TWO, ops.huber_loss, huber),
    "kl_div": ([logs, soft], lambda x, p: losses.kl_div(x, p, reduction="mean"), divergence),
    "nll_loss": ([logs, y5, w5], lambda x, y, w: losses.nll_loss(x, y, weight=w), nll),
    "nll_loss2d": ([draw(2, 3, 4, 5), labels(2, 3, 4, classes=5), w5], lambda x, y, w: losses.nll_loss(x, y, weight=w), nll),
    "poisson_nll_loss": ([m34, draw(3, 4, low=0, high=4)], lambda x, y: losses.poisson_nll_loss(x, y, full=True),
                         lambda x, y: (numpy.exp(x) - x * y + stirling(y)).mean()),
    "cosine_embedding_loss": ([*TWO, signs(3)], lambda a, b, y: losses.cosine_embedding_loss(a, b, y, margin=0.2), cosine_embedding),
    "hinge_embedding_loss": ([m34, signs(3, 4)], losses.hinge_embedding_loss,
                             lambda x, y: numpy.where(y == 1, x, numpy.maximum(1 - x, 0)).mean()),
    "margin_ranking_loss": ([*TWO, signs(3, 4)], lambda a, b, y: losses.margin_ranking_loss(a, b, y, margin=0.3),
                            lambda a, b, y: numpy.maximum(0.3 - y * (a - b), 0).mean()),
    "multi_margin_loss": ([logs, y5, w5], lambda x, y, w: losses.multi_margin_loss(x, y, p=2, margin=0.8, weight=w),
                          lambda x, y, w: multi_margin(x, y, w, 2, 0.8)),
    "multilabel_margin_loss": ([logs, several], losses.multilabel_margin_loss, multilabel_margin),
    "soft_margin_loss": ([m34, signs(3, 4)], losses.soft_margin_loss, lambda x, y: numpy.log1p(numpy.exp(-x * y)).mean()),
    "triplet_margin_loss": ([*TWO, draw(3, 4)], lambda a, p, n: losses.triplet_margin_loss(a, p, n, swap=True),
                            lambda a, p, n: triplet(a, p, n, True)),
    # the widest of their types
    "atan2": ([m34, share], ops.atan2, numpy.arctan2),
    "addcdiv": ([*TWO, positive], lambda c, a, b: ops.addcdiv(c, a, b, value=0.5), lambda c, a, b: c + 0.5 * a / b),
    "addcmul": ([*TWO, positive], lambda c, a, b: ops.addcmul(c, a, b, value=0.5), lambda c, a, b: c + 0.5 * a * b),
    "bilinear": ([m34, draw(3, 2), draw(5, 4, 2), v5], ops.bilinear, lambda a, b, w, c: numpy.einsum("ni,oij,nj->no", a, w, b) + c),
    "cross": ([draw(2, 3, 4), draw(2, 3, 4)], lambda a, b: ops.cross(a, b, 1), lambda a, b: numpy.cross(a, b, axis=1)),
    "dot": ([v4, draw(4)], ops.dot, numpy.dot), "vdot": ([v4, draw(4)], ops.vdot, numpy.vdot),
    "index_put": ([m34, i3, j3, v3], lambda x, i, j, u: ops.index_put(x, (i, j), u), lambda x, i, j, u: index_put(x, i, j, u, False)),
    "scatter_add": ([m34, places, draw(2, 4)], lambda x, i, u: ops.scatter_add_elements(x, 0, i, u), scatter_add),
    **{name: ([draw(2, *[4, 5, 3][:rank], 2)], lambda x, mode=mode, coordinates=coordinates, rounding=rounding: ops.resize(
        x, 7, mode=mode, coordinates=coordinates, rounding=rounding), lambda x, mode=mode, coordinates=coordinates: resized(x, 7, mode, coordinates))
       for name, rank, mode, coordinates, rounding in [
           ("upsample_nearest1d", 1, "nearest", "asymmetric", "floor"), ("upsample_nearest2d", 2, "nearest", "asymmetric", "floor"),
           ("upsample_nearest3d", 3, "nearest", "asymmetric", "floor"),
           ("_upsample_nearest_exact1d", 1, "nearest", "half_pixel", "round_prefer_ceil"),
           ("_upsample_nearest_exact2d", 2, "nearest", "half_pixel", "round_prefer_ceil"),
           ("_upsample_nearest_exact3d", 3, "nearest", "half_pixel", "round_prefer_ceil"),
           ("upsample_linear1d", 1, "linear", "half_pixel", "floor"), ("upsample_bilinear2d", 2, "linear", "half_pixel", "floor"),
           ("upsample_trilinear3d", 3, "linear", "half_pixel", "floor"), ("upsample_bicubic2d", 2, "cubic", "half_pixel", "floor")]},
    "tensordot": ([b234, draw(4, 2, 3)], lambda a, b: ops.tensordot(a, b, ((2, 0), (0, 1))),
                  lambda a, b: numpy.tensordot(a, b, ((2, 0), (0, 1)))),
    # refused, with the name of what to use instead
    "binary_cross_entropy": ([draw(3, 4, low=0.1, high=0.9), draw(3, 4, low=0.1, high=0.9)], ops.binary_cross_entropy, None),
}


def model_of(operands, function, dtypes, lowered=()):
    """A model of one function, whose operands are inputs of these types; those that are lowered come out of an op that is f16 under the
    policy, wherever its operands come from."""
    names = "abcdefgh"[: len(operands)]
    made = type("M", (nn.Module,), {})

    def forward(*values):
        found = [ops.prelu(one, 1.0) if i in lowered else one for i, one in enumerate(values)]
        return function(*found)

    scope = {"forward": forward}
    exec(f"def own(self, {', '.join(names)}):\n    return forward({', '.join(names)})\n", scope)
    made.forward = scope["own"]
    return made().specify(**{name: nn.Input(x.shape, dtype, batched=False) for name, x, dtype in zip(names, operands, dtypes)})


OPS = {}  # what each entry is here
# What a model gives operands of one type, which autocast alone changes.
OF_ONE_TYPE = {"mp.attention", "mp.conv", "mp.conv_transpose", "mp.huber_loss", "mp.l1_loss", "mp.matmul", "mp.mse_loss", "mp.pow",
               "mp.sigmoid_cross_entropy"}
SCALED_IN_F32 = {"mp.layer_norm", "mp.rms_norm"}
CASTS = {"mp.cast", "mp.constant", "mp.iota", "mp.autocast", "mp.yield"}
MOVEMENTS = {"mp.broadcast", "mp.reshape", "mp.slice", "mp.split", "mp.transpose"}
# The mean of values for one place is taken in f32 and rounded once.
MEANS_IN_F32 = {"index_put"}
PRODUCTS = {"mp.matmul", "mp.conv", "mp.conv_transpose", "mp.attention", "mp.prelu"}


def types_of(text):
    """The ops of a program with the types of floats that they compute in: those of their operands and results."""
    for op, rest in re.findall(r"^\s*%[^=]*= (mp\.\w+)(.*)$", text, re.M):
        rest = re.sub(r" like %\S+ : tensor<\S+>", "", rest)  # of which only the shape is read
        types = set(re.findall(r"[x<](f16|bf16|f32|f64)>", rest.partition(" : ")[2]))
        # What lowers an operand has a slope for all.
        if types and op not in CASTS and not (op == "mp.prelu" and ", tensor<f16> ->" in rest):
            yield op, types


def check_types(entry, category, operands, function):
    floats = [i for i, one in enumerate(operands) if one.dtype == numpy.float32]
    wide, narrow = ["float32"] * len(operands), ["float16"] * len(operands)
    mixed = ["float16" if i == floats[0] else "float32" for i in range(len(operands))]
    for dtypes, lowered in ((wide, ()), (mixed, ()), (narrow, ()), (wide, floats[:1]), (wide, floats)):
        given = [dtypes[i] if i in floats else one.dtype.name for i, one in enumerate(operands)]
        if (dtypes is mixed and OPS[entry] in OF_ONE_TYPE and len(floats) > 1) or (dtypes is narrow and OPS[entry] in SCALED_IN_F32):
            continue
        text = halfstep.compile(str(model_of(operands, function, given, lowered)), to="autocast", training=False, policy="pytorch")
        body = text[text.index("func.func"):]
        found = list(types_of(body))
        assert found, (entry, body)
        if category == "lower_precision_fp":
            products = [types for op, types in found if op in PRODUCTS]
            assert products and all("f32" not in types for types in products), (entry, given, lowered, body)
            added = [types for op, types in found if op == "mp.add"]
            # What was float16 beside float32 is one cast to float32, which nothing lowers: PyTorch without autocast refuses it.
            assert dtypes is mixed or all("f32" not in types for types in added), (entry, given, lowered, body)
        elif category.startswith("fp32"):
            # Of erfinv the case has erf in front, which no list names.
            assert all(types == {"f32"} for op, types in found if op != "mp.erf"), (entry, given, lowered, body)
        else:
            widest = {"f16"} if lowered == floats or dtypes is narrow else {"f32"}
            own = [types for op, types in found if op not in MOVEMENTS and not (entry in MEANS_IN_F32 and types == {"f32"} != widest)]
            assert own and all(types == widest for types in own), (entry, given, lowered, body)


def refused(entry, operands, function):
    try:
        halfstep.compile(str(model_of(operands, function, ["float32"] * len(operands))), to="autocast", training=False, policy="pytorch")
    except halfstep.CompileError as error:
        assert "sigmoid_cross_entropy" in str(error), error
        return
    raise AssertionError(entry)


def within(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


with open(sys.argv[1], encoding="utf-8") as file:
    rows = [row for row in csv.DictReader(file)]
for row in rows:
    if row["op"].startswith("halfstep."):
        assert callable(within(halfstep, row["op"].removeprefix("halfstep."))), row
entries = [row for row in rows if row["list"] == "pytorch"]
OPS.update({row["entry"]: row["op"] for row in entries})
missing = [row["entry"] for row in entries if row["op"] and row["entry"] not in CASES]
assert not missing, f"no case says what these compute in: {missing}"
assert not set(CASES) - {row["entry"] for row in entries if row["op"]}
for row in entries:
    if not row["op"]:
        continue  # generate.py asks why
    operands, function, _ = CASES[row["entry"]]
    if row["category"] == "banned":
        refused(row["entry"], operands, function)
    else:
        check_types(row["entry"], row["category"], operands, function)

# The values, all in one model: inputs by the names of their entries.
valued = {entry: case for entry, case in CASES.items() if case[2] is not None}
feeds = {}
for entry, (operands, function, _) in valued.items():
    for i, one in enumerate(operands):
        feeds[f"{entry.replace('.', '_')}_{i}"] = one
made = type("All", (nn.Module,), {})
scope = {}


def every(**inputs):
    return {entry.replace(".", "_"): function(*(inputs[f"{entry.replace('.', '_')}_{i}"] for i in range(len(operands))))
            for entry, (operands, function, _) in valued.items()}


exec(f"def forward(self, {', '.join(feeds)}):\n    return every({', '.join(f'{one}={one}' for one in feeds)})\n", {"every": every}, scope)
made.forward = scope["forward"]
module = made().specify(**{name: nn.Input(one.shape, one.dtype.name, batched=False) for name, one in feeds.items()})
executable = halfstep.compile(str(module), training=False, policy="float32")
with halfstep.Session(executable, "cpu", threads=1) as session:
    session.initialize()
    found = session.run("infer", **feeds)
for entry, (operands, _, exact) in valued.items():
    wanted = numpy.asarray(exact(*(one.astype("float64") if one.dtype == numpy.float32 else one for one in operands)))
    own = found[entry.replace(".", "_")]
    assert own.shape == wanted.shape, (entry, own.shape, wanted.shape)
    error = numpy.abs(own - wanted).max() / max(numpy.abs(wanted).max(), 1e-30)
    assert error < 3e-6, (entry, error, own, wanted)


# What the rows of a model's table leave out.
def values_of(function, *operands):
    executable = halfstep.compile(str(model_of(operands, function, [one.dtype.name for one in operands])), training=False, policy="float32")
    with halfstep.Session(executable, "cpu", threads=1) as session:
        session.initialize()
        return session.run("infer", **dict(zip("abcdefgh", operands)))["output"]


def close(found, wanted):
    wanted = numpy.asarray(wanted)
    assert found.shape == wanted.shape and numpy.allclose(found, wanted, rtol=3e-6, atol=3e-6, equal_nan=True), (found, wanted)


# Vectors that broadcast are as long as what they broadcast to.
close(values_of(lambda a, b: ops.cosine_similarity(a, b, 0), m34, v4), cosine(m34.T, numpy.repeat(v4[:, None], 3, 1)))
close(values_of(ops.cosine_similarity, v3[:, None], m34), cosine(numpy.repeat(v3[:, None], 4, 1), m34))

# Labels that are no class give NaN, those of a row behind its end, too, as PyTorch refuses them.
rows = values_of(lambda x, y: losses.multi_margin_loss(x, y, reduction="none"), logs, numpy.array([5, 1, -1], "int32"))
assert list(numpy.isnan(rows)) == [True, False, True], rows
rows = values_of(lambda x, y: losses.multilabel_margin_loss(x, y, reduction="none"), logs,
                 numpy.array([[2, -1, 5, 1, 1], [-1, 3, 2, 0, 1], [4, -2, 2, 1, 0]], "int32"))
assert list(numpy.isnan(rows)) == [True, False, True] and rows[1] == 0, rows

# Targets [rows] are those of [rows, 1], and the other way around.
a, b, y = v3[:, None], m34[:, :1], signs(3)
close(values_of(losses.margin_ranking_loss, a, b, y), numpy.maximum(-y[:, None] * (a - b), 0).mean())
close(values_of(lambda a, b, y: losses.cosine_embedding_loss(a, b, y, margin=0.2), *TWO, y[:, None]), cosine_embedding(*TWO, y))

# Of several values for a place it is the last, and a number of a row is more than uint8 has.
close(values_of(lambda x, i, u: ops.index_put(x, (i,), u), numpy.zeros(3, "float16"), numpy.array([1, 1, 2, 1], "int32"), numpy.array([1, 2, 3, 4], "float16")), [0, 4, 3])
many, few = draw(20, 30), numpy.array([19, 7], "uint8")
close(values_of(lambda x, i, j, u: ops.index_put(x, (i, j), u), many, few, few, v4[:2]), index_put(many, few, few, v4[:2], False))

# The factor is with the dividend, whose quotient alone would be too large.
tiny = numpy.full(4, 1e-30, "float32")
close(values_of(lambda c, a, b: ops.addcdiv(c, a, b, value=1e-20), v4, numpy.full(4, 1e15, "float32"), tiny), v4 + numpy.float32(1e25))


def not_taken(expected, function, *operands):
    try:
        model_of(operands, function, ["float32"] * len(operands)).to_mlir()
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(expected)


for name, operands in (("addmm", (b235, m34, m45)), ("addmv", (m34, m34, v4)), ("addr", (b234, v3, v4)), ("addbmm", (b235, b234, b245)),
                       ("baddbmm", (v3, b234, b245))):
    for beta in (0, 1):
        not_taken(f"{name}: shape {operands[0].shape} does not broadcast", lambda *all: getattr(ops, name)(*all, beta=beta), *operands)


# What comes to a group is so many values.
def joined(*parts):
    with in_widest(*parts) as found:
        return ops.concat(found, 0)


def of_parts(count):
    return lambda x: joined(*ops.split(x, count, 0))


wide = draw(65)
close(values_of(of_parts(64), wide[:64]), wide[:64])
try:
    values_of(of_parts(65), wide)
    raise AssertionError("65 values come to a group")
except halfstep.CompileError as error:
    assert "mp.promote_group 1 takes 65 values, expected at most 64" in str(error), error

not_taken("margin_ranking_loss: shapes (3, 4) and (3,) have different", losses.margin_ranking_loss, *TWO, y)
not_taken("cosine_embedding_loss: shapes (3,) and (3, 4) have different", losses.cosine_embedding_loss, *TWO, m34)
not_taken("tensordot: dimensions are [1], expected a number", lambda x: ops.tensordot(x, x, [1]), m34)
not_taken("tensordot: dimensions is True, expected a whole number", lambda x: ops.tensordot(x, x, True), m34)
not_taken("vector_norm: order is 'fro', expected a number", lambda x: ops.vector_norm(x, "fro"), m34)
not_taken("renorm: most is 'a', expected a number", lambda x: ops.renorm(x, 2, 0, "a"), m34)
