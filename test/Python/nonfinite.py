"""Where values that are not finite come from, as mp-run says it.

RUN: rm -rf %t && mkdir %t
RUN: %{python} %s write %t
RUN: not mp-run train %t/model.mlir --data=%t/data.npz --batch-size=16 --optimizer=sgd --learning-rate=0.01 --policy=mixed_float16 --threads=1 --quiet --find-nonfinite 2> %t/said
RUN: %{python} %s check %t 2>&1 | FileCheck %s
CHECK: step 1: the loss is not finite; skipped at loss scale 65536
CHECK-NEXT: first: mp.mul at squares
CHECK-NOT: step 1:

Without, the line of an epoch says how many steps were skipped, and once what there is to do.

RUN: mp-run train %t/model.mlir --data=%t/data.npz --batch-size=64 --epochs=2 --optimizer=sgd --policy=mixed_float16 2>&1 | FileCheck %s --check-prefix=ADVICE
RUN: %{python} %s arrays %t 2>&1 | FileCheck %s --check-prefix=ADVICE
RUN: %{python} %s batches %t 2>&1 | FileCheck %s --check-prefix=ADVICE
ADVICE: epoch 1: loss {{nan|inf}}, accuracy 0.{{[0-9]+}}, 15 of 15 steps skipped: nothing was trained
ADVICE-NEXT: the loss is not finite; {{--find-nonfinite|model.fit[(]x, y, find_nonfinite=True[)]}} says which op that comes from
ADVICE: epoch 2: loss {{nan|inf}}, accuracy 0.{{[0-9]+}}, 15 of 15 steps skipped: nothing was trained
ADVICE-NOT: is not finite
"""

import dataclasses
import sys

import numpy

import halfstep
from halfstep import nn

mode, folder = sys.argv[1:]
random = numpy.random.default_rng(1)
X = (random.integers(0, 256, (960, 12))).astype(numpy.uint8)
Y = (X[:, 0] > 127).astype(numpy.int64)


class Squares(nn.Module):
    def forward(self, x):
        return x * x


class Model(nn.Module):
    """Squares what is large, and makes it small again."""

    def __init__(self):
        self.hidden, self.squares, self.head = nn.Dense(8, init=nn.Normal(0.0, 1.0, seed=1)), Squares(), nn.Dense(2)

    def forward(self, x):
        return self.head(self.squares(self.hidden(x.astype("float32"))) * 1e-5)


def make(policy="mixed_float16", **named):
    model = Model()
    model.compile(halfstep.SGD(0.01), policy=policy, threads=1, **named)
    return model


if mode == "write":
    numpy.savez(f"{folder}/data.npz", x_train=X, y_train=Y)
    model = make()
    model.trainer.prepare({"x": X, "y": Y}, 16)
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(model.to_mlir(objective=model.trainer._objective, locations=True))
    sys.exit()

if mode in ("arrays", "batches"):
    data = (X, Y) if mode == "arrays" else ([(X[i : i + 64], Y[i : i + 64]) for i in range(0, 960, 64)],)
    make().fit(*data, batch_size=64, epochs=2)
    sys.exit()

# Every step is skipped: the error has what was found, in the words of mp-run.
try:
    make().fit(X, Y, 16, verbose=True, find_nonfinite=True)
    raise AssertionError("expected: 50 consecutive steps were skipped")
except halfstep.Error as error:
    assert "50 consecutive steps were skipped" in str(error), error
    (found,) = error.nonfinite
said = open(f"{folder}/said").read()
at = [line for line in said.splitlines() if "first: " in line][0]
own = [line for line in str(found).splitlines() if "first: " in line][0]
assert own.split(" at ")[0] == at.split(" at ")[0] and own.partition(", forward")[2] == at.partition(", forward")[2], (own, at)
assert [line for line in said.splitlines() if "operand" in line] == [line for line in str(found).splitlines() if "operand" in line]
assert (found.step, found.op, found.is_op, found.name, found.part, found.type, found.skipped) == (
    1, "mp.mul", True, "squares", "forward", "f16", True), found
assert found.line > 0 and "dense" not in found.gradients and "hidden.kernel" in found.gradients
assert found.advice.startswith("--deny=loc:squares")

# The values are those of NumPy.
session_model = make("float32")
session_model.trainer.prepare({"x": X, "y": Y}, 16)
kernel = session_model.state_dict()["hidden.kernel"]
assert found.result.count == 16 * 8 and found.result.infinite > 0 and len(found.operands) == 2
assert found.operands[0] == found.operands[1] and found.operands[0].infinite == found.operands[0].nan == 0
largest = found.operands[0].largest
assert abs(largest / abs(X.astype(numpy.float64) @ kernel).max() - 1) < 0.01
assert found.in_float32.infinite == 0 and abs(found.in_float32.largest / largest**2 - 1) < 0.01
assert found.result.largest <= 65504 < found.in_float32.largest

# A run that is finite finds nothing and has the same bits; data that are not finite are in the history.
plain, watched = make("mixed_bfloat16"), make("mixed_bfloat16")
plain.fit(X, Y, 16, verbose=False)
assert watched.fit(X, Y, 16, verbose=False, find_nonfinite=True).nonfinite == []
assert all((plain.state_dict()[name] == value).all() for name, value in watched.state_dict().items())

broken = X.astype(numpy.float32)
broken[40] = numpy.nan
lost = make("float32")
(found,) = lost.fit(broken, Y, 16, verbose=False, find_nonfinite=True).nonfinite
assert found.skipped and (found.op, found.is_op, found.type) == ("x", False, "f32"), found
assert "look at the data" in found.advice and dataclasses.asdict(found)["result"]["nan"] == 12
