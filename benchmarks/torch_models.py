"""The models of benchmarks/cpu/models.py and resnet.py as modules of PyTorch."""

import functools
import itertools

import torch
import torch.nn.functional as F


class Cnn(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        convolutions, size = model.layers()
        self.rate = model.dropout
        for i, (_, channels, filters, padding) in enumerate(convolutions):
            self.add_module(f"conv{i}", torch.nn.Conv2d(channels, filters, 3, padding=padding))
        self.convolutions = [getattr(self, f"conv{i}") for i in range(len(convolutions))]
        self.dense0 = torch.nn.Linear(size**2 * model.filters[-1], model.hidden)
        self.dense1 = torch.nn.Linear(model.hidden, model.classes)

    def forward(self, x):
        for convolution in self.convolutions:
            x = F.relu(convolution(x))
            if convolution.padding[0] == 0:
                x = F.dropout(F.max_pool2d(x, 2), self.rate, self.training)
        x = F.relu(self.dense0(x.permute(0, 2, 3, 1).flatten(1)))
        return self.dense1(F.dropout(x, 2 * self.rate, self.training))


class Residual(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        make = functools.partial(torch.nn.Conv2d, bias=False)
        self.conv1 = make(block.channels, block.filters, 3, block.stride, padding=1)
        self.conv2 = make(block.filters, block.filters, 3, padding=1)
        self.bn1, self.bn2 = torch.nn.BatchNorm2d(block.filters), torch.nn.BatchNorm2d(block.filters)
        if block.has_shortcut:
            self.conv_shortcut = make(block.channels, block.filters, 1, block.stride)
            self.bn_shortcut = torch.nn.BatchNorm2d(block.filters)

    def forward(self, x):
        inner = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(inner + (self.bn_shortcut(self.conv_shortcut(x)) if hasattr(self, "bn_shortcut") else x))


class ResNet(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.conv0 = torch.nn.Conv2d(model.channels, model.stages[0], 3, padding=1, bias=False)
        self.bn0 = torch.nn.BatchNorm2d(model.stages[0])
        self.names = []
        for block in model.layers():
            self.names.append(block.name)
            self.add_module(block.name, Residual(block))
        self.dense = torch.nn.Linear(model.stages[-1], model.classes)

    def forward(self, x):
        x = F.relu(self.bn0(self.conv0(x)))
        for name in self.names:
            x = getattr(self, name)(x)
        return self.dense(x.mean((2, 3)))


class Block(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        width = model.width
        self.heads = model.heads
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.q, self.k, self.v, self.o = (torch.nn.Linear(width, width) for _ in range(4))
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = (part(h).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.q, self.k, self.v))
        attended = F.scaled_dot_product_attention(q, k, v)
        x = x + self.o(attended.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        for i in range(model.blocks):
            self.add_module(f"block{i}", Block(model))
        self.blocks = [getattr(self, f"block{i}") for i in range(model.blocks)]
        self.head = torch.nn.Linear(model.width, model.classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


class Mlp(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.rate, self.layers = model.dropout, len(model.sizes) - 1
        for i, (inputs, outputs) in enumerate(itertools.pairwise(model.sizes)):
            self.add_module(f"layer{i}", torch.nn.Linear(inputs, outputs))

    def forward(self, x):
        for i in range(self.layers):
            x = getattr(self, f"layer{i}")(x)
            if i < self.layers - 1:
                x = F.relu(x)
                if self.rate:
                    x = F.dropout(x, self.rate, self.training)
        return x


def network(model, program=None):
    """The same model, with the parameters of a program of ours where there is one."""
    networks = {"heads": Transformer, "stages": ResNet, "filters": Cnn, "sizes": Mlp}
    made = next(network for fact, network in networks.items() if hasattr(model, fact))(model)
    if program:
        for name, parameter in made.named_parameters():
            shape, data = program.state(name)
            value = torch.frombuffer(data, dtype=torch.float32).reshape(shape)
            # A layer's weights are [inputs, outputs] here and the other way round there; a filter's channels come last here.
            parameter.data.copy_(value.t() if value.ndim == 2 else value.permute(0, 3, 1, 2) if value.ndim == 4 else value)
    return made
