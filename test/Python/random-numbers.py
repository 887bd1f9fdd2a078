"""Random numbers of models: their distribution, in training, evaluation and prediction, on a CPU and on a simulated GPU.

RUN: %{python} %s
"""

import math

import numpy

import halfstep
from halfstep import nn, ops

COUNT = 100000


class Drawn(nn.Module):
    """As many numbers as there are elements, beside what is given."""

    def __init__(self, function):
        self.function = function

    def forward(self, x):
        return self.function(x)


def session_of(function, device="cpu", seed=0, rows=COUNT // 100, **named):
    """Of a model that is given as many rows of 100 numbers."""
    text = str(nn.Sequential(Drawn(function)).specify(x=nn.Input((100,))))
    session = halfstep.Session(halfstep.compile(text, training=False, batch_size=rows, **named), device, threads=2)
    session.initialize(seed)
    return session


def drawn(function, seed=0, rows=COUNT // 100, x=None, **named):
    """What two runs give."""
    session = session_of(function, seed=seed, rows=rows, **named)
    x = numpy.zeros((rows, 100), "float32") if x is None else x
    return [session.run("infer", x=x)["output"] for _ in range(2)]


def distance(numbers, distribution):
    """Kolmogorov's and Smirnov's: between the share of the numbers that are below one of them and the probability of that."""
    known = numpy.array([distribution(one) for one in numpy.sort(numbers.ravel().astype("float64"))])
    steps = numpy.arange(len(known) + 1) / len(known)
    return max((steps[1:] - known).max(), (known - steps[:-1]).max())


def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


# What a sample of that size has with a probability of 10^-4.
FAR = math.sqrt(-math.log(0.5e-4) / 2 / COUNT)

for name, function, distribution, mean, deviation in (
        ("uniform", lambda x: ops.random_uniform(like=x), lambda v: v, 0.5, math.sqrt(1 / 12)),
        ("a range", lambda x: ops.random_uniform(like=x, low=-3.0, high=5.0), lambda v: (v + 3) / 8, 1, 8 * math.sqrt(1 / 12)),
        ("normal", lambda x: ops.random_normal(like=x), normal, 0, 1),
        ("another normal", lambda x: ops.random_normal(like=x, mean=2.0, std=0.25), lambda v: normal((v - 2) / 0.25), 2, 0.25)):
    for policy in ("float32", "mixed_float16"):
        first, second = drawn(function, policy=policy)
        for numbers in (first, second):
            assert numbers.dtype == numpy.float32 and numbers.shape == (COUNT // 100, 100)
            far = distance(numbers, distribution)
            assert far < FAR, (name, far)
            assert abs(numbers.mean() - mean) < 4 * deviation / math.sqrt(COUNT), (name, numbers.mean())
            assert abs(numbers.std() / deviation - 1) < 0.01, (name, numbers.std())
        # Neither a run nor an element is like another.
        assert abs(numpy.corrcoef(first.ravel(), second.ravel())[0, 1]) < 4 / math.sqrt(COUNT), name
        assert abs(numpy.corrcoef(first.ravel()[1:], first.ravel()[:-1])[0, 1]) < 4 / math.sqrt(COUNT), name
        # The same seed gives the same, another another.
        assert all((a == b).all() for a, b in zip((first, second), drawn(function, policy=policy))), name
        assert (drawn(function, seed=1, policy=policy)[0] != first).mean() > 0.99, name

# Numbers of a uniform distribution are multiples of 2^-24, from 0 to below 1.
whole = drawn(lambda x: ops.random_uniform(like=x))[0].astype("float64") * 2.0**24
assert (whole == numpy.floor(whole)).all() and whole.min() >= 0 and whole.max() < 2**24

# None is the upper end, whatever is rounded.
for low, high in ((0, 1), (1000, 1001), (-3, -2), (-1, 0), (0, 1e-3), (5, 5)):
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        found = drawn(lambda x: ops.random_uniform(like=x, low=low, high=high, dtype=dtype))[0].astype("float64")
        assert found.min() >= low - 2e-3 * abs(low) and (found.max() < high or low == high), (low, high, dtype, found.min(), found.max())
        assert abs(found.mean() - (low + high) / 2) <= 2.0**-7 * max(abs(low), abs(high), 1e-3), (low, high, dtype, found.mean())

# Two ops of one model are apart, and so are those of one shape.
both, _ = drawn(lambda x: ops.stack([ops.random_uniform(like=x), ops.random_uniform(like=x)], -1))
assert abs(numpy.corrcoef(both[..., 0].ravel(), both[..., 1].ravel())[0, 1]) < 4 / math.sqrt(COUNT)
table, _ = drawn(lambda x: x[:, :5] + ops.random_normal((5,)), rows=4)
assert table.shape == (4, 5) and (table == table[0]).all() and len(set(table[0])) == 5

# 1 as often as each element says, in its own type, and never or always at the ends.
chances = numpy.tile(numpy.array([0, 0.1, 0.5, 0.9, 1], "float32"), (COUNT // 100, 20))
coins, _ = drawn(ops.random_bernoulli, x=chances)
assert coins.dtype == numpy.float32 and set(coins.ravel()) == {0, 1}
for chance, found in zip(chances[0, :5], coins.reshape(-1, 5).mean(0)):
    assert abs(found - chance) <= 4 * math.sqrt(chance * (1 - chance) / (COUNT / 5)), (chance, found)

# More rows than a batch has: each batch goes on.
model = nn.Sequential(Drawn(lambda x: ops.random_uniform(like=x)))
rows, again = (model.predict(numpy.zeros((257, 8), "float32")) for _ in range(2))
assert len(set(rows.ravel())) > 2000 and (rows != again).mean() > 0.99

# On every device the same bits.
def both_of(x):
    return ops.stack([ops.random_uniform(like=x), ops.random_normal(like=x)], -1)


def on(device, **target):
    session = session_of(both_of, device, seed=7, rows=64, policy="float32", **target)
    return [session.run("infer", x=numpy.zeros((64, 100), "float32"))["output"] for _ in range(3)]


on_cpu = on("cpu")
assert all((a != b).any() for a, b in zip(on_cpu, on_cpu[1:]))
for a, b in zip(on_cpu, on("simt", target="simt", chip="sm_80")):
    assert (a == b).all()


# Each step of a training has its own, and a training with the same seed is the same.
class Noisy(nn.Module):
    def __init__(self):
        self.last = nn.Dense(1)

    def forward(self, x):
        return self.last(x + ops.random_normal(like=x, std=0.5))


def trained(seed):
    model = Noisy()
    model.compile(halfstep.SGD(0.05), loss="mse_loss", threads=1)
    history = model.fit(x, y, epochs=3, batch_size=16, seed=seed, verbose=False)
    return history.history["loss"], model.predict(x)


random = numpy.random.default_rng(0)
x = random.standard_normal((64, 4)).astype("float32")
y = x.sum(1, keepdims=True)
(losses, predicted), (again, same), (others, _) = trained(1), trained(1), trained(2)
assert losses == again and (predicted == same).all() and losses != others
assert losses[-1] < losses[0]


def refused(words, function):
    try:
        drawn(function, rows=2)
    except (halfstep.Error, TypeError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words}: nothing was refused")


refused("random_uniform: a shape or a tensor that it is like has to be given, and not both", lambda x: ops.random_uniform() + x)
refused("random_normal: a shape or a tensor that it is like has to be given, and not both", lambda x: ops.random_normal((2,), like=x))
refused("expected a number", lambda x: ops.random_normal(like=x, mean="a"))
refused("operands differ in type", lambda x: ops.random_bernoulli(ops.cast(x, "int32")))
