"""What a node of ONNX says that no tensor has: dimensions beyond its rank or twice, counts that do not fit, whatever a handler ends with.

RUN: %{python} -W ignore %s
"""

import resource
import sys

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import halfstep
from halfstep import _onnx

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


# A dimension by an attribute, or by an input.
scale = numpy.ones(4, "float32")
BY_ATTRIBUTE = {"ArgMax": (), "ArgMin": (), "Concat": (), "Flatten": (), "Gather": ([0],), "LayerNormalization": (scale,), "LogSoftmax": (),
                "LpNormalization": (), "Softmax": (), "Split": (), "TopK": ([1],)}
BY_INPUT = {
    "CumSum": lambda axes: (axes[0],), "Pad": lambda axes: ([0] * 2 * len(axes), None, axes),
    "Slice": lambda axes: ([0] * len(axes), [1] * len(axes), axes), "Squeeze": lambda axes: (axes,), "Unsqueeze": lambda axes: (axes,),
    **{f"Reduce{name}": lambda axes: (axes,) for name in ("Max", "Mean", "Min", "Prod", "Sum")},
}
known = {op for op, schema in ((op, onnx.defs.get_schema(op, 18)) for op in _onnx.HANDLERS if onnx.defs.has(op) and op not in ("Gelu",))
         if {"axis", "axes"} & (set(schema.attributes) | {one.name for one in schema.inputs})}
assert known - {"OneHot"} == {*BY_ATTRIBUTE, *BY_INPUT}, known ^ {*BY_ATTRIBUTE, *BY_INPUT}
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
refused("node 'n' (CumSum): dimension 7 is out of range", "CumSum", 7, element=TensorProto.INT64)
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

# Whatever else a handler ends with is the node's error.
FAULTS = (ArithmeticError, AssertionError, AttributeError, BufferError, IndexError, KeyError, MemoryError, NotImplementedError, OverflowError,
          RecursionError, StopIteration, TypeError, UnicodeError, ValueError, ZeroDivisionError)
relu = _onnx.HANDLERS["Relu"]
for fault in FAULTS:
    def handler(node, x):
        raise fault

    _onnx.HANDLERS["Relu"] = handler
    try:
        load("Relu").to_mlir()
    except halfstep.Error as error:
        assert str(error) == f"node 'n' (Relu): its inputs and attributes are not of such an op: {fault.__name__}", error
    else:
        raise AssertionError(fault)
_onnx.HANDLERS["Relu"] = relu
