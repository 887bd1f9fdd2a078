"""Modules of PyTorch and their files of ONNX, of the transposes that importing leaves, those at the ways in and out stay, and no others
but what moves elements in PyTorch, too. What is predicted has the bits that it has without the pass.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import io
import re
import sys

sys.path = sys.path[1:]  # a file here has a package's name

import numpy
import onnx
import torch
import torch.nn.functional as F
from torch import nn

import halfstep

torch.manual_seed(0)
torch.set_num_threads(1)


def convolved(before, after):
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.one, self.two, self.short, self.head = convolved(3, 8), convolved(8, 16), convolved(16, 16), nn.Conv2d(8, 16, 1), nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(self.stem(x), 2)
        return self.head(F.adaptive_avg_pool2d(F.relu(self.two(self.one(x)) + self.short(x)), 1).flatten(1))


class UNet(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode, self.down, self.deep = mode, convolved(3, 8), convolved(8, 16)
        self.up = nn.Conv2d(16, 8, 1) if mode else nn.ConvTranspose2d(16, 8, 2, 2)
        self.join, self.out = convolved(16, 8), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        wide = self.down(x)
        deep = self.deep(F.max_pool2d(wide, 2))
        up = self.up(F.interpolate(deep, scale_factor=2, mode=self.mode) if self.mode else deep)
        return self.out(self.join(torch.cat([up, wide], 1)))


class ConvNeXt(nn.Module):
    """Blocks with a norm of channels that come last by `permute`, behind a norm of channels that come second."""

    def __init__(self):
        super().__init__()
        self.stem, self.scale, self.offset = nn.Conv2d(3, 16, 4, 4), nn.Parameter(torch.rand(16)), nn.Parameter(torch.rand(16))
        self.depthwise, self.norm = nn.Conv2d(16, 16, 7, padding=3, groups=16), nn.LayerNorm(16)
        self.wide, self.narrow, self.gamma, self.head = nn.Linear(16, 32), nn.Linear(32, 16), nn.Parameter(torch.rand(16)), nn.Linear(16, 10)

    def forward(self, x):
        x = self.stem(x)
        centred = x - x.mean(1, keepdim=True)
        x = centred / torch.sqrt(centred.pow(2).mean(1, keepdim=True) + 1e-6)
        x = self.scale[:, None, None] * x + self.offset[:, None, None]
        for _ in range(2):
            y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
            x = x + (self.gamma * self.narrow(F.gelu(self.wide(y)))).permute(0, 3, 1, 2)
        return self.head(x.mean([-2, -1]))


class Gates(nn.Module):
    """Squeezed and excited twice, by linear layers and by convolutions."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1), nn.Linear(16, 10)
        self.into, self.out, self.own, self.back = nn.Linear(16, 4), nn.Linear(4, 16), nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = x * torch.sigmoid(self.out(F.relu(self.into(x.mean((2, 3))))))[:, :, None, None]
        x = F.relu(self.second(x))
        return self.head((x * torch.sigmoid(self.back(F.relu(self.own(x.mean((2, 3), keepdim=True)))))).mean((2, 3)))


class Shuffled(nn.Module):
    """Channels that are halved, joined and shuffled, and pixels around."""

    def __init__(self):
        super().__init__()
        self.first, self.part, self.last = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Conv2d(16, 10, 1)

    def forward(self, x):
        one, other = F.relu(self.first(x)).chunk(2, 1)
        x = torch.cat([one, self.part(other)], 1)
        n, c, h, w = x.shape
        x = x.view(n, 4, c // 4, h, w).transpose(1, 2).reshape(n, c, h, w)
        return F.relu(self.last(F.pad(x, (1, 1, 1, 1)))).amax((2, 3))


class Attended(nn.Module):
    """Channels split and joined, places attended to by means and maxima of channels, and classes of each pixel."""

    def __init__(self):
        super().__init__()
        self.first, self.part, self.second = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(16, 16, 1)
        self.place, self.last = nn.Conv2d(2, 1, 7, padding=3), nn.Conv2d(16, 4, 1)

    def forward(self, x):
        one, other = F.silu(self.first(x)).split(8, 1)
        x = self.second(torch.cat([one, self.part(other) + other], 1))
        x = x * torch.sigmoid(self.place(torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], 1)))
        return F.softmax(self.last(x), 1)


class Patches(nn.Module):
    """Patches that are tokens."""

    def __init__(self):
        super().__init__()
        self.patches, self.places, self.norm, self.head = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.rand(1, 16, 16)), nn.LayerNorm(16), nn.Linear(16, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2) + self.places
        return self.head(self.norm(x).mean(1))


def transposes(text, cancel):
    """Of `infer`."""
    made = halfstep.compile(text, to="inference", batch_size=4, policy="float32", training=False, cancel_transposes=cancel)
    (program,) = re.findall(r"func\.func @infer\(.*?\n  }", made, re.DOTALL)
    return program.count("mp.transpose ")


def predicted(text, x, cancel):
    with halfstep.Session(halfstep.compile(text, batch_size=4, policy="float32", training=False, cancel_transposes=cancel), threads=1) as session:
        session.initialize(seed=1)
        (name,) = set(re.findall(r'mp\.input = "(\w+)"', text))
        return session.run("infer", {name: x})


# How many are left: one where images come in, one where they go out; shuffled channels are moved once.
EXPECTED = {"residual": (Residual(), 1), "unet": (UNet(None), 2), "unet, nearest": (UNet("nearest"), 2), "unet, bilinear": (UNet("bilinear"), 2), "convnext": (ConvNeXt(), 1),
            "gates": (Gates(), 1), "shuffled": (Shuffled(), 2), "attended": (Attended(), 2), "patches": (Patches(), 1)}
SUMS = {"convnext", "gates", "attended", "patches"}  # of which kernels add up the terms in other parts
x = torch.randn(4, 3, 32, 32)
for name, (module, expected) in EXPECTED.items():
    module.eval()
    file = io.BytesIO()
    torch.onnx.export(module, x, file, dynamo=False, dynamic_axes={"x": {0: "batch"}}, input_names=["x"])
    imported = {"PyTorch": halfstep.from_torch(module, x), "ONNX": halfstep.from_onnx(onnx.load_from_string(file.getvalue()))}
    for source, model in imported.items():
        assert numpy.abs(model.predict(x.numpy()) - module(x).detach().numpy()).max() < 1e-4, (name, source)
        text = model.to_mlir()
        before, after = transposes(text, False), transposes(text, True)
        assert after == expected <= before, (name, source, before, after)
        off, on = predicted(text, x.numpy(), False), predicted(text, x.numpy(), True)
        for key in off:
            same = numpy.allclose(off[key], on[key], 1e-4, 1e-5) if name in SUMS else numpy.array_equal(off[key], on[key])
            assert same, (name, source)
        print(f"{name}, {source}: {before} transposes, now {after}")
