#!/usr/bin/python3
"""Writes the policy file that makes Halfstep's categories those of another system.

usage: generate.py POLICY LLVM_TBLGEN OPS.td INCLUDE_DIR... > FILE
       generate.py --entries LLVM_TBLGEN OPS.td INCLUDE_DIR... > TABLE

op-lists.csv holds the lists of seven systems side by side, as they were read from the sources that SYSTEMS names: L low
precision, F fp32 (Fo: through an optional dtype argument), P or W widest input, I infer, C clear, BAN error, - unlisted; in
brackets when, behind a colon which of several, the first of which counts. The definition of an op says which row speaks of it (`listedAs`), or that none
does. The file holds only what differs from Halfstep's own categories, the column `proposed`. An op that a system does not list
runs in the type that its inputs promote to: `promote`; grappler leaves it alone.

published-lists.csv has the lists of four of them entry by entry, under the names that they have there: those of PyTorch
2.15.0 are the kernels that it registers for its keys AutocastCUDA and AutocastCPU, with the categories of autocast_mode.h and
autocast_mode.cpp; those of TensorFlow are of auto_mixed_precision_lists.h as of commit e1c1b29704c7. Each names its row of
op-lists.csv, and what is the same here, if there is something: an op, or a function of Python that is made of several. `--entries`
compares the two files and writes how many entries have one, and why others have none: the table of docs/autocast.md. A test of the
package (test/Python/published-lists.py) looks what each entry of the lists in WHOLE computes in.
"""

import csv
import json
import pathlib
import re
import subprocess
import sys

# PyTorch's type promotion: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
PER_OP = {"L": "allow", "F": "deny", "Fo": "deny", "Fa": "deny", "P": "promote", "W": "promote", "C": "promote", "BAN": "error",
          "–": "promote"}
GRAPPLER = {"L": "allow", "F": "deny", "I": "infer", "C": "clear", "–": None}
SYSTEMS = {
    "pytorch": ("pytorch_cuda", "f16", ["zero-dimensional: follow", "reduced-precision-reduction: allow"], PER_OP,
                "the autocast lists of PyTorch 2.15.0 for CUDA (aten/src/ATen/autocast_mode.h)"),
    "pytorch_cpu": ("pytorch_cpu", "bf16", ["zero-dimensional: follow"], PER_OP,
                    "the autocast lists of PyTorch 2.15.0 for CPUs (aten/src/ATen/autocast_mode.cpp)"),
    "apex_o1": ("apex_o1", "f16", ["zero-dimensional: follow"], PER_OP, "Apex's lists of O1 (apex/amp/lists)"),
    "tensorflow": ("tf_cuda", "f16", [], GRAPPLER,
                   "the lists of TensorFlow's grappler pass auto_mixed_precision for CUDA (auto_mixed_precision_lists.h, e1c1b29704c7)"),
    "tensorflow_bf16": ("tf_bf16", "bf16", [], GRAPPLER,
                        "the lists of TensorFlow's grappler pass auto_mixed_precision_onednn_bfloat16 (auto_mixed_precision_lists.h, e1c1b29704c7)"),
    "mxnet": ("mxnet_fp16", "f16", [], PER_OP, "MXNet's lists for float16 (python/mxnet/amp/lists/symbol_fp16.py)"),
    "paddle_o1": ("paddle_o1", "f16", [], PER_OP, "Paddle's lists of O1 (python/paddle/amp/amp_lists.py)"),
}


# What op-lists.csv has for a category by its name in the sources.
LETTERS = {"lower_precision_fp": "L", "fp32": "F", "fp32_set_opt_dtype": "Fo", "fp32_append_dtype": "Fa", "promote": "P", "banned": "BAN",
           "allow": "L", "infer": "I", "deny": "F", "clear": "C"}

# Why an entry has neither op nor function, by its row or its name. A list of WHOLE has no other entries.
REASONS = {
    "dense linalg (chol, qr, svd, eig, solve, inv, det …)": "linear algebra",
    "nuclear_norm": "linear algebra",
    "nuclear_norm.dim": "linear algebra",
    "linear/bilinear/bicubic resize": "resizing",
    "nearest resize / upsample": "resizing",
    "grid_sample": "resizing",
    "dist / cdist / pdist": "distances",
    "rnn / lstm / gru cells": "recurrence",
}
OP, FUNCTION, OTHERS = "op", "function", "others"
WHOLE = {"pytorch"}

# Every published policy has its own lists alone, without the rules of the mixed ones.
LINES = ["summed-squares: follow"]
# Rows whose entries hold for ops that stand for theirs (mp.listed_as), and are written where they are no difference, too.
STANDING = {"pow"}


def read(name):
    return list(csv.DictReader((pathlib.Path(__file__).parent / name).open(encoding="utf-8")))


def category_of(entry, categories):
    """Of what stands first: in "W: elemwise_add; C: _npi_add" of the first."""
    return categories.get(re.match(r"[A-Za-z]+|–", entry)[0])


def records_of(tblgen, definitions, *includes):
    """The definitions of the dialect's ops."""
    command = [tblgen, "--dump-json", *[f"-I{path}" for path in includes], definitions]
    records = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    ops = map(records.get, records["!instanceof"]["Op"])
    return [op for op in ops if records[op["opDialect"]["def"]]["name"] == "mp"]


def listed_ops(*sources):
    """The ops that each row speaks of, in the order of their definitions."""
    ops = {}
    for record in records_of(*sources):
        if "listedAs" not in record:
            sys.exit(f"generate.py: mp.{record['opName']} does not say which row of op-lists.csv speaks of it")
        if record["listedAs"]:
            ops.setdefault(record["listedAs"], []).append((record["!locs"][0], "mp." + record["opName"]))
    return {row: [op for _, op in sorted(found, key=place)] for row, found in ops.items()}


def place(entry):
    file, line, *_ = entry[0].split(":")
    return file, int(line)


def entries(*sources):
    """How many entries of each published list have an op, a function, or neither and why."""
    known = {"mp." + record["opName"] for record in records_of(*sources)}
    rows, counts, faults = {row["op"]: row for row in read("op-lists.csv")}, {}, []
    for entry in read("published-lists.csv"):
        name = f"{entry['list']}'s {entry['entry']}"
        row, letter = rows.get(entry["row"]), LETTERS[entry["category"]]
        if row is None:
            faults.append(f"{name}: op-lists.csv has no row '{entry['row']}'")
        elif letter not in re.findall(r"[A-Za-z]+", row[SYSTEMS[entry["list"]][0]]):
            faults.append(f"{name} is {entry['category']}, op-lists.csv has {row[SYSTEMS[entry['list']][0]]}")
        is_function = re.fullmatch(r"halfstep\.(ops|losses)\.\w+", entry["op"])
        if entry["op"] and not is_function and entry["op"] not in known:
            faults.append(f"{name}: '{entry['op']}' is not an op")
        reason = REASONS.get(entry["entry"]) or REASONS.get(entry["row"], OTHERS)
        if not entry["op"] and reason == OTHERS and entry["list"] in WHOLE:
            faults.append(f"{name}: has neither an op nor a reason")
        kind = FUNCTION if is_function else OP if entry["op"] else reason
        counts.setdefault(entry["list"], []).append(kind)
    if faults:
        sys.exit("generate.py: " + "; ".join(faults))
    columns = [OP, FUNCTION, *dict.fromkeys(REASONS.values()), OTHERS]
    print(f"| list | entries | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 2) + "|")
    for name, kinds in counts.items():
        print(f"| `{name}` | {len(kinds)} | {' | '.join(str(kinds.count(one)) for one in columns)} |")


def main():
    if sys.argv[1] == "--entries":
        return entries(*sys.argv[2:])
    column, low, lines, categories, text = SYSTEMS[sys.argv[1]]
    ops = listed_ops(*sys.argv[2:])
    rows = read("op-lists.csv")
    lists, missing = {}, set(ops)
    for row in rows:
        missing.discard(row["op"])
        category = category_of(row[column], categories)
        if category and (category != row["proposed"] or row["op"] in STANDING):
            lists.setdefault(category, []).extend(ops.get(row["op"], []))
    if missing:
        faults = [f"{', '.join(ops[row])}: op-lists.csv has no row '{row}'" for row in sorted(missing)]
        sys.exit("generate.py: " + "; ".join(faults))
    print(f"# {text[0].upper()}{text[1:]}, as far as they differ from Halfstep's own categories.")
    print(f"# Made by generate.py from op-lists.csv, column {column}; do not edit.")
    print(f"type: {low}")
    print("".join(f"{line}\n" for line in lines + LINES), end="")
    for category, names in sorted(lists.items()):
        if names:
            print(f"{category}: {', '.join(names)}")


if __name__ == "__main__":
    main()
