"""Ops of ONNX on each element, of images whose channels come last in ours and of initializers that come as the file has them: of each rank and
shape that broadcasts, where sizes agree by chance, in both orders. Against ONNX's evaluator, and ONNX Runtime where it is there.

RUN: %{python} -W ignore %s
"""

import itertools
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import halfstep

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

random = numpy.random.default_rng(0)
NUMBERS = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "PRelu", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal")
ONE_ORDER = ("PRelu", "Pow")  # the second operand is broadcast, not the first; and of a negative number there are few powers


class File:
    """A convolution of `x`, to which nodes are added whose results are outputs."""

    def __init__(self, sizes):
        self.sizes, rank = sizes, len(sizes) - 1
        self.weights = {"filter": random.standard_normal((sizes[0], 2, *[1] * rank)).astype("float32")}
        self.nodes = [helper.make_node("Conv", ["x", "filter"], ["image"]), helper.make_node("Greater", ["image", "zero"], ["mask"]),
                      helper.make_node("Abs", ["image"], ["positive"])]
        self.weights["zero"] = numpy.float32(0)
        self.outputs = []

    def add(self, op, inputs, dtype="float32"):
        """`inputs` are names, and arrays that become initializers."""
        names = []
        for one in inputs:
            names.append(one if isinstance(one, str) else f"{op}.{len(self.nodes)}.{len(names)}")
            if not isinstance(one, str):
                self.weights[names[-1]] = one
        self.outputs.append((f"{op}{len(self.nodes)}", dtype))
        self.nodes.append(helper.make_node(op, names, [self.outputs[-1][0]]))

    def check(self):
        """Results, and that nothing moves but the image at its way in where nothing has to."""
        open_sizes = ["batch", *[f"size{i}" for i in range(len(self.sizes))]]
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 2, *self.sizes[1:]])],
            [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)), open_sizes) for name, dtype in self.outputs],
            [numpy_helper.from_array(numpy.asarray(value), name) for name, value in self.weights.items()])
        file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        x = random.standard_normal((3, 2, *self.sizes[1:])).astype("float32")
        results = halfstep.from_onnx(file).predict(x)
        results = results if isinstance(results, dict) else {self.outputs[0][0]: results}
        peers = [ReferenceEvaluator(file)]
        if onnxruntime is not None:
            peers.append(onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"]))
        for peer in peers:
            for (name, _), expected in zip(self.outputs, peer.run(None, {"x": x})):
                where = f"{type(peer).__name__}, {self.sizes}, {name}, {[self.weights[one].shape for one in self.weights if name.startswith(one.split('.')[0])]}"
                assert results[name].shape == expected.shape and results[name].dtype == expected.dtype, where
                if expected.dtype == bool:  # what is equal but for rounding may compare otherwise
                    assert (results[name] != expected).mean() < 0.01, where
                else:
                    numpy.testing.assert_allclose(results[name], expected, rtol=2e-4, atol=2e-5, err_msg=where)


def shapes(sizes):
    """All that are broadcast to images of such channels and pixels, of each rank."""
    full = (1, *sizes)
    for rank in range(len(full) + 1):
        yield from sorted(set(itertools.product(*({1, size} for size in full[len(full) - rank :]))))


def draw(shape):
    return (numpy.abs(random.standard_normal(shape)) + 0.5).astype("float32")


# Each shape, where channels are as many as rows, as columns, one, and all sizes differ or are one; pixels of one, two and three dimensions.
for sizes in ((4, 4, 6), (4, 6, 4), (4, 5, 5), (1, 4, 6), (3, 4, 5), (4, 4, 4), (4, 1, 1), (4, 4), (4, 5), (2, 3, 2, 3)):
    file = File(sizes)
    for shape in shapes(sizes):
        file.add("Sub", ["image", draw(shape)])
        file.add("Sub", [draw(shape), "image"])
        file.add("Where", ["mask", draw(shape), "image"])
        file.add("Where", [draw(shape) > 0.8, "image", draw(shape)])
    file.check()

# Each op.
for sizes in ((4, 4, 6), (3, 5, 3)):
    file = File(sizes)
    for shape in ((), (sizes[-1],), (sizes[1], 1), (sizes[0], 1, 1), sizes, (1, sizes[0], 1, 1)):
        for op in NUMBERS:
            dtype = "bool" if op in ("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal") else "float32"
            file.add(op, ["image", draw(shape)], dtype)
            if op not in ONE_ORDER:
                file.add(op, [draw(shape), "image"], dtype)
        file.add("Pow", ["positive", draw(shape)])
        file.add("Pow", [draw(shape), "image"])
        for op in ("And", "Or"):
            file.add(op, ["mask", draw(shape) > 1], "bool")
            file.add(op, [draw(shape) > 1, "mask"], "bool")
        file.add("Max", ["image", draw(shape), draw(()), "positive"])
    file.check()

# Images of one pixel beside those of many: the scale of each channel that a network computes. Between convolutions nothing moves.
weights = {name: random.standard_normal(shape).astype("float32")
           for name, shape in {"first": (4, 2, 1, 1), "squeeze": (4, 4, 1, 1), "last": (4, 4, 1, 1), "scale": (4, 1, 1), "offset": (1, 4, 1, 1)}.items()}
graph = helper.make_graph(
    [helper.make_node("Conv", ["x", "first"], ["a"]), helper.make_node("GlobalAveragePool", ["a"], ["b"]), helper.make_node("Conv", ["b", "squeeze"], ["c"]),
     helper.make_node("HardSigmoid", ["c"], ["d"], alpha=1 / 6), helper.make_node("Mul", ["d", "a"], ["e"]), helper.make_node("Mul", ["e", "scale"], ["f"]),
     helper.make_node("Add", ["offset", "f"], ["g"]), helper.make_node("Clip", ["g", "", "six"], ["h"]), helper.make_node("Conv", ["h", "last"], ["y"])], "g",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 2, 4, 4])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4, 4, 4])],
    [numpy_helper.from_array(value, name) for name, value in {**weights, "six": numpy.float32(6)}.items()])
file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
x = random.standard_normal((5, 2, 4, 4)).astype("float32")
model = halfstep.from_onnx(file)
(expected,) = ReferenceEvaluator(file).run(None, {"x": x})
numpy.testing.assert_allclose(model.predict(x), expected, rtol=1e-4, atol=1e-5)
infer = halfstep.compile(model.to_mlir(), to="kernels", training=False, policy="float32", batch_size=2).partition("@infer")[2].partition("func.func")[0]
assert infer.count("permutation [0, 3, 1, 2]") == 1, infer  # of the result, which is in the file's order
