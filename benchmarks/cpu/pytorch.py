"""PyTorch as a peer: products, training steps and inference, by eager execution and by torch.compile."""

import contextlib
import functools
import pathlib
import sys

import torch
import torch.nn.functional as F

import turns

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from torch_models import network  # noqa: E402

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


# How PyTorch executes a model: the mode of torch.compile, or none.
EXECUTIONS = {"eager": None, "compile": "default", "compile max-autotune": "max-autotune"}


def executed(function, execution):
    """A function as it is, or by torch.compile in a mode."""
    mode = EXECUTIONS[execution]
    return torch.compile(function, mode=mode) if mode else function


def forget_compiled():
    """What torch.compile has made: it gives up on functions that it compiles often."""
    torch._dynamo.reset()


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
