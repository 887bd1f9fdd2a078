"""RNN, LSTM and GRU of ONNX, in each direction, layout and with first states or without, against their formulas in NumPy.

RUN: %{python} %s
"""

import itertools
import pathlib
import sys

sys.path = sys.path[1:]  # a file here has the name of a package

import numpy
from onnx import TensorProto, helper, numpy_helper

import halfstep

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from checks import refused_onnx

ROWS, POSITIONS, FEATURES, UNITS = 3, 4, 5, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
random = numpy.random.default_rng(5)
PEEPHOLES = random.standard_normal((3, UNITS)).astype(numpy.float32)  # of each direction


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def rnn(x, w, r, wb, rb, h, c, activation=numpy.tanh):
    return activation(x @ w.T + wb + h @ r.T + rb), c


def relu(*given):
    return rnn(*given, activation=lambda x: numpy.maximum(x, 0))


def lstm(x, w, r, wb, rb, h, c, peepholes=(0, 0, 0)):
    i, o, f, g = numpy.split(x @ w.T + wb + h @ r.T + rb, 4, 1)
    of_input, of_output, of_forget = peepholes
    c = sigmoid(f + of_forget * c) * c + sigmoid(i + of_input * c) * numpy.tanh(g)
    return sigmoid(o + of_output * c) * numpy.tanh(c), c


def peeping(*given):
    return lstm(*given, peepholes=PEEPHOLES)


def gru(x, w, r, wb, rb, h, c, after=False):
    z, s, n = numpy.split(x @ w.T + wb, 3, 1)
    (rz, rs, rn), (bz, bs, bn) = numpy.split(r, 3), numpy.split(rb, 3)
    z, s = sigmoid(z + h @ rz.T + bz), sigmoid(s + h @ rs.T + bs)
    n = numpy.tanh(n + s * (h @ rn.T + bn) if after else n + (s * h) @ rn.T + bn)
    return (1 - z) * n + z * h, c


def gru_after(*given):
    return gru(*given, after=True)


def expected(step, x, w, r, b, h, c, directions):
    """Y [positions, directions, rows, units] and both states [directions, rows, units] of x [positions, rows, features]."""
    wb, rb = numpy.split(b, 2, 1)
    h, c, ys = h.copy(), c.copy(), numpy.zeros((POSITIONS, len(directions), ROWS, UNITS))
    for d, backwards in enumerate(directions):
        for t in reversed(range(POSITIONS)) if backwards else range(POSITIONS):
            h[d], c[d] = step(x[t], w[d], r[d], wb[d], rb[d], h[d], c[d])
            ys[t, d] = h[d]
    return ys, h, c


def draw(*shape):
    return random.standard_normal(shape).astype(numpy.float32)


def layer(op, inputs, given, extra=(), batch=ROWS, **attributes):
    """A model of one layer; `given` are its inputs, of which those in `inputs` are the model's."""
    count = 3 if op == "LSTM" else 2
    layout = attributes.get("layout", 0)
    names = ["X", "W", "R", "B", "lengths", "H", "C", "P"]
    while names and names[-1] not in given:
        names.pop()
    sizes = {name: list(given[name].shape) for name in inputs}
    if layout:
        sizes["X"][0] = batch
    node = helper.make_node(op, [name if name in given else "" for name in names], ["Y", "YH", "YC"][:count], name="layer",
                            hidden_size=UNITS, **attributes)
    graph = helper.make_graph(
        [*extra, node], "m", [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes[name]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * (4 if name == "Y" else 3)) for name in node.output],
        [numpy_helper.from_array(value, name) for name, value in given.items() if name not in inputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def check(name, op, step, direction, layout, states, bias, attributes):
    backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    count = len(backwards)
    given = {"X": draw(POSITIONS, ROWS, FEATURES), "W": draw(count, GATES[op] * UNITS, FEATURES), "R": draw(count, GATES[op] * UNITS, UNITS)}
    b = draw(count, 2 * GATES[op] * UNITS) if bias else numpy.zeros((count, 2 * GATES[op] * UNITS), numpy.float32)
    h, c = draw(count, ROWS, UNITS), draw(count, ROWS, UNITS)
    h, c = h * ("H" in states), c * ("C" in states)
    exact = expected(step, given["X"], given["W"], given["R"], b, h, c, backwards)
    given.update({"B": b} if bias else {}, **{key: value for key, value in (("H", h), ("C", c)) if key in states})
    if step is peeping:
        given["P"] = numpy.tile(PEEPHOLES.reshape(1, -1), (count, 1))
    if bias == "all":
        given["lengths"] = numpy.full(ROWS, POSITIONS, numpy.int32)
    if layout:
        given.update({key: given[key].swapaxes(0, 1) for key in ("X", *states)})
        exact = exact[0].transpose(2, 0, 1, 3), *(one.swapaxes(0, 1) for one in exact[1:])
    inputs = ["X", *states]
    model = halfstep.from_onnx(layer(op, inputs, given, direction=direction, layout=layout, **attributes))
    results = model.predict({key: given[key] for key in inputs})
    for key, one in zip(results, exact):
        assert results[key].shape == one.shape, (name, key, results[key].shape)
        assert numpy.abs(results[key] - one).max() < 1e-5, (name, key)
    assert len(results) == (3 if op == "LSTM" else 2)


KINDS = {
    "rnn": ("RNN", rnn, {}),
    "relu": ("RNN", relu, {"activations": ["Relu"]}),
    "lstm": ("LSTM", lstm, {}),
    "peeping": ("LSTM", peeping, {}),
    "gru": ("GRU", gru, {}),
    "gru_after": ("GRU", gru_after, {"linear_before_reset": 1}),
}
cases = itertools.product(KINDS, ("forward", "reverse", "bidirectional"), (0, 1))
for number, (kind, direction, layout) in enumerate(cases):
    op, step, attributes = KINDS[kind]
    if kind == "relu" and direction == "bidirectional":
        attributes = {"activations": ["Relu", "relu"]}
    # First states and biases change in turn, so that all come with all.
    states = [(), ("H",), ("H", "C") if op == "LSTM" else ("H",), ("C",) if op == "LSTM" else ()][number % 4]
    check((kind, direction, layout), op, step, direction, layout, states, [False, True, "all"][number % 3], attributes)


# With an open batch, transposed around it as PyTorch exports it, it trains; names and layouts of weights are the file's.
given = {"X": draw(ROWS, POSITIONS, FEATURES), "W": draw(2, 4 * UNITS, FEATURES), "R": draw(2, 4 * UNITS, UNITS), "B": draw(2, 8 * UNITS)}
node = helper.make_node("LSTM", ["T", "W", "R", "B"], ["Y", "YH"], hidden_size=UNITS, direction="bidirectional")
graph = helper.make_graph(
    [helper.make_node("Transpose", ["X"], ["T"], perm=[1, 0, 2]), node, helper.make_node("Transpose", ["YH"], ["Z"], perm=[1, 0, 2]),
     helper.make_node("Flatten", ["Z"], ["scores"])],
    "m", [helper.make_tensor_value_info("X", TensorProto.FLOAT, ["batch", POSITIONS, FEATURES])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 2 * UNITS])],
    [numpy_helper.from_array(value, name) for name, value in given.items() if name != "X"])
model = halfstep.from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))
none = numpy.zeros((2, ROWS, UNITS))
_, exact, _ = expected(lstm, given["X"].swapaxes(0, 1), given["W"], given["R"], given["B"], none, none, [False, True])
assert numpy.abs(model.predict(given["X"]) - exact.swapaxes(0, 1).reshape(ROWS, -1)).max() < 1e-5
x = draw(64, POSITIONS, FEATURES)
y = (x.sum((1, 2)) > 0).astype(numpy.int64)
text = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
for policy in ("float32", "mixed_bfloat16"):
    model = halfstep.from_onnx(text)  # what is compiled again goes on from the weights that it has
    model.compile(halfstep.Adam(0.1), policy=policy)
    losses = model.fit(x, y, batch_size=32, epochs=10, verbose=False).history["loss"]
    assert losses[-1] < 0.8 * losses[0], losses
assert {name: value.shape for name, value in model.state_dict().items()} == {name: given[name].shape for name in "WRB"}


# What ours does not have is in the one error, with what else is lacking; what follows from sizes is said of the node.
given = {"X": draw(POSITIONS, ROWS, FEATURES), "W": draw(1, 4 * UNITS, FEATURES), "R": draw(1, 4 * UNITS, UNITS)}
sequences = {"lengths": numpy.array([4, 4, 3], numpy.int32)}
refused_onnx("  EyeLike: 1, as 'EyeLike of t'\n  LSTM with activations sigmoid, affine, tanh and clip: 1, as 'layer'", layer(
    "LSTM", ["X"], given, [helper.make_node("EyeLike", ["X"], ["t"])], activations=["Sigmoid", "Affine", "Tanh"], clip=1.0))
refused_onnx("  LSTM with input_forget: 1", layer("LSTM", ["X"], given, input_forget=1))
refused_onnx("sequences that are shorter than the 4 positions", layer("LSTM", ["X"], {**given, **sequences}))
refused_onnx("its weights are of 1 directions, expected 2", layer("LSTM", ["X"], given, direction="bidirectional"))
refused_onnx("direction='sideways' is not supported", layer("LSTM", ["X"], given, direction="sideways"))
many = layer("LSTM", ["X"], given)
many.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 10**9
refused_onnx("with it the model has 1000000000 positions of all layers and directions, more than 4096", many)
lengths = helper.make_node("Cast", ["X"], ["lengths"], to=TensorProto.INT32)
computed = layer("LSTM", ["X"], {**given, **sequences}, [lengths])
del computed.graph.initializer[2]
refused_onnx("LSTM with sequence_lens that are not constant: 1", computed)
