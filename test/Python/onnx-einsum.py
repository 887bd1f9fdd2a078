"""ONNX's Einsum: a product of matrices where it sums over both operands, whose weights train, else elementwise in float32, of constants.

RUN: %{python} -W ignore %s
"""

import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
from onnx import TensorProto, helper, numpy_helper

import halfstep

random = numpy.random.default_rng(0)


def model(equation, weights, shape):
    output = helper.make_tensor_value_info("z", TensorProto.FLOAT, ["batch", *(f"d{i}" for i in range(len(equation.split("->")[1]) - 1))])
    graph = helper.make_graph([helper.make_node("Einsum", ["x", "w"], ["z"], equation=equation)], "m",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], [output], [numpy_helper.from_array(weights, "w")])
    return halfstep.from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))


def draw(*shape):
    return (1000 * random.standard_normal(shape)).astype("float32")


# A compiled model predicts where nothing of it trains, too.
for equation, shape, own, is_product in (("bl,d->bld", (4,), (5,), False), ("bl,l->bl", (4,), (4,), False), ("bi,j->bji", (3,), (2,), False),
                                         ("bl,ld->bd", (4,), (4, 2), True), ("bij,jk->bik", (2, 3), (3, 4), True)):
    x, w = draw(3, *shape), draw(*own)
    for policy in ("float32", "mixed_float16", "mixed_bfloat16"):
        read = model(equation, w, ("batch", *shape))
        read.compile("sgd", loss="mse", policy=policy, threads=1)
        wanted = numpy.einsum(equation, x.astype("float64"), w.astype("float64"))
        if not is_product or policy == "float32":
            assert numpy.abs(read.predict(x) - wanted).max() <= 2e-6 * numpy.abs(wanted).max(), (equation, policy)
        text = halfstep.compile(read.to_mlir(), to="autocast", policy=policy, training=False, batch_size=3)
        assert ("f16" in text) == ("mp.matmul" in text and policy != "float32") and ("mp.matmul" in text) == is_product, text
    assert [leaf.trainable for _, leaf in read.named_leaves()] == [is_product], equation
