"""Whole numbers that do not fit into 64 bits are told where they are given.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
from halfstep import nn, ops

# In every argument that is a size or a count, in one line, however long the number is.
ROWS = numpy.ones((8, 4), "float32")
LAYERS = {
    "Dense: units": nn.Dense, "Conv2D: filters": lambda n: nn.Conv2D(n, 3), "Conv2D: kernel_size": lambda n: nn.Conv2D(2, n),
    "Conv2D: strides": lambda n: nn.Conv2D(2, 3, n), "Conv2D: padding": lambda n: nn.Conv2D(2, 3, 1, n), "Conv2D: dilation": lambda n: nn.Conv2D(2, 3, dilation=n),
    "Conv2D: groups": lambda n: nn.Conv2D(2, 3, groups=n), "Conv1DTranspose: filters": lambda n: nn.Conv1DTranspose(n, 3), "MaxPool2D: pool_size": nn.MaxPool2D,
    "AvgPool3D: strides": lambda n: nn.AvgPool3D(2, n), "Embedding: rows": lambda n: nn.Embedding(n, 3), "Embedding: columns": lambda n: nn.Embedding(3, n),
    "GroupNorm: groups": nn.GroupNorm, "MultiHeadAttention: heads": nn.MultiHeadAttention, "LSTM: units": nn.LSTM, "GRU: layers": lambda n: nn.GRU(2, layers=n),
    "Reshape: shape: a size": nn.Reshape, "a size": lambda n: nn.Parameter((n,)),
}
FUNCTIONS = {
    "a size": lambda x, n: ops.iota(0, (n,)), "reshape: shape: a size": lambda x, n: ops.reshape(x, (None, n)), "split: a size": lambda x, n: ops.split(x, [n, 2]),
    "tile: repeats: a count": lambda x, n: ops.tile(x, (1, n)), "low": lambda x, n: ops.pad(x, (0, n), (0, 0)), "top_k: k": ops.top_k, "diagonal": ops.tril,
    "reduce_sum: dimension": ops.reduce_sum, "cumsum: dimension": ops.cumsum, "window": lambda x, n: ops.max_pool(x, (n, 2)),
    "group_norm: groups": ops.group_norm,
}


def fitted(setting):
    model = nn.Sequential(nn.Dense(2))
    model.compile("sgd", "mse", [], policy="float32", threads=1)
    return lambda n: model.fit(ROWS, ROWS[:, :2], verbose=False, **{"batch_size": 4, setting: n})


def told(name, make):
    try:
        make()
    except halfstep.Error as error:
        assert f"{name} is " in str(error) and "number" in str(error).partition("expected")[2] and len(str(error)) < 250, (name, error)
    else:
        assert name == "seed" and 0 <= number < 2**64, name  # which has no sign


TRAINING = {setting: fitted(setting) for setting in ("batch_size", "epochs", "seed", "initial_epoch")}
for number in (10**30, 2**64, -(10**30), 10**5000, numpy.uint64(2**64 - 1)):
    for name, layer in LAYERS.items():
        told(name, lambda: layer(number))
    for name, function in FUNCTIONS.items():
        told(name, lambda: nn.Sequential(nn.Input((6, 4)), lambda x: function(x, number)).to_mlir())
    for name, train in TRAINING.items():
        told(name, lambda: train(number))
