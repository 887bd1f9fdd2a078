"""Whole numbers of PyTorch in modules, and tensors of bfloat16 that go in, have the values that they have there.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import torch

import halfstep

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from torch_checks import Of, check_same, refused

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
        check_same(function, p, q, n)

# Of what wraps or needs more than 24 bits, too; results have PyTorch's types.
large = torch.tensor([[2**24 + 1, -2**40 - 3, 5], [-7, 123456789, 2**62]])
base = torch.tensor([[3, -3, 2], [1, 0, 7]])
for name, function in {
        "neg": lambda x, y: -x, "abs": lambda x, y: x.abs(), "sign": lambda x, y: x.sign(), "square": lambda x, y: x.square(), "power": lambda x, y: x**3 % 1000 + y**0,
        "powers of two": lambda x, y: 2**y.abs(), "relu": lambda x, y: torch.relu(x), "clamp": lambda x, y: x.clamp(0, 100), "rsub": lambda x, y: 5 - x, "rounded": lambda x, y: x.floor() - x.ceil() + x.round(),
        "sum": lambda x, y: x.sum(1), "cumsum": lambda x, y: x.cumsum(1), "cumprod": lambda x, y: y.cumprod(1), "amax": lambda x, y: x.amax(1), "min": lambda x, y: x.min(1)[0], "max": lambda x, y: torch.max(x, y),
        "addcmul": lambda x, y: torch.addcmul(x, y, y), "quotient": lambda x, y: y / 7, "sine": lambda x, y: torch.sin(y), "any": lambda x, y: x.any(1), "not": lambda x, y: x.logical_not(),
        "places": lambda x, y: torch.zeros(2, 40, dtype=x.dtype).scatter_add(1, y.abs(), -x)}.items():
    for dtype in (torch.int64, torch.int32, torch.uint8):
        if dtype != torch.uint8 or name not in ("power", "abs", "sign", "rsub"):
            check_same(function, *(one.abs().to(dtype) if dtype == torch.uint8 else one.to(dtype) for one in (large, base)), batched=name != "places") if not (
                name == "places" and dtype != torch.int64) else None
# Sums of small types wrap as PyTorch's do.
small = torch.full((2, 3), 200, dtype=torch.uint8)
check_same(lambda x, i: x.scatter_add(1, i, x), small, torch.zeros(2, 3, dtype=torch.int64))
check_same(lambda x: x.index_add(1, torch.tensor([0, 0, 2]), x), small)
check_same(lambda x: x.index_add(1, torch.tensor([0, 0, 2]), x), large.to(torch.int32) + 2**30)
# A distance between places, as T5 looks it up.
table = torch.randn(20, 3)
check_same(lambda i: table[(i[:, None] - i[None, :]).abs()], torch.arange(5), batched=False)
check_same(lambda i: torch.nn.functional.embedding(-i % 20, table), torch.arange(5)[:, None])
for function in (lambda x: x.prod(1), lambda x: x @ x.t()):
    refused("expected floats", function, base, batched=False)

# A number is the bits that the type has of it.
whole = torch.tensor([[5, -5, 0], [7, -1, 12]])
for function, dtype in ((lambda x: x & 0xFFFFFFFF, torch.int32), (lambda x: x & -1, torch.uint8), (lambda x: x | -2, torch.int64), (lambda x: 3 ^ x, torch.int32),
                        (lambda x: x ^ True, torch.bool), (lambda x: x & False, torch.bool)):
    check_same(function, whole.abs().to(dtype) if dtype == torch.uint8 else whole.to(dtype))

# Places in order, of numbers that are borders, too, and of NaN.
borders, values = torch.tensor([-1.0, 0.0, 0.0, 2.5]), torch.tensor([[-3.0, -1.0, 0.0], [1.0, 2.5, torch.nan]])
for right in (False, True):
    check_same(lambda x: torch.bucketize(x, borders, right=right), values)
    check_same(lambda x: torch.bucketize(x, torch.tensor([2, 5, 7]), right=right, out_int32=True), whole.to(torch.int32))
    check_same(lambda x, y: torch.searchsorted(x, y, right=right), torch.sort(torch.randn(2, 6))[0], torch.randn(2, 5))
check_same(lambda x: torch.searchsorted(borders, x, side="right"), values)

# NumPy takes no bfloat16 of PyTorch by DLPack.
low = torch.randn(3, 5).bfloat16()
model = halfstep.from_torch(Of(lambda x: x.float() * 3), low)
assert (model.predict(low) == (low.float() * 3).numpy()).all() and (model.predict(low[:, ::1]) == model.predict(low.t().contiguous().t())).all()
