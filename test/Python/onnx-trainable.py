"""What trains of a file of ONNX: what layers read as weights, and biases and scales of channels; what is said by names, there and of models of our
own; all else stays, to the bit.

RUN: rm -rf %t && mkdir %t && %{python} -W ignore %s %t
"""

import contextlib
import io
import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
from onnx import TensorProto, helper, numpy_helper

import halfstep
from halfstep import nn
from halfstep_runtime._tensor_files import write_tensors

random = numpy.random.default_rng(0)
node = helper.make_node


def draw(*shape):
    return (random.standard_normal(shape) / 3).astype("float32")


def file_of(nodes, weights, sizes=("batch", 6, 8), result=None, dtype=TensorProto.FLOAT):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", dtype, sizes)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, result or sizes)],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def trained(model):
    return {name for name, leaf in model.named_leaves() if model._trains(name, leaf)}


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


# Each way in which a layer reads a weight, and what is none. Names that begin with W train.
ROWS, IMAGES = ("batch", 6, 8), ("batch", 4, 6, 6)
CASES = {
    "MatMul on either side": (ROWS, [node("MatMul", ["x", "W1"], ["a"]), node("MatMul", ["W2", "a"], ["y"])], {"W1": draw(8, 8), "W2": draw(6, 6)}),
    "a bias of what MatMul gives, a mask and a position": (
        ROWS, [node("MatMul", ["x", "W"], ["a"]), node("Add", ["Wb", "a"], ["b"]), node("Add", ["b", "mask"], ["c"]), node("Add", ["c", "position"], ["y"])],
        {"W": draw(8, 8), "Wb": draw(8), "mask": draw(6, 1), "position": draw(1, 6, 8)}),
    "a bias of one output": (ROWS, [node("MatMul", ["x", "W"], ["a"]), node("Add", ["a", "Wb"], ["y"])], {"W": draw(8, 1), "Wb": draw(1)}),
    "through casts, transposes and reshapes": (
        ROWS, [node("Transpose", ["W"], ["w"]), node("Cast", ["w"], ["v"], to=TensorProto.FLOAT), node("MatMul", ["x", "v"], ["a"]),
               node("Reshape", ["Wb", "shape"], ["b"]), node("Unsqueeze", ["b", "axis"], ["c"]), node("Add", ["a", "c"], ["y"])],
        {"W": draw(8, 8), "Wb": draw(8), "shape": numpy.array([1, 8]), "axis": numpy.array([0])}),
    "Gemm": (("batch", 8), [node("Gemm", ["x", "W", "Wb"], ["a"], transB=1), node("Mul", ["a", "Ws"], ["b"]), node("Mul", ["b", "s"], ["y"])],
             {"W": draw(5, 8), "Wb": draw(5), "Ws": draw(5), "s": draw(1)}),
    "Conv, and a bias and a scale of its channels": (
        IMAGES, [node("Conv", ["x", "W", "Wb"], ["a"]), node("Mul", ["a", "Ws"], ["b"]), node("Relu", ["b"], ["c"]), node("Add", ["c", "Wo"], ["d"]),
                 node("Mul", ["d", "column"], ["e"]), node("Add", ["e", "row"], ["y"])],
        {"W": draw(6, 4, 1, 1), "Wb": draw(6), "Ws": draw(6, 1, 1), "Wo": draw(1, 6, 1, 1), "column": draw(6), "row": draw(6, 1)}),
    "BatchNormalization": (IMAGES, [node("BatchNormalization", ["x", "Ws", "Wb", "m", "v"], ["y"])],
                           {"Ws": draw(4), "Wb": draw(4), "m": draw(4), "v": numpy.ones(4, "float32")}),
    "InstanceNormalization, PRelu": (IMAGES, [node("InstanceNormalization", ["x", "Ws", "Wb"], ["a"]), node("PRelu", ["a", "Wp"], ["y"])],
                                     {"Ws": draw(4), "Wb": draw(4), "Wp": draw(4, 1, 1)}),
    "LayerNormalization": (ROWS, [node("LayerNormalization", ["x", "Ws", "Wb"], ["y"])], {"Ws": draw(8), "Wb": draw(8)}),
    "a norm in parts, behind a concatenation": (
        ROWS, [node("MatMul", ["x", "W"], ["a"]), node("Concat", ["token", "a"], ["b"], axis=1), node("ReduceMean", ["b"], ["m"], axes=[-1]),
               node("Sub", ["b", "m"], ["c"]), node("Mul", ["c", "c"], ["d"]), node("ReduceMean", ["d"], ["e"], axes=[-1]), node("Sqrt", ["e"], ["f"]),
               node("Div", ["c", "f"], ["g"]), node("Mul", ["g", "Wg"], ["h"]), node("Add", ["h", "Wb"], ["y"])],
        {"W": draw(8, 8), "token": draw(2, 1, 8), "Wg": draw(8), "Wb": draw(8)}),
    "LSTM": (("batch", 6, 8), [node("LSTM", ["x", "W", "Wr", "Wb", "", "h", "c", "Wp"], ["a"], hidden_size=3), node("Squeeze", ["a", "one"], ["y"])],
             {"W": draw(1, 12, 8), "Wr": draw(1, 12, 3), "Wb": draw(1, 24), "h": draw(1, 6, 3), "c": draw(1, 6, 3), "Wp": draw(1, 9), "one": numpy.array([1])}),
    "tables of angles and of scales": (
        ROWS, [node("Mul", ["x", "cosines"], ["a"]), node("Mul", ["a", "frequencies"], ["b"]), node("Sub", ["b", "mean"], ["c"]), node("Div", ["c", "deviation"], ["y"])],
        {"cosines": draw(6, 8), "frequencies": draw(8), "mean": draw(8), "deviation": draw(8)}),
    "scores": (ROWS, [node("MatMul", ["x", "W"], ["q"]), node("Transpose", ["q"], ["k"], perm=[0, 2, 1]), node("MatMul", ["q", "k"], ["s"]),
                      node("Mul", ["s", "scale"], ["t"]), node("Add", ["t", "keys"], ["u"]), node("Add", ["u", "mask"], ["p"]), node("Softmax", ["p"], ["y"])],
               {"W": draw(8, 8), "scale": draw(1), "keys": draw(1, 1, 6), "mask": draw(6, 6)}),
    "both a factor and a weight": (("batch", 8, 8), [node("MatMul", ["x", "W"], ["a"]), node("Mul", ["x", "W"], ["b"]), node("Add", ["a", "b"], ["y"])],
                                   {"W": draw(8, 8)}),
}
for name, (sizes, nodes, weights) in CASES.items():
    sizes = (2, *sizes[1:]) if "token" in weights else sizes
    model = halfstep.from_onnx(file_of(nodes, weights, sizes))
    expected = {one for one in weights if one.startswith("W")}
    assert trained(model) == expected, (name, trained(model) ^ expected)
table = halfstep.from_onnx(file_of([node("Gather", ["W", "x"], ["a"]), node("Mul", ["a", "Ws"], ["y"])], {"W": draw(9, 8), "Ws": draw(8)}, ("batch", 6), dtype=TensorProto.INT64))
assert trained(table) == {"W", "Ws"}

# Masks and scales stay to the bit whatever the optimizer does, and LAMB has numbers.
constants = {"mask": numpy.triu(numpy.full((6, 6), numpy.finfo("float32").min, "float32"), 1), "scale": numpy.array([8**-0.5], "float32")}
weights = {name: draw(8, 8) for name in ("q", "k", "v")}
nodes = [node("MatMul", ["x", "q"], ["xq"]), node("MatMul", ["x", "k"], ["xk"]), node("MatMul", ["x", "v"], ["xv"]), node("Transpose", ["xk"], ["kt"], perm=[0, 2, 1]),
         node("MatMul", ["xq", "kt"], ["s"]), node("Mul", ["s", "scale"], ["t"]), node("Add", ["t", "mask"], ["u"]), node("Softmax", ["u"], ["p"]), node("MatMul", ["p", "xv"], ["y"])]
attention = file_of(nodes, {**weights, **constants})
x, y = random.standard_normal((16, 6, 8)).astype("float32"), random.standard_normal((16, 6, 8)).astype("float32")


def run(model, optimizer, policy="float32", **settings):
    model.compile(optimizer, loss="mse", metrics=[], policy=policy, threads=1, **settings)
    before = model.state_dict()
    losses = [model.trainer.step(x, y)["loss"] for _ in range(3)]
    assert numpy.isfinite(losses).all() and losses[-1] < losses[0], losses
    return {name for name, value in model.state_dict().items() if (value != before[name]).any()}


for optimizer in (halfstep.SGD(0.1), halfstep.AdamW(1e-2, weight_decay=0.1), halfstep.LAMB(1e-2)):
    for policy in ("float32", "mixed_bfloat16"):
        assert run(halfstep.from_onnx(attention), optimizer, policy) == set(weights)
model = halfstep.from_onnx(attention)
assert set(model.state_dict()) == {*weights, *constants}
assert "mp.parameter" in (text := model.to_mlir()) and 'mp.state = "mask"' in text and 'mp.parameter = "q"' in text

# What is said by names: when a file is read, and when a model is compiled, which may say otherwise each time.
assert run(halfstep.from_onnx(attention, frozen="q"), "sgd") == {"k", "v"}
assert run(halfstep.from_onnx(attention, trainable=["[qk]", "scale"]), "sgd") == {"q", "k", "scale"}
assert run(halfstep.from_onnx(attention, trainable="*", frozen=["mask", "q"]), "sgd") == {"k", "v", "scale"}
assert run(halfstep.from_onnx(attention), "sgd", frozen=["q", "k"]) == {"v"}
model = halfstep.from_onnx(attention, frozen="q")
assert run(model, "sgd", trainable="q") == {"q"} and run(model, "sgd") == {"k", "v"}
refused("from_onnx: frozen='mas' is the name of no parameter; did you mean 'mask'?", halfstep.from_onnx, attention, frozen="mas")
refused("from_onnx: trainable='none*' is the name of no parameter; there are q, k, v, mask, scale", halfstep.from_onnx, attention, trainable=["q", "none*"])
refused("from_onnx: trainable is 5, expected a name or a pattern as 'encoder.*', or several", halfstep.from_onnx, attention, trainable=5)
statistics = file_of(*CASES["BatchNormalization"][1:], IMAGES)
refused("frozen='m' is the name of no parameter", halfstep.from_onnx, statistics, frozen="m")
assert trained(halfstep.from_onnx(statistics, trainable="*")) == {"Ws", "Wb"}
model = halfstep.from_onnx(attention)
refused("compile: frozen='Q' is the name of no parameter; did you mean 'q'?", model.compile, "sgd", loss="mse", metrics=[], frozen="Q")
refused("OnnxModel: none of its parameters trains; model.compile(trainable='*') or names of some say what does", run, model, "sgd", frozen="*")


# Models of our own.
class Own(nn.Module):
    def __init__(self):
        self.encoder, self.head = nn.Sequential(nn.Dense(8, "tanh"), nn.BatchNorm()), nn.Dense(8)
        self.shift = nn.Parameter((8,), trainable=False)

    def forward(self, x):
        return self.head(self.encoder(x)) + self.shift


model = Own().specify(x=nn.Input((6, 8)))
model.to_mlir()
names = {name for name, _ in model.named_leaves()}
running = {name for name, leaf in model.named_leaves() if isinstance(leaf, nn.State)}
everything = names - running
assert run(model, "sgd") - running == everything - {"shift"}
assert run(model, "sgd", frozen="encoder.*") - running == {"head.kernel", "head.bias"}
assert run(model, "sgd", trainable=["shift", "head.*"], frozen="*.kernel") - running == {"shift", "head.bias"}
model = Own()
model.compile("sgd", loss="mse", metrics=[], frozen="encoder")
refused("compile: frozen='encoder' is the name of no parameter; did you mean 'encoder.*'?", model.trainer.step, x, y)

# A frozen parameter is loaded, kept and saved as any, and begins with what was loaded, in each program and micro-batch.
model = Own().specify(x=nn.Input((6, 8)))
model.load_state_dict({name: numpy.full_like(value, 0.25 + i / 8) for i, (name, value) in enumerate(model.state_dict().items())})
before = model.state_dict()
model.compile("sgd", loss="mse", metrics=[], policy="float32", frozen="encoder.dense1.*", threads=1)
model.fit(x, y, batch_size=8, verbose=False)
after = model.state_dict()
for name in before:
    assert (after[name] == before[name]).all() == (name == "shift" or name.startswith("encoder.dense1")), name

# What is frozen is a part of a file of weights as what trains is.
folder = pathlib.Path(sys.argv[1])
for name in ("shift", "head.kernel"):
    write_tensors(folder / "w.safetensors", {key: value for key, value in after.items() if key != name})
    for one in (model, Own().specify(x=nn.Input((6, 8)))):
        refused(name, one.load_weights, folder / "w.safetensors")
write_tensors(folder / "w.safetensors", before)
model.load_weights(folder / "w.safetensors")
assert all((value == before[name]).all() for name, value in model.state_dict().items())

# Which train is shown.
said = io.StringIO()
with contextlib.redirect_stdout(said):
    halfstep.from_onnx(attention).summary()
    model.summary()
lines = said.getvalue().splitlines()
assert lines[:6] == ["q      tensor<8x8xf32>  trains", "k      tensor<8x8xf32>  trains", "v      tensor<8x8xf32>  trains", "mask   tensor<6x6xf32>  frozen",
                     "scale  tensor<1xf32>    frozen", "192 trainable parameters, 37 numbers that stay or are states"], lines
assert any(line.split() == ["encoder.dense1.kernel", "tensor<8x8xf32>", "frozen"] for line in lines), lines
assert any(line.split() == ["head.kernel", "tensor<8x8xf32>", "trains"] for line in lines), lines
