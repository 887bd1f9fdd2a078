"""Random numbers of PyTorch in modules: of the same distributions, and others in each run.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import torch

import halfstep

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from torch_checks import Of, refused

ROWS, COLUMNS = 2000, 32
COUNT = ROWS * COLUMNS


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
refused("at least one and at most 2^24", lambda x: torch.randint(0, 2**40, (3,)) + x, torch.zeros(2, 3))
