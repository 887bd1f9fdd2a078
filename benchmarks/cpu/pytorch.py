"""PyTorch as a peer: products, training steps and inference, by eager execution and by torch.compile."""

import contextlib
import functools
import itertools

import torch
import torch.nn.functional as F

import turns

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
# How far a result may be from ours, in parts of its largest value: a few roundings of factors and result.
TOLERANCES = {"f32": 1e-4, "bf16": 2e-2, "f16": 1e-2}
LAYOUTS = {"channels_last": torch.channels_last, "contiguous": torch.contiguous_format}
POLICIES = {"float32": None, "mixed_bfloat16": torch.bfloat16, "mixed_float16": torch.float16}


def compare(name, ours, theirs, tolerance):
    if ours.shape != theirs.shape:
        raise ValueError(f"{name} has shape {tuple(ours.shape)}, PyTorch's {tuple(theirs.shape)}")
    difference, allowed = (ours.float() - theirs.float()).abs().max().item(), tolerance * theirs.float().abs().max().item()
    if not difference <= allowed:
        raise ValueError(f"{name} differs by {difference:.3g} from PyTorch's, allowed is {allowed:.3g}")


def factors(program, has_weight):
    """What a program multiplies: its inputs where they lie, or a weight, which is read from its state."""
    a = torch.from_dlpack(program.tensor("a"))
    if not has_weight:
        return a, torch.from_dlpack(program.tensor("b"))
    shape, data = program.state("b")
    return a, torch.frombuffer(data, dtype=torch.float32).reshape(shape).to(a.dtype)


def product(program, transposes, has_weight=False):
    """The action that multiplies what our program does."""
    a, b = factors(program, has_weight)
    a, b = a.t() if transposes[0] else a, b.t() if transposes[1] else b
    out = torch.from_dlpack(program.tensor("p")).clone()
    return functools.partial(torch.matmul, a, b, out=out)


def check_product(program, kind, transposes, has_weight=False):
    """Compares rows of our product with the same in f32, where PyTorch is fast in every case."""
    (a, b), ours = factors(program, has_weight), torch.from_dlpack(program.tensor("p"))
    rows = torch.arange(0, len(ours), max(1, len(ours) // 64))
    a, b = a.t() if transposes[0] else a, b.t() if transposes[1] else b
    compare("the product", ours[rows], a[rows].float() @ b.float(), TOLERANCES[kind])


def from_ours(program, name):
    return torch.from_dlpack(program.tensor(name))


def convolution(program, layer, direction, layout):
    """The action that convolves our inputs, copied to PyTorch's layout, to our layout."""
    def read(name):
        return from_ours(program, name).permute(0, 3, 1, 2).contiguous(memory_format=LAYOUTS[layout])

    a, b = read("a"), read("b")
    image, filters, result = ((shape[0], shape[3], *shape[1:3]) for shape in layer.shapes())
    steps, sides = [layer.stride] * 2, [layer.padding] * 2
    if direction == "forward":
        return lambda: F.conv2d(a, b, stride=steps, padding=sides, groups=layer.groups).permute(0, 2, 3, 1)
    of_image = direction == "dX"
    # What is not given is read for its shape alone.
    other = torch.empty(image if of_image else filters, dtype=a.dtype).to(memory_format=LAYOUTS[layout])
    g, x, w = (a, other, b) if of_image else (b, a, other)

    def gradient():
        found = torch.ops.aten.convolution_backward(g, x, w, None, steps, sides, [1, 1], False, [0, 0], layer.groups,
                                                    [of_image, not of_image, False])
        return found[0 if of_image else 1].permute(0, 2, 3, 1)

    return gradient


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


# How PyTorch executes a model: the mode of torch.compile, or none.
EXECUTIONS = {"eager": None, "compile": "default", "compile max-autotune": "max-autotune"}


def executed(function, execution):
    """A function as it is, or by torch.compile in a mode."""
    mode = EXECUTIONS[execution]
    return torch.compile(function, mode=mode) if mode else function


def forget_compiled():
    """What torch.compile has made: it gives up on functions that it compiles often."""
    torch._dynamo.reset()


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


OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}


class Training:
    """Steps of a model as PyTorch takes them: autocast and, in f16, the gradient scaler."""

    def __init__(self, model, policy, optimizer, rate, x, y, program=None, implementation="foreach", execution="eager",
                 layout=None):
        self.label = f"PyTorch {execution}, {implementation}" + (f", {layout}" if layout else "")
        self.model, self.x, self.y, self.low = network(model, program), x, y.long(), POLICIES[policy]
        if x.ndim == 4:
            memory_format = LAYOUTS[layout or "channels_last"]
            self.x = x.permute(0, 3, 1, 2).contiguous(memory_format=memory_format)
            self.model = self.model.to(memory_format=memory_format)
        self.optimizer = OPTIMIZERS[optimizer](self.model.parameters(), lr=rate, **{implementation: True})
        self.scaler = torch.amp.GradScaler("cpu", enabled=self.low is torch.float16)
        self.loss = executed(self.forward, execution)

    def forward(self):
        cast = torch.autocast("cpu", self.low) if self.low else contextlib.nullcontext()
        with cast:
            return F.cross_entropy(self.model(self.x), self.y)

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()


def rates(kind):
    """Operations a second in products of 512 cubed in this type: an estimate for those that may take too long."""
    found, dtype = {}, TYPES[kind]
    a, b = (torch.randn(512, 512).to(dtype) for _ in range(2))
    for name, (left, right) in {"forward": (a, b), "dX": (a, b.t()), "dW": (a.t(), b)}.items():
        timed = turns.calls(lambda left=left, right=right: left @ right, 1)
        timed.sample(1)
        found[name] = 2 * 512**3 / timed.sample(1)
    return found
