"""An error of a numbered constraint has its number: that of each case in test/IR whose comment names one, and of ops that are made one by one.

RUN: %{python} %s %{source}
"""

import pathlib
import re
import sys

import halfstep
from halfstep import nn, ops

CASE = re.compile(r"(?:\A|\n)// -----\n")
TAG = re.compile(r"^// ((?:#?mp\.\w+ \(C\d+\)[^\n]*))$", re.MULTILINE)
# What definitions say of types, MLIR says in its own words, and without a number.
OF_DEFINITION = re.compile(r"must be |failed to verify that |requires |attribute '\w+' failed|expected 1 or more operands")

numbered = unnumbered = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("test/IR/*-invalid.mlir")):
    for case in CASE.split(path.read_text()):
        above = case.partition("func.func")[0]
        tags = set(re.findall(r"(#?mp\.\w+) \(C(\d+)\)", "\n".join(TAG.findall(above))))
        if not tags:
            continue
        try:
            halfstep.compile(case, name=path.name)
        except halfstep.CompileError as error:
            fault = error.fault
        else:
            raise AssertionError(case)
        if fault.constraint:
            # A tag may be of the op that numbers it for others.
            assert str(fault.constraint) in {number for _, number in tags} and fault.op in case, (path.name, tags, fault)
            numbered += 1
        else:
            assert OF_DEFINITION.search(fault.text), (path.name, tags, fault)
            unnumbered += 1
print(f"{numbered} cases with their number, {unnumbered} of definitions")
assert numbered > 4 * unnumbered


def fault_of(call):
    try:
        nn.Sequential(nn.Input((4, 6)), call).to_mlir()
    except halfstep.Error as error:
        return error.fault.op, error.fault.constraint
    raise AssertionError("no error")


assert fault_of(lambda x: ops.dropout(x, 0.5, shared=[7])) == ("mp.dropout", 3)
assert fault_of(lambda x: x + ops.constant([1.0, 2.0])) == ("mp.add", 2)
assert fault_of(lambda x: ops.generated.matmul(x, x)) == ("mp.matmul", 2)
assert fault_of(lambda x: ops.generated.reduce_sum(x, [9])) == ("mp.reduce_sum", 2)
