"""A layer's dtype is what it computes in, whatever the policy says, as Keras means it; its parameters stay float32.

RUN: %{python} %s
"""

import numpy

import halfstep
from halfstep import nn, ops

random = numpy.random.default_rng(5)
ROWS, TOKENS = random.standard_normal((4, 6, 8)).astype("float32"), random.integers(0, 9, (4, 6)).astype("int32")
IMAGES, CLIPS = random.standard_normal((4, 6, 6, 8)).astype("float32"), random.standard_normal((4, 3, 4, 4, 2)).astype("float32")


def as_autocast(model, policy, x):
    """The types that a policy gives ops."""
    model.specify(**{"x": nn.Input(x.shape[1:], x.dtype.name)})
    return halfstep.compile(model.to_mlir(), to="autocast", policy=policy, training=False, batch_size=len(x))


def low(text):
    return "f16" in text  # bf16, too


def outputs(model, policy, x, values=None):
    model.specify(**{"x": nn.Input(x.shape[1:], x.dtype.name)})
    model.compile("sgd", loss="mse", policy=policy, threads=1)
    if values is not None:
        model.load_state_dict(values)
    return model.predict(x)


# Every layer takes it, and has what is around it in float32: a product in front gives the low type.
LAYERS = [
    (lambda **how: nn.Dense(4, "relu", **how), ROWS), (lambda **how: nn.Activation("gelu", **how), ROWS), (lambda **how: nn.Flatten(**how), ROWS),
    (lambda **how: nn.Reshape(8, 6, **how), ROWS), (lambda **how: nn.Rescaling(2.0, 1.0, **how), ROWS), (lambda **how: nn.Dropout(0.5, **how), ROWS),
    (lambda **how: nn.LayerNorm(**how), ROWS), (lambda **how: nn.GroupNorm(2, **how), ROWS), (lambda **how: nn.BatchNorm(**how), ROWS),
    (lambda **how: nn.MultiHeadAttention(2, **how), ROWS), (lambda **how: nn.GRU(3, **how), ROWS), (lambda **how: nn.RNN(3, activation="relu", **how), ROWS),
    (lambda **how: nn.LSTM(3, bidirectional=True, **how), ROWS), (lambda **how: nn.Conv1D(3, 2, **how), ROWS), (lambda **how: nn.Conv2D(3, 2, **how), IMAGES),
    (lambda **how: nn.Conv3D(3, 2, **how), CLIPS), (lambda **how: nn.Conv2DTranspose(3, 2, **how), IMAGES), (lambda **how: nn.MaxPool2D(**how), IMAGES),
    (lambda **how: nn.AvgPool1D(**how), ROWS), (lambda **how: nn.GlobalAvgPool2D(**how), IMAGES),
]
for make, x in LAYERS:
    for policy in ("mixed_float16", "mixed_bfloat16", "pytorch", "tensorflow_bf16"):
        text = as_autocast(nn.Sequential(make(dtype="float32")), policy, x)
        assert not low(text), (policy, text)
assert not low(as_autocast(nn.Sequential(nn.Embedding(9, 4, dtype="float32"), nn.Dense(3, dtype="float32")), "mixed_float16", TOKENS))
assert low(as_autocast(nn.Sequential(nn.Dense(4)), "mixed_float16", ROWS))

# The last layer of Keras' guide, and one in the middle, which reads a low product in float32.
for last in (nn.Activation("softmax", dtype="float32"), nn.Dense(4, "softmax", dtype="float32"), nn.Dense(4, "softmax", dtype=numpy.float32)):
    model = nn.Sequential(nn.Dense(16, "relu"), nn.Dense(4), last)
    text = as_autocast(model, "mixed_float16", ROWS[:, 0])
    assert "tensor<4x16xf16>" in text and text.count("mp.matmul") == 2 + (last.__class__ is nn.Dense), text
    assert all("tensor<4x4xf32>" in line and "f16" not in line for line in text.splitlines() if "mp.softmax" in line), text
    model.compile("adam", loss="sparse_categorical_crossentropy", policy="mixed_float16", threads=1)
    history = model.fit(ROWS[:, 0], numpy.arange(4) % 4, 4, 3, verbose=False).history["loss"]
    p = model.predict(ROWS[:, 0])
    assert history[-1] < history[0] and numpy.abs(p.sum(1) - 1).max() < 1e-6 and p.dtype == numpy.float32
deep = nn.Sequential(nn.Dense(16), nn.Dense(16, dtype="float32"), nn.Dense(4))
text = as_autocast(deep, "mixed_bfloat16", ROWS[:, 0])
products = [line for line in text.splitlines() if "mp.matmul" in line]
assert ["bf16" in line for line in products] == [True, False, True], products

# Bits: all layers of float32 are the policy float32; all of mixed_bfloat16, which its types and names say, are that policy, whatever the policy is.
def stack(**how):
    return nn.Sequential(nn.Dense(16, "gelu", **how), nn.LayerNorm(**how), nn.Dense(4, **how))


values = {name: random.standard_normal(one.shape).astype("float32") for name, one in
          stack().specify(x=nn.Input((8,))).state_dict().items()}
x = ROWS[:, 0]
single, narrow = (outputs(stack(), policy, x, values) for policy in ("float32", "mixed_bfloat16"))
assert (single != narrow).any()
for policy in ("float32", "mixed_float16", "mixed_bfloat16"):
    assert (outputs(stack(dtype="float32"), policy, x, values) == single).all(), policy
    for name in ("mixed_bfloat16", "bfloat16", halfstep.Policy("mixed_bfloat16")):
        assert (outputs(stack(dtype=name), policy, x, values) == narrow).all(), (policy, name)
half = stack(dtype="mixed_float16")
assert half.layers[0].dtype == "float16" and stack().layers[0].dtype is None
assert low(as_autocast(half, "float32", x)) and all(value.dtype == numpy.float32 for value in half.state_dict().values())
half.compile("adam", loss="mse", policy="float32", threads=1)
history = half.fit(x, x[:, :4], 4, 4, verbose=False).history["loss"]
assert history[-1] < history[0] and half.trainer.scaler.get_scale() > 1


# What the model itself has made narrow is widened, as Keras casts what comes to a layer.
class Low(nn.Module):
    def __init__(self):
        self.head = nn.Dense(2, dtype="float32")

    def forward(self, x):
        return self.head(ops.cast(x, "float16"))


assert Low().specify(x=nn.Input((8,))).to_mlir().count("f32>, tensor<8x2xf32>") and outputs(Low(), "mixed_bfloat16", x).dtype == numpy.float32

for wrong in ("float64", "int32", "auto", "half", 3, halfstep.Policy("mixed_float16", deny=["mp.exp"])):
    try:
        nn.Dense(2, dtype=wrong)
        raise AssertionError(wrong)
    except halfstep.Error as error:
        assert "dtype" in str(error) and "expected" in str(error), error
