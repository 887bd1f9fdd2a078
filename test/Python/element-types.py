"""Types of elements that a loss or a layer does not take are converted where that is exact, or an error that says which they are.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
from halfstep import nn, ops

X = numpy.random.default_rng(2).standard_normal((32, 6)).astype("float32")
Y = X[:, 0] > 0


def refused(expected, function):
    try:
        function()
    except halfstep.Error as error:
        assert expected in str(error) and "f32" not in str(error) and "tensor<" not in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


# Labels of bool are 0 and 1, for every loss and however they are given.
for loss, units in (("BCEWithLogitsLoss", 1), ("binary_crossentropy", 1), ("mse", 1), ("mae", 1), ("huber", 1), ("cross_entropy", 2),
                    (halfstep.losses.CrossEntropy(weight=[1, 2]), 2), ("nll_loss", 2)):
    results = []
    for y in (Y, Y.astype("uint8")):
        for column in (False, True)[: 1 + (units == 1)]:
            model = nn.Sequential(nn.Dense(units, {"binary_crossentropy": "sigmoid", "nll_loss": "log_softmax"}.get(str(loss))))
            model.compile("sgd", loss=loss, policy="float32", threads=1)
            own = y[:, None] if column else y
            model.fit(X, own, 8, verbose=False)
            model.fit([(X[:8], own[:8])], verbose=False)
            model.trainer.step(X[:8], own[:8])
            results.append((model.evaluate(X, own, 8)["loss"], *model.state_dict().values()))
    assert all(numpy.all(a == b) for other in results[1:] for a, b in zip(results[0], other)), loss


# Inputs of bool are data, too.
class Masked(nn.Module):
    def __init__(self):
        self.head = nn.Dense(2)

    def forward(self, x, mask):
        return self.head(ops.select(mask, x, 0.0))


masked = Masked()
masked.compile("sgd", policy="float32", threads=1)
masked.fit({"x": X, "mask": X > 0}, Y, 8, verbose=False)
assert masked.evaluate({"x": X, "mask": X > 0}, Y) == masked.evaluate({"x": numpy.maximum(X, 0), "mask": X > -9}, Y)

# What a layer does not take.
for layer, name, shape in ((nn.Dense(2), "dense1", (6,)), (nn.Conv2D(2, 3), "conv2d1", (6, 6, 3)), (nn.LayerNorm(), "layer_norm1", (6,)),
                           (nn.BatchNorm(), "batch_norm1", (6,)), (nn.LSTM(2), "lstm1", (3, 4)), (nn.MultiHeadAttention(2), "multi_head_attention1", (3, 4))):
    for dtype in ("bool", "uint8", "int32", "int64"):
        refused(f" has elements of {dtype}, expected floats; cast it first, as in ops.cast(x, 'float32')",
                nn.Sequential(nn.Input(shape, dtype), layer).to_mlir)
        refused(f"in 'multi_head_attention1.query': " if "multi" in name else f"in layer 1, '{name}': ", nn.Sequential(nn.Input(shape, dtype), layer).to_mlir)
for layer, shape, sides in ((nn.Dense(2), (6,), ("lhs", "rhs")), (nn.Conv2D(2, 3), (6, 6, 3), ("image", "filter"))):
    for dtype in ("float16", "float64", "bfloat16"):
        refused(f"operands differ in type: {sides[0]} has {dtype}, {sides[1]} has float32; cast one of them, as in ops.cast(x, 'float32'), or the array, "
                "as in x.astype('float32')", nn.Sequential(nn.Input(shape, dtype), layer).to_mlir)
for dtype in ("float16", "float32", "bool"):
    refused(f"in layer 1, 'embedding1': mp.gather: indices has elements of {dtype}, expected uint8, int32 or int64; cast it first, as in ops.cast(x, 'int64')",
            nn.Sequential(nn.Input((6,), dtype), nn.Embedding(5, 2)).to_mlir)
for name, function in (("logical_not", ops.logical_not), ("select", lambda x: ops.select(x, x, x)), ("logical_and", lambda x: ops.logical_and(x, x))):
    for dtype in ("float32", "int64"):
        refused(f" has elements of {dtype}, expected bool: a comparison, as in x != 0",
                nn.Sequential(nn.Input((6,), dtype), function).to_mlir)
fed = nn.Sequential(nn.Dense(2))
fed.compile("sgd", policy="float32")
refused("in layer 0, 'dense1': mp.matmul: operands differ in type: lhs has float16, rhs has float32", lambda: fed.fit(X.astype("float16"), Y, 8))
