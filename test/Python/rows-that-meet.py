"""Models whose rows depend on each other: each prediction is of the rows that it is given alone, and no row only fills a batch up.

RUN: %{python} -W ignore %s
"""

import numpy

import halfstep
from halfstep import nn, ops

random = numpy.random.default_rng(4)


def draw(*shape):
    return random.standard_normal(shape).astype("float32")


class Similar(nn.Module):
    """How similar each row is to each."""

    def __init__(self):
        self.kernel = nn.Parameter((8, 4), value=draw(8, 4))

    def forward(self, x):
        h = ops.normalize(ops.matmul(x, self.kernel))
        return ops.matmul(h, h, transpose_rhs=True)


class Centered(nn.Module):
    def forward(self, x):
        return {"centered": x - ops.mean(x, 0, True), "twice": x * 2.0}


def similar(x, kernel):
    h = x.astype("float64") @ kernel
    h /= numpy.linalg.norm(h, axis=1, keepdims=True)
    return h @ h.T


class Halves(nn.Module):
    """A reshape that puts parts of several rows at one index."""

    def forward(self, x):
        return ops.reshape(ops.sum(ops.reshape(x, (2, -1, 8)), 0), (-1, 4))


for rows in (6, 64, 100):
    x = draw(rows, 8)
    assert numpy.abs(Halves().predict(x) - x.reshape(2, -1, 8).sum(0).reshape(-1, 4)).max() < 1e-5, rows
    assert (nn.Sequential(lambda x: x + ops.iota(0, like=x, dtype="float32")).predict(x) == x + numpy.arange(rows, dtype="float32")[:, None]).all(), rows
model = Similar()
kernel = numpy.asarray(model.kernel.value)
for rows in (1, 2, 3, 5, 64, 100):
    x = draw(rows, 8)
    found = model.predict(x)
    assert found.shape == (rows, rows) and numpy.abs(found - similar(x, kernel)).max() < 1e-5, rows
    both = Centered().predict(x)
    assert numpy.abs(both["centered"] - (x - x.astype("float64").mean(0))).max() < 1e-5 and (both["twice"] == 2 * x).all(), rows


def contrastive(outputs, targets):
    """Rows of one label are to be similar, others not."""
    same = ops.cast(ops.reshape(targets, (-1, 1)) == ops.reshape(targets, (1, -1)), "float32")
    return ops.mean((outputs - same) * (outputs - same))


def loss_of(x, y, kernel):
    return ((similar(x, kernel) - (y[:, None] == y[None])) ** 2).mean()


x = draw(96, 8)
y = (x[:, 0] > 0).astype("int64")
model.compile(halfstep.SGD(2.0**-3), loss=contrastive, metrics=[], policy="float32")
before = loss_of(x[:32], y[:32], kernel)
logs = model.trainer.step(x[:32], y[:32])
assert abs(logs["loss"] - before) < 1e-5, (logs, before)
after = numpy.asarray(model.state_dict()["kernel"], "float64")
direction = after - kernel
step = 1e-5
slope = (loss_of(x[:32], y[:32], kernel + step * direction) - loss_of(x[:32], y[:32], kernel - step * direction)) / (2 * step)
assert abs(slope + 2.0**3 * (direction**2).sum()) < 1e-3 * abs(slope), slope  # what a gradient is: as steep as it is long
model.compile(halfstep.Adam(0.02), loss=contrastive, metrics=[], policy="float32")
history = model.fit(x, y, batch_size=32, epochs=20, verbose=False)
assert history.history["loss"][-1] < 0.9 * history.history["loss"][0], history.history
assert numpy.abs(model.predict(x[:7]) - similar(x[:7], numpy.asarray(model.state_dict()["kernel"]))).max() < 1e-5

# What would have to be filled up is refused.
found = model.evaluate(x, y, batch_size=32)
wanted = numpy.mean([loss_of(x[i : i + 32], y[i : i + 32], numpy.asarray(model.state_dict()["kernel"])) for i in (0, 32, 64)])
assert abs(found["loss"] - wanted) < 1e-5, (found, wanted)
for call, said in ((lambda: model.evaluate(x[:90], y[:90], batch_size=32), "90 rows do not fill batches of 32"),
                   (lambda: model.fit(x, y, batch_size=40, last_batch="pad", verbose=False), "so that a batch cannot be padded")):
    try:
        call()
        raise AssertionError("taken")
    except halfstep.Error as error:
        assert said in str(error), error
with halfstep.Session(halfstep.compile(model.to_mlir(), training=False, policy="float32", batch_size=4)) as session:
    session.initialize()
    try:
        session.run("infer", x=x[:3])
        raise AssertionError("taken")
    except halfstep.Error as error:
        assert "takes exactly 4 rows, given 3; compile it for that batch size" in str(error), error

# What the native model is told of a batch.
from halfstep import _compiler

INPUT, PARAMETER, OUTPUT = _compiler.Role.input, _compiler.Role.parameter, _compiler.Role.output
native = _compiler.Model("m")
(x, *_), (w, *_) = native.add_argument("x", INPUT, (_compiler.ElementType.f32, (4, 3)), None), native.add_argument(
    "w", PARAMETER, (_compiler.ElementType.f32, (4, 3)), (_compiler.InitializerKind.zeros, 0.0, 0.0, 0))
((y, *_),) = native.add_op("mp.add", [x, w], {}, None, "", "", 0)
native.add_result(y, OUTPUT, "y")
for given, said in (((0, [x]), "a batch has 0 rows, expected at least 1"), ((3, [x]), "does not have the 3 rows of a batch"), ((4, [w]), "is no input, which has the rows of a batch"),
                    ((4, [y]), "is no input"), ((4, [99]), "value 99 is no input"), ((4, [-1]), "value -1 is no input")):
    try:
        native.set_batch(*given)
        raise AssertionError(said)
    except halfstep.Error as error:
        assert said in str(error), error
assert "mp.batch =" not in native.text(False)
native.set_batch(4, [x])
assert 'mp.batched, mp.input = "x"' in native.text(False) and "mp.batch = 4 : i64, mp.combines_rows" in native.text(False)
