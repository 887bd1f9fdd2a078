"""What an op of ONNX needs as a number is one wherever the file has it, and norms of its vectors, in each type and of each size.

RUN: %{python} -W ignore %s
"""

import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import halfstep
from halfstep.importers.onnx import importer, node

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from checks import refused_onnx

X = numpy.array([[0, -1.5, 2], [3, 1, -4]], "float32")


def make(nodes, x, weights=(), opset=18, names=("z",)):
    graph = helper.make_graph(
        nodes, "m", [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in dict(weights).items()])
    for one in graph.output:
        one.type.tensor_type.shape.dim.add()
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def one(op, x, *values, **attributes):
    weights = {f"c{i}": value for i, value in enumerate(values) if value is not None}
    names = [f"c{i}" if f"c{i}" in weights else "" for i in range(len(values))]
    return make([helper.make_node(op, ["x", *names], ["z"], name="n", **attributes)], x, weights)


def f(*values):
    return numpy.array(values, "float32")


# Bounds, values and depths from initializers of floats, with a dimension or without, are no parameters.
LABELS = numpy.array([0, 2, -1])
CASES = [
    ("Clip", X, f(-1), f(2)), ("Clip", X, f(-1)[0], f(2)), ("Clip", X, None, f(1)), ("Clip", X, f(0)),
    ("Pad", X, numpy.array([0, 1, 1, 0]), f(7)), ("Pad", X, numpy.array([0, 1, 1, 0]), f(7)[0]),
    ("OneHot", LABELS, numpy.array(3), f(0, 1)), ("OneHot", LABELS, numpy.array([3]), f(-2, 5)), ("OneHot", LABELS, f(3), f(0, 1)),
    ("OneHot", LABELS, f(3)[0], numpy.array([2, 1])),
]
for op, x, *values in CASES:
    model = one(op, x, *values)
    imported = halfstep.from_onnx(model)
    # The evaluator knows neither a bound nor a value of a shape.
    plain = [value.reshape(()) if value is not None and numpy.shape(value) == (1,) else value for value in values]
    (expected,) = ReferenceEvaluator(one(op, x, *plain)).run(None, {"x": x})
    result = imported.predict(x)
    assert result.dtype == expected.dtype and (result == expected).all(), (op, values, result, expected)
    assert not dict(imported.named_leaves()), op
rate = [helper.make_node("Dropout", ["x", "rate", "training"], ["z"])]
assert "rate = 2.500000e-01" in halfstep.from_onnx(make(rate, X, {"rate": f(0.25), "training": [True]})).to_mlir()
assert {op: max(places) for op, places in node.CONSTANTS.items()} == {"Clip": 2, "Dropout": 1, "OneHot": 2, "Pad": 2, "Resize": 2}
assert set(node.CONSTANTS) <= set(importer.HANDLERS)

# What is such a number for one node is one for all; what no node uses is no parameter.
two = make([helper.make_node("Clip", ["x", "low"], ["h"]), helper.make_node("Add", ["h", "low"], ["i"]), helper.make_node("Mul", ["i", "w"], ["z"])],
           X, {"low": f(-1), "w": f(1, 2, 3), "unused": f(1, 2)})
imported = halfstep.from_onnx(two)
assert (imported.predict(X) == (numpy.maximum(X, -1) - 1) * f(1, 2, 3)).all() and list(dict(imported.named_leaves())) == ["w"]

# What is none is refused.
refused_onnx("node 'n' (Clip): its bounds are of shape (2,), expected one number", one("Clip", X, f(1, 2)))
refused_onnx("node 'n' (Clip): its bounds are of shape (0,), expected one number", one("Clip", X, None, f()))
refused_onnx("node 'n' (Pad): its value are of shape (3,)", one("Pad", X, numpy.zeros(4, "int64"), f(1, 2, 3)))
refused_onnx("node 'n' (OneHot): its values are of shape (3,), expected (2,)", one("OneHot", LABELS, numpy.array(3), f(1, 2, 3)))
refused_onnx("node 'n' (OneHot): its values are of shape (1, 2), expected (2,)", one("OneHot", LABELS, numpy.array(3), f(1, 2).reshape(1, 2)))
refused_onnx("node 'n' (OneHot): its depth [2.5] are no whole numbers", one("OneHot", LABELS, f(2.5)[0], f(0, 1)))
refused_onnx("node 'n' (OneHot): its depth [nan] are no whole numbers", one("OneHot", LABELS, f(numpy.nan)[0], f(0, 1)))
refused_onnx("node 'n' (OneHot): ", one("OneHot", LABELS, f(numpy.inf)[0], f(0, 1)))
for op, number in (("Clip", 1), ("Pad", 2), ("OneHot", 2)):
    inputs = ["x", *["c"] * (number - 1), "y"]
    model = make([helper.make_node("Relu", ["x"], ["y"]), helper.make_node(op, inputs, ["z"], name="n")], X, {"c": numpy.array([1, 1, 1, 1])[: 4 if op == "Pad" else 1]})
    refused_onnx(f"node 'n' ({op}): an input of the model decides its ", model)

# A norm has no epsilon, and its result the type of its input; what is all zeros stays so.
random = numpy.random.default_rng(0)
rows = random.standard_normal((3, 4, 5))
rows[1, :, 2] = rows[2, 3] = 0
for dtype, sizes in {"float16": (1, 2.0**-12, 2.0**12), "bfloat16": (1, 1e-30, 1e30), "float32": (1, 1e-10, 1e-20, 1e-30, 1e-36, 1e10, 1e20, 1e30, 1e37),
                     "float64": (1, 1e-100, 1e-200, 1e-300, 1e100, 1e200, 1e300)}.items():
    for size in sizes:
        for axis in (-1, 1, 2):
            for p in (1, 2):
                kind = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)) if dtype != "bfloat16" else TensorProto.BFLOAT16
                x = (rows * size).astype(helper.tensor_dtype_to_np_dtype(kind))
                model = make([helper.make_node("LpNormalization", ["x"], ["z"], axis=axis, p=p)], x, opset=22)
                result = halfstep.from_onnx(model).predict(x)
                wide = x.astype("float64") / size
                norm = (abs(wide) ** p).sum(axis, keepdims=True) ** (1 / p)
                expected = wide / numpy.where(norm == 0, 1, norm)
                limit = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6, "float64": 1e-14}[dtype]
                assert result.dtype == x.dtype, (dtype, result.dtype)
                assert abs(result.astype("float64") - expected).max() < limit, (dtype, size, axis, p)
                assert (result[expected == 0] == 0).all()

# Its gradient is finite, of zeros, too.
for p in (1, 2):
    nodes = [helper.make_node("Add", ["x", "w"], ["h"]), helper.make_node("LpNormalization", ["h"], ["z"], p=p)]
    model = make(nodes, X, {"w": f(1e-30, 2e-30, 1e-30)})
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    model = halfstep.from_onnx(model, trainable="w")
    model.compile(halfstep.SGD(0.1), policy="float32", threads=1)
    model.fit(numpy.zeros((4, 3), "float32"), numpy.array([0, 1, 2, 0]), batch_size=4, verbose=False)
    assert numpy.isfinite(model.state_dict()["w"]).all(), p
