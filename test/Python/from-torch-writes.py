"""Writes to places that indices say, in modules of PyTorch: what is there afterwards, in each type, with an open batch.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import torch

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from torch_checks import check_same, refused

torch.manual_seed(0)


def put(indices, values, accumulate=False):
    """`x[indices] = values`, or what is added there."""
    tensors = [None if one is None else torch.as_tensor(one) for one in indices]
    return lambda x: torch.ops.aten.index_put_(x.clone(), tensors, values, accumulate)


image = torch.randn(3, 6, 5, 4) * 10
for dtype in (torch.float32, torch.int32, torch.int64):
    x = image.to(dtype)
    for add in (False, True):
        number = torch.tensor(7, dtype=dtype)
        check_same(put([None, [1, 4], [2, 0]], number, add), x)
        check_same(put([None, [1, 4], [2, 0]], torch.arange(8).reshape(2, 4).to(dtype), add), x)  # a column for each place
        check_same(put([None, None, [[2], [0]], [1, -1]], torch.arange(4).reshape(2, 2).to(dtype), add), x)  # indices that broadcast
        check_same(put([None, [1, -1], None], number, add), x)
        check_same(put([None, [3, 3], [1, 1]], number, add), x)  # one place twice
        check_same(put([[0, 1], [1, 2]], torch.arange(20).reshape(5, 4).to(dtype), add), x, batched=False)
    check_same(put([None, None, [0, 0, 1]], torch.arange(12).reshape(3, 4).to(dtype), True), x)
    table, places, updates = x[:, :, 0, 0], torch.randint(0, 6, (3, 4)), (torch.randn(3, 4) * 10).to(dtype)
    check_same(lambda x, i, u: x.scatter_add(1, i, u), table, places, updates, tolerance=1e-5)
    check_same(lambda x, i, u: x.index_add(1, i[0], u), table, places, updates, tolerance=1e-5, batched=False)
    check_same(lambda x, i, u: torch.scatter(x, 1, i, u, reduce="add"), table, places, updates, tolerance=1e-5)
large = (torch.randn(3, 6) * 2.0**61).long()  # sums that float64 does not have
check_same(lambda x, i, u: x.scatter_add(1, i, u), large, torch.randint(0, 6, (3, 4)), (torch.randn(3, 4) * 2.0**61).long())
for function in (lambda x: x[:, [7]], put([None, [9]], torch.tensor(1.0)), put([None, [-7]], torch.tensor(1.0))):
    refused("is outside of a dimension of 6 elements", function, torch.randn(2, 6))
refused("indices computed in the forward go into the first dimensions alone", lambda x, i: put([None, i[0]], torch.tensor(1.0))(x), torch.randn(2, 6),
        torch.zeros(2, 3, dtype=torch.int64))
