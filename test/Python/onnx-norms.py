"""Norms of ONNX in each type and of scales, offsets and statistics in others, as converters to float16 write them; HardSigmoid. Against the
same in float64.

RUN: %{python} -W ignore %s
"""

import itertools
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import ml_dtypes
import numpy
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import halfstep

random = numpy.random.default_rng(0)
TYPES = {"float16": TensorProto.FLOAT16, "bfloat16": TensorProto.BFLOAT16, "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
BOUND = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-12}
NARROWEST = list(BOUND)


def file_of(op, x, weights, outputs=("y",), opset=17, **attributes):
    dtype = TYPES[x.dtype.name]
    graph = helper.make_graph(
        [helper.make_node(op, ["x", *weights], list(outputs), **attributes)], "g",
        [helper.make_tensor_value_info("x", dtype, ["batch", *x.shape[1:]])],
        [helper.make_tensor_value_info(name, dtype if name == "y" else TensorProto.FLOAT, ["batch", *x.shape[1:]]) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def draw(dtype, *shape):
    return (numpy.abs(random.standard_normal(shape)) + 0.1).astype(dtype)


def near(actual, expected, dtype, bound, where):
    assert actual.dtype.name == dtype, (where, actual.dtype)
    worst = numpy.abs(actual.astype("float64") - expected).max() / numpy.abs(expected).max()
    assert worst < bound, (where, worst)


def wide(*values):
    return [numpy.asarray(one, "float64") for one in values]


def pixels(value):
    return value[:, None, None]


for name, other in itertools.product(TYPES, TYPES):
    bound = max(BOUND[name], min(BOUND[other], 1e-6))
    x = random.standard_normal((3, 4, 5, 5)).astype(name)
    (w,) = wide(x)
    # Over the last dimension and over several, with an offset and without, and with the statistics as outputs.
    for axis, has_offset in itertools.product((-1, 1, 2), (True, False)):
        shape = x.shape[axis:]
        scale, offset = draw(other, *shape), draw(other, *shape)
        model = halfstep.from_onnx(file_of("LayerNormalization", x, {"s": scale, **({"b": offset} if has_offset else {})}, ("y", "mean", "deviation"), axis=axis))
        axes = tuple(range(axis % 4, 4))
        mean, variance = w.mean(axes, keepdims=True), w.var(axes, keepdims=True)
        found = model.predict(x)
        near(found["y"], (w - mean) / numpy.sqrt(variance + 1e-5) * wide(scale)[0] + (wide(offset)[0] if has_offset else 0), name, bound, (name, other, axis))
        near(found["mean"], mean, "float32", 1e-5, (name, other, axis))
        near(found["deviation"], 1 / numpy.sqrt(variance + 1e-5), "float32", 1e-5, (name, other, axis))
    # By given statistics, of a type of their own.
    for third in (name, other, "float32"):
        scale, offset, mean, variance = draw(other, 4), draw(other, 4), draw(third, 4), draw(third, 4)
        s, b, m, v = map(pixels, wide(scale, offset, mean, variance))
        model = halfstep.from_onnx(file_of("BatchNormalization", x, {"s": scale, "b": offset, "m": mean, "v": variance}))
        near(model.predict(x), (w - m) / numpy.sqrt(v + 1e-5) * s + b, name, bound, (name, other, third))
    # By the image's own.
    s, b = map(pixels, wide(scale, offset))
    mean, variance = w.mean((2, 3), keepdims=True), w.var((2, 3), keepdims=True)
    model = halfstep.from_onnx(file_of("InstanceNormalization", x, {"s": scale, "b": offset}))
    near(model.predict(x), (w - mean) / numpy.sqrt(variance + 1e-5) * s + b, name, bound, (name, other))

# A line between two bounds.
for name, attributes in itertools.product(TYPES, ({}, {"alpha": 1 / 6}, {"alpha": 0.7, "beta": -0.1})):
    x = numpy.linspace(-6, 6, 49).reshape(1, 49).astype(name)
    expected = numpy.clip(wide(x)[0] * attributes.get("alpha", 0.2) + attributes.get("beta", 0.5), 0, 1)
    near(halfstep.from_onnx(file_of("HardSigmoid", x, {}, opset=22, **attributes)).predict(x), expected, name, max(BOUND[name], 1e-6), (name, attributes))

# What ops need the type of is known of an initializer, too.
values = numpy.linspace(0.1, 1.2, 12, dtype="float32").reshape(3, 4)
for op, second, attributes in (("Pow", numpy.float32(2), {}), ("Pow", numpy.float32([1, 2, 3, 0.5]), {}), ("Pow", numpy.int64(3), {}),
                               ("CumSum", numpy.int64(1), {}), ("CumSum", numpy.int64(0), {"reverse": 1, "exclusive": 1}),
                               ("ArgMax", None, {"axis": 1}), ("LpNormalization", None, {"axis": 0}), ("TopK", numpy.int64([2]), {})):
    inputs, outputs = ["p"] if second is None else ["p", "e"], ["q", "places"] if op == "TopK" else ["q"]
    graph = helper.make_graph(
        [helper.make_node(op, inputs, outputs, **attributes), helper.make_node("Cast", ["q"], ["c"], to=TensorProto.FLOAT), helper.make_node("ReduceSum", ["x"], ["z"], keepdims=0),
         helper.make_node("Add", ["z", "c"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in (("p", values), ("e", second)) if value is not None])
    graph.output[0].type.tensor_type.shape.dim.add()
    file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    x = numpy.ones((2, 3), "float32")
    (expected,) = ReferenceEvaluator(file).run(None, {"x": x})
    numpy.testing.assert_allclose(halfstep.from_onnx(file).predict(x), expected, rtol=1e-5, err_msg=op)
