"""What a forward makes of the size of the batch, which is open when the module is imported: values and gradients are PyTorch's for several sizes.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep

torch.manual_seed(3)
torch.set_num_threads(1)
RATE = 2.0**-4


class Of(nn.Module):
    """A function of an input [rows, 8] and a parameter [8]."""

    def __init__(self, function):
        super().__init__()
        self.function, self.weight = function, nn.Parameter(torch.linspace(-1, 1, 8))

    def forward(self, x):
        return self.function(x, self.weight)


def tokens(x, w):
    """A class token in front of each row's."""
    return torch.cat([w.expand(x.shape[0], 1, 8), x[:, None]], 1)


def placed(x, w):
    """Rows of zeros, of which one part is written."""
    out = x.new_zeros(x.shape[0], 3, 8)
    out[:, 1] = x * w
    return out


class Cell(nn.Module):
    """A state that starts from a parameter."""

    def __init__(self):
        super().__init__()
        self.cell, self.first = nn.GRUCell(8, 4), nn.Parameter(torch.linspace(-1, 1, 4))

    def forward(self, x):
        return self.cell(x, self.first.repeat(x.shape[0], 1))


PER_ROW = {
    "class token by expand": tokens,
    "class token by repeat": lambda x, w: torch.cat([w.view(1, 1, 8).repeat(x.shape[0], 1, 1), x[:, None]], 1),
    "class token, several times": lambda x, w: torch.cat([w.view(1, 8).repeat(x.shape[0], 3), x], 1),
    "a matrix for each row": lambda x, w: w.view(2, 4).repeat(x.shape[0], 1).view(-1, 8) * x,
    "expand_as": lambda x, w: w.view(1, 8).expand_as(x) * x,
    "zeros": lambda x, w: torch.cat([torch.zeros(x.shape[0], 2), x * w, x.new_ones(x.shape[0], 1), torch.full((x.size(0), 1), 2.5)], 1),
    "written": placed,
    "whole numbers": lambda x, w: F.embedding(torch.zeros(x.shape[0], 2, dtype=torch.long) + 1, w.view(4, 2)).flatten(1) + x.sum(1, keepdim=True),
    "ones of bool": lambda x, w: torch.where(torch.ones(x.shape[0], 8, dtype=torch.bool), x * w, 0.0),
    "positions": lambda x, w: (x * w).view(x.shape[0], 2, 4) + torch.arange(2 * x.shape[0]).view(-1, 2, 1),
    "places of rows": lambda x, w: x * w + torch.arange(x.shape[0])[:, None],
    "rows inside": lambda x, w: (x * w).view(-1, 2, 4).transpose(0, 1).reshape(-1, 4).tanh().view(2, -1, 4).transpose(0, 1).reshape(-1, 8),
    "one of merged rows": lambda x, w: (x * w).view(-1, 4).gather(1, torch.zeros(2 * x.shape[0], 1, dtype=torch.long) + 3).view(-1, 2),
    "rows merged": lambda x, w: F.layer_norm((x * w).view(-1, 4), [4]).view(x.shape[0], 8),
    "rows by their number": lambda x, w: (x * w).reshape(x.shape[0] * 2, 4).softmax(1).reshape(x.shape[0], -1),
    "its own row": lambda x, w: (x * w)[torch.arange(x.shape[0])[:, None, None], torch.tensor([[[1, 2, 7]]])],
    "its own row, of a matrix": lambda x, w: (x * w).view(-1, 2, 2, 2)[torch.arange(x.shape[0])[:, None], torch.tensor([[1, 0, 1]]), torch.tensor([1])],
    "padded mask": lambda x, w: F.scaled_dot_product_attention((x * w)[:, None], x[:, None], x[:, None], torch.zeros(x.shape[0], 1, 1)),
}
COMBINED = {
    "by the number of rows": lambda x, w: x * w / x.shape[0] + x.numel() * 0.001 - (x.shape[0] + 1) // 2 + x.shape[0] ** 0.5,
    "a number of rows as a tensor": lambda x, w: x * w + torch.full((1,), x.shape[0], dtype=torch.float32),
    "mean of a batch": lambda x, w: (x * w).square().sum() / x.shape[0],
    "batchmean": lambda x, w: F.kl_div(F.log_softmax(x * w, 1), F.softmax(x, 1), reduction="batchmean"),
    "sum of losses": lambda x, w: F.cross_entropy(x * w, torch.zeros(x.shape[0], dtype=torch.long), reduction="sum") / x.shape[0],
    "positions of rows": lambda x, w: ((x * w).sum(1) * torch.arange(1, x.shape[0] + 1)).mean() + torch.arange(x.shape[0], dtype=torch.float32).sum() * w[0],
}


class Loss(Of):
    """Whose loss is the sum of squares of what a function gives."""

    def forward(self, x):
        return {"loss": self.function(x, self.weight).square().sum(), "rows": x}


def check_gradients(name, module, x):
    """What a step of SGD takes off parameters."""
    model = halfstep.from_torch(module, torch.randn(5, 8))
    has_loss = isinstance(module, Loss)
    loss = "loss" if has_loss else lambda outputs, targets: halfstep.ops.sum(outputs * outputs) + halfstep.ops.sum(targets) * 0
    model.compile(halfstep.SGD(RATE), loss=loss, policy="float32", metrics=[])
    model.trainer.step(x.numpy(), *[] if has_loss else [numpy.zeros((len(x), 1), numpy.float32)])
    found = model.state_dict()
    module.double()
    outputs = module(x.double())
    (outputs["loss"] if has_loss else outputs.square().sum()).backward()
    for key, one in module.named_parameters():
        wanted = one.detach() - RATE * one.grad
        assert (found[key] - wanted).abs().max() <= 2e-5 * wanted.abs().max().clamp_min(1), (name, key, found[key], wanted)
    module.float()


for name, function in {**PER_ROW, "state of a parameter": None}.items():
    module = Cell() if function is None else Of(function)
    model = halfstep.from_torch(module, torch.randn(4, 8))
    for rows in (1, 3, 8, 65, 100):
        x = torch.randn(rows, 8)
        with torch.no_grad():
            wanted = module(x)
        found = model.predict(x.numpy())
        assert found.shape == wanted.shape and numpy.allclose(found, wanted.numpy(), atol=2e-6), (name, rows, found, wanted)
    check_gradients(name, module, torch.randn(6, 8))
for name, function in COMBINED.items():
    for rows in (2, 6):
        check_gradients(name, Loss(function), torch.randn(rows, 8))

# Of a part of the batch no open size is made: the model is one for each size.
for function in (lambda x, w: x[1:] * w, lambda x, w: (x * w).view(-1, 4).gather(1, torch.zeros(x.shape[0], 1, dtype=torch.long) + 3),
                 lambda x, w: (x * w).view(-1, 4)[torch.arange(x.shape[0]), 1:3].sum() + x):
    module = Of(function)
    model = halfstep.from_torch(module, torch.randn(4, 8))
    assert model.fixed_rows == 4
    for rows in (2, 3, 65, 100):
        x = torch.randn(rows, 8)
        assert numpy.allclose(model.predict(x.numpy()), module(x).detach().numpy(), atol=3e-6), rows

# A whole number of rows is exact beyond what float32 holds.
counted = Of(lambda x, w: torch.zeros(1, dtype=torch.long) + x.shape[0] * x.shape[0])
assert halfstep.from_torch(counted, torch.randn(4, 8)).predict(numpy.zeros((5001, 8), numpy.float32)).tolist() == [25010001]
