"""Models made of layers and functions: their text, their names, and that wrong ones are refused where they are written.

RUN: %{python} %s > %t.mlir
RUN: FileCheck %s --input-file=%t.mlir
RUN: mp-run compile %t.mlir --compile-to=autocast --training=false --deny=loc:dense2 --policy=mixed_bfloat16 -o - | FileCheck %s --check-prefix=POLICY
"""

import halfstep
from halfstep import nn, ops

# CHECK: func.func @sequential(%x: tensor<?x784xui8>
# CHECK-SAME: mp.initializer = #mp.glorot_uniform<seed = 1>, mp.parameter = "dense1.kernel"}
# CHECK-SAME: mp.parameter = "dense1.bias"}
# CHECK-SAME: mp.state = "rng"
# CHECK-SAME: mp.initializer = #mp.constant<5.000000e-01 : f64>, mp.parameter = "dense2.bias"}
# CHECK-SAME: mp.output = "output"
# CHECK: %[[X:[a-z0-9_]+]] = mp.cast %x
# CHECK: mp.mul %[[X]]
# CHECK: %dense1{{.*}} = mp.matmul {{.*}}, %dense1.kernel bias %dense1.bias
# CHECK: mp.relu %dense1
# CHECK: mp.dropout {{.*}} stream = 1
# CHECK: mp.matmul {{.*}} loc(#[[LOC:[a-z0-9]+]])
# CHECK-DAG: #[[LOC]] = loc("dense2"(#[[FILE:[a-z0-9]+]]))
# CHECK-DAG: #[[FILE]] = loc("models.py":{{[0-9]+}}:1)
# POLICY: mp.cast {{.*}} {autocast} : tensor<784x128xf32> -> tensor<784x128xbf16>
# POLICY-NOT: -> tensor<128x10xbf16>
mlp = nn.Sequential(
    nn.Input((784,), "uint8"),
    nn.Rescaling(1 / 255),
    nn.Dense(128, "relu"),
    nn.Dropout(0.1),
    nn.Dense(10, bias_init=0.5),
)
print(mlp.to_mlir(locations=True))


class Block(nn.Module):
    def __init__(self, heads):
        self.norm1 = nn.LayerNorm()
        self.attention = nn.MultiHeadAttention(heads, dropout=0.1)
        self.norm2 = nn.LayerNorm()
        self.mlp = nn.Sequential(nn.Dense(64, "gelu"), nn.Dense(32))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    """Blocks of which two are one: what they share is there once."""

    def __init__(self):
        shared = Block(4)
        self.blocks = [Block(2), shared, shared]

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


# CHECK: func.func @encoder(
# CHECK-SAME: "blocks.0.norm1.scale"
# CHECK-SAME: "blocks.1.mlp.dense2.bias"
# CHECK-NOT: "blocks.2
encoder = Encoder().specify(x=nn.Input((16, 32)))
print(f"// {str(encoder)}".replace("\n", "\n// "))

images = nn.Sequential(
    nn.Input((28, 28, 1)), nn.Conv2D(8, 3, 2, "same"), nn.BatchNorm(), ops.relu, nn.MaxPool2D(2), nn.AvgPool2D(2),
    nn.Flatten(), nn.Dense(10))
assert str(images) == str(images) and 'mp.next = "batch_norm1.running_variance"' in str(images)
clips = nn.Sequential(
    nn.Input((6, 8, 8, 2)), nn.Conv3D(4, (2, 3, 3), 1, "same", "relu"), nn.MaxPool3D((1, 2, 2)), nn.Conv3D(4, 3, padding=[1, 1, 0, 0, 1, 1]),
    nn.AvgPool3D(2), nn.GlobalAvgPool3D(), nn.Dense(10))
sequences = nn.Sequential(
    nn.Input((16, 3)), nn.Conv1D(8, 3, 2, padding=1), nn.MaxPool1D(2), nn.Conv1D(8, 3, dilation=2, padding=[2, 1], groups=4), nn.AvgPool1D(2),
    nn.GlobalAvgPool1D(), nn.Dense(10))
for model in (mlp, encoder, images, clips, sequences):
    executable = halfstep.compile(str(model), training=False, policy="mixed_bfloat16", batch_size=4)
    assert "infer" in executable.programs


def traced(forward, *shape, dtype="float32"):
    """The model of a function, of one input."""

    class M(nn.Module):
        def forward(self, x):
            return forward(x)

    return M().specify(x=nn.Input(shape, dtype)).to_mlir()


def refused(expected, forward):
    try:
        text = traced(forward, 8, 8, 3)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"{expected}: {text}")


# Types follow from operands; numbers take the type of the tensor beside them.
assert "tensor<?x4xf16>, tensor<f16> -> tensor<?x4xf16>" in traced(lambda x: 1 - x / 2, 4, dtype="float16")
assert "-> tensor<?x4xi1>" in traced(lambda x: x >= 0, 4)
assert "-> tensor<?x3x2xf32>" in traced(lambda x: x.reshape(None, 3, 2), 6)
assert "-> tensor<?xi32>" in traced(ops.argmax, 6)
assert "-> tensor<f32>" in traced(ops.mean, 6)
assert "max = 0x7FF0000000000000" in traced(lambda x: ops.clamp(x, 0, float("inf")), 4)
assert "9.9999999999999995E-7" in traced(
    lambda x: ops.layer_norm(x, ops.constant([1, 1]), ops.constant([0, 0]), epsilon=1e-6), 2)
assert "dense<[0.000000e+00, 1.000000e+00]>" in traced(lambda x: x + ops.constant([0, 1]), 2)

def within_regions(x):
    """Regions of autocast, of which what is used later is a result."""
    with halfstep.autocast("bfloat16"):
        x = ops.relu(x) @ ops.transpose(ops.constant([[1.0, 2.0]]))
        with halfstep.autocast(enabled=False):
            x, y = ops.exp(x), ops.exp(x)
    return x


regions = traced(within_regions, 2)
assert "mp.autocast type = bf16 -> (tensor<?x1xf32>) {" in regions and "mp.autocast enabled = false -> (tensor<?x1xf32>)" in regions
assert "dense<0xFF800000> : tensor<f32>" in traced(lambda x: x + float("-inf"), 4)
assert "dense<0x7FC0> : tensor<bf16>" in traced(lambda x: x * float("nan"), 4, dtype="bfloat16")
refused("autocast to 'i32', expected f16, bf16 or f32", lambda x: halfstep.autocast("int32").__enter__())
refused("contraction sizes differ: lhs has 3, rhs has 8", lambda x: x @ x)
refused("reduce_sum: dimension 7 is out of range, expected -4 to 3", lambda x: ops.reduce_sum(x, [7]))
refused("padding is 'none', expected same, valid or numbers", lambda x: ops.conv(x, x, padding="none"))
refused("has no window", lambda x: ops.max_pool(x, None))
refused("mp.compare: predicate is 'about'; expected one of eq, ne, lt, le, gt, ge", lambda x: ops.compare("about", x, x))
refused("use ops.select", lambda x: x if x > 0 else -x)
refused("labels has elements of float32, expected uint8, int32 or int64; cast it first", lambda x: ops.nll_loss(x, x))
refused("no element type 'float8'", lambda x: ops.cast(x, "float8"))
refused("is no attribute of the model", lambda x: x + nn.Parameter((3,)))
refused("no activation 'reluu'", lambda x: nn.Dense(2, "reluu")(x))
try:
    ops.relu(1.0)
except halfstep.Error as error:
    assert "call them in the forward of a module" in str(error)
else:
    raise AssertionError("an op outside of a model")

# What modules show is what they are for.
for module in (halfstep, nn, ops, halfstep.callbacks, halfstep.losses):
    for name in module.__all__ if hasattr(module, "__all__") else ():
        assert callable(getattr(module, name)) or name in ("callbacks", "losses", "nn", "ops"), name
assert not {"annotations", "importlib", "apply", "spell"} & {*dir(ops), *dir(halfstep), *ops.__all__}
assert "Tensor" not in {*dir(ops), *ops.__all__}  # it is halfstep's
assert {"softmax", "reshape", "dropout", "mean", "conv"} <= set(ops.__all__) and len(ops.__all__) == len(set(ops.__all__))
refused("no activation 'annotations'", lambda x: nn.Dense(2, "annotations")(x))

# Whatever is left out of an op, or too much, is an error and no more.
for name in halfstep.ops.__all__:
    for count in range(5):
        for dtype in ("float32", "int32"):
            try:
                traced(lambda x: getattr(ops, name)(*[x] * count), 8, 8, 3, dtype=dtype)
            except (halfstep.Error, TypeError, AttributeError, ValueError):
                pass
