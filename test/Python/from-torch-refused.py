"""What from_torch does not take is an error of ours with its place, or works; an exception that is none of ours never leaves it, whatever the
arguments of an op are.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore -X faulthandler %s %if long %{20%} %else %{1%}
"""

import math
import random
import sys

import torch
import torch.nn.functional as F
from torch import nn

import halfstep
from halfstep.importers.torch import aten

NAN = math.nan
torch.manual_seed(0)
torch.set_num_threads(1)


class Of(nn.Module):
    def __init__(self, function, prepare=None):
        super().__init__()
        self.function, self.layer, self.rnn = function, nn.Linear(8, 8), nn.LSTM(1, 3, batch_first=True)
        if prepare:
            prepare(self)

    def forward(self, x):
        return self.function(self, x)


def check_refused(expected, module, x=None, **named):
    try:
        halfstep.from_torch(module, torch.randn(4, 8) if x is None else x, **named)
    except halfstep.Error as error:
        for part in (expected,) if isinstance(expected, str) else expected:
            assert part in str(error), (part, error)
        assert "fault of Halfstep's" not in str(error), error
        return error
    raise AssertionError(f"expected: {expected}")


def check_same(module, *inputs, **named):
    model = halfstep.from_torch(module, inputs, **named)
    found = model.predict(dict(zip(model.input_names(), (one.numpy() for one in inputs))))
    wanted = module(*inputs).detach()
    found = torch.from_numpy(found)
    assert found.dtype == wanted.dtype and torch.allclose(found, wanted, atol=1e-5), (found, wanted)


# Overloads with numbers alone, and with their arguments in another order.
ties = torch.tensor([[1.0, 0.0, 1.0, 2.0, 0.0, 2.0, 1.0, 0.0], [3.0, 3.0, 3.0, 3.0, -1.0, -1.0, 0.0, -0.5]])
for function in (lambda _, x: torch.where(x > 0, 1.0, 0.0), lambda _, x: torch.where(x > 0, 1.0, 0.0) * x, lambda _, x: torch.where(x > 0, 1, 0),
                 lambda _, x: torch.where(x > 0, 1, 0.5), lambda _, x: torch.where(x > 0, True, False),
                 lambda _, x: torch.sort(x, stable=True)[1], lambda _, x: torch.sort(x, dim=-1, descending=True, stable=True)[0],
                 lambda _, x: torch.sort(x, stable=True, descending=True)[1], lambda _, x: torch.sort(x, 1, True)[0],
                 lambda _, x: torch.argsort(x, dim=-1, stable=True), lambda _, x: torch.argsort(x, dim=1, descending=True, stable=True),
                 lambda self, x: torch.argsort(self.layer(x)), lambda _, x: x[:, :, None].sort(stable=True, dim=-2)[0]):
    check_same(Of(function), ties)


class Rest(nn.Module):
    def forward(self, x, *rest):
        return x + sum(rest)


for count in (1, 2, 3):
    check_same(Rest(), *[torch.randn(3, 2)] * count)


def pack(self, x):
    packed = nn.utils.rnn.pack_padded_sequence(x[:, :, None], torch.tensor([8, 3, 2, 1]), batch_first=True)
    return self.rnn(packed)[0].data


def scripted(self):
    self.inner = torch.jit.script(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))


def ctc(self, x):
    logs = self.layer(x)[None].log_softmax(-1).expand(5, -1, -1)
    return F.ctc_loss(logs, torch.ones(4, 3, dtype=torch.long), torch.tensor([5] * 4), torch.tensor([3] * 4))


PLACE = "(from-torch-refused.py:"
check_refused("the module is one of TorchScript, which is not traced again: give the module that it was made of", torch.jit.script(nn.Linear(8, 8)))
check_refused("the module is one of TorchScript", torch.jit.trace(nn.Linear(8, 8), torch.randn(4, 8)))
check_refused("'inner' is one of TorchScript", Of(lambda self, x: self.inner(x), scripted))
check_refused(("packed sequences: 1, in '' " + PLACE, "pad them to one length"), Of(pack))
check_refused(("the forward cannot be traced " + PLACE, "ctc_loss", "end the forward with the scores"), Of(ctc))
check_refused("args are tensors, not dict", Of(pack), {"x": torch.ones(2, 8)})
check_refused(("the forward cannot be traced " + PLACE, "IndexError: list index out of range"), Of(lambda self, x: [][1]))
check_refused(("the forward cannot be traced " + PLACE, "same reduction dim"), Of(lambda self, x: self.layer(x[:, :3])))
check_refused("the forward cannot be traced", Of(lambda self, x: torch.from_numpy(x.numpy())), batched=False)
for clamp in (lambda x: x.clamp(NAN), lambda x: x.clamp(max=NAN), lambda x: x.clamp(NAN, 1), lambda x: x.clamp(0, NAN), lambda x: x.clamp_min(NAN),
              lambda x: x.clamp_(max=NAN), lambda x: F.hardtanh(x, NAN, 1), lambda x: x.long().clamp(NAN)):
    check_refused("a bound that is NaN makes each element NaN", Of(lambda self, x, clamp=clamp: clamp(x * 1)))
check_refused("the forward cannot be traced", Rest(), (torch.ones(2, 8), torch.ones(3)), batched=False)
check_refused("args have 8 and 2 rows, and a batch has one number of them; batched=False takes all sizes as they are", Rest(), (torch.ones(8, 8), torch.ones(2)))

# Bits as those of another type are no cast, and are written to by none.
for function in (lambda self, x: self.layer(x).view(torch.int32).float(), lambda self, x: self.layer(x).half().view(torch.bfloat16).float(),
                 lambda _, x: (x.view(torch.int32) + 1).view(torch.float32), lambda self, x: self.layer(x).view(torch.int32).bitwise_and_(-2).view(torch.float32)):
    check_refused(("aten.view: ", "in '' " + PLACE, "are not supported: no gradient flows through them; to() casts values"), Of(function))
check_same(Of(lambda self, x: self.layer(x).view(torch.float32).view(-1, 2, 4) + torch.ones(4).view(torch.int32).float()), torch.randn(4, 8))


# Names that the compiler has.
check_refused("a Parameter is called 'rng', as the state of random numbers is", Of(lambda self, x: x * self.rng, lambda self: setattr(self, "rng", nn.Parameter(torch.ones(8)))))
check_refused("a State is called 'rng'", Of(lambda self, x: x * self.rng, lambda self: self.register_buffer("rng", torch.ones(8))))


# An op of the user's is none of PyTorch's, whatever its name is.
@torch.library.custom_op("own::relu", mutates_args=())
def own_relu(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(-1, 1)


own_relu.register_fake(lambda x: torch.empty_like(x))
check_refused(("own::relu: 1, in '' " + PLACE, "there is no such op"), Of(lambda self, x: own_relu(self.layer(x))))

# A handler's own fault is told with the op, the place and the cause, beside all else.
rule = aten.HANDLERS["tanh"]
aten.HANDLERS["tanh"] = lambda call, x: [][1]
try:
    halfstep.from_torch(Of(lambda self, x: torch.lgamma(torch.tanh(self.layer(x)))), torch.randn(4, 8))
    raise AssertionError("taken")
except halfstep.Error as error:
    assert "aten.tanh: 1, in '' " + PLACE in str(error) and "a fault of Halfstep's: IndexError: list index out of range" in str(error), error
    assert "aten.lgamma: 1" in str(error) and isinstance(error.__cause__, IndexError)
finally:
    aten.HANDLERS["tanh"] = rule

# Every op that is imported, with arguments that its schema allows: an error of ours, in our words, or a model.
draw = random.Random(int(sys.argv[1]))
DTYPES = (torch.float32, torch.float32, torch.float32, torch.int64, torch.bool)


def argument(kind: str, x, h):
    if kind.endswith("?") and draw.random() < 0.5:
        return None
    kind = kind.rstrip("?")
    if kind.startswith("Tensor["):
        return [draw.choice((x, h)) for _ in range(draw.randrange(1, 3))]
    if kind.startswith("Tensor"):
        return draw.choice((x, h, h, x[:, :1], torch.ones(8), torch.arange(8), torch.zeros(()), x > 0, x.long()))
    if "[" in kind:
        return [draw.choice((0, 1, 1, 2, -1, 3)) for _ in range(draw.randrange(0, 4))]
    values = {"int": (0, 1, -1, 2, 5), "SymInt": (0, 1, -1, 2, 5), "float": (0.0, 0.5, -1.0), "Scalar": (0, 1, 0.5, -2, True), "number": (0, 1, 0.5, -2, True),
              "bool": (True, False), "ScalarType": DTYPES, "str": ("none", "mean", "same", "constant")}
    return draw.choice(values.get(kind, (None,)))


def call(overload, shape):
    def function(self, x):
        h = self.layer(x)
        x, h = (one.reshape(-1, *shape) for one in (x, h))
        positional, named = [], {}
        for i, one in enumerate(overload._schema.arguments):
            value = argument(str(one.type).replace("Optional[", "").replace("]", "?") if "Optional" in str(one.type) else str(one.type), x, h)
            if one.kwarg_only:  # PyTorch crashes where there is no such format
                named[one.name] = None if one.name == "memory_format" else value
            else:
                positional.append(h if i == 0 and value is not None and not isinstance(value, list) else value)
        return overload(*positional, **named)

    return function


overloads = [getattr(packet, one) for packet in (getattr(torch.ops.aten, name) for name in aten.HANDLERS if hasattr(torch.ops.aten, name))
             for one in packet.overloads() if "out" not in one and "name" not in one.lower()]
# Overloads of numbers alone crash in PyTorch where they are given a tensor, and so does what normal_() becomes where it is written.
overloads = [one for one in overloads if any("Tensor" in str(argument.type) for argument in one._schema.arguments) and "normal_functional" not in str(one)]
taken = told = 0
for overload in draw.sample(overloads, min(40 * int(sys.argv[1]), len(overloads))):
    module = Of(call(overload, draw.choice(((8,), (2, 4), (2, 2, 2)))))
    try:
        halfstep.from_torch(module, torch.randn(4, 8))
        taken += 1
    except halfstep.Error as error:
        assert "fault of Halfstep's" not in str(error), (overload, error)
        told += 1
assert taken > 3 and told > 10, (taken, told)
