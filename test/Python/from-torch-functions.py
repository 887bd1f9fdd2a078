"""Functions of PyTorch that are an op here, or made of several, in modules: each against the same in float64, and its gradient.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from torch_checks import Of

torch.manual_seed(3)
torch.set_num_threads(1)
generator = torch.Generator().manual_seed(5)


def draw(*shape, low=-1.0, high=1.0):
    return torch.rand(shape, generator=generator) * (high - low) + low


def _without(function):
    with torch.no_grad():
        return function()


def _doubled(x):
    """Other values, with the gradient of before."""
    with torch.no_grad():
        x.mul_(2)
    return x


m34, m45, v3, v4, v5 = draw(3, 4), draw(4, 5), draw(3), draw(4), draw(5)
b234, b245 = draw(2, 3, 4), draw(2, 4, 5)
share, positive = draw(3, 4, low=-0.9, high=0.9), draw(3, 4, low=0.2, high=3)
signs = torch.where(draw(3) > 0, 1.0, -1.0)
classes = torch.tensor([2, 0, 3])
several = torch.tensor([[2, 0, -1, 1], [-1, 3, 2, 0], [3, 2, 1, 0]])
i3, j3 = torch.tensor([0, 2, 1]), torch.tensor([3, 0, 1])
places = torch.tensor([[0, 2, 1, 0], [2, 2, 0, 1]])
with_zeros = b234 * torch.tensor([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])[:, :, None]
pictures, marks = draw(2, 5, 3, 4), torch.randint(0, 5, (2, 3, 4), generator=generator)

FUNCTIONS = {
    **{name: (getattr(torch, name), m34) for name in ("tan", "atan", "sinh", "cosh", "expm1", "asinh", "square")},
    "round to tenths": (lambda x: x + torch.round(x, decimals=1), m34), "round to tens": (lambda x: x + torch.round(x * 37, decimals=-1), m34),
    "round in place": (lambda x: x + (x * 1).round_(decimals=2), m34), "round": (lambda x: x * torch.round(x * 3), m34),
    "sign": (lambda x: x + torch.sign(x), m34), "ceil": (lambda x: x + torch.ceil(x), m34),
    "var": (lambda x: torch.var(x, 1), m34), "var of all": (lambda x: torch.var(x, correction=0), b234),
    **{name: (getattr(torch, name), share) for name in ("asin", "acos", "erfinv", "log1p", "atanh")},
    "acosh": (torch.acosh, positive + 1), "asinh of zeros": (torch.asinh, with_zeros), "atanh of zeros": (torch.atanh, with_zeros * 0.9),
    "asinh of large": (torch.arcsinh, m34 * 1e12), "acosh of large": (torch.arccosh, positive * 1e12),
    **{name: (getattr(torch, name), positive) for name in ("log2", "log10")},
    "special": (lambda x: torch.special.expm1(x) + torch.special.log1p(x) + torch.special.erfinv(x), share),
    "atan2": (torch.atan2, m34, share), "prelu": (F.prelu, b234, v3), "prelu of one": (F.prelu, m34, draw(1)),
    "addbmm": (lambda c, a, b: torch.addbmm(c, a, b, beta=0.5, alpha=2), draw(3, 5), b234, b245),
    "addmm": (lambda c, a, b: torch.addmm(c, a, b, alpha=2), draw(3, 5), m34, m45),
    "addmm of a vector": (torch.addmm, v5, m34, m45),
    "addmv": (lambda c, a, b: torch.addmv(c, a, b, beta=2), v3, m34, v4),
    "addr": (lambda c, a, b: torch.addr(c, a, b, alpha=2), m34, v3, v4),
    "baddbmm": (torch.baddbmm, draw(2, 3, 5), b234, b245),
    "mv": (torch.mv, m34, v4), "dot": (torch.dot, v4, draw(4)), "vdot": (torch.vdot, v4, draw(4)),
    "vecdot": (lambda a, b: torch.linalg.vecdot(a, b, dim=1), b234, draw(2, 3, 4)),
    "vecdot of one": (torch.linalg.vecdot, draw(2, 1, 4), m34),
    "tensordot": (lambda a, b: torch.tensordot(a, b, dims=([2, 0], [0, 1])), b234, draw(4, 2, 3)),
    "outer": (torch.outer, v4 * 1000, v5 * 1000), "ger": (torch.ger, v4, v5), "einsum of rows and a vector": (lambda a, b: torch.einsum("bl,d->bld", a, b), m34, v5),
    "einsum of equals": (lambda a, b: torch.einsum("ij,ij->ji", a, b), m34, share),
    "multi_dot": (lambda a, b, c: torch.linalg.multi_dot([a, b, c]), m34, m45, v5),
    "bilinear": (F.bilinear, m34, draw(3, 2), draw(5, 4, 2), v5),
    "conv_tbc": (lambda x, w, b: torch.conv_tbc(x, w, b, 1), draw(6, 2, 3), draw(3, 3, 4), v4),
    "addcmul": (lambda c, a, b: torch.addcmul(c, a, b, value=0.5), m34, share, positive),
    "addcdiv": (lambda c, a, b: torch.addcdiv(c, a, b, value=0.5), m34, share, positive),
    "cross": (lambda a, b: torch.cross(a, b, dim=1), b234, draw(2, 3, 4)), "linalg.cross": (torch.linalg.cross, draw(2, 3), draw(2, 3)),
    "cumprod": (lambda x: torch.cumprod(x, 1), draw(2, 7, 3)),
    "logsumexp": (lambda x: torch.logsumexp(x, (0, 2)), b234),
    "scatter_add": (lambda x, i, u: torch.scatter_add(x, 0, i, u), m34, places, draw(2, 4)),
    "index_put": (lambda x, i, j, u: torch.index_put(x, (i, j), u), m34, i3, j3, v3),
    "index_copy": (lambda x, i, u: torch.index_copy(x, 1, i, u), m34, j3, draw(3, 3)),
    "scatter": (lambda x, i, u: torch.scatter(x, 0, i, u), m34, torch.tensor([[0, 2, 1, 0], [2, 1, 0, 1]]), draw(2, 4)),
    "scatter of fewer": (lambda x, i, u: torch.scatter(x, 1, i, u), m34, torch.tensor([[3, 1], [0, 2]]), draw(3, 4)),
    "scatter of a number": (lambda x, i: x.scatter(1, i, 2.5), m34, places[:, :2].repeat(2, 1)[:3]),
    **{f"{name} by {by}": (lambda x, function=function, by=by: function(x * 10, by) * x, m34) for by in (0.7, -0.3, 3)
       for name, function in (("remainder", torch.remainder), ("fmod", torch.fmod), ("floor_divide", lambda x, by: torch.floor_divide(x.detach(), by)))},
    "remainder": (torch.remainder, m34 * 10, positive), "fmod": (torch.fmod, m34 * 10, share), "remainder of a number": (lambda x: 7.5 % x.detach() + x, positive),
    "remainder's divisor": (lambda y, x: torch.remainder(x, y), positive, m34 * 10), "fmod's divisor": (lambda y, x: torch.fmod(x, y), share, m34 * 10),
    **{f"div, {mode}": (lambda x, y, mode=mode: torch.div(x * 10, y, rounding_mode=mode) + x, m34, share) for mode in ("floor", "trunc")},
    "index_put of rows": (lambda x, i, u: torch.index_put(x, (i,), u, accumulate=True), m34, torch.tensor([0, 2, 2]), share),
    "repeat": (lambda x: x.repeat(2, 1, 3), m34), "tile": (lambda x: torch.tile(x, (3, 2)), b234),
    "index_put from the last": (lambda x, i, j, u: torch.index_put(x, (i, j), u), m34, -i3 - 1, -j3 - 1, v3),
    **{f"norm of zeros, order {p}": (lambda x, p=p: torch.linalg.vector_norm(x, p, 2), with_zeros) for p in (0.5, 1.5, 2, 3)},
    "fro of zeros": (torch.linalg.matrix_norm, b234 * torch.tensor([1.0, 0.0])[:, None, None]),
    "renorm of zeros": (lambda x: torch.renorm(x, 2, 0, 0.5), m34 * torch.tensor([[1.0], [0.0], [1.0]])),
    "histc": (lambda x: torch.histc(x.detach() * 10, 7, -8, 9) + x.sum(), b234), "histc of ends": (lambda x: x.sum() * torch.histc(places.float(), 3, 0, 2), m34),
    "grouped_mm": (lambda x, w: torch.nn.functional.grouped_mm(x.float(), w.float(), offs=torch.tensor([2, 2, 6], dtype=torch.int32)), draw(6, 8), draw(3, 8, 4)),
    **{f"scatter_reduce, {how}, {own}": (lambda x, i, u, how=how, own=own: x.scatter_reduce(1, i, u * x, how, include_self=own), m34, places.repeat(2, 1)[:3], positive)
       for how in ("sum", "mean") for own in (True, False)},
    # Bags of as many rows each, of other numbers, and empty ones; with padding.
    **{f"embedding_bag, {mode}, {padding}": (lambda w, i, mode=mode, padding=padding: F.embedding_bag(i, w, mode=mode, padding_idx=padding), draw(5, 3), marks[0])
       for mode in ("sum", "mean", "max") for padding in (None, 2, -1)},
    **{f"embedding_bag, {mode}, {starts}": (lambda w, i, o, mode=mode, last=len(starts) == 4: F.embedding_bag(i, w, o, mode=mode, include_last_offset=last), draw(5, 3),
                                            marks.flatten(), torch.tensor(starts)) for mode in ("sum", "mean", "max") for starts in ([0, 5, 5, 24], [0, 7, 7])},
    "embedding_bag with factors": (lambda w, i, f: F.embedding_bag(i, w, per_sample_weights=f, mode="sum"), draw(5, 3), marks[0], positive),
    **{f"standardized weights{like}": (lambda w, *of: F.batch_norm(w.reshape(1, 5, -1), None, None, *of, training=True, momentum=0.0, eps=1e-3).reshape_as(w), draw(5, 3, 2), *of)
       for like, of in (("", ()), (" and scaled", (draw(5, low=0.5, high=2), v5)))},
    "norm": (lambda x: torch.norm(x, 3, 1), b234), "norm of all": (lambda x: torch.norm(x, 1), b234),
    "vector_norm": (lambda x: torch.linalg.vector_norm(x, float("inf"), 1, True), b234),
    **{f"matrix_norm {p}": (lambda x, p=p: torch.linalg.matrix_norm(x, p), b234) for p in (1, -1, float("inf"), -float("inf"))}, "fro": (torch.linalg.matrix_norm, b234),
    "linalg.norm": (lambda x: torch.linalg.norm(x, dim=(0, 2)), b234),
    "renorm": (lambda x: torch.renorm(x, 3, 0, 1.1), b234),
    "cosine_embedding_loss": (lambda a, b, y: F.cosine_embedding_loss(a, b, y, margin=0.2), m34, share, signs),
    "hinge_embedding_loss": (F.hinge_embedding_loss, v3, signs),
    "margin_ranking_loss": (lambda a, b, y: F.margin_ranking_loss(a, b, y, margin=0.3, reduction="sum"), v3, draw(3), signs),
    "multi_margin_loss": (lambda x, y, w: F.multi_margin_loss(x, y, p=2, margin=0.8, weight=w), m34, classes, positive[0]),
    "multilabel_margin_loss": (F.multilabel_margin_loss, m34, several),
    "poisson_nll_loss": (lambda x, y: F.poisson_nll_loss(x, y, full=True), m34, positive),
    "poisson_nll_loss of numbers": (lambda x, y: F.poisson_nll_loss(x, y, log_input=False, reduction="none"), positive, positive + 1),
    "soft_margin_loss": (F.soft_margin_loss, v3, signs),
    "triplet_margin_loss": (lambda a, p, n: F.triplet_margin_loss(a, p, n, swap=True), m34, share, positive),
    "binary_cross_entropy_with_logits": (
        lambda x, y, p: F.binary_cross_entropy_with_logits(x, y, pos_weight=p), m34, positive / 3, positive[1]),
    "cross_entropy of pictures": (lambda x, y, w: F.cross_entropy(x, y, w, label_smoothing=0.1), pictures, marks, v5 + 2),
    "cross_entropy of pictures' shares": (F.cross_entropy, pictures, torch.softmax(draw(2, 5, 3, 4), 1)),
    "cosine_similarity": (lambda a, b: F.cosine_similarity(a, b, 0), m34, v4),
    "cosine_similarity of one": (F.cosine_similarity, draw(3, 1), m34),
    "kl_div": (lambda x, y: F.kl_div(x, y), m34, positive),
    "nll_loss": (lambda x, y, w: F.nll_loss(x, y, w), pictures, marks, v5 + 2),
    "einsum of three": (lambda a, b, c: torch.einsum("bij,bjk,ik->bk", a, b, c), b234, b245, draw(3, 5)),
    "einsum of four": (lambda a, b: torch.einsum("ij,ij,jk,i->k", a, a, b, a[:, 0]), m34, m45),
    "softplus": (lambda x: F.softplus(x * 9, beta=3, threshold=15), m34), "erfc": (torch.erfc, m34), "exp2": (torch.exp2, m34),
    "logaddexp": (torch.logaddexp, m34, share), "cdist": (torch.cdist, b234, draw(2, 5, 4)), "cdist of order 1": (lambda a, b: torch.cdist(a, b, p=1), b234, draw(2, 5, 4)),
    "var_mean": (lambda x: sum(torch.var_mean(x, 1)), m34), "std_mean": (lambda x: torch.mul(*torch.std_mean(x, (0, 2), correction=0, keepdim=True)), b234),
    "median": (lambda x: x.median(1)[0] + x.median(1)[1], b245), "median of all": (torch.median, m34), "quantile": (lambda x: torch.quantile(x, 0.3, 1), m34),
    "diag_embed": (lambda x: torch.diag_embed(x, 1), m34), "diagonal": (lambda x: torch.diagonal(x, -1, 1, 2), b234),
    "nan_to_num": (lambda x: torch.nan_to_num(x, 2.0) * x, m34),
    "unfold": (lambda x: x.unfold(1, 3, 2), draw(2, 9, 3)), "im2col": (lambda x: F.unfold(x, (2, 3), dilation=(2, 1), padding=1, stride=2), draw(2, 3, 7, 8)),
    "col2im": (lambda x: F.fold(x, (7, 8), (2, 3), dilation=(2, 1), padding=1, stride=2), draw(2, 18, 16)),
    **{f"pad, {mode}": (lambda x, mode=mode: F.pad(x, (2, 1, 0, 3), mode=mode), draw(2, 3, 5, 6)) for mode in ("reflect", "replicate", "circular")},
    "pad that takes away": (lambda x: F.pad(x, (-1, 2, 1, -2), value=3.0), b245), "reflect that takes away": (lambda x: F.pad(x, (2, -1), mode="reflect"), b245),
    **{f"max_pool, ceil, {given}": (lambda x, given=given: F.max_pool2d(x, *given, ceil_mode=True), draw(2, 3, 7, 8)) for given in ((2, 2), (3, 2, 1), ((2, 3), (3, 2)))},
    **{f"avg_pool, ceil, {given}, {counts}": (lambda x, given=given, counts=counts: F.avg_pool2d(x, *given, ceil_mode=True, count_include_pad=counts), draw(2, 3, 7, 8))
       for given in ((2, 2), (3, 2, 1), (2, 3)) for counts in (True, False)},
    "avg_pool with a divisor": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=5), draw(2, 3, 7, 8)),
    **{f"adaptive_avg_pool to {size}": (lambda x, size=size: F.adaptive_avg_pool2d(x, size), draw(2, 3, 7, 8)) for size in (3, (2, 5), (None, 4), (9, 1))},
    **{f"adaptive_max_pool to {size}": (lambda x, size=size: F.adaptive_max_pool2d(x, size), draw(2, 3, 7, 8)) for size in (1, 3, (7, 4))},
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 4), draw(2, 3, 10)), "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), draw(2, 3, 5, 4, 3)),
    "batch_norm without statistics": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), draw(4, 3, 5), v3 + 2, v3),
    "index of two": (lambda x, i, j: x[i, j], m34, i3, j3), "index of two apart": (lambda x, i, j: x[i, :, j], b234, i3 % 2, j3),
    "index behind": (lambda x, i, j: x[:, i, j], b234, i3, j3), "index that broadcasts": (lambda x, i, j: x[i[:, None], j], m34, i3, j3),
    "index from the last": (lambda x, i, j: x[-i - 1, j - 4], m34, i3, j3), "index by numbers": (lambda x: x[:, [2, 0, -1, 2], [[0], [3]]], b234),
    **{f"{name}, {reduction}": (lambda x, y, loss=loss, reduction=reduction: loss(x, y, reduction=reduction), positive / 3.1, share / 2 + 0.5)
       for reduction in ("none", "sum") for name, loss in {
           "mse": F.mse_loss, "l1": F.l1_loss, "huber": lambda x, y, reduction: F.huber_loss(x, y, reduction, 0.3), "bce": F.binary_cross_entropy,
           "smooth_l1": lambda x, y, reduction: F.smooth_l1_loss(x, y, reduction=reduction, beta=0.2), "bce with logits": F.binary_cross_entropy_with_logits,
           "kl_div": F.kl_div, "kl_div of logarithms": lambda x, y, reduction: F.kl_div(x, y, reduction=reduction, log_target=True),
           "bce weighed": lambda x, y, reduction: F.binary_cross_entropy(x, y, v4 + 2, reduction=reduction)}.items()},
    "smooth_l1": (lambda x, y: F.smooth_l1_loss(x, y, beta=0.2), m34, share), "smooth_l1 of 0": (lambda x, y: F.smooth_l1_loss(x, y, beta=0.0), m34, share),
    "bce with logits weighed": (lambda x, y: F.binary_cross_entropy_with_logits(x, y, v4.to(x.dtype) + 2), m34, positive / 3.1),
    "kl_div, batchmean": (lambda x, y: F.kl_div(x, y, reduction="batchmean"), m34, positive),
    "kl_div of zeros": (lambda x, y: F.kl_div(x, y, reduction="none"), m34, positive * torch.tensor([1.0, 0.0, 1.0, 1.0])),
    **{f"cross_entropy of pictures, {reduction}": (lambda x, y, w, reduction=reduction: F.cross_entropy(x, y, w, ignore_index=2, reduction=reduction), pictures, marks, v5 + 2)
       for reduction in ("none", "sum")},
    "cross_entropy smoothed, sum": (lambda x, y, w: F.cross_entropy(x, y, w, label_smoothing=0.1, reduction="sum"), m34, classes, v4 + 2),
    "cross_entropy of shares, none": (lambda x, y: F.cross_entropy(x, torch.softmax(y, 1), label_smoothing=0.1, reduction="none"), m34, share),
    "gather": (lambda x, i: x.gather(1, i), m34, torch.tensor([[3, 0], [1, 1], [2, 3]])), "gather of rows": (lambda x, i: torch.gather(x, 0, i), m34, torch.tensor([[2, 0, 1]])),
    "take_along_dim": (lambda x: torch.take_along_dim(x, x.argsort(1), 1), m34), "scatter_add of rows": (lambda x, i, u: x.scatter_add(1, i, u), m34, several[:, :2].abs(), share),
    "embedding with padding": (lambda w, i: F.embedding(i, w, padding_idx=2), m34, torch.tensor([[0, 2], [2, 1]])),
    **{f"interpolate, {mode}, {settings}": (lambda x, mode=mode, settings=settings: F.interpolate(x, mode=mode, **settings), draw(2, 3, *(7, 5, 3)[:rank]))
       for mode, rank in (("nearest", 1), ("nearest", 2), ("nearest", 3), ("nearest-exact", 1), ("nearest-exact", 2), ("nearest-exact", 3), ("linear", 1), ("bilinear", 2), ("trilinear", 3), ("bicubic", 2))
       for settings in ({"scale_factor": 2}, {"scale_factor": 0.6}, {"size": (4, 9, 2)[:rank]}, {"scale_factor": 1.7, "recompute_scale_factor": True},
                        {"size": (9, 3, 7)[:rank], "align_corners": True}) if "nearest" not in mode or "align_corners" not in settings},
    "detach": (lambda x, y: x * (x.detach() * 2 + y), m34, share), "softmax about its largest": (lambda x: torch.exp(x - x.detach().max(1, keepdim=True)[0]), m34),
    "no_grad": (lambda x, y: x * _without(lambda: torch.tanh(x) + y), m34, share), "straight through": (lambda x: x + (torch.round(x * 3) / 3 - x).detach(), m34),
    "in place without a gradient": (lambda x: _doubled(x * 3) * x, m34), "data": (lambda x: x * x.data, m34), "detach_": (lambda x: (x * 2).detach_() * x, m34),
    "nll_loss, none": (lambda x, y, w: F.nll_loss(x, y, w, reduction="none"), pictures, marks, v5 + 2),
}


def error(actual, exact):
    return float((actual.double() - exact.double()).abs().max() / exact.double().abs().max().clamp_min(1e-30))


def of(values, dtype):
    return [one.to(dtype) if one.is_floating_point() else one for one in values]


for name, (function, *inputs) in FUNCTIONS.items():
    model = halfstep.from_torch(Of(function), tuple(inputs), batched=False)
    names = list(model._inputs)
    found = model.predict({key: one.numpy() for key, one in zip(names, inputs)})
    exact, single = function(*of(inputs, torch.float64)), function(*inputs)
    found = torch.from_numpy(numpy.asarray(found))
    assert found.shape == exact.shape, (name, found.shape, exact.shape)
    assert error(found, exact) < max(2.0**-19, 2 * error(single, exact)), (name, error(found, exact), error(single, exact))


# Of integers, whose type PyTorch has for the result.
for name, function in {"cumsum": torch.cumsum, "cumprod": torch.cumprod}.items():
    for values in (torch.tensor([[3, -2, 300000], [50, 1, 7]]), torch.tensor([[3, 2, 1]], dtype=torch.int32), torch.tensor([[True, False, True]])):
        model = halfstep.from_torch(Of(lambda x: function(x, 1)), (values,), batched=False)
        found, wanted = numpy.asarray(model.predict(values.numpy())), function(values, 1).numpy()
        assert found.dtype == wanted.dtype and (found == wanted).all(), (name, values, found)


# What whole numbers and bool have, too.
whole = torch.tensor([[3, -2, 2**40 + 1], [50, 0, 7]])
for name, function in {
        "sum": lambda x: x.sum(1), "sum of all": torch.sum, "any": lambda x: x.any(1), "all": torch.all, "all, kept": lambda x: x.all(1, keepdim=True),
        "sum of bool": lambda x: (x > 2).sum(), "any of bool": lambda x: (x > 2).any(0), "pad": lambda x: F.pad(x, (1, 2), value=-100),
        "pad of bool": lambda x: F.pad(x > 2, (0, 1, 1, 0), value=True), "reflect": lambda x: F.pad(x, (2, 1), mode="reflect"),
        "index": lambda x: x[[1, 0, 1], [2, 2, 0]], "median": lambda x: torch.median(x, 1)[0], "unfold": lambda x: x.unfold(1, 2, 1)}.items():
    model = halfstep.from_torch(Of(function), (whole,), batched=False)
    found, wanted = numpy.asarray(model.predict(whole.numpy())), function(whole).numpy()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape and (found == wanted).all(), (name, found, wanted)


# Which elements are of a kind, and what is made of that.
kinds = torch.tensor([[-torch.inf, -2.5, 0.0, torch.inf, torch.nan, 70000.0]])
for function in (torch.isinf, torch.isnan, torch.isfinite, torch.isposinf, torch.isneginf, lambda x: torch.where(torch.isnan(x), 7.0, x)):
    for values in (kinds, kinds.clamp(-3, 3).nan_to_num().long()):
        model = halfstep.from_torch(Of(function), (values,), batched=False)
        found, wanted = numpy.asarray(model.predict(values.numpy())), function(values).numpy()
        assert found.dtype == wanted.dtype and numpy.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f"), (values, found, wanted)


# Gradients: what a step of SGD takes off the first operand, a parameter, of the sum of the result's squares.
class Trained(nn.Module):
    def __init__(self, function, first):
        super().__init__()
        self.first, self.function = nn.Parameter(first.clone()), function

    def forward(self, *others):
        return torch.square(self.function(self.first, *others)).sum()


RATE = 2.0**-4
for name, (function, first, *others) in FUNCTIONS.items():
    module = Trained(function, first)
    exact = torch.autograd.functional.jacobian(
        lambda x: torch.square(function(x, *of(others, torch.float64))).sum(), first.double())
    feeds = others or [torch.zeros(2)]
    own = Trained(function, first) if others else Trained(lambda x, zero: function(x) + zero.sum(), first)
    model = halfstep.from_torch(own, tuple(feeds), batched=False)
    model.compile(halfstep.SGD(RATE), loss=lambda outputs, targets: outputs + halfstep.ops.sum(targets) * 0, policy="float32", metrics=[], threads=1)
    before = model.state_dict()["first"]
    given = {key: one.numpy() for key, one in zip(list(model._inputs), feeds)}
    model.trainer.step(given if len(feeds) > 1 else feeds[0].numpy(), numpy.zeros(2, numpy.float32))
    gradient = (before.double() - model.state_dict()["first"].double()) / RATE
    worst = float((gradient - exact).abs().max())
    assert worst < 2.0**-17 * max(float(exact.abs().max()), float(first.abs().max()) / RATE * 0.1, 1e-3), (name, worst, gradient, exact)
