"""Shapes in files of ONNX: computed when a file is read, with an open batch and without, and models that are made for each size of the batch.

RUN: rm -rf %t && mkdir %t && cd %t && %{python} -W ignore %s
"""

import os
import subprocess
import sys

sys.path = sys.path[1:]  # a file beside this one has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import halfstep

random = numpy.random.default_rng(2)
INT, FLOAT, BOOL = TensorProto.INT64, TensorProto.FLOAT, TensorProto.BOOL


def whole(*values):
    return numpy.array(values, numpy.int64)


def file_of(nodes, constants=None, rank=3, first="batch"):
    graph = helper.make_graph(
        nodes, "m", [helper.make_tensor_value_info("x", FLOAT, [first, 4, 6])], [helper.make_tensor_value_info("z", FLOAT, [f"z{i}" for i in range(rank)])],
        [numpy_helper.from_array(value, name) for name, value in {"zero": whole(0), "one": whole(1), "two": whole(2), "ends": whole(0, 2), **(constants or {})}.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=f"{op} of {outputs.split()[0]}", **attributes)


BATCH = [node("Shape", "x", "shape"), node("Gather", "shape zero", "rows")]  # [rows]
BRANCHES = {name: helper.make_graph([node(op, "x", name)], name, [], [helper.make_tensor_value_info(name, FLOAT, None)])
            for name, op in (("then", "Abs"), ("else", "Neg"))}
OPEN = {
    "flat": [*BATCH, node("Concat", "rows minus", "to", axis=0), node("Reshape", "x to", "z")],
    "merged": [*BATCH, node("Mul", "rows four", "all"), node("Concat", "all six", "to", axis=0), node("Reshape", "x to", "z")],
    "part of a shape": [node("Shape", "x", "shape", start=0, end=2), node("Concat", "shape two minus", "to", axis=0), node("Reshape", "x to", "z")],
    "class tokens": [*BATCH, node("Concat", "rows one six", "to", axis=0), node("Expand", "token to", "tokens"), node("Concat", "tokens x", "z", axis=1)],
    "class tokens by tile": [*BATCH, node("Concat", "rows one one", "to", axis=0), node("Tile", "token to", "tokens"), node("Concat", "tokens x", "z", axis=1)],
    "zeros": [*BATCH, node("Concat", "rows two six", "to", axis=0), node("ConstantOfShape", "to", "more", value=numpy_helper.from_array(numpy.array([2.5], "float32"))),
              node("Concat", "x more", "z", axis=1)],
    "where": [*BATCH, node("Concat", "rows one six", "to", axis=0), node("Equal", "to minus", "is"), node("Where", "is one to", "used"),
              node("Expand", "token used", "tokens"), node("Add", "tokens x", "z")],
    "known in the end": [node("Shape", "x", "shape"), node("Slice", "shape one three", "last"), node("Cast", "last", "floats", to=FLOAT), node("ReduceProd", "floats", "size", keepdims=0),
                         node("Sqrt", "size", "root"), node("Div", "x root", "z")],
    "sizes of rows": [node("Size", "x", "size"), node("Shape", "x", "shape"), node("ReduceProd", "shape", "too", keepdims=0), node("Div", "size too", "is"),
                      node("Cast", "is", "float", to=FLOAT), node("Mul", "x float", "z")],
    "if": [node("Shape", "x", "shape"), node("Gather", "shape one", "four_"), node("Squeeze", "four_", "scalar"), node("Equal", "scalar four", "is_"), node("Squeeze", "is_", "is"),
           helper.make_node("If", ["is"], ["z"], name="if", then_branch=BRANCHES["then"], else_branch=BRANCHES["else"])],
    # Twice as many rows, of which the shape is taken, and which are cut at their own number.
    "shape of merged rows": [node("Reshape", "x halves", "h"), node("Shape", "h", "shape"), node("Expand", "token shape", "tokens"), node("Add", "tokens h", "z")],
    "all merged rows": [node("Reshape", "x halves", "h"), node("Shape", "h", "shape", end=1), node("Slice", "h zero shape zero", "z")],
    # Back from merged rows to those of the batch, with what is left for another dimension.
    **{f"back to {'x'.join(sizes.split())}": [*BATCH, node("Reshape", "x halves", "h"), node("Abs", "h", "a"), node("Concat", f"rows {sizes}", "to", axis=0), node("Reshape", "a to", "z")]
       for sizes in ("minus", "two minus", "minus six", "minus two six", "minus one")},
    "twice the rows": [*BATCH, node("Mul", "rows two", "more"), node("Reshape", "x fours", "h"), node("Concat", "more minus", "to", axis=0), node("Reshape", "h to", "z")],
    "all rows": [*BATCH, node("Slice", "x zero rows zero", "z")],
    "numbers of positions": [node("Shape", "x", "shape"), node("Gather", "shape one", "four_"), node("Squeeze", "four_", "limit"), node("Range", "nought limit step", "places"),
                             node("Cast", "places", "float", to=FLOAT), node("Unsqueeze", "float one", "column"), node("Add", "x column", "z")],
}
CONSTANTS = {"halves": whole(-1, 2, 6), "fours": whole(-1, 1, 2, 3), "minus": whole(-1), "four": whole(4), "six": whole(6), "three": whole(3), "token": random.standard_normal((1, 1, 6)).astype("float32"),
             "nought": numpy.array(0), "step": numpy.array(1)}
for name, nodes in OPEN.items():
    for first in ("batch", 3):
        file = file_of(nodes, CONSTANTS, {"flat": 2, "merged": 2, "part of a shape": 4}.get(name, 3), first)
        model = halfstep.from_onnx(file)
        assert model.fixed_rows is None, name
        for rows in (1, 2, 3, 8, 65, 100) if first == "batch" else (3,):
            x = random.standard_normal((rows, 4, 6)).astype("float32")
            (wanted,) = ReferenceEvaluator(file).run(None, {"x": x})
            found = model.predict(x)
            assert found.shape == wanted.shape and numpy.abs(found - wanted).max() < 1e-6, (name, rows, found, wanted)

# Rows that depend on each other by their number: a text for each size.
ROLLED = [*BATCH, node("Slice", "x one rows zero", "behind"), node("Slice", "x zero one zero", "front"), node("Concat", "behind front", "z", axis=0)]
MORE = [*BATCH, node("Add", "rows one", "more"), node("Concat", "more four six", "to", axis=0), node("ConstantOfShape", "to", "zeros"),
        node("Slice", "zeros one two zero", "row"), node("Concat", "x row", "z", axis=0)]
# As many columns as there are rows, rows of merged ones as many as the batch has, and what is another number from some size on.
COLUMNS = [*BATCH, node("Slice", "x zero rows one", "z")]
HALF = [*BATCH, node("Reshape", "x halves", "h"), node("Slice", "h zero rows zero", "z")]
AT_MOST = [*BATCH, node("Min", "rows two", "most"), node("Slice", "x zero most one", "z")]
HALVED = [*BATCH, node("Div", "rows two", "half"), node("Slice", "x zero half zero", "z")]
for nodes in (ROLLED, MORE, COLUMNS, HALF, AT_MOST, HALVED):
    file = file_of(nodes, CONSTANTS)
    model = halfstep.from_onnx(file)
    assert model.fixed_rows == 2
    for rows in (2, 3, 8, 3, 100):
        x = random.standard_normal((rows, 4, 6)).astype("float32")
        (wanted,) = ReferenceEvaluator(file).run(None, {"x": x})
        found = model.predict(x)
        assert found.shape == wanted.shape and numpy.abs(found - wanted).max() < 1e-6, (rows, found, wanted)
# Numbers that no sum or product of sizes gives: as numbers, where an op computes them, else of each size.
NUMBERS = {
    "least": [node("Min", "rows two", "n")], "half": [node("Div", "rows two", "n")], "rest": [node("Mod", "rows two", "n")],
    "is even": [node("Mod", "rows two", "r"), node("Equal", "r zero", "e"), node("Cast", "e", "n", to=INT)],
    "is one": [node("Equal", "rows one", "e"), node("Where", "e four six", "n")], "is many": [node("Less", "four rows", "e"), node("Where", "e four six", "n")],
    "is a batch": [node("Greater", "rows zero", "e"), node("Where", "e four six", "n")], "square": [node("Mul", "rows rows", "n")],
    "root": [node("Cast", "rows", "f", to=FLOAT), node("Sqrt", "f", "s"), node("Floor", "s", "t"), node("Cast", "t", "n", to=INT)],
}
for name, nodes in NUMBERS.items():
    file = file_of([*BATCH, *nodes, node("Cast", "n", "factor", to=FLOAT), node("Mul", "x factor", "z")], CONSTANTS)
    model = halfstep.from_onnx(file)
    for rows in (1, 2, 3, 4, 5, 8, 100):
        x = random.standard_normal((rows, 4, 6)).astype("float32")
        (wanted,) = ReferenceEvaluator(file).run(None, {"x": x})
        assert numpy.abs(model.predict(x) - wanted).max() < 1e-6 * max(numpy.abs(wanted).max(), 1), (name, rows)
for of, to in ((0, "then"), (1, "else")):
    even = [*BATCH, node("Mod", "rows two", "r"), node("Squeeze", "r", "s"), node("Equal", "s nought", "is"),
            helper.make_node("If", ["is"], ["z"], name="if", then_branch=BRANCHES["then"], else_branch=BRANCHES["else"])]
    file = file_of(even, CONSTANTS)
    x = random.standard_normal((6 + of, 4, 6)).astype("float32")
    assert (halfstep.from_onnx(file).predict(x) == ReferenceEvaluator(file).run(None, {"x": x})[0]).all()

onnx.save(file_of(ROLLED, CONSTANTS), "rolled.onnx")
command = [sys.executable, "-m", "halfstep", "import", "rolled.onnx", "-o", "rolled.mlir"]
ended = subprocess.run(command, capture_output=True, text=True)
assert ended.returncode == 1 and "give --batch-size" in ended.stderr and not os.path.exists("rolled.mlir"), ended
assert subprocess.run([*command, "--batch-size=3"]).returncode == 0 and "tensor<3x4x6xf32> {mp.batched" in open("rolled.mlir").read()

# What stays unknown is refused with its node.
for nodes, said in (([*BATCH, node("Mul", "rows rows", "all"), node("Concat", "all six", "to", axis=0), node("Reshape", "x to", "z")], "node 'Concat of to' (Concat)"),
                    ([node("ReduceMax", "x", "most", keepdims=0), node("Cast", "most", "to", to=INT), node("Unsqueeze", "to zero", "size"), node("Expand", "x size", "z")],
                     "node 'Expand of z' (Expand): an input of the model decides its sizes: give constants"),
                    ([node("ReduceMax", "x", "most", keepdims=0), node("Cast", "most", "is", to=BOOL),
                      helper.make_node("If", ["is"], ["z"], name="if", then_branch=BRANCHES["then"], else_branch=BRANCHES["else"])],
                     "node 'if' (If): an input of the model decides its condition: give constants")):
    try:
        halfstep.from_onnx(file_of(nodes, CONSTANTS)).to_mlir()
        raise AssertionError(said)
    except halfstep.Error as error:
        assert said in str(error), error
