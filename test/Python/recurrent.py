"""RNN, LSTM and GRU of nn, against their formulas and central differences in NumPy.

RUN: %{python} %s
"""

import math
import warnings

import numpy

import halfstep
from halfstep import nn

ROWS, POSITIONS, FEATURES, UNITS = 3, 3, 5, 4
random = numpy.random.default_rng(3)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def rnn(activation):
    def step(x, w, h, _):
        return activation(x @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"]), None

    return step


def lstm(x, w, h, c):
    i, f, g, o = numpy.split(x @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"], 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
    return sigmoid(o) * numpy.tanh(c), c


def gru(x, w, h, _):
    r, z, n = numpy.split(x @ w["kernel"] + w["bias"], 3, 1)
    own_r, own_z, own_n = numpy.split(h @ w["recurrent_kernel"] + w["recurrent_bias"], 3, 1)
    z = sigmoid(z + own_z)
    return (1 - z) * numpy.tanh(n + sigmoid(r + own_r) * own_n) + z * h, None


def direction(step, x, weights, backwards):
    h = c = numpy.zeros((len(x), UNITS))
    outputs = []
    for t in reversed(range(x.shape[1])) if backwards else range(x.shape[1]):
        h, c = step(x[:, t], weights, h, c)
        outputs.append(h)
    return numpy.stack(outputs[::-1] if backwards else outputs, 1), h


def expected(step, x, state, layers, bidirectional, sequences):
    for layer in range(layers):
        parts = []
        for name in ("forward", "backward") if bidirectional else ("forward",):
            prefix = f"layers.{layer}.{name}."
            weights = {key.rpartition(".")[2]: value for key, value in state.items() if prefix in key}
            parts.append(direction(step, x, weights, name == "backward"))
        x = numpy.concatenate([one for one, _ in parts], -1)
    return x if sequences else numpy.concatenate([last for _, last in parts], -1)


def error(actual, exact):
    return abs(actual - exact).max() / abs(exact).max()


CASES = {
    "rnn": (lambda **k: nn.RNN(UNITS, **k), rnn(numpy.tanh)),
    "relu": (lambda **k: nn.RNN(UNITS, activation="relu", **k), rnn(lambda x: numpy.maximum(x, 0))),
    "lstm": (lambda **k: nn.LSTM(UNITS, **k), lstm),
    "gru": (lambda **k: nn.GRU(UNITS, **k), gru),
}
x = random.standard_normal((ROWS, POSITIONS, FEATURES)).astype(numpy.float32)
for name, (make, step) in CASES.items():
    for layers, bidirectional, sequences in ((1, False, False), (1, True, False), (2, True, True)):
        model = nn.Sequential(make(layers=layers, bidirectional=bidirectional, return_sequences=sequences))
        target = random.standard_normal((ROWS, *((POSITIONS,) if sequences else ()), UNITS * (1 + bidirectional))).astype(numpy.float32)
        model.compile(halfstep.SGD(1.0), loss="mse", policy="float32", threads=1)
        model.trainer.prepare({"x": x, "y": target}, ROWS)
        # Biases of other values than 0, so that one that is left out is seen.
        for key in model.state_dict():
            shape = model.trainer.session.state[key].shape
            model.trainer.session.state[key] = (random.standard_normal(shape) * 0.5).astype(numpy.float32)
        before = {key: value.astype(numpy.float64) for key, value in model.state_dict().items()}
        exact = expected(step, x.astype(numpy.float64), before, layers, bidirectional, sequences)
        assert error(model.predict(x), exact) < 1e-6, name

        def loss(state):
            return ((expected(step, x.astype(numpy.float64), state, layers, bidirectional, sequences) - target) ** 2).mean()

        model.trainer.step(x, target)
        for key, after in model.state_dict().items():
            gradient = before[key] - after
            for _ in range(3):  # elements of each parameter
                at = tuple(random.integers(0, size) for size in gradient.shape)
                moved = [{**before, key: before[key].copy()} for _ in range(2)]
                moved[0][key][at] += 1e-5
                moved[1][key][at] -= 1e-5
                slope = (loss(moved[0]) - loss(moved[1])) / 2e-5
                assert abs(gradient[at] - slope) < 2e-6, (name, layers, bidirectional, key, gradient[at], slope)

# Names are those of attributes.
text = nn.Sequential(nn.Input((POSITIONS, FEATURES)), nn.GRU(UNITS, layers=2, bidirectional=True)).to_mlir()
names = [one.partition('"')[0] for one in text.split('mp.parameter = "')[1:]]
assert len(names) == 16 and "gru1.layers.1.backward.recurrent_bias" in names, names

# Dropout is between layers, and the sequence has a length.
text = nn.Sequential(nn.Input((POSITIONS, FEATURES)), nn.LSTM(UNITS, layers=3, dropout=0.5)).to_mlir()
assert text.count("mp.dropout") == 2


def refused(expected, function):
    try:
        function()
    except halfstep.Error as found:
        assert expected in str(found), found
        return
    raise AssertionError(f"expected: {expected}")


refused("with a number of positions that is known: time is unrolled", nn.Sequential(nn.Input((FEATURES,)), nn.GRU(UNITS)).to_mlir)
refused("the sequence has no positions", nn.Sequential(nn.Input((0, FEATURES)), nn.GRU(UNITS)).to_mlir)
refused("LSTM: units is 0, expected a whole number of at least 1", lambda: nn.LSTM(0))
refused("GRU: layers is 1.5, expected a whole number of at least 1", lambda: nn.GRU(3, layers=1.5))
for kind in (nn.RNN, nn.LSTM, nn.GRU):
    for dropout in (-0.1, 1.0, 1.5, math.nan, "x"):
        for layers in (1, 2):
            refused(f"{kind.__name__}: dropout is {dropout!r}, expected a number of at least 0 and less than 1",
                    lambda: kind(3, layers=layers, dropout=dropout))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        kind(3, layers=2, dropout=0.5), kind(3)
        assert not warned
        kind(3, dropout=0.5)
    assert len(warned) == 1 and warned[0].filename == __file__ and "it does nothing" in str(warned[0].message), warned
refused("there is no activation 'gelu'; expected 'tanh' or 'relu'", lambda: nn.RNN(3, activation="gelu"))
