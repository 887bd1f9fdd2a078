"""What a node of ONNX says that no tensor has: dimensions beyond its rank or twice, counts that do not fit, whatever a handler ends with.

RUN: %{python} -W ignore %s
"""

import resource
import sys
import time

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import halfstep
from halfstep.importers.onnx import importer

# A number that a file names is not the length of a list.
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def load(op, weights=(), element=TensorProto.FLOAT, outputs=1, **attributes):
    """A model of one node on x [batch, 3, 4] and on constants."""
    names = [f"c{i}" for i in range(len(weights))]
    node = helper.make_node(op, ["x", *["" if value is None else name for name, value in zip(names, weights)]],
                            [f"z{i}" for i in range(outputs)], name="n", **attributes)
    graph = helper.make_graph(
        [node], "m", [helper.make_tensor_value_info("x", element, ["batch", 3, 4])],
        [helper.make_tensor_value_info("z0", element, ["batch", 3, 4])],
        [numpy_helper.from_array(numpy.array(value), name) for name, value in zip(names, weights) if value is not None])
    return halfstep.from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))


def refused(expected, op, *weights, **named):
    try:
        load(op, weights, **named).to_mlir()
    except halfstep.Error as error:
        assert expected in str(error) and "Error" not in str(error), error
        return
    raise AssertionError(f"{op} {weights} {named}: {expected}")


try:
    halfstep.from_onnx("nowhere/model.onnx")
except halfstep.MissingFile as error:
    assert str(error) == "nowhere/model.onnx: cannot open: No such file or directory", error
else:
    raise AssertionError("a file that is not there")


# A dimension by an attribute, or by an input.
scale = numpy.ones(4, "float32")
BY_ATTRIBUTE = {"ArgMax": (), "ArgMin": (), "Concat": (), "Flatten": (), "Gather": ([0],), "GatherElements": ([[[0]]],), "Hardmax": (), "LayerNormalization": (scale,), "LogSoftmax": (),
                "LpNormalization": (), "Softmax": (), "Split": (), "TopK": ([1],)}
BY_INPUT = {
    "CumSum": lambda axes: (axes[0],), "Pad": lambda axes: ([0] * 2 * len(axes), None, axes),
    "Slice": lambda axes: ([0] * len(axes), [1] * len(axes), axes), "Squeeze": lambda axes: (axes,), "Unsqueeze": lambda axes: (axes,),
    **{f"Reduce{name}": lambda axes: (axes,) for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")},
}
known = {op for op, schema in ((op, onnx.defs.get_schema(op, 18)) for op in importer.HANDLERS if onnx.defs.has(op) and op not in ("Gelu",))
         if {"axis", "axes"} & (set(schema.attributes) | {one.name for one in schema.inputs})}
assert known - {"OneHot", "Resize", "ScatterElements"} == {*BY_ATTRIBUTE, *BY_INPUT}, known ^ {*BY_ATTRIBUTE, *BY_INPUT}
for op, weights in BY_ATTRIBUTE.items():
    outputs = 2 if op == "TopK" else 1
    load(op, weights, axis=1 if op == "Flatten" else 2, outputs=outputs).to_mlir()
    for axis in (4, 7, -5, -2**40):
        refused("is out of range", op, *weights, axis=axis, outputs=outputs)
for op, weights in BY_INPUT.items():
    if op != "Squeeze":
        load(op, weights([1, 2])).to_mlir()
    for axes in ([7], [-9], [2**40]):
        refused(f"dimension {axes[0]} is out of range", op, *weights(axes))
    for axes in ([1, 1], [2, 1, 2], [1, -3 if op == "Unsqueeze" else -2]) if op != "CumSum" else ():
        axes = [1, -4] if op == "Unsqueeze" and axes[-1] < 0 else axes
        refused(f"dimensions {axes!r} have one twice", op, *weights(axes))
refused("node 'n' (CumSum): axes: dimension 7 is out of range", "CumSum", 7, element=TensorProto.INT64)
refused("node 'n' (Softmax): axis: dimension 9 is out of range, expected -", "Softmax", axis=9)
refused("node 'n' (ScatterND): its indices are into 4 dimensions of ", "ScatterND", numpy.zeros((1, 4), "int64"), numpy.ones(1, "float32"))
refused("node 'n' (RandomNormalLike): numbers of int32 are not drawn", "RandomNormalLike", dtype=TensorProto.INT32)
refused("axis=7 is not supported", "OneHot", 3, [0.0, 1.0], axis=7)

# Counts.
for count, outputs in ((2**40, 1), (2**62, 2), (3, 2), (0, 1), (-1, 1)):
    refused(f"node 'n' (Split): num_outputs={count}, and it has {outputs} outputs", "Split", axis=1, num_outputs=count, outputs=outputs)
refused("node 'n' (Pad): 3 pads are not two for each of 3 dimensions", "Pad", [1, 1, 1])
refused("node 'n' (Pad): 6 pads are not two for each of 1 dimensions", "Pad", [0] * 6, None, [1])
refused("node 'n' (Slice): ", "Slice", [0], [1, 2], [1])
refused("node 'n' (Slice): ", "Slice", [0], [1], [1, 2])
for sizes in ([1, 2**40, 4], [2**62, 2**62, 4]):
    refused("", "Expand", sizes)

# Sizes that a node says, and its inputs have otherwise.
filters = numpy.ones((3, 3, 3), "float32")
load("Conv", [filters], kernel_shape=[3], pads=[1, 1]).to_mlir()
refused("node 'n' (Conv): kernel_shape=[5], and its filters are of [3]", "Conv", filters, kernel_shape=[5])
refused("node 'n' (Conv): kernel_shape=[3, 3], and its filters are of [3]", "Conv", filters, kernel_shape=[3, 3])
for op, weights, named in (("Conv", [filters], {}), ("MaxPool", (), {"kernel_shape": [2]}), ("AveragePool", (), {"kernel_shape": [2]})):
    for name, values in (("pads", [1]), ("pads", [1, 1, 1]), ("pads", [0] * 8), ("strides", [1, 1]), ("dilations", [1, 1])):
        if name != "dilations" or op != "AveragePool":
            refused(f"node 'n' ({op}): {name}={values} for 1 dimensions of images", op, *weights, **named, **{name: values})
for sizes in ([2, 2], [2, 2, 2], [1, 4], [5], [3]):
    refused("node 'n' (LayerNormalization): ", "LayerNormalization", numpy.ones(sizes, "float32"), axis=2)
load("LayerNormalization", [numpy.ones((3, 4), "float32")], axis=1).to_mlir()
load("LayerNormalization", [numpy.ones(4, "float32")], axis=1).to_mlir()
refused("node 'n' (LayerNormalization): ", "LayerNormalization", numpy.ones(12, "float32"), axis=1)


def recurrent(positions, lengths=None, count=1, rows=2, op="LSTM"):
    """Layers of one unit on one input."""
    gates = {"GRU": 3, "LSTM": 4, "RNN": 1}[op]
    inputs = ["x", "w", "r", "", "lengths" if lengths is not None else ""]
    values = {"w": numpy.ones((1, gates, 1), "float32"), "r": numpy.ones((1, gates, 1), "float32"),
              **({} if lengths is None else {"lengths": numpy.array(lengths, "int32")})}
    graph = helper.make_graph(
        [helper.make_node(op, inputs, [f"z{i}"], name=f"n{i}", hidden_size=1) for i in range(count)], "m",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [positions, rows, 1])],
        [helper.make_tensor_value_info("z0", TensorProto.FLOAT, [positions, 1, rows, 1])],
        [numpy_helper.from_array(value, name) for name, value in values.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def is_refused(expected, model):
    try:
        halfstep.from_onnx(model).to_mlir()
    except halfstep.Error as error:
        assert expected in str(error) and "Error" not in str(error), error
        return
    raise AssertionError(expected)


halfstep.from_onnx(recurrent(3, [3, 3])).to_mlir()
for lengths in ([3], [3, 3, 3, 3], []):
    is_refused(f"node 'n0' (LSTM): {len(lengths)} sequence_lens for 2 rows", recurrent(3, lengths))
is_refused("shorter than the 3 positions", recurrent(3, [3, 2]))
# Time is unrolled: what a file may ask for is limited over all of its layers.
started = time.monotonic()
for op in ("GRU", "LSTM", "RNN"):
    is_refused(f"node 'n0' ({op}): with it the model has 4097 positions", recurrent(4097, op=op))
    is_refused(f"node 'n0' ({op}): with it the model has {2**40} positions", recurrent(2**40, op=op))
is_refused("node 'n20' (RNN): with it the model has 4200 positions of all layers and directions, more than 4096", recurrent(200, count=1000, op="RNN"))
assert time.monotonic() - started < 120
model = halfstep.from_onnx(recurrent(2100, op="RNN"))
for _ in range(2):  # each text begins anew
    model.to_mlir()

# Opsets that onnx does not know, or two of them.
for opset in (onnx.defs.onnx_opset_version() + 1, 999, 2**30):
    model = recurrent(3)
    model.opset_import[0].version = opset
    is_refused(f"the model is of opset {opset}, and onnx {onnx.__version__} knows those up to {onnx.defs.onnx_opset_version()}", model)
model = recurrent(3)
model.opset_import.add(domain="ai.onnx", version=20)
is_refused("the model is of several opsets: 18, 20", model)


# Dimensions beyond 32, of inputs, of results, of what a file holds.
def of_rank(nodes, rank, values=()):
    graph = helper.make_graph(
        nodes, "m", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2] + [1] * (rank - 1))],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [2])],
        [one if isinstance(one, TensorProto) else numpy_helper.from_array(numpy.array(one), f"c{i}") for i, one in enumerate(values)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


relu = [helper.make_node("Relu", ["x"], ["z"], name="n")]
x = numpy.arange(2, dtype="float32").reshape(2, *[1] * 31)
assert (halfstep.from_onnx(of_rank(relu, 32)).predict(x) == x).all()
for rank in (33, 300):
    is_refused(f"input 'x' has {rank} dimensions, expected at most 32", of_rank(relu, rank))
    for op, value in (("Unsqueeze", numpy.arange(1, rank)), ("Reshape", [2] + [1] * (rank - 1)), ("Expand", [1] * (rank - 1) + [2])):
        is_refused(f"node 'n' ({op}): its output 'z' has {rank} dimensions, expected at most 32",
                   of_rank([helper.make_node(op, ["x", "c0"], ["z"], name="n")], 1, [value]))
    values = helper.make_tensor("c0", TensorProto.FLOAT, [1] * rank, [1.0])
    is_refused("initializer 'c0' has values that do not fit", of_rank([helper.make_node("Add", ["x", "c0"], ["z"])], 1, [values]))
    is_refused("node 'n' (Constant) has values that do not fit", of_rank(
        [helper.make_node("Constant", [], ["c"], name="n", value=values), helper.make_node("Add", ["x", "c"], ["z"])], 1))

# Whatever else a handler ends with is the node's error.
FAULTS = (ArithmeticError, AssertionError, AttributeError, BufferError, IndexError, KeyError, MemoryError, NotImplementedError, OverflowError,
          RecursionError, StopIteration, TypeError, UnicodeError, ValueError, ZeroDivisionError)
relu = importer.HANDLERS["Relu"]
for fault in FAULTS:
    def handler(node, x):
        raise fault

    importer.HANDLERS["Relu"] = handler
    try:
        load("Relu").to_mlir()
    except halfstep.Error as error:
        assert str(error) == f"node 'n' (Relu): its inputs and attributes are not of such an op: {fault.__name__}", error
    else:
        raise AssertionError(fault)
importer.HANDLERS["Relu"] = relu
