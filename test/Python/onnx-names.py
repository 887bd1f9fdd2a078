"""Names that a file of ONNX gives to its tensors, and outputs that no node makes.

RUN: %{python} -W ignore %s
"""

import os
import sys
import tempfile

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
from onnx import TensorProto, helper, numpy_helper

import halfstep
from halfstep import nn, ops

WEIGHTS = numpy.arange(4, dtype="float32")
X = numpy.ones((2, 4), "float32")


def make(input="x", parameter="w", output="z", node="n", others=(), values=(), dropout=True, rows="batch"):
    nodes = [helper.make_node("Add", [input, parameter], ["h" if dropout else output], name=node)]
    if dropout:
        nodes.append(helper.make_node("Dropout", ["h", "ratio", "training"], [output]))
    graph = helper.make_graph(
        nodes, "m", [helper.make_tensor_value_info(input, TensorProto.FLOAT, [rows, 4])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [rows, 4]), *others],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in [
            (parameter, WEIGHTS), ("ratio", numpy.float32(0.5)), ("training", True), *values]])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def refused(expected, model):
    try:
        halfstep.from_onnx(model)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(expected)


def runs(**named):
    model = halfstep.from_onnx(make(**named).SerializeToString(), trainable=named.get("parameter", "w"))
    model.compile("adam", policy="float32", threads=1)
    model.fit(X, numpy.array([0, 1]), batch_size=2, verbose=False)
    assert list(model.state_dict()) == [named.get("parameter", "w")]
    with tempfile.TemporaryDirectory() as folder:
        model.save_weights(os.path.join(folder, "w.safetensors"))
        model.load_weights(os.path.join(folder, "w.safetensors"))
    assert model.predict({named.get("input", "x"): X}).shape == (2, 4)


# What is a name of Python, of MLIR or of ours is a name as any other.
NAMES = ("self", "inputs", "model", "batch", "output", "label", "loss", "a b", "a/b:0", "%0", "\u00fc\u20ac", "\U0001f600",
         '"', "\\", '\\22"', "{}", "'", "a" * 4096)
for place in ("input", "parameter", "output", "node"):
    for name in NAMES:
        if place == "input" or name in ("self", "\\", '\\22"'):
            runs(**{place: name})
        else:
            halfstep.from_onnx(make(**{place: name})).to_mlir()

# No executable has these: they are refused when the file is read, but for names of nodes, which are places in it.
CONTROL = [chr(i) for i in (*range(32), *range(127, 160))]
for name in CONTROL:
    for kind, place in (("input", "input"), ("initializer", "parameter"), ("output", "output")):
        refused(f"{kind} {f'a{name}b'!r} has control characters in its name", make(**{place: f"a{name}b"}))
    halfstep.from_onnx(make(node=f"a{name}b")).to_mlir(locations=True)
for place in ("input", "parameter", "output"):
    refused("has a name of 5000 bytes, expected at most 4096", make(**{place: "a" * 5000}))
    refused("has a name of 6000 bytes, expected at most 4096", make(**{place: "\u20ac" * 2000}))
for dropout in (True, False):
    refused("a tensor is called 'rng', as the state of random numbers is: rename it in the file", make(parameter="rng", dropout=dropout))
refused("a tensor is called 'rng', as the state of random numbers is", make(input="rng"))
halfstep.from_onnx(make(input="rng", dropout=False)).to_mlir()


class Own(nn.Module):
    def __init__(self, name):
        self.weights = {name: nn.Parameter((4,), value=WEIGHTS)}

    def forward(self, x):
        return {name: ops.add(x, one) for name, one in self.weights.items()}


for name in ("a\nb", "a\x7fb", "\\", '"', "\u00fc"):
    assert "mp.parameter" in Own(name).specify(x=nn.Input((4,))).to_mlir()
try:
    Own("a\0b").specify(x=nn.Input((4,))).to_mlir()
except halfstep.Error as error:
    assert "has a zero byte" in str(error), error
else:
    raise AssertionError

# An output may be an initializer, a constant or an input.
OUTPUTS = {
    "w": (TensorProto.FLOAT, WEIGHTS), "only": (TensorProto.FLOAT, WEIGHTS + 5), "number": (TensorProto.FLOAT, numpy.float32(3)),
    "whole": (TensorProto.INT64, numpy.arange(3)), "flags": (TensorProto.BOOL, numpy.array([True, False])), "x": (TensorProto.FLOAT, X),
}
others = [helper.make_tensor_value_info(name, kind, numpy.shape(value)) for name, (kind, value) in OUTPUTS.items()]
model = halfstep.from_onnx(make(rows=2, others=others, values=[(name, OUTPUTS[name][1]) for name in ("only", "number", "whole", "flags")]))
results = model.predict(X)
assert list(results) == ["z", *OUTPUTS]
for name, (_, value) in OUTPUTS.items():
    assert results[name].dtype == numpy.asarray(value).dtype and (results[name] == value).all(), name
assert set(dict(model.named_leaves())) == {"w", "only"}
