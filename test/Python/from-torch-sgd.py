"""SGD has the bits of PyTorch's on a CPU, which contracts products and sums: on every device, with momentum and decay.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import itertools

import numpy
import torch

import halfstep
from halfstep import nn, ops

COUNT, STEPS = 8192, 3
random = numpy.random.default_rng(8)
FIRST = random.standard_normal(COUNT).astype("float32")
GRADIENTS = random.standard_normal((STEPS, 1, COUNT)).astype("float32")


class Weights(nn.Module):
    """Parameters whose gradients are what they are multiplied by."""

    def __init__(self):
        self.weights = nn.Parameter((COUNT,))

    def forward(self, x):
        return x * self.weights


def trained(device, **settings):
    model = Weights()
    model.specify(x=nn.Input((COUNT,)))
    model.compile(halfstep.SGD(**settings), loss=lambda output, target: ops.mean(output * target) * float(COUNT), metrics=[], policy="float32", device=device)
    model.load_state_dict({"weights": FIRST})
    for gradient in GRADIENTS:
        model.trainer.step(gradient, numpy.ones((1, COUNT), "float32"))
    return model.state_dict()["weights"]


def expected(learning_rate, momentum=0.0, nesterov=False, weight_decay=0.0):
    parameter = torch.nn.Parameter(torch.tensor(FIRST))
    optimizer = torch.optim.SGD([parameter], learning_rate, momentum=momentum, nesterov=nesterov, weight_decay=weight_decay)
    for gradient in GRADIENTS:
        parameter.grad = torch.tensor(gradient[0])
        optimizer.step()
    return parameter.detach().numpy()


cases = [{"learning_rate": rate, **more, **({"weight_decay": decay} if decay else {})}
         for rate, more, decay in itertools.product((0.1, 0.013, 0.25), ({}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}), (0, 0.01))]
for device in ("cpu", "simt"):
    for settings in cases if device == "cpu" else cases[::5]:
        found = trained(device, **settings)
        assert (found == expected(**settings)).all(), (device, settings, (found != expected(**settings)).sum())
