"""What is tried first of modules of PyTorch is imported, or is an error of one sentence.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s 2>&1 | FileCheck %s --allow-empty --implicit-check-not="def forward" --implicit-check-not=Unable
"""

import copy
import math

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import halfstep

torch.manual_seed(0)
x, images = torch.randn(2, 4), torch.randn(2, 4, 5, 5)


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as error:
        for part in [expected] if isinstance(expected, str) else expected:
            assert part in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("mask", torch.tensor([True, False, True, False]))
        self.register_buffer("places", torch.arange(4))

    def forward(self, x):
        return self.function(self, x)


def imported(module, *inputs):
    given = [torch.cat([one, one, 2 * one]) for one in inputs]
    model = halfstep.from_torch(module, inputs)
    predicted = model.predict(dict(zip(model.input_names(), (one.numpy() for one in given))))
    expected = module(*given).detach().numpy()
    assert predicted.shape == expected.shape and predicted.dtype == expected.dtype and numpy.abs(predicted - expected).max() < 1e-5


# Conditions, rolls, and what is like another tensor.
for function in (lambda _, x: (~(x > 0)).float(), lambda _, x: torch.bitwise_and(x > 0, x < 1).float(), lambda _, x: ((x > 0) ^ (x < 1)).float(),
                 lambda _, x: torch.bitwise_or(x > 1, x < 0).float(), lambda _, x: torch.logical_xor(x > 0, x < 1).float(),
                 lambda self, x: x.masked_fill(~self.mask, 0.0), lambda _, x: torch.roll(x, 1, 1), lambda _, x: torch.roll(x, (-1, 6), (1, 1)),
                 lambda _, x: torch.zeros_like(x) + x, lambda _, x: torch.full_like(x, 2.5) + x,
                 lambda _, x: torch.ones_like(x, dtype=torch.int32)):
    imported(Of(function), x)
for shift in (1, -3, 50):  # of all elements in their order, where there is no batch
    module = Of(lambda self, x: torch.roll(x, shift) + torch.roll(~self.places, shift))
    assert (halfstep.from_torch(module, (x,), batched=False).predict(x.numpy()) == module(x).numpy()).all()
imported(Of(lambda _, x: torch.roll(x, 1)), x)
imported(Of(lambda self, x: x * torch.roll(~self.places, 1) - ~self.places), x)
imported(Of(lambda _, x: (x[:, :, None] * x[:, None]).tril(-1) + (x[:, :, None] * x[:, None]).triu(1)), x)
for function in (torch.logical_and, torch.logical_or, torch.logical_xor):
    imported(Of(lambda self, x: function(x, self.places).float()), torch.tensor([[0.0, -1.5, 0.0, 2.0], [1.0, 0.0, math.nan, 0.0]]))
imported(Of(lambda _, x: ((x > 0) & True | False).float()), x)
for function in (lambda x: x << 1, lambda x: x >> 1, lambda x: torch.bitwise_right_shift(x, x), lambda x: (x + 1).__ilshift__(1), lambda x: x & 6 | 1, lambda x: ~x ^ 5):
    imported(Of(lambda _, x, function=function: function(x).float()), torch.arange(12).reshape(3, 4))
imported(Of(lambda self, x: x * (self.places & 2) + (self.places | 1)), x)
imported(Of(lambda _, x: torch.roll(x, 1, 0)), x)

# Images that grow, and norms of each.
for module in (nn.ConvTranspose2d(4, 3, 3), nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False),
               nn.ConvTranspose2d(4, 6, (4, 3), stride=(2, 1), padding=1, dilation=(1, 2)), nn.InstanceNorm2d(4),
               nn.InstanceNorm2d(4, affine=True), nn.InstanceNorm2d(4, affine=True, track_running_stats=True).eval()):
    imported(module, images)
imported(nn.ConvTranspose1d(4, 6, 3), images[:, :, 0])
refused("running statistics of an instance norm are not updated", halfstep.from_torch, nn.InstanceNorm2d(4, track_running_stats=True), images)
module = nn.Sequential(nn.ConvTranspose2d(4, 6, 4, stride=2, padding=1), nn.InstanceNorm2d(6, affine=True), nn.ReLU(), nn.Flatten(), nn.Linear(600, 2))
model = halfstep.from_torch(module, images)
model.compile(halfstep.SGD(0.1), threads=1, policy="float32")
inputs = torch.randn(32, 4, 5, 5)
labels = (inputs[:, 0, 0, 0] > 0).long()
model.trainer.step(inputs, labels)
optimizer = torch.optim.SGD(module.parameters(), 0.1)
nn.functional.cross_entropy(module(inputs), labels).backward()
optimizer.step()
for name, value in module.state_dict().items():
    assert (value - model.state_dict()[name]).abs().max() < 1e-5, name


class Any(nn.Module):
    def forward(self, first, *others):
        return first + others[0] * others[1]


class Branch(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


imported(Any(), x, x + 1, x * 2)
refused("the forward branches on data, or needs a number of it (from-torch-first-hour.py:", halfstep.from_torch, Branch(), x)
refused("a number that depends on data is not known when a model is compiled", halfstep.from_torch, Of(lambda _, x: x * x.sum().item()), x)

# Copies, losses of PyTorch, data of PyTorch.
module = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
model = halfstep.from_torch(module, x)
model.compile("adam", threads=1, policy="float32")
data = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
before = copy.deepcopy(model)
model.fit(DataLoader(data, batch_size=32), verbose=False)
after = copy.deepcopy(model)
for one, other in ((before, module), (after, model)):
    assert all(torch.equal(value, other.state_dict()[name]) for name, value in one.state_dict().items())
before.load_state_dict({name: value.double() if value.is_floating_point() else value for name, value in model.state_dict().items()})
assert (before.predict(data.tensors[0]) == model.predict(data.tensors[0])).all()
refused("unexpected key 'foo'; the model has 0.weight", model.load_state_dict, {**model.state_dict(), "foo": 1})
for loss, said in ((nn.CrossEntropyLoss(), 'give loss "cross_entropy", or halfstep.losses.CrossEntropy(...)'), (nn.MSELoss(), 'loss "mse"'),
                   (nn.functional.cross_entropy, 'loss "cross_entropy"'), (nn.HuberLoss, 'loss "huber"')):
    refused(("torch's", said), model.compile, loss=loss)
refused("a TensorDataset gives rows one by one; wrap it in a DataLoader", model.fit, data)
