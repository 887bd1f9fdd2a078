"""Modules of PyTorch predict, have gradients and take steps as PyTorch does, from its weights and back to it.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s %t.mlir
RUN: FileCheck %s --input-file=%t.mlir
"""

import copy
import sys

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    """A transformer block, causal and before its norms."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.RMSNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        rows, positions, width = x.shape
        y = self.norm1(x)
        q, k, v = (f(y).view(rows, positions, self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(rows, positions, width))
        return x + self.mlp(self.norm2(x))


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.head = Block(), nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.block(x).mean(1))


class Images(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(6, 8, 3, stride=2, padding=1, groups=2, bias=False), nn.GroupNorm(2, 8), nn.SiLU(), nn.AvgPool2d(2),
            nn.Flatten(), nn.Linear(8, 3))


class Heads(nn.Module):
    """Attention of PyTorch's own, whose projections are one product that is taken apart."""

    def __init__(self):
        super().__init__()
        self.attention, self.head = nn.MultiheadAttention(16, 2, batch_first=True), nn.Linear(32, 3)

    def forward(self, x):
        y, _ = self.attention(x, x, x, need_weights=False)
        first, *others = y.unbind(1)
        return self.head(torch.cat([first, torch.stack(others, 1).mean(1)], -1))


class Shifted(nn.Module):
    """Rows beside what is before and behind them, and every second of them backwards."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(15, 3)

    def forward(self, x):
        before, behind = F.pad(x, (1, 0))[:, :-1], F.pad(x, (0, 2), value=0.5)[:, 2:]
        a, b = (before * behind).chunk(2, 1)
        return self.head(torch.cat([a, b, x[:, ::2].flip(1), x[:, -2:] * x[:, 3, None], x[:, 1:3]], 1))


class Composed(nn.Module):
    """Heads that share keys, a product by its letters, and vectors of length 1."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.head = nn.Linear(7, 24), nn.Linear(7, 12), nn.Linear(5, 3)

    def forward(self, x):
        query, key = self.query(x).view(-1, 4, 2, 3), self.key(x).view(-1, 2, 2, 3)
        mixed = F.scaled_dot_product_attention(query, key, key, enable_gqa=True, scale=0.7)
        scores = torch.einsum("bhqd,bgkd->bhg", mixed, key)
        cosine = F.cosine_similarity(scores, mixed[:, :, 0, :2], -1)
        return self.head(torch.cat([F.normalize(cosine, dim=-1), torch.linalg.vector_norm(scores, dim=(1, 2))[:, None]], 1))


class Ordered(nn.Module):
    """Powers, waves, products, running sums, and what is chosen by its size."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm, self.head = nn.Linear(7, 8), nn.GroupNorm(2, 8), nn.Linear(25, 3)

    def forward(self, x):
        h = self.norm(self.layer(x))
        waves = torch.sin(h) * torch.cos(2 * h)
        powers = torch.pow(h.abs() + 0.5, 1.5) + 2.0 ** (h / 4)
        best, _ = torch.topk(h, 3, dim=1)
        least, _ = torch.sort(waves, dim=1)
        return self.head(torch.cat([powers.cumsum(1), best, least[:, :4], h.prod(1, keepdim=True) / 64,
                                    torch.nn.functional.normalize(powers, dim=1), (waves[:, :1] + h[:, :1])], 1))


MODULES = {
    "composed": (Composed(), (7,)),
    "heads": (Heads(), (5, 16)),
    "shifted": (Shifted(), (7,)),
    "linear": (nn.Linear(7, 3), (7,)),
    "mlp": (nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3)), (7,)),
    "layer_norm": (nn.Sequential(nn.LayerNorm(7), nn.Linear(7, 3)), (7,)),
    "rms_norm": (nn.Sequential(nn.RMSNorm(7), nn.Linear(7, 3)), (7,)),
    "decomposed": (nn.Sequential(nn.Linear(7, 7), nn.Mish(), nn.Linear(7, 3)), (7,)),
    "block": (Pooled(), (5, 16)),
    "images": (Images(), (2, 8, 8)),
    "ordered": (Ordered(), (7,)),
}
RATE = 2.0**6  # so large that a step is nearly the gradient
BATCH = 10


def step(module, x, y, dtype, rate=RATE):
    """Logits, gradients, and the state after a step of SGD."""
    module = copy.deepcopy(module).to(dtype)
    optimizer = torch.optim.SGD(module.parameters(), rate)
    logits = module(x.to(dtype) if x.is_floating_point() else x)
    F.cross_entropy(logits, y).backward()
    optimizer.step()
    gradients = {name: one.grad for name, one in module.named_parameters() if one.grad is not None}
    return logits.detach(), gradients, {name: value.detach() for name, value in module.state_dict().items()}


def import_and_step(module, x, y, rate=RATE, policy="float32"):
    model = halfstep.from_torch(module, x)
    model.compile(halfstep.SGD(rate), loss="cross_entropy", policy=policy, threads=1)
    before = model.state_dict()
    assert model.trainer.step(x.numpy(), y.numpy())["skipped"] is False
    return model, before, model.state_dict()


def error(actual, exact):
    """The largest, as a part of the largest value."""
    exact = exact.double()
    return float((actual.double() - exact).abs().max() / exact.abs().max())


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as found:
        for line in expected:
            assert line in str(found), found
        return
    raise AssertionError(f"expected: {expected}")


# float32: against the same in float64, of which what is lost is a few units in the last place of the largest value. A gradient
# is what a step changed, by a rate at which the weight's own rounding is little; those that are 0 but for rounding are left out.
for name, (module, sizes) in MODULES.items():
    x, y = torch.randn(BATCH, *sizes), torch.randint(0, 3, (BATCH,))
    predicted = torch.from_numpy(halfstep.from_torch(copy.deepcopy(module).eval(), x).predict(x.numpy()))
    with torch.no_grad():
        exact = copy.deepcopy(module).double().eval()(x.double())
    assert error(predicted, exact) < 2.0**-20, (name, error(predicted, exact))
    logits, gradients, after = step(module, x, y, torch.float64)
    _, gradients32, after32 = step(module, x, y, torch.float32)
    model, before, own = import_and_step(module, x, y)
    assert list(own) == list(module.state_dict())
    largest = max(float(one.abs().max()) for one in gradients.values())
    for key, value in own.items():
        assert value.dtype == module.state_dict()[key].dtype and torch.equal(before[key], module.state_dict()[key]), key
        if key not in gradients:
            # A mean of batches is small beside the values that it adds up, of which its error is a part.
            assert torch.equal(value, after[key]) if "num" in key else error(value, after[key]) < 2.0**-20, (name, key)
            continue
        gradient = (before[key].double() - value.double()) / RATE
        bound = 2.0**-19 * float(gradients[key].abs().max()) + 2.0**-21 * largest
        bound += 2.0**-23 * float(value.abs().max()) / RATE
        worst = float((gradient - gradients[key]).abs().max())
        assert worst <= bound, (name, key, worst, bound, float((gradients32[key].double() - gradients[key]).abs().max()))
    # There and back: PyTorch goes on from our weights.
    copied = copy.deepcopy(module)
    copied.load_state_dict(own)
    with torch.no_grad():
        assert error(torch.from_numpy(model.predict(x.numpy())), copied.eval()(x)) < 2.0**-18, name
    model.load_state_dict(module.state_dict())
    assert all(torch.equal(value, module.state_dict()[key]) for key, value in model.state_dict().items())


# Losses that are no op of ours, where PyTorch has definitions of its own.
module, x, y = nn.Linear(7, 3), torch.randn(BATCH, 7), torch.randint(0, 3, (BATCH,))
weight, soft = torch.tensor([0.5, 2.0, 1.0]), torch.softmax(torch.randn(BATCH, 3), 1)
ours = halfstep.losses
for loss, peer, targets in (
    (ours.CrossEntropy(weight=weight), nn.CrossEntropyLoss(weight), y),
    (ours.CrossEntropy(0.1, weight=weight), nn.CrossEntropyLoss(weight, label_smoothing=0.1), y),
    (ours.CrossEntropy(0.1, 1, weight), nn.CrossEntropyLoss(weight, ignore_index=1, label_smoothing=0.1), y),
    (ours.CrossEntropy(0.1, weight=weight), nn.CrossEntropyLoss(weight, label_smoothing=0.1), soft),
    (ours.NLL(weight, 2), nn.NLLLoss(weight, ignore_index=2), y),
    ("KLDivLoss", nn.KLDivLoss(), soft),
    (ours.KLDiv(), nn.KLDivLoss(reduction="batchmean"), soft),
):
    model = halfstep.from_torch(module, x)
    model.compile(halfstep.SGD(RATE), loss=loss, policy="float32", metrics=[])
    reached = copy.deepcopy(module).double()
    exact = peer.double()(reached(x.double()), targets.double() if targets is soft else targets)
    found = model.evaluate(x.numpy(), targets.numpy(), batch_size=BATCH)["loss"]
    assert abs(found - float(exact)) < 1e-6 * max(abs(float(exact)), 1), (loss, found, exact)
    exact.backward()
    before = model.state_dict()
    model.trainer.step(x.numpy(), targets.numpy())
    for key, value in model.state_dict().items():
        gradient = dict(reached.named_parameters())[key].grad
        assert error((before[key].double() - value.double()) / RATE, gradient) < 2.0**-18, (loss, key)


# The roundings of torch.autocast: a step in bf16 has PyTorch's bits, whatever the policy is outside of the region.
class Autocast(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype
        self.first, self.last = nn.Linear(32, 64), nn.Linear(64, 3)

    def forward(self, x):
        with torch.autocast("cpu", self.dtype):
            y = self.last(F.relu(self.first(x)))
        return y.float()


module, x, y = Autocast(torch.bfloat16), torch.randn(BATCH, 32), torch.randint(0, 3, (BATCH,))
logits, _, after = step(module, x, y, torch.float32, 0.5)
for policy in ("float32", "mixed_float16"):
    imported = halfstep.from_torch(module, x)
    imported.compile("sgd", policy=policy, loss="cross_entropy")
    assert torch.equal(torch.from_numpy(imported.predict(x.numpy())), logits)
_, _, own = import_and_step(module, x, y, 0.5)
different = {key: int((value != after[key]).sum()) for key, value in own.items()}
assert not any(different.values()), different


class Region(nn.Module):
    def __init__(self, inner, dtype):
        super().__init__()
        self.inner, self.dtype = inner, dtype

    def forward(self, x):
        with torch.autocast("cpu", self.dtype):
            return self.inner(x).float()


# What sums in another order, as convolutions and attention, rounds elsewhere: four units of the largest value were never reached.
for dtype, units in ((torch.bfloat16, 2.0**-8), (torch.float16, 2.0**-11)):
    for name, (inner, sizes) in MODULES.items():
        module, x = Region(copy.deepcopy(inner).eval(), dtype), torch.randn(BATCH, *sizes)
        with torch.no_grad():
            own = torch.from_numpy(halfstep.from_torch(module, x).predict(x.numpy()))
            peer, exact = module(x), copy.deepcopy(inner).double().eval()(x.double())
        # A product in f16 is of parts in bf16 on a machine that multiplies only these in tiles, and rounds elsewhere, too.
        if name in ("linear", "mlp", "layer_norm", "rms_norm") and dtype == torch.bfloat16:
            assert torch.equal(own, peer), (dtype, name)
        assert error(own, exact) <= 4 * units, (dtype, name, error(own, exact), error(peer, exact))


class Widened(nn.Module):
    """A softmax in float32, and back to the type that autocast has."""

    def __init__(self):
        super().__init__()
        self.query, self.value = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        with torch.autocast("cpu", torch.bfloat16):
            q, v = self.query(x), self.value(x)
            return (torch.softmax((q @ q.transpose(-1, -2)).float(), -1).to(q.dtype) @ v).float()


module, x = Widened(), torch.randn(BATCH, 5, 16)
own = torch.from_numpy(halfstep.from_torch(module, x).predict(x.numpy()))
assert error(own, module(x).detach()) < 2.0**-6

# float16 with loss scaling: the same bits but for roundings, the same scales, and the same steps skipped where an input is infinite.
module, x, y = Autocast(torch.float16), torch.randn(BATCH, 32), torch.randint(0, 3, (BATCH,))
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
assert halfstep.LossScaler(1024.0, growth_interval=2).state_dict() == scaler.state_dict() and halfstep.LossScaler(enabled=False).state_dict() == {}
peer = copy.deepcopy(module)
optimizer = torch.optim.SGD(peer.parameters(), 0.5)
imported = halfstep.from_torch(module, x)
imported.compile(
    halfstep.SGD(0.5), loss="cross_entropy", policy="mixed_float16",
    loss_scaler=halfstep.LossScaler(init_scale=1024.0, growth_interval=2))
skips = 0
for number in range(9):
    batch = x.clone()
    if number in (1, 4, 5):
        batch[0, 0] = torch.inf
    optimizer.zero_grad()
    scaler.scale(F.cross_entropy(peer(batch), y)).backward()
    scaler.step(optimizer)
    scaler.update()
    logs = imported.trainer.step(batch.numpy(), y.numpy())
    skips += logs["skipped"]
    assert imported.trainer.scaler.get_scale() == scaler.get_scale(), number
    if number == 0:
        different = {key: int((value != peer.state_dict()[key]).sum()) for key, value in imported.state_dict().items()}
        # Products of parts in bf16, where a machine has them, round a few in a hundred the other way.
        assert sum(different.values()) <= 2**-5 * sum(value.numel() for value in imported.state_dict().values()), different
assert skips == 3 and scaler.get_scale() != 1024.0
for key, value in imported.state_dict().items():
    assert error(value, peer.state_dict()[key]) < 2.0**-9, key


# Regions stay regions; names and places are those of the module; what is shared or frozen stays so.
# CHECK: mp.parameter = "stem.weight"
# CHECK-NOT: mp.parameter = "again.weight"
# CHECK: mp.state = "frozen.weight"
# CHECK: mp.autocast type = bf16
# CHECK-NEXT: %stem{{.*}} = mp.matmul
# CHECK: mp.autocast enabled = false
# CHECK: mp.gelu
# CHECK: from-torch.py":
class Regions(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.again, self.frozen = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        self.again.weight = self.stem.weight
        self.frozen.requires_grad_(False)

    def forward(self, x):
        with torch.autocast("cpu", torch.bfloat16):
            x = self.stem(x)
            with torch.autocast("cpu", enabled=False):
                x = F.gelu(x.float())
        scale = torch.arange(1, 7) / 6
        return self.frozen(self.again(x) * scale)


module = Regions()
x, y = torch.randn(BATCH, 6), torch.randint(0, 3, (BATCH,))
model = halfstep.from_torch(module, (x[:1],))
with open(sys.argv[1], "w") as file:
    file.write(model.to_mlir(locations=True))
model.compile(halfstep.SGD(0.5), loss="cross_entropy", policy="mixed_bfloat16")
model.fit(x.numpy(), y.numpy(), batch_size=5, epochs=2, verbose=False)
state = model.state_dict()
assert torch.equal(state["stem.weight"], state["again.weight"]) and not torch.equal(state["stem.weight"], module.stem.weight)
assert torch.equal(state["frozen.weight"], module.frozen.weight)
module.load_state_dict(state)
refused(["other names than the module: stem.weight"], model.load_state_dict, {n: v for n, v in state.items() if n != "stem.weight"})


# Words by their numbers: rows of a table, whose gradient adds up.
class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(10, 4), nn.Linear(4, 3)

    def forward(self, x):
        return self.head(self.tokens(x).mean(1))


module, x, y = Words(), torch.randint(0, 10, (BATCH, 6)), torch.randint(0, 3, (BATCH,))
_, gradients, _ = step(module, x, y, torch.float64)
_, before, own = import_and_step(module, x, y)
for key, value in own.items():
    gradient = (before[key].double() - value.double()) / RATE
    assert torch.allclose(gradient, gradients[key], rtol=1e-5, atol=1e-6), (key, gradient - gradients[key])


# Images move once on their way in, and filters: nothing moves between ops on images and on their elements.
residual = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.head = residual, nn.Linear(4, 3)

    def forward(self, x):
        return self.head(F.max_pool2d(torch.relu(x + self.inner(x)), 2).mean((2, 3)))


module, x = nn.Sequential(residual, Residual()).eval(), torch.randn(BATCH, 4, 8, 8)
model = halfstep.from_torch(module, x)
kernels = halfstep.compile(model.to_mlir(), to="kernels", training=False, policy="float32", batch_size=2)
infer = kernels[kernels.index("@infer"):].partition("func.func")[0]
assert "permutation [0, 3, 1, 2]" not in infer and infer.count("permutation [0, 2, 3, 1]") == 1, infer
assert error(torch.from_numpy(model.predict(x.numpy())), module(x).detach()) < 2.0**-20


# A loss of torch's, and several inputs; sizes that are not open.
class Two(nn.Module):
    def forward(self, a, b):
        return F.mse_loss(a, b), a * 2


both = halfstep.from_torch(Two(), (torch.ones(4, 3), torch.zeros(4, 3)), batched=False)
assert both.predict({"a": numpy.ones((4, 3), numpy.float32), "b": numpy.zeros((4, 3), numpy.float32)})["output0"].item() == 1.0


class Named(nn.Module):
    def forward(self, x):
        return {"twice": x * 2, "half": x / 2}


named = halfstep.from_torch(Named(), torch.ones(2, 3)).predict(numpy.ones((5, 3), numpy.float32))
assert named["twice"].shape == (5, 3) and named["half"][4, 2] == 0.5
refused(["args are tensors, not Tensor, int"], halfstep.from_torch, Named(), (torch.ones(2, 3), 1))


# A module is given, and no size depends on data.
refused(["from_torch: module is a function, expected a torch.nn.Module"], halfstep.from_torch, lambda x: x + 1, torch.ones(2, 3))
refused(["from_torch: module is the class Named, expected an object of it"], halfstep.from_torch, Named, torch.ones(2, 3))


class Picking(nn.Module):
    def forward(self, x):
        return x[x > 0.5].sum() + x


refused(["aten.index: 1", "(from-torch.py:", "the size of its result depends on data"], halfstep.from_torch, Picking(), torch.ones(2, 3))


# What is lacking is said at once, all of it, with counts, places and what to do.
class Lacking(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(10, 4, scale_grad_by_freq=True), nn.Embedding(10, 4, scale_grad_by_freq=True)
        self.pool = nn.Sequential(nn.MaxPool1d(2, return_indices=True))

    def forward(self, x):
        y, places = self.pool(self.tokens(x) + self.positions(x))
        return torch.lgamma(y), places


refused(["aten.embedding: 2, in 'tokens' (from-torch.py:", "'positions' (from-torch.py:", "scale_grad_by_freq=True is not supported",
         "aten.max_pool1d_with_indices: 1, in 'pool.0'", "return_indices=False", "aten.lgamma: 1"],
        halfstep.from_torch, Lacking(), torch.zeros(2, 5, dtype=torch.int64))
refused(["'weight' is in bfloat16", "module.float()"], halfstep.from_torch, nn.Linear(2, 2).bfloat16(), torch.ones(2, 2))


class Elsewhere(nn.Module):
    """Its forward takes its weight from an object that torch.export does not look into, as layers of Keras do."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4))
        held = {"weight": self.weight}
        self.read = lambda: held["weight"]

    def forward(self, x):
        return x @ self.read()


elsewhere = Elsewhere()
taken = halfstep.from_torch(elsewhere, torch.ones(2, 3))
assert list(taken.state_dict()) == ["weight"]
taken.compile(halfstep.SGD(0.5), loss="mse", policy="float32")
rows, targets, before = torch.randn(8, 3), torch.randn(8, 4), elsewhere.weight.detach().clone()
taken.fit(rows, targets, batch_size=8, epochs=1, verbose=False)
F.mse_loss(elsewhere(rows), targets).backward()
assert torch.allclose(taken.state_dict()["weight"], before - 0.5 * elsewhere.weight.grad, atol=1e-6)


class Nearest(nn.Module):
    def __init__(self, scale, mode):
        super().__init__()
        self.scale, self.mode = scale, mode

    def forward(self, x):
        return F.interpolate(x, scale_factor=self.scale, mode=self.mode)


# Of float32 PyTorch takes other pixels than of float64.
for mode in ("nearest", "nearest-exact"):
    for size, scale in ((33, 3.35), (54, 3.7), (59, 2.3), (7, 0.6), (5, 2)):
        own, line = Nearest(scale, mode), torch.randn(2, 1, size)
        assert (halfstep.from_torch(own, line).predict(line) == own(line).numpy()).all(), (mode, size, scale)
