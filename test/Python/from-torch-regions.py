"""Regions of torch.autocast for CUDA are imported where there is no CUDA as they would be with it: on or off, with their types, and what is
asked in them.

REQUIRES: pytorch
RUN: %{torch_python} -W error %s
"""

import re
import warnings

import torch
from torch import nn

import halfstep

torch.manual_seed(0)
f16, bf16 = torch.float16, torch.bfloat16


class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.layer, self.function, self.norm = nn.Linear(8, 8), function, nn.BatchNorm1d(8)

    def forward(self, x):
        return self.function(self, x)


def regions(module):
    """Those of the imported module, from the outermost."""
    text = halfstep.from_torch(module, torch.randn(2, 8)).to_mlir()
    return [("off" if "enabled = false" in one else re.search(r"type = (\w+)", one)[1]) for one in text.splitlines() if "mp.autocast" in one]


def region(*arguments, make=torch.autocast, **named):
    def function(self, x):
        with make(*arguments, **named):
            return self.layer(x).float()

    return function


def nested(self, x):
    with torch.autocast("cuda", bf16):
        x = self.layer(x)
        with torch.autocast("cuda"):  # of the type of the region that it is in
            x = self.layer(x)
            with torch.autocast("cuda", enabled=False):
                x = self.layer(x.float())
                with torch.autocast("cuda", f16):
                    x = self.layer(x)
        return self.layer(x).float()


def asked(self, x):
    """As forwards ask which type they are to give."""
    assert not torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda") == f16
    with torch.autocast("cuda", bf16):
        assert torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda") == bf16
        with torch.autocast("cuda", enabled=False):
            assert not torch.is_autocast_enabled("cuda")
        y = self.layer(x)
        assert y.dtype == bf16
        y = torch.softmax(y.float(), -1).to(y.dtype)
    assert not torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda") == f16
    return y.float()


def decorated(self, x):
    @torch.autocast("cuda", dtype=bf16)
    def inner(x):
        return self.layer(x).float()

    return inner(x)


def old(self, x):
    with warnings.catch_warnings():  # that it is deprecated
        warnings.simplefilter("ignore")
        with torch.cuda.amp.autocast():
            x = self.layer(x)
        with torch.cuda.amp.autocast(enabled=False):
            return self.layer(x.float())


for expected, function in (
        (["f16"], region("cuda")), (["f16"], region("cuda", f16)), (["bf16"], region("cuda", dtype=bf16)), (["off"], region("cuda", enabled=False)),
        (["off"], region("cuda", bf16, False)), (["bf16"], region("cpu")), (["f16"], region("cpu", f16)), (["off"], region("cpu", enabled=False)),
        (["f16"], region("cuda", make=torch.amp.autocast)), (["bf16", "bf16", "off", "f16"], nested), (["bf16"], decorated), (["f16", "off"], old)):
    assert regions(Of(function)) == expected, (expected, regions(Of(function)))
assert regions(Of(asked))[0] == "bf16"

# A region of CUDA has the bits of one of the CPU.
one, other = Of(region("cuda", bf16)), Of(region("cpu", bf16))
other.load_state_dict(one.state_dict())
x = torch.randn(4, 8)
assert (halfstep.from_torch(one, x).predict(x.numpy()) == halfstep.from_torch(other, x).predict(x.numpy())).all()
assert (halfstep.from_torch(one, x).predict(x.numpy()) == other(x).detach().numpy()).all()

# What a forward assigns in a region is assigned.


def normed(self, x):
    with torch.autocast("cuda", bf16):
        return self.norm(x).float()


module = Of(normed)
model = halfstep.from_torch(module, x)
model.compile("sgd", loss=lambda outputs, targets: halfstep.ops.mean(outputs * targets), metrics=[], policy="float32", threads=1)
model.trainer.step(x.numpy(), x.numpy())
with torch.autocast("cpu", bf16):
    module.norm(x)
for name in ("norm.running_mean", "norm.running_var", "norm.num_batches_tracked"):
    assert torch.allclose(model.state_dict()[name], module.state_dict()[name], atol=1e-6), name

# One that was made earlier, without CUDA, has lost whether it is on: a decorator's text says it, else it is an error.
warnings.filterwarnings("ignore", "CUDA is not available")  # PyTorch's, where the modules below make one
with warnings.catch_warnings():
    warnings.simplefilter("ignore")

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(8, 8)
            self.earlier = torch.autocast("cuda", bf16)

        @torch.autocast("cuda")
        def forward(self, x):
            return self.inner(self.layer(x)).float()

        @torch.autocast(device_type="cuda", enabled=False)
        def inner(self, x):
            return self.typed(self.layer(x.float()))

        @torch.autocast("cuda", bf16, True)
        def typed(self, x):
            return self.old(self.layer(x))

        @torch.cuda.amp.autocast(enabled=False)
        def old(self, x):
            return self.last(self.layer(x.float()))

        @torch.cuda.amp.autocast()
        def last(self, x):
            return self.layer(x)

    flag = False

    class Unknown(Plain):
        @torch.autocast("cuda", enabled=flag)
        def forward(self, x):
            return self.layer(x)

    class Kept(Plain):
        def forward(self, x):
            with self.earlier:
                return self.layer(x)


x = torch.randn(4, 8)
assert regions(Plain()) == ["f16", "off", "bf16", "off", "f16"], regions(Plain())
if not torch.cuda.is_available():
    for module in (Unknown(), nn.Sequential(Kept())):
        try:
            halfstep.from_torch(module, x)
            raise AssertionError("taken as off")
        except halfstep.Error as error:
            assert 'torch.autocast("cuda"): 1, in ' in str(error) and "that was made before the forward" in str(error), error
    assert Plain()(x).dtype == torch.float32  # as it was: off

# Nothing is left behind.
assert not torch.is_autocast_enabled("cuda") and not torch.is_autocast_enabled("cpu")
assert torch.get_autocast_dtype("cuda") == f16 and torch.get_autocast_dtype("cpu") == bf16
if not torch.cuda.is_available():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert not torch.autocast("cuda")._enabled and found
