"""Every op that a published list speaks of runs under that list's policy as the list says.

Each op's own cases, of float32 and low operands, go through the pass. A low op gets low operands, one of float32 float32 ones; what
takes its operands' widest type keeps what they have.

usage: policies-by-op.py SOURCE CASES LLVM_INCLUDE
"""

import csv
import importlib.util
import pathlib
import re
import subprocess
import sys

source, cases, llvm_include = map(pathlib.Path, sys.argv[1:])
spec = importlib.util.spec_from_file_location("generate", source / "lib/Analysis/policies/generate.py")
generate = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(generate)
ops = generate.listed_ops("llvm-tblgen", str(source / "include/mp/IR/MPOps.td"), str(source / "include"), str(llvm_include))
with (source / "lib/Analysis/policies/op-lists.csv").open(encoding="utf-8") as file:
    rows = {row["op"]: row for row in csv.DictReader(file)}

# What the systems' letters mean, in their own words: low, float32, or the widest of the operands.
MEANING = {"L": "low", "F": "f32", "Fo": "f32", "Fa": "f32"}


def wanted_of(policy, entry):
    letter = re.match(r"[A-Za-z]+|–", entry)[0]
    if policy.startswith("tensorflow") and letter == "–":
        return None  # grappler leaves it alone
    return None if letter == "BAN" else MEANING.get(letter, "widest")


def uses(text, op):
    """The types of the first operand at each place of an op, in order, and whether a product's author stated its own."""
    found = []
    types = dict(re.findall(r"(%[\w]+): tensor<([^>]*)>", text))
    for line in text.splitlines():
        if matched := re.match(r"\s*(%\w+)(?::\d+)?(?:, %\w+)* = (mp\.\w+) ([^:]*)", line):
            result, name, rest = matched.groups()
            operands = re.findall(r"%\w+", rest)
            shown = re.findall(r"tensor<([^>]*)>", line)
            first, last = (types.get(operands[0], "?") if operands else "?"), (shown[-1] if shown else "?")
            # What was written with an accumulator of float16, or to store it as it is, stays so.
            is_stated = "acc f16" in line or (" acc " in line and last.split("x")[-1] != first.split("x")[-1])
            if name == op and operands:
                found.append((first.split("x")[-1], is_stated))
            if shown:
                types[result] = shown[-1]
    return found


def texts_of(names):
    """The cases of each op that has some."""
    paths = {op: cases / f"{op.removeprefix('mp.')}.mlir" for op in names}
    # A model, not yet a program.
    return {op: path.read_text().replace(' attributes {mp.program = "infer"}', "") for op, path in paths.items() if path.exists()}


def run(policy, texts):
    """Of each op the types at its places, before and after, but for those that an author stated. One process has all of them."""
    separator = "// -----\n"
    command = ["mp-opt", "-", "-split-input-file", f"-mp-autocast=policy={policy}"]
    done = subprocess.run(command, input=separator.join(texts.values()), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{policy}: {done.stderr[:400]}")
    for (op, text), after in zip(texts.items(), done.stdout.split(separator), strict=True):
        both = zip(uses(text, op), uses(after, op), strict=True)
        yield op, [(before, after) for (before, is_stated), (after, _) in both if not is_stated]


faults = []
for policy, (column, low, *_) in generate.SYSTEMS.items():
    count = 0
    wanted = {op: (row, wanted_of(policy, rows[row][column])) for row, names in ops.items() for op in names}
    texts = texts_of(op for op, (_, what) in wanted.items() if what is not None)
    for op, pairs in run(policy, texts):
        row, what = wanted[op]
        pairs = [pair for pair in pairs if pair[0] in ("f32", "f16", "bf16")]
        for before, after in pairs:
            expected = {"low": low, "f32": "f32", "widest": before}[what]
            if after != expected:
                faults.append(f"{policy}: {op} ({row}, {rows[row][column]}): {before} becomes {after}, expected {expected}")
        count += bool(pairs)
    print(f"{policy}: {count} ops")
sys.exit("\n".join(faults) or 0)
