"""A program of a user's passes a checker of types; words and arguments that are wrong do not. Words of types are those that are looked for.

RUN: rm -rf %t && mkdir %t
RUN: %{python} -W error %s %t
"""

import os
import pathlib
import re
import subprocess
import sys
from typing import get_args

import halfstep
from halfstep import nn, ops
from halfstep.graph import losses as known
from halfstep.hints import types
from halfstep.layers import activations, initializers, layer, windows
from halfstep.training import optimizers
from halfstep_runtime._arrays import DTYPES, DTypeName

PROGRAM = '''
import pathlib
import numpy
import halfstep
from halfstep import callbacks, losses, nn, ops

class Classifier(nn.Module):
    def __init__(self, units: int) -> None:
        self.hidden = nn.Dense(units, "relu", init="he_normal", bias_init=0.1, dtype="float32")
        self.own = nn.Dense(units, lambda x: ops.gelu(x) * x, dtype=halfstep.Policy("mixed_bfloat16"))
        self.scale = nn.Parameter((units,), "ones")

    def forward(self, x: halfstep.Tensor) -> halfstep.Tensor:
        x = self.own(self.hidden(x / 255)) * self.scale
        return ops.softmax(ops.concat([x, 1 - x, numpy.ones((64, 4), "float32")]).astype("float32"), -1)

model = nn.Sequential(nn.Input((28, 28, 1)), nn.Conv2D(8, 3, padding="same"), nn.Conv2D(8, (3, 3), padding=[1, 1, 0, 0]), nn.MaxPool2D(), nn.Flatten(),
                      Classifier(16), lambda x: ops.sum(x, [0], keep_dims=True))
model.compile(halfstep.AdamW(1e-3), loss=losses.CrossEntropy(weight={0: 2.0}), metrics=["accuracy"], policy="mixed_float16", device="cpu")
model.compile("sgd", loss="Mean-Squared-Error", loss_scaler="none", frozen="conv2d*")
x, y = numpy.zeros((8, 28, 28, 1), "float32"), [0] * 8
history = model.fit(x, y, batch_size=4, epochs=2, validation_data=(x, y), callbacks=[callbacks.EarlyStopping("loss")], last_batch="pad")
scores: dict[str, list[float]] = history.history
accuracy: float = model.evaluate({"x": x}, y)["accuracy"]
model.predict(x)
model.fit([(x, y)])
model.save_weights(pathlib.Path("w.safetensors"))
with halfstep.Session(model.export("model.mpx", batch_sizes=[1, 8])) as session:
    print(session.run("infer", x=x)["output"])

def loss(outputs: halfstep.Tensor, targets: halfstep.Tensor) -> halfstep.Tensor:
    both: tuple[halfstep.Tensor, ...] = ops.top_k(outputs, 2)
    near = ops.cast(ops.compare("lt", outputs, 0), numpy.float16)
    return ops.mean(ops.abs(outputs - targets)) + ops.reduce_sum(near) + ops.conv(both[0], targets, strides=2, padding="valid")

model.compile("adam", loss=loss)
'''
WRONG = [
    'nn.Dense("16")', 'nn.Dense(16, "rleu")', 'nn.Dense(16, init="glorot")', 'nn.Dense(16, dtype="int32")', 'nn.Conv2D(8, 3, padding="vald")',
    'nn.Conv2D(8, 3, activation=3)', 'nn.RNN(4, activation="sigmoid")', 'nn.Module().fit(x, last_batch="keep")',
    'nn.Module().compile(optimizer=3)', 'losses.KLDiv("sum")', 'ops.cast(x, "float31")', 'ops.compare("less", x, x)', 'ops.gelu(x, approximate="erf")',
    'ops.conv(x, x, padding="full")', 'ops.softmax(x, "last")', 'ops.add(x, "one")', 'halfstep.Session(3)', 'ops.no_such_op(x)',
]


def check(folder, name, text):
    """What the checker says of a program."""
    path = folder / f"{name}.py"
    path.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", folder / "mypy", path]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}).stdout


folder = pathlib.Path(sys.argv[1])
said = [line for line in check(folder, "program", PROGRAM).splitlines() if line.startswith("program.py") and ": note:" not in line]
assert not said, "\n".join(said)
head = "import halfstep\nfrom halfstep import losses, nn, ops\n\ndef of(x: halfstep.Tensor) -> None:\n"
said = check(folder, "wrong", head + "".join(f"    {one}\n" for one in WRONG))
found = {int(line) - 5 for line in re.findall(r"^wrong\.py:(\d+): error:", said, re.MULTILINE)}
missed = [one for i, one in enumerate(WRONG) if i not in found]
assert not missed, f"no error in {missed}:\n{said}"

# The words are those that functions look for.
tensors = [name for name in ops.__all__ if activations._required(name) == ["input"] and activations.is_activation(name)]
for words, own in ((types.ActivationName, [*tensors, "linear"]), (types.LossName, known.LOSSES), (types.MetricName, known.METRICS),
                   (types.PaddingWord, windows._WORDS), (types.ComputeDTypeName, layer._COMPUTES), (DTypeName, DTYPES.values()),
                   (types.InitializerName, initializers.WORDS), (types.OptimizerName, {one.kind for one in vars(optimizers).values() if isinstance(one, type) and getattr(one, "kind", "")})):
    assert sorted(get_args(words)) == sorted(own), (get_args(words), own)
for policy in get_args(types.PolicyName):
    halfstep.Policy(policy)
for optimizer in get_args(types.OptimizerName):
    nn.Sequential(nn.Dense(2)).compile(optimizer)
