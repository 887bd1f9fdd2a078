"""Codes of errors are those of mp-c/Runtime.h, and for each of which Python says something else than the compiler there is a case here.

RUN: rm -rf %t && %{python} -W error %s %t %{source}
RUN: rm -rf %t && %{python} -W error %s %t %{source} coded
"""

import pathlib
import re
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from coded import FaultCode, words

import halfstep
from halfstep import nn, ops
from halfstep.hints import faults

FOLDER, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

header = (SOURCE / "include/mp-c/Runtime.h").read_text()
numbers = {name: int(number) for name, number in re.findall(r"\bMP_FAULT_(\w+)\s*=\s*(\d+)", header)}
assert numbers == {one.name: one.value for one in FaultCode}, numbers

# Which codes something is said of.
reached = set()


def noted(code, say):
    def call(fault, call):
        reached.add(code)
        return say(fault, call)

    return call


for code, say in list(faults._HINTS.items()):
    faults._HINTS[code] = noted(code, say)

ROWS = numpy.ones((8, 4), "float32")


def refused(expected, function):
    try:
        function()
    except halfstep.Error as error:
        assert expected in str(error), error
    else:
        raise AssertionError(f"expected: {expected}")


def in_forward(call, dtype="float32"):
    return nn.Sequential(nn.Input((4,), dtype), call).to_mlir


refused("mp.exp: input has elements of uint8, expected floats; cast it first, as in ops.cast(x, 'float32')", in_forward(ops.exp, "uint8"))
refused("mp.logical_not: input has elements of float32, expected bool: a comparison, as in x != 0", in_forward(ops.logical_not))
refused("mp.add: operands differ in type: float32 and int32; cast one of them", in_forward(lambda x: x + ops.cast(x, "int32")))
refused("mp.leaky_relu: negative_slope is 'a', expected a number", in_forward(lambda x: ops.leaky_relu(x, negative_slope="a")))
refused("mp.gelu: approximate is 'tahn'; did you mean 'tanh'? expected one of", in_forward(lambda x: ops.gelu(x, approximate="tahn")))


def fit(policy, **named):
    model = nn.Sequential(nn.Input((4,)), nn.Dense(2))
    model.compile("sgd", policy=policy, threads=1)
    model.fit(ROWS, numpy.arange(8) % 2, 4, verbose=False, checkpoint=FOLDER, **named)


fit("float32")
for said, code, call in ((": has a checkpoint; go on from it with resume=True, or remove it", FaultCode.HAS_CHECKPOINT, lambda: fit("float32")),
                         (": was made with policy 'float32', this run has 'mixed_bfloat16'; train under that one, or anew from its load_weights",
                          FaultCode.OTHER_POLICY, lambda: fit("mixed_bfloat16", resume=True, epochs=2))):
    refused(words(str(FOLDER), code) + said, call)
assert reached == {*faults._HINTS}, reached
