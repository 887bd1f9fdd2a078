"""A module of PyTorch with a frozen backbone and statistics that it has learned trains by micro-batches as PyTorch does.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import numpy
import torch

import halfstep

torch.manual_seed(5)
random = numpy.random.default_rng(5)
X = (random.standard_normal((64, 6)) * 2 + 3).astype("float32")
Y = random.integers(0, 3, 64)


def made():
    torch.manual_seed(7)
    module = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 3))
    module[0].requires_grad_(False)
    with torch.no_grad():
        module[2].running_mean.fill_(100)
        module[2].running_var.fill_(9)
    return module


for accumulate in (1, 2, 4):
    module, model = made(), halfstep.from_torch(made(), torch.zeros(8, 6))
    model.compile(halfstep.SGD(0.125), loss="cross_entropy", policy="float32", accumulate=accumulate, threads=1)
    optimizer, rows = torch.optim.SGD([p for p in module.parameters() if p.requires_grad], lr=0.125), 8 * accumulate
    for step in range(3):
        x, y = X[(step * rows) % 64:][:rows], Y[(step * rows) % 64:][:rows]
        if len(x) < rows:
            break
        model.trainer.step(x, y)
        for part in range(accumulate):
            one = slice(8 * part, 8 * part + 8)
            (torch.nn.functional.cross_entropy(module(torch.tensor(x[one])), torch.tensor(y[one])) / accumulate).backward()
        optimizer.step()
        optimizer.zero_grad()
        found = model.state_dict()
        for name, value in module.state_dict().items():
            numpy.testing.assert_allclose(found[name], value.numpy(), rtol=1e-4, atol=1e-5, err_msg=f"accumulate={accumulate}, step {step}, {name}")
