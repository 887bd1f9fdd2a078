"""ONNX's own tests of each op that the importer knows end as Inputs/onnx-node-tests.txt says: with the expected values, or
refused for a reason. What is lacking in a model is one error that lists it.

RUN: %{python} -W ignore %s %S/Inputs/onnx-node-tests.txt
`onnx.py LIST --write` writes the list.
"""

import itertools
import pathlib
import sys

sys.path = sys.path[1:]  # this file has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.loader import load_model_tests

import halfstep
from halfstep.importers.onnx import importer

# What the expected values are one draw of random numbers of: ours are others.
RANDOM = ("test_bernoulli", "test_training_dropout")
HEAD = "# Of ONNX's node tests of ops that the importer knows {} pass; these are refused for the reason beside them.\n"


def arrays_of(protos):
    return [numpy.asarray(numpy_helper.to_array(one)) if isinstance(one, TensorProto) else one for one in protos]


def run(case):
    """How a case ends: "passed", or why it was refused."""
    graph = case.model.graph
    ops = {node.op_type for node in graph.node}
    if len(graph.node) != 1 or not ops <= set(importer.HANDLERS) or any(node.domain for node in graph.node):
        return None
    if case.name.startswith(RANDOM):
        return None
    (inputs, outputs), *_ = [(arrays_of(i), arrays_of(o)) for i, o in case.data_sets]
    # Shapes and axes come as inputs: they are constants of a model.
    constants = {"Reshape": 1, "Expand": 1, "Squeeze": 1, "Unsqueeze": 1, "ReduceSum": 1, "ReduceMean": 1, "ReduceMax": 1,
                 "Clip": 1, "Dropout": 1, "OneHot": 1, "Pad": 1, "ReduceMin": 1, "Slice": 1, "Split": 1,
                 "CumSum": 1, "ReduceProd": 1, "TopK": 1, "GRU": 1, "LSTM": 1, "RNN": 1, "Resize": 1, "Tile": 1, "Trilu": 1,
                 **{f"Reduce{name}": 1 for name in ("L1", "L2", "LogSum", "LogSumExp", "SumSquare")}}
    first = constants.get(graph.node[0].op_type, 99)
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    del model.graph.input[:]
    names = [one.name for one in graph.input]
    for i, one in enumerate(graph.input):
        if i < first:
            model.graph.input.append(one)
        else:
            model.graph.initializer.append(numpy_helper.from_array(inputs[i], one.name))
    try:
        imported = halfstep.from_onnx(model)
        results = imported.predict({name: value for name, value in zip(names[:first], inputs)})
    except (halfstep.Error, TypeError) as error:
        return str(error).splitlines()[0]
    results = results if isinstance(results, dict) else {graph.output[0].name: results}
    for one, expected in zip(graph.output, outputs):
        actual = results[one.name]
        assert actual.dtype == expected.dtype and actual.shape == expected.shape, (case.name, actual.dtype, expected.dtype)
        wide = (actual.astype(numpy.float64), expected.astype(numpy.float64)) if actual.dtype.kind in "fV" else (actual, expected)
        numpy.testing.assert_allclose(*wide, rtol=case.rtol, atol=case.atol, err_msg=case.name)
    return "passed"


def refused(expected, function, *arguments):
    try:
        function(*arguments)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def make(nodes, weights, sizes=("batch", 4), element=TensorProto.FLOAT):
    graph = helper.make_graph(
        nodes, "m", [helper.make_tensor_value_info("x", element, sizes)],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


# A model predicts with its own weights, and trains on from them; its names are those of the file.
random = numpy.random.default_rng(0)
weights = {"first/w": random.standard_normal((5, 4)), "first/b": random.standard_normal(5), "last": random.standard_normal((5, 3))}
weights = {name: value.astype(numpy.float32) for name, value in weights.items()}
two = make(
    [helper.make_node("Gemm", ["x", "first/w", "first/b"], ["h"], transB=1, alpha=0.5), helper.make_node("Relu", ["h"], ["r"]),
     helper.make_node("MatMul", ["r", "last"], ["z"])], weights)
model = halfstep.from_onnx(two.SerializeToString())
x, y = random.standard_normal((70, 4)).astype(numpy.float32), random.integers(0, 3, 70)
expected = numpy.maximum(0.5 * x @ weights["first/w"].T + weights["first/b"], 0) @ weights["last"]
assert numpy.abs(model.predict(x) - expected).max() < 1e-5
model.compile(halfstep.Adam(0.03), policy="mixed_bfloat16")
before = model.evaluate(x, y)["loss"]
history = model.fit(x, y, batch_size=35, epochs=20, verbose=False)
assert model.evaluate(x, y)["loss"] < 0.8 * before and set(model.state_dict()) == set(weights)

# Sums of whole numbers are exact, along each dimension that is not the batch, whichever way.
whole = random.integers(-(2**62), 2**62, (5, 3, 7)) // 7
for axis, exclusive, reverse in itertools.product((1, 2), (0, 1), (0, 1)):
    node = helper.make_node("CumSum", ["x", "axis"], ["z"], exclusive=exclusive, reverse=reverse)
    one = make([node], {"axis": numpy.array(axis)}, ("batch", 3, 7), TensorProto.INT64)
    turned = numpy.flip(whole, axis) if reverse else whole
    sums = turned.cumsum(axis) - (turned if exclusive else 0)
    assert (halfstep.from_onnx(one).predict(whole) == (numpy.flip(sums, axis) if reverse else sums)).all()
over_rows = halfstep.from_onnx(make([helper.make_node("CumSum", ["x", "axis"], ["z"])], {"axis": numpy.array(0)}, ("batch", 3), TensorProto.INT64))
assert (over_rows.predict(whole[:, :, 0]) == whole[:, :, 0].cumsum(0)).all()

# What is lacking is said at once, all of it.
lacking = make([helper.make_node("EyeLike", ["x"], ["a"]), helper.make_node("EyeLike", ["a"], ["b"]),
                helper.make_node("Det", ["b"], ["z"], name="d")], {})
refused("Det: 1, as 'd'\n  EyeLike: 2, as 'EyeLike of a'", halfstep.from_onnx, lacking)
refused("has open sizes, of which only the first", halfstep.from_onnx, make(
    [helper.make_node("Relu", ["x"], ["z"])], {}, ("batch", "other")))
two.graph.node[0].input[0] = "nowhere"
refused("not a model of ONNX", halfstep.from_onnx, two)
refused("; expected a whole file, as onnx.save or torch.onnx.export writes it", halfstep.from_onnx, two)

# A case that vanishes, or ends otherwise, fails.
page, write = pathlib.Path(sys.argv[1]), sys.argv[2:] == ["--write"]
ends = {case.name: run(case) for case in load_model_tests(kind="node")}
passed = [name for name, end in ends.items() if end == "passed"]
lines = [HEAD.format(len(passed)).rstrip(), *(f"{name}: {end}" for name, end in sorted(ends.items()) if end not in ("passed", None))]
if write:
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
expected = page.read_text(encoding="utf-8").splitlines()
assert len(passed) > 200 and lines == expected, "\n".join(
    [f"is no more: {line}" for line in expected if line not in lines] + [f"is new: {line}" for line in lines if line not in expected])
print(len(passed), "of", len(passed) + len(lines) - 1, "pass")
