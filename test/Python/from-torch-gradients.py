"""What changes or stops a gradient in a module of PyTorch has PyTorch's gradient, as torch.no_grad and detach, or is an error with its place, as backward
functions of the user's own and hooks.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations
from torch.utils.checkpoint import checkpoint

import halfstep
from halfstep import ops

torch.manual_seed(0)
torch.set_num_threads(1)


class Reversal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -0.5 * g


class Rounded(torch.autograd.Function):
    """With a context of its own, as functions for torch.func have it."""

    @staticmethod
    def forward(x):
        return torch.round(4 * x) / 4

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g


class Derived(Reversal):
    pass


reverse = Reversal.apply  # as it is often held


class Of(nn.Module):
    def __init__(self, function, prepare=None):
        super().__init__()
        self.function, self.layer, self.other, self.act = function, nn.Linear(8, 8), nn.Linear(8, 8), nn.ReLU()
        self.register_buffer("table", torch.randn(8))
        self.register_buffer("mean", torch.randn(8))
        if prepare:
            prepare(self)

    def forward(self, x):
        return self.function(self, x)


class Deep(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.stem, self.inner = nn.Linear(8, 8), inner

    def forward(self, x):
        return self.inner(self.stem(x))


def made_in_the_forward(self, x):
    class Local(torch.autograd.Function):
        forward, backward = staticmethod(lambda ctx, x: x * 1), staticmethod(lambda ctx, g: 2 * g)

    return Local.apply(self.layer(x))


def hooked(self, x, kind="register_hook"):
    y = self.layer(x)
    getattr(y, kind)(lambda g: 0.1 * g).remove()
    return y


def several(self, x):
    y = self.layer(x)
    torch.autograd.graph.register_multi_grad_hook([y], lambda g: None)
    return y


def packed(self, x):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
        return self.layer(x).square()


def inference(self, x):
    with torch.inference_mode():
        y = self.layer(x)
    return self.other(x) + y


def gradient(self, x):
    y = self.layer(x)
    return torch.autograd.grad(y.square().sum(), y)[0] + y


def times_tenth(module, inputs, outputs):
    return (0.1 * inputs[0],)


def check_refused(expected, module, x=None):
    try:
        halfstep.from_torch(module, torch.randn(4, 8) if x is None else x)
    except halfstep.Error as error:
        for part in (expected,) if isinstance(expected, str) else expected:
            assert part in str(error), (part, error)
        return
    raise AssertionError(f"expected: {expected}")


BEFORE = [dict(vars(one)) for one in (torch.autograd.Function, torch.Tensor, Reversal, torch.inference_mode)]
PLACE = "(from-torch-gradients.py:"
for expected, module in (
        ("torch.autograd.Function Reversal: 1, in '' " + PLACE, Of(lambda self, x: Reversal.apply(self.layer(x)))),
        ("torch.autograd.Function Reversal: 1, in '' " + PLACE, Of(lambda self, x: reverse(reverse(self.layer(x)) + Reversal.apply(x)))),
        ("torch.autograd.Function Rounded: 1, in 'inner' " + PLACE, Deep(Of(lambda self, x: Rounded.apply(self.layer(x))))),
        ("torch.autograd.Function Reversal: 1", Of(lambda self, x: Derived.apply(self.layer(x)))),
        ("torch.autograd.Function Local: 1, in ''", Of(made_in_the_forward)),
        ("a backward hook of a tensor: 1, in '' " + PLACE, Of(hooked)),
        ("a backward hook of a tensor: 1, in ''", Of(several)),
        ("a backward hook of a module: 1, in 'inner.act' " + PLACE,
         Deep(Of(lambda self, x: self.act(self.layer(x)), lambda self: self.act.register_full_backward_hook(times_tenth)))),
        ("a backward hook of a module: 1, in 'act'",
         Of(lambda self, x: self.act(self.layer(x)), lambda self: self.act.register_full_backward_pre_hook(lambda module, g: g))),
        ("a hook of a parameter: 1, in 'layer.weight' " + PLACE,
         Of(lambda self, x: self.layer(x), lambda self: self.layer.weight.register_hook(lambda g: 2 * g))),
        ("a hook of a parameter: 1, in 'layer.bias'",
         Of(lambda self, x: self.layer(x), lambda self: self.layer.bias.register_post_accumulate_grad_hook(lambda p: None))),
        ("a backward hook of a module: 1, in 'act'",
         Of(lambda self, x: [self.act.register_full_backward_hook(times_tenth), self.act(self.layer(x))][1])),
        ("torch.autograd.graph.saved_tensors_hooks: 1, in '' " + PLACE, Of(packed)),
        (("torch.inference_mode: 1, in '' " + PLACE, "write torch.no_grad()"), Of(inference)),
        (("torch.utils.checkpoint: 1, in '' " + PLACE, "give use_reentrant=False"),
         Of(lambda self, x: checkpoint(self.other, self.layer(x), use_reentrant=True))),
        (("torch.autograd.grad: 1, in '' " + PLACE, "give create_graph=True"), Of(gradient))):
    check_refused(expected, module)
    module.to("cpu")
# All of it in one error, and nothing is left behind: PyTorch's own functions are as they were.
check_refused(("torch.autograd.Function Reversal: 1", "a backward hook of a tensor: 1", "aten.lgamma: 1"),
              Of(lambda self, x: torch.lgamma(hooked(self, Reversal.apply(x)))))
assert BEFORE == [dict(vars(one)) for one in (torch.autograd.Function, torch.Tensor, Reversal, torch.inference_mode)]
y = torch.ones(1, requires_grad=True)
Reversal.apply(y).sum().backward()
assert y.grad == -0.5
handle = torch.nn.modules.module.register_module_full_backward_hook(times_tenth)
check_refused("a backward hook of all modules: 1", Of(lambda self, x: self.layer(x)))
handle.remove()


def steps(module, x, y, rate=0.5, **named):
    """After two steps of SGD: ours and PyTorch's."""
    model = halfstep.from_torch(module, x)
    model.compile(halfstep.SGD(rate, **named), loss=lambda outputs, targets: ops.mean(outputs * targets), metrics=[], policy="float32", threads=1)
    peer = copy.deepcopy(module)
    names = {"weight_decay": 0.0, **named}
    optimizer = torch.optim.SGD([one for one in peer.parameters() if one.requires_grad], rate, **names)
    for _ in range(2):
        optimizer.zero_grad()
        (peer(x) * y).mean().backward()
        optimizer.step()
        model.trainer.step(x.numpy(), y.numpy())
    return model.state_dict(), peer.state_dict()


def check_same(name, module, **named):
    x, y = torch.randn(4, 8), torch.randn(4, 8)
    own, peer = steps(module, x, y, **named)
    before = module.state_dict()
    for key, value in peer.items():
        assert float((own[key].double() - value.double()).abs().max()) < 1e-5, (name, key, own[key], value)
        assert torch.equal(own[key], before[key]) == torch.equal(value, before[key]), (name, key)


def masked(self, x):
    h = self.layer(x)
    with torch.no_grad():
        keep = (h > 0) & (x.abs() < 1)
        best = h.argmax(-1)
    return h * keep + best[:, None]


def frozen(self, x):
    with torch.no_grad():
        y = self.act(self.layer(x))
    return self.other(y)


def again(self, x):
    """Gradients are on again in a region where they are off."""
    with torch.no_grad():
        y = self.act(self.other(x))
        with torch.enable_grad():
            z = self.layer(y)
    return z


@torch.no_grad()
def scaled(x):
    return x / x.abs().amax(-1, keepdim=True)


# What PyTorch gives no gradient trains no parameter: without a word where no other gradient is stopped.
for name, module, named in (
        ("forward hooks", Of(lambda self, x: self.act(self.layer(x)), lambda self: self.act.register_forward_hook(lambda m, i, o: 2 * o)), {}),
        ("forward pre hooks", Of(lambda self, x: self.act(self.layer(x)), lambda self: self.act.register_forward_pre_hook(lambda m, i: i[0] + 1)), {}),
        ("checkpoint", Of(lambda self, x: checkpoint(lambda y: self.act(self.layer(y)), x, use_reentrant=False)), {}),
        ("weight norm", Of(lambda self, x: self.layer(x), lambda self: parametrizations.weight_norm(self.layer)), {}),
        ("a removed hook", Of(lambda self, x: self.layer(x), lambda self: self.layer.weight.register_hook(lambda g: 9 * g).remove()), {}),
        ("of inputs", Of(lambda self, x: self.layer(scaled(x)) * x.detach() + self.table.data), {}),
        ("of conditions", Of(masked), {}), ("a frozen layer", Of(frozen), {"weight_decay": 0.1}), ("on again", Of(again), {"weight_decay": 0.1}),
        ("a frozen weight", Of(lambda self, x: F.linear(x, self.layer.weight.detach(), self.layer.bias)), {"weight_decay": 0.1}),
        ("a weight's data", Of(lambda self, x: F.linear(x, self.layer.weight.data, self.layer.bias)), {}),
        ("a gradient", Of(lambda self, x: torch.autograd.grad((y := self.layer(x)).square(), y, torch.ones_like(y), create_graph=True)[0] * x), {})):
    check_same(name, module, **named)
with torch.no_grad():  # of who imports
    model = halfstep.from_torch(Of(frozen), torch.randn(4, 8))
assert [dict(model.named_leaves())[name].trainable for name in ("layer.weight", "other.weight")] == [False, True]
module, x = Of(lambda self, x: self.layer(x) + scaled(self.layer(x))), torch.zeros(4, 8)
with torch.inference_mode():
    halfstep.from_torch(module, x)


def quantized(self, x):
    h = self.layer(x)
    return h + (torch.round(h) - h).detach()


def in_place(self, x):
    h = self.layer(x)
    with torch.no_grad():
        h.mul_(2)
    return h


def written_aside(self, x):
    """A part of a tensor has other values, and the gradient of before."""
    h = self.layer(x)
    with torch.no_grad():
        h[:, 1] = 0
        h[0] += 1
    return h * 2


def written_through(self, x):
    """What is written to a tensor without its gradient is in its memory."""
    h = self.layer(x)
    h.detach()[:, 1].zero_()
    return h * self.other(x)


def off(self, x):
    h = self.layer(x)
    torch.set_grad_enabled(False)
    y = h * 2
    torch.set_grad_enabled(True)
    return h + y


# A parameter that gets one gradient and not another gets the one.
for name, function in (
        ("quantized", quantized), ("data", lambda self, x: self.layer(x) * self.layer(x).data),
        ("a part of a weight's gradient", lambda self, x: F.linear(self.layer(x), self.layer.weight.detach())),
        ("no_grad", lambda self, x: self.layer(x) + scaled(self.layer(x))), ("in place", in_place), ("off", off),
        ("written aside", written_aside), ("written through", written_through)):
    check_same(name, Of(function))
