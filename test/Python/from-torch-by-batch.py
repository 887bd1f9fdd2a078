"""Modules whose rows depend on each other by the size of the batch, as where rows are rolled or each meets each: they are made anew for each size, and
do what PyTorch does with as many rows.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import concurrent.futures
import contextlib
import copy
import io

import numpy
import torch
from torch import nn

import halfstep

torch.manual_seed(3)
torch.set_num_threads(1)
RATE = 2.0**-4


class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function, self.layer = function, nn.Linear(8, 4)

    def forward(self, x):
        return self.function(self.layer(x))


def pairs(h):
    """Each row beside each."""
    rows = h.shape[0]
    return torch.cat([h[:, None].expand(rows, rows, 4), h[None].expand(rows, rows, 4)], -1)


def halves(h):
    """The sum of what is beside each other."""
    return h.reshape(-1, 2, 4).sum(1) if h.shape[0] % 2 == 0 else h


def in_region(h):
    with torch.autocast("cpu", torch.bfloat16):
        return torch.roll(h, 1, 0).float() + h


FUNCTIONS = {
    "roll": lambda h: torch.roll(h, 1, 0) + 2 * h, "flip": lambda h: h.flip(0) * h, "pairs": pairs, "one row more": lambda h: torch.cat([h, h[:1]]),
    "differences": lambda h: h[1:] - h[:-1], "all as one": lambda h: h.reshape(1, -1).softmax(-1), "rows as columns": lambda h: h.t() @ h,
    "another way for few": lambda h: h * 3 + h.flip(0) if h.shape[0] > 4 else h - h.flip(0),
    "sorted": lambda h: h.sort(0)[0], "first": lambda h: h - h[0], "in a region": in_region, "state": lambda h: torch.cumsum(h, 0),
}
for name, function in FUNCTIONS.items():
    module = Of(function)
    model = halfstep.from_torch(module, torch.randn(4, 8))
    for rows in (1, 2, 3, 5, 2, 20, 65):
        x = torch.randn(rows, 8)
        with torch.no_grad():
            wanted = module(x)
        found = model.predict(x.numpy())
        assert found.shape == wanted.shape and numpy.allclose(found, wanted.numpy(), atol=2e-6), (name, rows, found, wanted)
    model.compile(halfstep.SGD(RATE), loss=lambda outputs, targets: halfstep.ops.sum(outputs * outputs) + halfstep.ops.sum(targets) * 0, policy="float32", metrics=[])
    for rows in (6, 3):
        x = torch.randn(rows, 8)
        before = {key: one.clone() for key, one in model.state_dict().items()}
        module.load_state_dict(before)
        model.trainer.prepare({"x": x.numpy(), "y": numpy.zeros((rows, 1), numpy.float32)}, rows)
        model.trainer.step(x.numpy(), numpy.zeros((rows, 1), numpy.float32))
        after = model.state_dict()
        module.double().zero_grad()
        module(x.double()).square().sum().backward()
        for key, one in module.named_parameters():
            wanted = one.detach() - RATE * one.grad
            bound = 2e-2 if name == "in a region" else 2e-5
            assert (after[key] - wanted).abs().max() <= bound * wanted.abs().max().clamp_min(1), (name, rows, key, after[key], wanted)
        module.float()

# What it is shows; nothing fills a batch up, and a text or a file is of one size.
model = halfstep.from_torch(Of(FUNCTIONS["roll"]), torch.randn(4, 8))
with contextlib.redirect_stdout(io.StringIO()) as printed:
    model.summary()
assert "it is made anew for each, and nothing fills a batch up" in printed.getvalue()
assert "tensor<3x8xf32> {mp.batched" in model.to_mlir(batch_size=3) and "tensor<4x8xf32> {mp.batched" in model.to_mlir()
x, y = numpy.random.default_rng(1).standard_normal((96, 8)).astype("float32"), numpy.arange(96) % 4
model.compile(halfstep.SGD(0.1), loss="cross_entropy", policy="mixed_bfloat16")
history = model.fit(x, y, batch_size=32, epochs=2, verbose=False)
assert len(history.history["loss"]) == 2 and "loss" in model.evaluate(x, y, batch_size=32)
for call, said in ((lambda: model.evaluate(x[:50], y[:50], batch_size=32), "50 rows do not fill batches of 32"),
                   (lambda: model.fit(x, y, batch_size=16, last_batch="pad", verbose=False), "rows that depend on each other, so that a batch cannot be padded"),
                   (lambda: model.export("m.mpx", batch_sizes=[1, 4]), "a file is of one: give batch_sizes=1"),
                   (lambda: model.to_mlir(batch_size=0), "to_mlir: batch_size"),
                   (lambda: halfstep.from_torch(nn.Linear(8, 4), torch.randn(4, 8)).to_mlir(batch_size=4), "the batch of the model is open")):
    try:
        call()
        raise AssertionError(said)
    except halfstep.Error as error:
        assert said in str(error), error

# It is made of the module as that was, of each size: changed later, or used by two threads with a copy.
module = Of(lambda h: h[1:] - h[:-1]).eval()
module.layer = nn.Sequential(module.layer, nn.Dropout(0.9))
model = halfstep.from_torch(module.eval(), torch.randn(20, 8))
module.train()
for rows in (3, 20):
    x = torch.randn(rows, 8)
    with torch.no_grad():
        assert numpy.allclose(model.predict(x.numpy()), module.eval()(x).numpy(), atol=2e-6), rows
    module.train()
module = Of(lambda h: torch.roll(h, 1, 0) + 2 * h)
model = halfstep.from_torch(module, torch.randn(4, 8))
inputs = [torch.randn(rows, 8) for rows in range(2, 14)]
with concurrent.futures.ThreadPoolExecutor(2) as threads:
    founds = list(threads.map(lambda given: given[0].predict(given[1].numpy()), zip([model, copy.deepcopy(model)] * 6, inputs)))
assert all(numpy.allclose(found, module(x).detach().numpy(), atol=2e-6) for found, x in zip(founds, inputs))


class Parts(nn.Module):
    """Two buffers in one memory, of other sizes."""

    def __init__(self):
        super().__init__()
        memory = torch.arange(8.0)
        self.register_buffer("first", memory[:3])
        self.register_buffer("second", memory[3:].view(5))

    def forward(self, x):
        return torch.roll(x, 1, 0) + self.first.sum() + self.second


x = torch.randn(4, 5)
assert numpy.allclose(halfstep.from_torch(Parts(), x).predict(x.numpy()), Parts()(x).numpy(), atol=2e-6)

# What neither is open nor can be made for one size is told as of an open batch.
try:
    halfstep.from_torch(Of(lambda h: torch.lgamma(torch.roll(h, 1, 0))), torch.randn(4, 8))
    raise AssertionError("taken")
except halfstep.Error as error:
    assert "aten.lgamma: 1" in str(error), error

# Distances of more than 25 rows PyTorch computes by products, which lose digits: what they are is what it has without.
module = Of(lambda h: torch.cdist(h, h))
model = halfstep.from_torch(module, torch.randn(6, 8))
assert model.fixed_rows == 6
for rows in (3, 6, 40):
    x = torch.randn(rows, 8)
    with torch.no_grad():
        h = module.layer(x)
        wanted = torch.cdist(h, h, compute_mode="donot_use_mm_for_euclid_dist").numpy()
    assert abs(model.predict(x.numpy()) - wanted).max() < 1e-5, rows
