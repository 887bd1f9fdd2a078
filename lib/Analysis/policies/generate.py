#!/usr/bin/python3
"""Writes the policy file that makes Halfstep's categories those of another system.

usage: generate.py pytorch|tensorflow > FILE

op-lists.csv holds the lists of six systems side by side: L low precision, F fp32 (Fo: through an optional dtype argument),
P or W widest input, I infer, C clear, - unlisted. The file holds only what differs from Halfstep's own categories, the
column `proposed`. An op that PyTorch does not list runs in the type that its inputs promote to: `promote`.
"""

import csv
import pathlib
import sys

# Rows of op-lists.csv and the ops of Halfstep that they speak of. `softmax_cross_entropy` is left out: PyTorch composes it
# of log_softmax and nll_loss, which both are fp32, and TensorFlow's is fp32 as ours.
OPS = {
    "matmul": ["matmul"],
    "add / sub / mul / div": ["add", "sub", "mul", "div"],
    "elementwise min / max": ["max"],
    "exp": ["exp"],
    "log": ["log"],
    "sqrt": ["sqrt"],
    "relu / relu6 (+grad)": ["relu", "relu_grad"],
    "comparisons": ["compare"],
    "where / select": ["select"],
    "sum": ["reduce_sum"],
    "mean": ["reduce_mean"],
    "max / min reduce, argmax": ["reduce_max", "argmax"],
    "softmax": ["softmax", "softmax_grad"],
    "reshape / squeeze / expand_dims": ["reshape"],
    "transpose": ["transpose"],
    "tile / broadcast / repeat": ["broadcast"],
    "dropout": ["dropout"],
}

SYSTEMS = {
    "pytorch": {
        "column": "pytorch_cuda",
        "text": "PyTorch's autocast lists for CUDA",
        # Its type promotion: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
        "lines": ["zero-dimensional: follow"],
        "categories": {"L": "allow", "F": "deny", "Fo": "deny", "P": "promote", "–": "promote"},
    },
    "tensorflow": {
        "column": "tf_cuda",
        "text": "the lists of TensorFlow's grappler pass auto_mixed_precision for CUDA",
        "lines": [],
        "categories": {"L": "allow", "F": "deny", "I": "infer", "C": "clear", "–": None},
    },
}


def main():
    system = SYSTEMS[sys.argv[1]]
    rows = csv.DictReader((pathlib.Path(__file__).parent / "op-lists.csv").open(encoding="utf-8"))
    lists, missing = {}, set(OPS)
    for row in rows:
        missing.discard(row["op"])
        category = system["categories"].get(row[system["column"]])
        if category and category != row["proposed"]:
            lists.setdefault(category, []).extend("mp." + op for op in OPS.get(row["op"], []))
    if missing:
        sys.exit(f"generate.py: op-lists.csv has no row {sorted(missing)}")
    print(f"# {system['text'][0].upper()}{system['text'][1:]}, as far as they differ from Halfstep's own categories.")
    print(f"# Made by generate.py from op-lists.csv, column {system['column']}; do not edit.")
    print("type: f16")
    for line in system["lines"]:
        print(line)
    for category, ops in sorted(lists.items()):
        if ops:
            print(f"{category}: {', '.join(ops)}")


if __name__ == "__main__":
    main()
