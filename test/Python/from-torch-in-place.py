"""Ops in place of PyTorch's modules, on views above all: what is written to a view is read of its base and of its other views, with
PyTorch's values and gradients; what cannot be said is refused.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import random

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep

torch.manual_seed(7)
torch.set_num_threads(1)
ROWS, SHAPE = 4, (4, 6)


class Cases(nn.Module):
    """Functions of a tensor, each of one that has a parameter of its own, and all that they return in one sum of losses."""

    def __init__(self, functions, shape):
        super().__init__()
        self.functions = functions
        self.scale = nn.Parameter(torch.rand(len(functions), *shape) + 0.5)

    def forward(self, x):
        results = [function(x * scale) for function, scale in zip(self.functions, self.scale)]
        return tuple(one for result in results for one in (result if isinstance(result, tuple) else (result,)))


def weights_of(outputs):
    generator = torch.Generator().manual_seed(1)
    return [torch.rand(one.shape, generator=generator, dtype=torch.float64) for one in outputs]


def loss_of(outputs):
    return sum((one * weight.to(one.dtype)).sum() for one, weight in zip(outputs, weights_of(outputs)))


def reference(module, x, learns):
    """Values in float64, and the gradient, for which PyTorch keeps copies: it refuses to read what was written to."""
    module, gradient = module.double(), None
    with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda kept: kept), torch.set_grad_enabled(learns):
        outputs = module(x.double())
        if learns:
            gradient, = torch.autograd.grad(loss_of(outputs), module.scale)
        outputs = [one.detach().clone() for one in outputs]
    module.float()
    return outputs, gradient


def check(functions, x, what, learns=True):
    """That a module has the outputs of each function, and the gradient of what it began from."""
    module = Cases(functions, x.shape).requires_grad_(learns)
    expected, gradient = reference(module, x, learns)
    model = halfstep.from_torch(module, x, batched=False)
    found = model.predict(x.numpy())
    assert len(found) == len(expected), what
    for i, (own, exact) in enumerate(zip(found.values(), expected)):
        assert tuple(own.shape) == tuple(exact.shape), (what, i, own.shape, exact.shape)
        worst = float((torch.from_numpy(numpy.asarray(own)).double() - exact).abs().max())
        assert worst < 1e-5 * max(1, float(exact.abs().max())), (what, i, worst)
    if not learns:
        return

    def loss(outputs, targets):
        weighted = (halfstep.ops.sum(one * weight.float().numpy()) for one, weight in zip(outputs.values(), weights_of(expected)))
        return sum(weighted, halfstep.ops.sum(targets) * 0)

    rate = 2.0**-4
    model.compile(halfstep.SGD(rate), loss=loss, policy="float32", metrics=[], threads=1)
    before = model.state_dict()["scale"].double()
    model.trainer.step(x.numpy(), numpy.zeros(2, numpy.float32))
    own = (before - model.state_dict()["scale"].double()) / rate
    worst = (own - gradient).abs().flatten(1).amax(1)
    assert float(worst.max()) < 1e-5 * max(1, float(gradient.abs().max())), (what, worst)


# Every view, of which one that is written to has another beside it.
VIEWS = {
    "slice": lambda h: h[:, 1:4], "rows": lambda h: h[1:3], "strided": lambda h: h[:, ::2], "strided from 1": lambda h: h[1:, 1::3],
    "select": lambda h: h[:, -2], "row": lambda h: h[2], "transpose": lambda h: h.transpose(0, 1), "t": lambda h: h.t(), "T": lambda h: h.T,
    "mT": lambda h: h.mT, "permute": lambda h: h.view(4, 2, 3).permute(2, 0, 1), "movedim": lambda h: h.view(4, 2, 3).movedim(0, 2),
    "swapaxes": lambda h: h.swapaxes(0, 1), "view": lambda h: h.view(2, 12), "reshape": lambda h: h.reshape(4, 3, 2), "flatten": lambda h: h.flatten(),
    "unflatten": lambda h: h.unflatten(1, (2, 3)), "unsqueeze": lambda h: h.unsqueeze(1), "squeeze": lambda h: h[:, :1].squeeze(1),
    "narrow": lambda h: h.narrow(1, 2, 3), "view_as": lambda h: h.view_as(h), "expand": lambda h: h.expand(4, 6), "ravel": lambda h: h[1].ravel(),
    "diagonal": lambda h: h.diagonal(), "diagonal below": lambda h: h.diagonal(-1), "diagonal of views": lambda h: h.view(2, 2, 6).diagonal(2, 0, 2),
    "same": lambda h: F.dropout(h.contiguous(), training=False).to(h.dtype), "None": lambda h: h[:, None, 2:], "atleast": lambda h: torch.atleast_2d(h)[:, 4],
    "chain": lambda h: h.view(4, 2, 3)[:, 1].transpose(0, 1)[::2].unsqueeze(0), "range of range": lambda h: h[1:][:, 2:][:2, 1:3],
}
# Of what gives several views, PyTorch writes to none that gets a gradient.
PARTS = {
    "chunk": lambda h: h.chunk(2, 1)[1], "split": lambda h: h.split(4, 1)[1], "split sizes": lambda h: h.split([1, 2, 3], 1)[1],
    "unbind": lambda h: h.unbind(1)[3], "hsplit": lambda h: h.hsplit(2)[0], "vsplit": lambda h: h.vsplit([1, 3])[1],
}


def masked(v):
    v[v > 0.3] = -1.0


def assigned(v):
    v[...] = v * v


def element(v):
    v[..., 0] = 3.0


def augmented(v):
    v[..., -1:] += 2
    v *= 1.5


OPS = {
    "mul_": lambda v: v.mul_(2), "add_": lambda v: v.add_(v, alpha=0.5), "relu_": lambda v: F.relu_(v), "sigmoid_": lambda v: v.sigmoid_(),
    "clamp_": lambda v: v.clamp_(-0.4, 0.7), "masked_fill_": lambda v: v.masked_fill_(v < 0, 0.25), "fill_": lambda v: v.fill_(0.5),
    "zero_": lambda v: v.zero_(), "copy_": lambda v: v.copy_(v * 3), "addcmul_": lambda v: v.addcmul_(v, v, value=0.5), "mask": masked,
    "assignment": assigned, "element": element, "augmented": augmented, "chained": lambda v: v.mul_(0.9).add_(1, alpha=0.1).neg_(),
    "mish_": lambda v: F.mish(v, inplace=True), "pow_": lambda v: v.pow_(2), "lerp_": lambda v: v.lerp_(v * 2, 0.25),
    "leaky_relu_": lambda v: F.leaky_relu_(v, 0.1), "div_": lambda v: v.div_(4), "tanh_": lambda v: torch.tanh_(v),
}


def written(view, op):
    def function(h):
        beside, whole = h[:, 2:5], h.view(-1)
        op(view(h))
        return h, beside * 2, whole + 1, view(h) * 3

    return function


x = torch.randn(SHAPE)
for i, (name, view) in enumerate((VIEWS | PARTS).items()):
    check([written(view, op) for op in [*OPS.values()][i % 5 :: 5]], x, name, name in VIEWS)


# Orders of writes and reads, and what views are of after their base was changed.
def seen_before(h):
    y = h.unsqueeze(1)
    h.relu_()
    return y.squeeze(1)


def seen_between(h):
    y = h[:, 1:3]
    before = y * 2
    h.mul_(3)
    after = y * 2
    y.add_(1)
    return before, after, h, y


def siblings(h):
    a, b = h[:, :3], h[:, 3:]
    a.mul_(b)
    b.add_(a)
    return h, a, b


def overlapping(h):
    a, b = h[:, :4], h[:, 2:]
    a.mul_(2)
    b.neg_()
    a[:, 3] = 0
    return a, b, h


def looped(h):
    out = torch.zeros_like(h)
    for i in range(1, h.shape[1]):
        out[:, i] = out[:, i - 1] * 0.5 + h[:, i]
    return out


def filled(h):
    out = torch.zeros_like(h)
    out[:, 1:].add_(h[:, :-1])
    return out


def of_constants(h):
    out, mask = torch.zeros(h.shape[1], dtype=h.dtype), torch.ones(6, 6).triu_(1).bool()
    mask[:, 0] = False
    out[::2] = 2.0
    out[1:3] += 1
    return h * out, h.masked_fill(mask[2], 0.0)


def turned(h):
    y = h * 1
    y.unsqueeze_(0).transpose_(1, 2)
    y[:, 1] = 2
    y.squeeze_(0).t_()
    return y


def scattered(h):
    a = torch.slice_scatter(h, h[:, :2] * 2, 1, 3, 5)
    b = torch.select_scatter(a, h[:, 0], 1, 1)
    return a, b, torch.diagonal_scatter(b, h[:, 0] * 2), h


def indexed(h):
    y = h.clone()
    y[:, [1, -2]] = h[:, [0, 1]] * 2
    y[:, torch.tensor([3, 0])] += 1
    y[:, [5]] = -1.0
    y.index_fill_(1, torch.tensor([2]), 0.5).index_add_(1, torch.tensor([1, 1]), h[:, :2], alpha=2).index_copy_(1, torch.tensor([4]), h[:, 2:3])
    return y


def swapped(h):
    h[:, :2], h[:, 2:4] = h[:, 2:4].clone(), h[:, :2].clone()
    return h


def broadcast(h):
    h[:, 1:4] = h[:, :1]
    h[:, 4:].copy_(h[0, :1])
    return h


def rows_masked(h):
    h[h[:, 0] > 0] = 0.25
    return h


check([seen_before, seen_between, siblings, overlapping, looped, filled, of_constants, turned, scattered, indexed, swapped, broadcast, rows_masked],
      x, "orders")


# The batch open, which is what from_torch does.
def open_rows(h):
    out = torch.zeros(h.shape[0], 8, dtype=h.dtype)
    out[:, 1:7] = h
    out[:, ::7] = 1
    return out, h.new_ones(h.shape[0], 2), torch.full((h.shape[0], 2, 1), 0.5, dtype=h.dtype)


def part_written(h):
    beside, part = h[:, 2:5], h[:, 1:3].unsqueeze(2).transpose(1, 2)
    masked(part)
    augmented(part)
    F.relu_(h[:, -1])
    return h, beside * 2, part


class Open(nn.Module):
    def __init__(self, *functions):
        super().__init__()
        self.functions, self.scale = functions, nn.Parameter(torch.rand(6) + 0.5)

    def forward(self, x):
        results = [function(x * self.scale) for function in self.functions]
        return torch.cat([one.flatten(1) for result in results for one in (result if isinstance(result, tuple) else (result,))], 1)


module, rows = Open(open_rows, part_written, seen_before, siblings, looped, rows_masked), torch.randn(7, 6)
found = halfstep.from_torch(module, x).predict(rows.numpy())
assert numpy.allclose(found, module(rows).detach().numpy(), atol=1e-5)


# What is written piece by piece is put together once, so that a program grows with the number of pieces.
class Steps(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count, self.scale = count, nn.Parameter(torch.ones(3))

    def forward(self, x):
        out = torch.zeros(x.shape[0], self.count, 3)
        for i in range(self.count):
            out[:, i] = torch.tanh(out[:, max(i - 1, 0)] * self.scale + x[:, i])
        return out


for count in (4, 8):
    text = halfstep.from_torch(Steps(count), torch.randn(2, count, 3)).to_mlir()
    kernels = halfstep.compile(text, to="kernels", training=False, policy="float32", batch_size=2)
    infer = kernels[kernels.index("@infer"):]
    assert infer.count("mp.concat") == 1 and infer.count("mp.slice") <= count + 1, (infer.count("mp.concat"), infer.count("mp.slice"))


# Programs at random: views of views, ops in place on any of them, and what is read of all of them in the end.
def random_view(rng, h):
    sizes = list(h.shape)
    dim = rng.randrange(len(sizes)) if sizes else 0
    kinds = ["slice", "transpose", "unsqueeze", "same"] if sizes else ["unsqueeze", "same"]
    if sizes and sizes[dim] > 1:
        kinds += ["slice", "strided", "select"]
    if sizes and sizes[dim] % 2 == 0:
        kinds += ["unflatten"]
    if len(sizes) > 1 and len(sizes) < 4:
        kinds += ["flatten", "diagonal"]
    if 1 in sizes:
        kinds.append("squeeze")
    kind, size = rng.choice(kinds), sizes[dim] if sizes else 1
    start = rng.randrange(size)
    return {
        "slice": lambda: (lambda t: t.narrow(dim, start, size - start)), "strided": lambda: (lambda t: t[(*[slice(None)] * dim, slice(start, None, 2))]),
        "select": lambda: (lambda t: t.select(dim, start)),
        "transpose": lambda: (lambda t: t.transpose(0, dim)), "unsqueeze": lambda: (lambda t: t.unsqueeze(dim)), "same": lambda: (lambda t: t.view_as(t)),
        "unflatten": lambda: (lambda t: t.unflatten(dim, (2, size // 2))), "flatten": lambda: (lambda t: t.flatten(0, 1)),
        "diagonal": lambda: (lambda t: t.diagonal(0, 0, 1)), "squeeze": lambda: (lambda t: t.squeeze(sizes.index(1))),
    }[kind]()


WRITES = [
    lambda v: v.mul_(0.5), lambda v: v.add_(1), lambda v: v.neg_(), lambda v: v.relu_(), lambda v: v.clamp_(-0.3, 0.6), lambda v: v.sigmoid_(),
    lambda v: v.fill_(0.25), lambda v: v.masked_fill_(v > 0.4, -0.1), lambda v: v.copy_(v * v), lambda v: v.add_(v.sum() * 0.1), lambda v: v.sub_(v, alpha=0.25),
]


def random_program(seed, shape):
    """Steps, each of which makes a tensor of one that there is or changes one; drawn on tensors of that shape."""
    rng = random.Random(seed)
    steps, tensors = [], [torch.zeros(shape)]
    for _ in range(12):
        at, kind = rng.randrange(len(tensors)), rng.random()
        if kind < 0.45:
            function = random_view(rng, tensors[at])
            try:
                tensors.append(function(tensors[at]))
            except RuntimeError:  # a view that these strides do not have
                continue
            steps.append(("make", at, function))
        elif kind < 0.55:
            steps.append(("make", at, lambda t: t * 1.5))
            tensors.append(tensors[at] * 1.5)
        elif kind < 0.65 and (others := [i for i, one in enumerate(tensors) if one.shape == tensors[at].shape and i != at]):
            steps.append(("copy", at, rng.choice(others)))
        elif tensors[at].numel():
            steps.append(("write", at, rng.choice(WRITES)))

    def run(h):
        found = [h]
        for kind, at, what in steps:
            if kind == "make":
                found.append(what(found[at]))
            elif kind == "write":
                what(found[at])
            else:
                found[at].add_(found[what] * 0.5)
        return tuple(one for one in found if one.numel())

    return run


for first in range(0, 40, 10):
    shape = ((4, 6), (3, 4), (2, 4, 2), (6, 1))[first // 10]
    check([random_program(seed, shape) for seed in range(first, first + 10)], torch.randn(shape), ("random", first))


# Regions of autocast: what is written in one is read outside of it.
class Regions(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.scale, self.dtype = nn.Parameter(torch.rand(6) + 0.5), dtype
        self.register_buffer("average", torch.ones(6))

    def forward(self, x):
        h = x * self.scale
        y = h[:, :3]
        with torch.autocast("cpu", self.dtype):
            y.relu_()
            h[:, 3:].mul_(2)
            z = h[:, 1:4]
        z.add_(1)
        self.average.mul_(0.75).add_(h.mean(0), alpha=0.25)
        self.average[:2] = 0.5
        return h, y * 2, z, x - self.average


module, x = Regions(torch.bfloat16), torch.randn(ROWS, 6)
expected = [one.detach().numpy() for one in module(x)]
module.average.detach_().fill_(1)
model = halfstep.from_torch(module, x, batched=False)
for own, peer in zip(model.predict(x.numpy()).values(), expected):
    assert numpy.allclose(own, peer, atol=2**-7), (own, peer)


# Buffers: each op counts, on parts of them, too; they are PyTorch's after each step of training, and stay in eval mode.
class Averages(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function, self.layer = function, nn.Linear(6, 3)
        self.register_buffer("average", torch.linspace(0, 1, 6))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        if self.training:
            self.function(self, x)
        return self.layer(x - self.average)


def in_grad(module, x):
    module.average.mul_(0.9).add_(x.mean(0), alpha=0.1)
    module.steps += 1


def assigned_parts(module, x):
    module.average[1:3] = x[:, 1:3].mean(0)
    module.average[::3].add_(0.5)
    module.average[5] = 2
    module.steps.add_(2).mul_(2)


def copied(module, x):
    module.average.copy_(module.average * 0.5 + x.amax(0))
    module.average.clamp_(max=1)
    module.steps.fill_(7)


def out(module, x):
    torch.sum(x, 0, out=module.average)


def zeroed(module, x):
    module.average.view(2, 3)[0].zero_()
    module.average.view(2, 3).t()[2].sub_(x.mean())


def without_gradients(module, x):
    part = module.average[:3]
    with torch.no_grad():
        part.mul_(0.5)
        module.average[1:3] = x[:, 1:3].mean(0)
        with torch.autocast("cpu", torch.bfloat16):
            module.average.view(3, 2)[0].add_(1)
    module.average.sub_(part.sum() * 0.1)


for function in (in_grad, assigned_parts, copied, out, zeroed, without_gradients):
    module = Averages(function)
    model = halfstep.from_torch(module, x, batched=False)
    model.compile(halfstep.SGD(0.125), loss=lambda outputs, targets: halfstep.ops.mean(outputs * outputs) + halfstep.ops.sum(targets) * 0,
                  policy="float32", metrics=[], threads=1)
    optimizer = torch.optim.SGD(module.parameters(), 0.125)
    for _ in range(3):
        optimizer.zero_grad()
        module(x).square().mean().backward()
        optimizer.step()
        model.trainer.step(x.numpy(), numpy.zeros(2, numpy.float32))
        for key, value in module.state_dict().items():
            assert torch.allclose(model.state_dict()[key], value, atol=1e-5), (function.__name__, key, model.state_dict()[key], value)
    still = halfstep.from_torch(module.eval(), x)
    assert numpy.allclose(still.predict(x.numpy()), module(x).detach().numpy(), atol=1e-5), function.__name__


# What is refused, with the place and what to do.
class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function, self.weight, self.plain = function, nn.Parameter(torch.ones(6)), torch.ones(6)
        whole = torch.ones(8)
        self.register_buffer("first", whole[:5])
        self.register_buffer("second", whole[3:])

    def forward(self, x):
        return self.function(self, x)


def refused(expected, function, **named):
    try:
        halfstep.from_torch(Of(function), x, **named)
    except halfstep.Error as found:
        for one in (*expected, "from-torch-in-place.py:"):
            assert one in str(found), (one, found)
        return
    raise AssertionError(f"expected: {expected}")


def clamps_weight(module, x):
    with torch.no_grad():
        module.weight.clamp_(0, 1)
    return x * module.weight


def made_aside(module, x):
    with torch.no_grad():
        h = x * 2
        h[:, 1], part = 0, h[:, :3]
    h.mul_(3)
    part.add_(1)
    return h * module.weight


made = Of(made_aside)
assert numpy.allclose(halfstep.from_torch(made, x).predict(x.numpy()), made(x).detach().numpy(), atol=1e-6)
refused(["aten.clamp_: 1", "it changes a parameter, which the optimizer alone does"], clamps_weight)
refused(["aten.mul_: 1", "it changes an input, which the caller would see", "x.clone()"], lambda module, x: x.mul_(2) * module.weight)
refused(["aten.relu_: 1", "it changes an input"], lambda module, x: F.relu_(x[:, 1:].unsqueeze(1)))
refused(["aten.add_: 1", "register_buffer"], lambda module, x: module.plain.add_(1) * x)
refused(["aten.add_: 1", "memory in common"], lambda module, x: (module.first.add_(1), module.second * x[:, :5])[1])
refused(["aten.fill_: 1", "elements of what expand gives are one in memory", "clone()"], lambda module, x: (x * 2).unsqueeze(1).expand(-1, 3, -1).fill_(0))
refused(["aten.exponential_: 1"], lambda module, x: (x * 1).exponential_())
