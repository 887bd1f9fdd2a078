"""Gradients where there are several or none, at kinks and among equal elements: those of modules of PyTorch are PyTorch's; those of our own
ops and of ONNX are what the dialect says.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import math

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep
from halfstep import ops

INFINITY = math.inf


def bound(*values):
    return torch.tensor(values)


# Functions, and what they are given: each kink, what is beside it, and equal elements.
ACTIVATIONS = {
    **{name: (getattr(F, name), (-6, -3, -1, -0.5, -0.0, 0, 0.5, 1, 3, 6, 20, 21)) for name in (
        "relu", "relu6", "hardtanh", "leaky_relu", "hardsigmoid", "hardswish", "elu", "selu", "celu", "softshrink", "softsign", "softplus",
        "logsigmoid", "tanhshrink", "mish", "silu", "gelu")},
    "relu_": (lambda x: F.relu_(x * 1), (-1, -0.0, 0, 1)), "relu6_": (lambda x: F.relu6(x * 1, inplace=True), (-1, 0, 6, 7)),
    "elu of 2": (lambda x: F.elu(x, 2.0), (-1, 0, 1)), "celu of 2": (lambda x: F.celu(x, 2.0), (-1, 0, 1)),
    "leaky below 0": (lambda x: F.leaky_relu(x, -0.5), (-1, 0, 1)), "threshold": (lambda x: F.threshold(x, 0.5, 0.1), (0.25, 0.5, 1)),
    "hardtanh of bounds": (lambda x: F.hardtanh(x, -2, 0.5), (-3, -2, 0, 0.5, 1)), "prelu": (lambda x: F.prelu(x, bound(0.25)), (-1, -0.0, 0, 1)),
    "abs": (torch.abs, (-1, -0.0, 0, 1)), "sign": (torch.sign, (-1, 0, 1)), "square": (torch.square, (0, 1)), "floor": (torch.floor, (-1, 0, 0.5)),
    "round": (torch.round, (-0.5, 0, 0.5)), "glu": (lambda x: F.glu(x, 0), (0, 1, 0, -1)),
}
BOUNDS = {
    "clamp": (lambda x: x.clamp(-1, 1), (-2, -1, 0, 1, 2, INFINITY, -INFINITY)), "clamp_": (lambda x: (x * 1).clamp_(-1, 1), (-2, -1, 0, 1, 2)),
    "clamp_min": (lambda x: x.clamp_min(0.5), (0, 0.5, 1)), "clamp_max": (lambda x: x.clamp_max(0.5), (0, 0.5, 1)),
    "clamp crossed": (lambda x: x.clamp(1, -1), (-2, -1, 0, 1, 2)), "clamp of one value": (lambda x: x.clamp(1, 1), (0, 1, 2)),
    "clamp to tensors": (lambda x: x.clamp(bound(-1.0), bound(1.0)), (-2, -1, 0, 1, 2)),
    "clamp to tensors, crossed": (lambda x: x.clamp(bound(1.0), bound(-1.0)), (-2, -1, 0, 1, 2)),
    "clamp from a tensor": (lambda x: torch.clamp(x, min=bound(0.5)), (0, 0.5, 1)), "clamp up to a tensor": (lambda x: torch.clamp(x, max=bound(0.5)), (0, 0.5, 1)),
    **{f"clamp of {value} to bounds": (lambda x, value=value: (bound(value) + x[:9] * 0).clamp(x[:9], x[9:]), (*[0, 1, 2] * 3, 0, 0, 0, 1, 1, 1, 2, 2, 2))
       for value in (0.0, 1.0, 2.0)},
    "clamp to bounds": (lambda x: x.clamp(bound(*[0.0, 1, 2] * 3), bound(0.0, 0, 0, 1, 1, 1, 2, 2, 2)), (1,) * 9),
    "maximum": (lambda x: torch.maximum(x, bound(0.5)), (0, 0.5, 1)), "minimum": (lambda x: torch.minimum(x, bound(0.5)), (0, 0.5, 1)),
    "max of two": (lambda x: torch.max(x, bound(0.5)), (0, 0.5, 1)), "min of two": (lambda x: torch.min(bound(0.5), x), (0, 0.5, 1)),
    "maximum of itself": (lambda x: torch.maximum(x, x), (0, 0.5)), "where": (lambda x: torch.where(x > 0, x, 2 * x), (-1, 0, 1)),
}
EXTREMES = {
    **{f"{name} of all": (lambda x, name=name: getattr(x, name)(), (1, 3, 1, 3)) for name in ("max", "min", "amax", "amin")},
    **{f"{name} along": (lambda x, name=name: getattr(x.view(3, 4), name)(1)[0], (1, 1, 0, 1, -1, 2, -1, 2, 5, 5, 5, 5)) for name in ("max", "min")},
    **{f"{name} along the first": (lambda x, name=name: getattr(x.view(3, 2), name)(0, keepdim=True)[0], (1, 2, 1, 0, 0, 2)) for name in ("max", "min")},
    **{f"a{name} along": (lambda x, name=name: getattr(x.view(3, 2), f"a{name}")(0), (1, 2, 1, 0, 0, 2)) for name in ("max", "min")},
    "max of infinities": (lambda x: x.view(2, 2).max(1)[0].clamp(-9, 9), (-INFINITY, -INFINITY, INFINITY, 1)),
    "sort": (lambda x: x.sort()[0] * bound(1.0, 2, 3, 4), (1, 3, 1, 3)),
    "max_pool1d": (lambda x: F.max_pool1d(x.view(1, 2, 3), 2, 1), (1, 1, 1, 0, 2, 2)),
    "max_pool2d": (lambda x: F.max_pool2d(x.view(1, 1, 3, 4), 2, padding=1), (1, 1, 1, 1, 0, 2, 2, 0, 0, 0, 0, 0)),
    "max_pool3d": (lambda x: F.max_pool3d(x.view(1, 1, 2, 2, 2), 2), (1,) * 8), "logsumexp": (lambda x: x.logsumexp(0), (1, 1, 0)),
    "prod of a zero": (lambda x: x.prod(), (0, 3, 2)), "prod of zeros": (lambda x: x.prod(), (0, 0, 2)), "std": (lambda x: x.var(), (1, 1)),
}
NORMS_AND_LOSSES = {
    **{f"norm {p}": (lambda x, p=p: torch.linalg.vector_norm(x.view(2, 2), p, 1), (0, 0, 1, -1)) for p in (1, 2, 3, INFINITY)},
    "normalize": (lambda x: F.normalize(x.view(2, 2), dim=1, eps=0.5), (0, 0, 0.3, 0.4)),
    "pow 2": (lambda x: x**2, (0, 1)), "pow 0": (lambda x: x**0, (0, 1)), "pow 1": (lambda x: x**1, (0, 1)),
    "atan2": (lambda x: torch.atan2(x[:3], x[3:]), (0, 0, 1, 0, -1, 0)), "atan2 of -0": (lambda x: torch.atan2(bound(0.0, -0.0), x), (-0.0, -0.0)),
    "l1_loss": (lambda x: F.l1_loss(x, bound(0.0, 0, 0)), (-1, 0, 1)), "smooth_l1_loss": (lambda x: F.smooth_l1_loss(x, bound(0.0, 0, 0)), (-1, 0, 1)),
    "huber_loss": (lambda x: F.huber_loss(x, bound(0.0, 0, 0)), (-1, 0, 1)),
    "hinge_embedding_loss": (lambda x: F.hinge_embedding_loss(x, bound(-1.0, -1, 1)), (1, 0, 0)),
    "margin_ranking_loss": (lambda x: F.margin_ranking_loss(x, bound(0.0, 0, 0), bound(1.0, 1, -1)), (0, 1, 0)),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x.view(1, 3), torch.tensor([0])), (1, 0, 0)),
    "multilabel_margin_loss": (lambda x: F.multilabel_margin_loss(x.view(1, 3), torch.tensor([[0, -1, 0]])), (1, 0, 2)),
    "triplet_margin_loss": (lambda x: F.triplet_margin_loss(x.view(1, 2), bound(0.0, 0).view(1, 2), bound(1.0, 0).view(1, 2)), (0, 0)),
    "cosine_embedding_loss": (lambda x: F.cosine_embedding_loss(x.view(1, 2), bound(0.0, 1).view(1, 2), bound(-1.0)), (1, 0)),
}


class Kinks(nn.Module):
    def __init__(self, cases):
        super().__init__()
        self.functions = [function for function, _ in cases.values()]
        self.given = nn.ParameterList([torch.tensor([float(one) for one in values]) for _, values in cases.values()])

    def forward(self, x):
        return sum((function(one).sum() for function, one in zip(self.functions, self.given)), x.sum() * 0)


def gradients(module, policy="float32"):
    """What a step of SGD at a rate of 1 takes off; of an infinite parameter nothing is seen."""
    model = halfstep.from_torch(module, torch.zeros(2), batched=False)
    model.compile(halfstep.SGD(1.0), loss=lambda outputs, targets: outputs + ops.sum(targets) * 0, policy=policy, metrics=[], threads=1)
    before = model.state_dict()
    model.trainer.step(numpy.zeros(2, numpy.float32), numpy.zeros(2, numpy.float32))
    after = model.state_dict()
    return [(before[f"given.{i}"] - after[f"given.{i}"]).double() for i in range(len(module.given))]


faults = []
for cases in (ACTIVATIONS, BOUNDS, EXTREMES, NORMS_AND_LOSSES):
    module = Kinks(cases)
    module(torch.zeros(2)).backward()
    for (name, (_, values)), own, parameter in zip(cases.items(), gradients(module), module.given):
        finite = torch.isfinite(parameter)
        exact = parameter.grad.double() if parameter.grad is not None else torch.zeros_like(own)
        if not torch.allclose(own[finite], exact[finite], rtol=1e-5, atol=2e-6):
            faults.append(f"{name} at {values}: {own.tolist()}, in PyTorch {exact.tolist()}")
assert not faults, "\n".join(faults)
