"""Weights in files: before training and after it a file has all parameters and states, by one writer, and a model starts from all of them.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import pathlib
import sys

import ml_dtypes
import numpy

import halfstep
from halfstep import nn, ops
from halfstep_runtime._tensor_files import read_tensors, write_tensors

folder = pathlib.Path(sys.argv[1])
X = numpy.random.default_rng(2).standard_normal((32, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


class Counting(nn.Module):
    """Counts its steps, which no output depends on; as it doesn't on a parameter of the loss alone."""

    def __init__(self):
        self.head = nn.Dense(2)
        self.norm = nn.BatchNorm()
        self.steps = nn.State((), 0.0)
        self.unread = nn.State((3,), "ones")

    def forward(self, x):
        self.steps.assign(ops.add(self.steps, 1.0))
        self.unread.assign(ops.mul(self.unread, 2.0))
        return self.head(self.norm(x))


def model_of():
    return Counting().specify(x=nn.Input((6,)))


trained = model_of()
trained.compile("adam", policy="mixed_float16", threads=1)
trained.fit(X, Y, 8, verbose=False, checkpoint=folder / "run")
state = trained.state_dict()
assert state["steps"] == 4 and (state["unread"] == 16).all()
trained.save_weights(folder / "trained.safetensors")
for path in (folder / "trained.safetensors", folder / "run"):
    fresh = model_of()
    fresh.load_weights(path)
    found = fresh.state_dict()
    assert found.keys() == state.keys() and all((found[name] == value).all() for name, value in state.items())
    fresh.save_weights(folder / "fresh.safetensors")
    saved = read_tensors(folder / "fresh.safetensors")
    assert saved.keys() == state.keys() and all((saved[name] == value).all() for name, value in state.items())
    fresh.compile("sgd", policy="float32", threads=1)
    fresh.fit(X, Y, 8, verbose=False)
    assert fresh.state_dict()["steps"] == 8 and (fresh.state_dict()["unread"] == 256).all()

# A file that lacks a state leaves its first value; one that lacks a parameter, or has another shape of what nothing reads, is refused.
write_tensors(folder / "some.safetensors", {name: value for name, value in state.items() if name != "steps"})
fresh = model_of()
fresh.load_weights(folder / "some.safetensors")
assert fresh.state_dict()["steps"] == 0 and (fresh.state_dict()["unread"] == 16).all()
for change, said in (({"head.kernel": None}, "head.kernel"), ({"unread": numpy.ones(4, "float32")}, "'unread' has shape (4,), expected (3,)")):
    write_tensors(folder / "wrong.safetensors", {name: value for name, value in {**state, **change}.items() if value is not None})
    try:
        model_of().load_weights(folder / "wrong.safetensors")
    except halfstep.Error as error:
        assert said in str(error), error
    else:
        raise AssertionError(said)

# Every type that models have, of any shape.
TYPES = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64", ml_dtypes.bfloat16)
arrays = {f"{i}.{shape}": numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(dtype)
          for i, dtype in enumerate(TYPES) for shape in ((), (0,), (3, 2), (1, 2, 3))}
arrays["turned"] = numpy.arange(6.0).reshape(2, 3).T
write_tensors(folder / "types.safetensors", arrays)
found = read_tensors(folder / "types.safetensors")
for name, array in arrays.items():
    assert found[name].dtype == array.dtype and found[name].shape == array.shape and (found[name] == array).all(), name
