"""Random numbers and integers of PyTorch in modules: of the same distributions, others in each run, and the same values.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import numpy
import torch
from torch import nn

import halfstep

ROWS, COLUMNS = 2000, 32
COUNT = ROWS * COLUMNS


class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def runs(function, x):
    """What two runs give, of an open batch and of one that is not."""
    for batched in (True, False):
        model = halfstep.from_torch(Of(function), x, batched=batched)
        yield [model.predict(x.numpy()) for _ in range(2)]


x = torch.linspace(0, 1, COUNT).reshape(ROWS, COLUMNS)
half = torch.full((ROWS, COLUMNS), 0.5)
for name, (function, given, mean, deviation, dtype) in {
        "rand_like": (torch.rand_like, x, 0.5, 12**-0.5, "float32"), "randn_like": (torch.randn_like, x, 0, 1, "float32"),
        "rand": (lambda x: torch.rand(x.shape[0], COLUMNS) + 0 * x, x, 0.5, 12**-0.5, "float32"),
        "randn": (lambda x: torch.randn(x.shape), x, 0, 1, "float32"),
        "uniform_": (lambda x: torch.empty_like(x).uniform_(-1, 3), x, 1, 4 * 12**-0.5, "float32"),
        "normal_": (lambda x: torch.empty_like(x).normal_(2, 0.5), x, 2, 0.5, "float32"),
        "normal of means": (lambda x: torch.normal(x * 0 + 3, 0.25), x, 3, 0.25, "float32"),
        "normal of deviations": (lambda x: torch.normal(1.0, x * 0 + 2), x, 1, 2, "float32"),
        "normal of both": (lambda x: torch.normal(x * 0 + 1, x * 0 + 2), x, 1, 2, "float32"),
        "bernoulli": (torch.bernoulli, half, 0.5, 0.5, "float32"), "bernoulli_": (lambda x: torch.zeros_like(x).bernoulli_(0.2), x, 0.2, 0.4, "float32"),
        "randint": (lambda x: torch.randint(-2, 3, (x.shape[0], COLUMNS)), x, 0, 2**0.5, "int64"),
        "randint_like": (lambda x: torch.randint_like(x, 4), x, 1.5, 1.25**0.5, "float32"),
        "dropout by hand": (lambda x: (torch.rand_like(x) < 0.9).float(), x, 0.9, 0.3, "float32")}.items():
    for first, second in runs(function, given):
        for found in (first, second):
            assert found.dtype == dtype and found.shape == (ROWS, COLUMNS), (name, found.dtype, found.shape)
            assert abs(found.mean() - mean) < 5 * deviation / COUNT**0.5, (name, found.mean())
            assert abs(found.std() / deviation - 1) < 0.02, (name, found.std())
        assert (first != second).mean() > 0.1, name
_, (whole, _) = runs(lambda x: torch.randint(-2, 3, (ROWS, COLUMNS)), x)
assert set(whole.ravel()) == {-2, -1, 0, 1, 2}
_, (coins, _) = runs(torch.bernoulli, x)
assert (coins[0, 0], coins[-1, -1]) == (0, 1) and abs(coins[: ROWS // 2].mean() - 0.25) < 0.01

# Integers as PyTorch has them, but by 0.
a, b = torch.randint(-50, 50, (2, 6, 7))
b[b == 0] = 3
bits = torch.randint(0, 9, (6, 7))
for dtype in (torch.int32, torch.int64, torch.uint8):
    p, q, n = (one.abs().to(dtype) if dtype == torch.uint8 else one.to(dtype) for one in (a, b, bits))
    for name, function in {
            "%": lambda x, y, n: x % y, "//": lambda x, y, n: x // y, "fmod": lambda x, y, n: torch.fmod(x, y), "by 7": lambda x, y, n: x % 7 + x // 7,
            "7 by": lambda x, y, n: 7 % y, "trunc": lambda x, y, n: torch.div(x, y, rounding_mode="trunc"), "floor": lambda x, y, n: torch.div(x, y, rounding_mode="floor"),
            "bits": lambda x, y, n: (x & y) ^ (x | n) ^ ~y, "shifts": lambda x, y, n: (x << (n % 5)) + (y >> (n % 5)), "places": lambda x, y, n: x.scatter(1, (n % 7).long(), y),
            "a number": lambda x, y, n: x.scatter(0, (n % 6).long()[:2], 5), "float": lambda x, y, n: x.float() % 3.5}.items():
        model = halfstep.from_torch(Of(function), (p, q, n))
        found = model.predict(dict(zip(model.input_names(), (p.numpy(), q.numpy(), n.numpy()))))
        expected = function(p, q, n).numpy()
        assert found.dtype == expected.dtype and (found == expected).all(), (name, dtype, found, expected)

# Sums at places, which PyTorch gives no gradient.
index, updates = torch.tensor([[0, 2, 1, 0], [2, 2, 0, 1]]), torch.randn(2, 4)
table = torch.randn(3, 4)
model = halfstep.from_torch(Of(lambda x, i, u: torch.scatter(x, 0, i, u, reduce="add")), (table, index, updates), batched=False)
found = model.predict(dict(zip(model.input_names(), (table.numpy(), index.numpy(), updates.numpy()))))
assert numpy.abs(found - table.scatter(0, index, updates, reduce="add").numpy()).max() < 1e-6
try:
    halfstep.from_torch(Of(lambda x: torch.randint(0, 2**40, (3,)) + x), torch.zeros(2, 3))
except halfstep.Error as error:
    assert "at least one and at most 2^24" in str(error), error
else:
    raise AssertionError("so many numbers are none that 24 bits have")
