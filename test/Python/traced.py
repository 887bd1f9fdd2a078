"""A model is compiled from the module that it was traced as: its text, made when it is asked for, compiles to the same bytes. The forward of
what is imported is traced once.

RUN: %{python} -W error %s
"""

import math
import sys

import numpy
sys.path = sys.path[1:]  # a file here has the name of a package
import onnx
from onnx import TensorProto, helper, numpy_helper

import halfstep
from halfstep import nn, ops
from halfstep.compiler.compile import compile_traced

RANDOM = numpy.random.default_rng(5)
TABLE = RANDOM.standard_normal((3, 4))  # float64, which is rounded once


class Several(nn.Module):
    """Constants of every type, regions of autocast, ops that share a mark, splits and states."""

    def __init__(self, dtype):
        self.count, self.dense, self.dtype = nn.State((), "zeros", "int32"), nn.Dense(4, "gelu"), dtype

    def forward(self, x):
        self.count.assign(ops.cast(ops.reduce_sum(x * 0, None), "int32") + 1)
        with halfstep.autocast(enabled=False):
            y = self.dense(x)
            with halfstep.autocast("bfloat16"):
                y = y + self.dense(x)
        first, second = ops.split(ops.cast(y, self.dtype), 2, 1)
        z = ops.concat([first, second], 1) * ops.constant(TABLE[0], self.dtype) + ops.constant(math.nan, self.dtype) * ops.constant(-math.inf, self.dtype)
        chosen = ops.select(ops.constant([True, False, True, True], "bool"), ops.cast(z, "float32"), y)
        return {"z": chosen, "whole": ops.constant([1, -2, 2**40], "int64"), "bytes": ops.constant([0, 255], "uint8"), "none": ops.constant(numpy.zeros((0, 2)), "float32")}


def check(model, **settings):
    name = "model.mlir"
    traced = compile_traced(model._traced(), name, **settings)
    text = halfstep.compile(model.to_mlir(locations=True), name=name, **settings)
    assert traced.to_bytes() == text.to_bytes(), model


for dtype in ("float16", "bfloat16", "float32", "float64"):
    check(Several(dtype).specify(x=nn.Input((6,))), policy="float32", training=False)
for policy in ("mixed_float16", "mixed_bfloat16", "float32"):
    check(nn.Sequential(nn.Input((12, 8)), nn.LSTM(4, bidirectional=True), nn.Dense(2)), policy=policy, training=False)
    check(nn.Sequential(nn.Input((8, 8, 3)), nn.Conv2D(4, 3, padding="same"), nn.BatchNorm(), nn.MaxPool2D(2), nn.Flatten(), nn.Dropout(0.1), nn.Dense(2, "softmax")),
          policy=policy, training=False)
    check(nn.Sequential(nn.Input((5, 8)), nn.MultiHeadAttention(2), nn.LayerNorm(), nn.Dense(3)), policy=policy, training=False)

# Training steps, as fit compiles them.
model = nn.Sequential(nn.Dense(8, "relu"), nn.BatchNorm(), nn.Dense(3))
model.compile("adam", policy="mixed_float16", threads=1)
x, y = RANDOM.standard_normal((32, 5)).astype("float32"), RANDOM.integers(0, 3, 32)
model.fit(x, y, 16, verbose=False)
traced, name, settings = model.trainer.source
step = halfstep.compile(traced.text(True), name=name, **settings)
assert step.to_bytes() == model.trainer.session.executable.to_bytes()

# A forward that is a file's is run once, whatever is made of it; another loss, a copy and other inputs that train have their own.
weights = numpy_helper.from_array(RANDOM.standard_normal((5, 3)).astype("float32"), "w")
graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["z"], name="n")], "m", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 5])],
                          [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["rows", 3])], [weights])
imported = halfstep.from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=min(onnx.IR_VERSION, 10)))
runs = []
forward = type(imported).forward
type(imported).forward = lambda self, *inputs: runs.append(self) or forward(self, *inputs)
imported.compile("sgd", policy="float32", threads=1)
imported.fit(x, y, 16, verbose=False)
before = imported.state_dict()["w"]
assert imported.predict(x).shape == (32, 3) and imported.to_mlir() == imported.to_mlir()
imported.compile("sgd", loss=lambda outputs, targets: ops.mean(outputs * outputs), metrics=[], policy="float32", threads=1)
imported.fit(x, y, 8, verbose=False)
assert len(runs) == 0 and not (imported.state_dict()["w"] == before).all(), runs
imported.compile("sgd", loss=lambda outputs, targets: ops.mean(outputs * outputs), metrics=[], policy="float32", frozen="w", threads=1)
assert "mp.state = \"w\"" in imported.to_mlir() and len(runs) == 1
assert "mp.parameter" not in imported.to_mlir() and len(runs) == 1
