"""Filters of modules of PyTorch lie as ours in a model and as PyTorch's in its state: a step moves none, and has the kernels of the same model
written by hand. Of convolutions in each number of dimensions, grouped, transposed and shared.

REQUIRES: pytorch
RUN: rm -rf %t && mkdir %t && %{torch_python} -W ignore %s %t
"""

import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep
from halfstep.layers.leaves import Filter
from halfstep.graph.graph import TensorType
from halfstep_runtime._tensor_files import read_tensors

torch.manual_seed(0)
torch.set_num_threads(1)
folder = pathlib.Path(sys.argv[1])


class Both(nn.Module):
    """Filters that two convolutions share, in a region, too; and some that something else reads."""

    def __init__(self):
        super().__init__()
        self.first, self.again, self.read = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 4, 3, padding=1)
        self.again.weight = self.first.weight

    def forward(self, x):
        x = self.first(x)
        with torch.autocast("cpu", torch.bfloat16):
            x = self.again(x)
        return self.read(x.float()).mean((2, 3)) + (self.read.weight ** 2).mean()


def pooled(*layers):
    return nn.Sequential(*layers, nn.Flatten(), nn.LazyLinear(3))


MODULES = {
    "1d": (pooled(nn.Conv1d(2, 4, 3), nn.ReLU(), nn.Conv1d(4, 4, 1)), (2, 9)),
    "2d": (pooled(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3, stride=2, bias=False)), (3, 7, 7)),
    "3d": (pooled(nn.Conv3d(2, 4, (1, 2, 3)), nn.ReLU(), nn.Conv3d(4, 2, 1)), (2, 4, 4, 4)),
    "grouped": (pooled(nn.Conv2d(4, 8, 3, groups=2), nn.Conv2d(8, 8, 3, groups=8, padding=1)), (4, 6, 6)),
    "transposed": (pooled(nn.ConvTranspose2d(3, 4, 3, stride=2), nn.ReLU(), nn.ConvTranspose2d(4, 2, 2, groups=2)), (3, 4, 4)),
    "transposed 1d and 3d": (pooled(nn.ConvTranspose1d(2, 4, 3), nn.Unflatten(1, (1, 2, 2)), nn.ConvTranspose3d(1, 2, (2, 1, 3))), (2, 5)),
    "shared": (Both(), (3, 6, 6)),
}
for name, (module, sizes) in MODULES.items():
    x, y = torch.randn(8, *sizes), torch.randint(0, 3, (8,))
    module(x)
    given = {key: value.clone() for key, value in module.state_dict().items()}
    model = halfstep.from_torch(module, x)
    text = model.to_mlir()
    moved = {key for key, leaf in model.named_leaves() if isinstance(leaf, Filter)}
    assert moved == {key for key, value in module.named_parameters() if value.dim() > 2} - {"read.weight"}, (name, moved)
    # In and out it is PyTorch's, to the bit, before a step and after; and so are values, and what a step does.
    assert all(torch.equal(value, given[key]) for key, value in model.state_dict().items()), name
    model.compile(halfstep.SGD(0.5), loss="cross_entropy", metrics=[], policy="float32", threads=1)
    if name != "2d":  # whose batch norm has no statistics yet
        assert torch.allclose(torch.from_numpy(model.predict(x.numpy())), module(x), atol=1e-4 if name != "shared" else 2e-2), name
    model.trainer.step(x.numpy(), y.numpy())
    optimizer = torch.optim.SGD(module.parameters(), 0.5)
    F.cross_entropy(module(x), y).backward()
    optimizer.step()
    after = module.state_dict()
    for key, value in model.state_dict().items():
        assert value.shape == given[key].shape and (value.double() - after[key]).abs().max() < (1e-4 if name != "shared" else 2e-2), (name, key)
    # Files: ours fit the model's text, PyTorch's lie as its module; both come in.
    state = model.state_dict()
    model.save_weights(folder / "ours.safetensors")
    saved, shapes = read_tensors(folder / "ours.safetensors"), {key: leaf.shape for key, leaf in model.named_leaves()}
    assert all(tuple(saved[key].shape) == shape for key, shape in shapes.items()), name
    with halfstep.Session(halfstep.compile(text, training=False, policy="float32")) as session:
        session.load_weights(folder / "ours.safetensors")
        (result,) = session.run("infer", {"input" if '"input"' in text else "x": x.numpy()}).values()
        assert numpy.abs(result - model.predict(x.numpy())).max() < 1e-5, name
    again = halfstep.from_torch(module, x)
    again.load_weights(folder / "ours.safetensors")
    assert all(torch.equal(value, state[key]) for key, value in again.state_dict().items()), name
    tensors = {key: value.numpy() for key, value in state.items()}
    offset, entries, data = 0, [], b""
    for key, value in tensors.items():  # as safetensors' own writer does
        kind = {"float32": "F32", "int64": "I64"}[value.dtype.name]
        entries.append(f'"{key}":{{"dtype":"{kind}","shape":{list(value.shape)},"data_offsets":[{offset},{offset + value.nbytes}]}}')
        offset, data = offset + value.nbytes, data + numpy.ascontiguousarray(value).tobytes()
    for metadata in ([], ['"__metadata__":{"format":"halfstep"}']):  # and as this package did before it permuted filters
        text = ("{" + ",".join(metadata + entries) + "}").encode()
        (folder / "theirs.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
        for fresh in (halfstep.from_torch(module, x), model):
            fresh.load_weights(folder / "theirs.safetensors")
            assert all(torch.equal(value, state[key]) for key, value in fresh.state_dict().items()), name


# Kernels of a step: as many as of the model by hand, whose images are transposed once, too.
class Twice(halfstep.nn.Module):
    def __init__(self):
        self.first, self.second, self.head = halfstep.nn.Conv2D(64, 3, padding="same"), halfstep.nn.Conv2D(64, 3, padding="same"), halfstep.nn.Dense(3)

    def forward(self, x):
        x = self.second(halfstep.ops.relu(self.first(halfstep.ops.transpose(x, (0, 2, 3, 1)))))
        return self.head(halfstep.ops.mean(x, (1, 2)))


class Peer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = nn.Conv2d(32, 64, 3, padding=1), nn.Conv2d(64, 64, 3, padding=1), nn.Linear(64, 3)

    def forward(self, x):
        return self.head(self.second(F.relu(self.first(x))).mean((2, 3)))


def step_of(model):
    """The kernels of a step, and what it keeps."""
    model.compile("sgd", loss="mse", metrics=[], policy="mixed_bfloat16")
    model.trainer._label_type = TensorType("f32", (None, 3))
    text = model.to_mlir(objective=model.trainer._objective)
    kernels = halfstep.compile(text, to="kernels", policy="mixed_bfloat16", optimizer="sgd", batch_size=16, target="cpu:amx-bf16")
    step = kernels[kernels.index("@train_step"):].partition("func.func")[0]
    return step.count("mp.kernel "), sum("permutation" in line and "x3x3x" in line for line in step.splitlines())


steps = step_of(halfstep.from_torch(Peer(), torch.randn(2, 32, 16, 16))), step_of(Twice().specify(x=halfstep.nn.Input((32, 16, 16))))
assert steps[0] == steps[1] and steps[0][0] > 10, steps

# What an optimizer keeps of them has their names, and goes on from a checkpoint.
x, y = torch.randn(16, 3, 7, 7).numpy(), torch.randint(0, 3, (16,)).numpy()
module = MODULES["2d"][0]
states = []
for epochs, resume in ((2, False), (1, False), (2, True)):
    model = halfstep.from_torch(module, torch.from_numpy(x))
    model.compile(halfstep.Adam(0.01), loss="cross_entropy", policy="float32", threads=1)
    model.fit(x, y, batch_size=8, epochs=epochs, verbose=False, checkpoint=folder / ("whole" if epochs == 2 and not resume else "parts"), resume=resume)
    assert {"0.weight", "0.weight/adam.m", "0.weight/adam.v"} <= set(model.trainer.session.state)
    states.append(model.state_dict())
assert all(torch.equal(value, states[2][key]) for key, value in states[0].items())

# What is said by names.
frozen = halfstep.from_torch(module, torch.from_numpy(x), frozen=["0.*", "1.*"])
assert {name for name, leaf in frozen.named_leaves() if frozen._trains(name, leaf)} == {"3.weight", "5.weight", "5.bias"}
module[0].requires_grad_(False)
some = halfstep.from_torch(module, torch.from_numpy(x), trainable=["0.weight", "5.*"])
some.compile("sgd", loss="cross_entropy", metrics=[], policy="float32", threads=1)
before = some.state_dict()
some.trainer.step(x, y)
changed = {key for key, value in some.state_dict().items() if not torch.equal(value, before[key])}
assert changed == {"0.weight", "5.weight", "5.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked"}, changed
