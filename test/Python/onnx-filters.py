"""Filters of files of ONNX lie as ours in a model and in files for it, and as the file's in the module's state: a step moves none, and has the
kernels of the same model written by hand. What something else reads, too, stays as it is.

RUN: rm -rf %t && mkdir %t && %{python} -W ignore %s %t
"""

import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import halfstep
from halfstep import nn, ops
from halfstep.importers.onnx import command
from halfstep.layers.leaves import Filter
from halfstep.graph.graph import TensorType

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(0)
node = helper.make_node


def file_of(nodes, weights, sizes, result):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *sizes])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", *result])], [numpy_helper.from_array(value, name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def draw(*shape):
    return (random.standard_normal(shape) / 3).astype("float32")


# In one to three dimensions, grouped, shared by two convolutions: all filters move as the file is read. (Sizes agree by chance where they can.)
mean = [node("GlobalAveragePool", ["h"], ["m"]), node("Flatten", ["m"], ["f"]), node("MatMul", ["f", "head"], ["y"])]
CASES = {
    "1d": ([node("Conv", ["x", "W"], ["h"])], {"W": draw(4, 3, 3)}, (3, 7), set()),
    "2d, shared": ([node("Conv", ["x", "W", "b"], ["a"], pads=[1, 1, 1, 1]), node("Conv", ["a", "W"], ["c"]), node("Conv", ["c", "V"], ["h"], group=3)],
                   {"W": draw(3, 3, 3, 3), "b": draw(3), "V": draw(6, 1, 2, 2)}, (3, 6, 6), set()),
    "3d": ([node("Conv", ["x", "W"], ["h"])], {"W": draw(4, 2, 1, 2, 3)}, (2, 4, 4, 4), set()),
    "read by something else": ([node("Conv", ["x", "W"], ["a"]), node("ReduceMean", ["W"], ["s"], keepdims=0), node("Mul", ["a", "s"], ["h"])],
                               {"W": draw(4, 3, 3, 3)}, (3, 6, 6), {"W"}),
}
for name, (nodes, weights, sizes, stays) in CASES.items():
    count = {"2d, shared": 6}.get(name, 4)
    weights = {**weights, "head": draw(count, 2)}
    file = file_of([*nodes, *mean], weights, sizes, (2,))
    onnx.save(file, folder / "m.onnx")
    x, y = random.standard_normal((8, *sizes)).astype("float32"), random.integers(0, 2, 8)
    model = halfstep.from_onnx(file)
    assert {key for key, leaf in model.named_leaves() if isinstance(leaf, Filter)} == {"W", "V"} & set(weights) - stays, name
    state = model.state_dict()
    assert all(state[key].shape == value.shape and (state[key] == value).all() for key, value in weights.items()), name
    (expected,) = ReferenceEvaluator(file).run(None, {"x": x})
    assert numpy.abs(model.predict(x) - expected).max() < 1e-4, name
    # A step is that of the layout, which a second model, of the state of the first, goes on from.
    model.compile(halfstep.SGD(0.5, momentum=0.9), policy="float32", threads=1)
    model.fit(x, y, batch_size=4, verbose=False, checkpoint=folder / name)
    after = model.state_dict()
    assert any(key.startswith("W/") for key in model.trainer.session.state), name
    assert after["W"].shape == weights["W"].shape and (after["W"] != weights["W"]).any()
    other = halfstep.from_onnx(file)
    other.load_state_dict(after)
    assert numpy.abs(other.predict(x) - model.predict(x)).max() < 1e-5, name
    # The file's own: what trained goes back into it.
    for tensor in file.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(after[tensor.name], tensor.name))
    (expected,) = ReferenceEvaluator(file).run(None, {"x": x})
    assert numpy.abs(model.predict(x) - expected).max() < 1e-4, name
    # Text and weights that import writes, and those of a module, fit together; a checkpoint comes in as weights.
    assert command.main([str(folder / "m.onnx"), "-o", str(folder / "m.mlir"), f"--weights={folder / 'm.safetensors'}"]) == 0
    model.save_weights(folder / "trained.safetensors")
    for path, values in ((folder / "m.safetensors", weights), (folder / "trained.safetensors", after), (folder / name, after)):
        with halfstep.Session(halfstep.compile(folder / "m.mlir", training=False, policy="float32")) as session:
            session.load_weights(path)
            for tensor in file.graph.initializer:
                tensor.CopyFrom(numpy_helper.from_array(values[tensor.name], tensor.name))
            (expected,) = ReferenceEvaluator(file).run(None, {"x": x})
            assert numpy.abs(session.run("infer", x=x)["y"] - expected).max() < 1e-4, (name, path)
        for fresh in (halfstep.from_onnx(file), model):
            fresh.load_weights(path)
            assert all((value == values[key]).all() for key, value in fresh.state_dict().items()), (name, path)
    try:
        model.load_state_dict({**after, "W": numpy.zeros((5, 5, 5), "float32")})
    except halfstep.Error as error:
        assert f"'W' has shape (5, 5, 5), expected {weights['W'].shape}" in str(error), error


# Kernels of a step: as many as of the model by hand, and no filter among what they transpose.
class Twice(nn.Module):
    def __init__(self):
        self.first, self.second, self.head = nn.Conv2D(64, 3, padding="same"), nn.Conv2D(64, 3, padding="same"), nn.Dense(3)

    def forward(self, x):
        x = self.second(ops.relu(self.first(ops.transpose(x, (0, 2, 3, 1)))))
        return self.head(ops.mean(x, (1, 2)))


def kernels_of(model):
    model.compile("sgd", loss="mse", metrics=[], policy="mixed_bfloat16")
    model.trainer._label_type = TensorType("f32", (None, 3))
    text = model.to_mlir(objective=model.trainer._objective)
    text = halfstep.compile(text, to="kernels", policy="mixed_bfloat16", optimizer="sgd", batch_size=16, target="cpu:amx-bf16")
    return text[text.index("@train_step"):].partition("func.func")[0].count("mp.kernel ")


pads = {"pads": [1, 1, 1, 1]}
weights = {"first": draw(64, 32, 3, 3), "first.bias": draw(64), "second": draw(64, 64, 3, 3), "second.bias": draw(64), "head": draw(64, 3), "head.bias": draw(3)}
file = file_of([node("Conv", ["x", "first", "first.bias"], ["a"], **pads), node("Relu", ["a"], ["b"]), node("Conv", ["b", "second", "second.bias"], ["c"], **pads),
                node("GlobalAveragePool", ["c"], ["d"]), node("Flatten", ["d"], ["e"]), node("Gemm", ["e", "head", "head.bias"], ["y"])], weights, (32, 16, 16), (3,))
counts = kernels_of(halfstep.from_onnx(file)), kernels_of(Twice().specify(x=nn.Input((32, 16, 16))))
assert counts[0] == counts[1] > 10, counts
