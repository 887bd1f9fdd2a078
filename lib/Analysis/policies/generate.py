#!/usr/bin/python3
"""Writes the policy file that makes Halfstep's categories those of another system.

usage: generate.py pytorch|tensorflow LLVM_TBLGEN OPS.td INCLUDE_DIR... > FILE

op-lists.csv holds the lists of six systems side by side: L low precision, F fp32 (Fo: through an optional dtype argument),
P or W widest input, I infer, C clear, - unlisted. The definition of an op says which row speaks of it (`listedAs`), or that
none does. The file holds only what differs from Halfstep's own categories, the column `proposed`. An op that PyTorch does
not list runs in the type that its inputs promote to: `promote`.
"""

import csv
import json
import pathlib
import subprocess
import sys

SYSTEMS = {
    "pytorch": {
        "column": "pytorch_cuda",
        "text": "PyTorch's autocast lists for CUDA",
        # Its type promotion: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
        "lines": ["zero-dimensional: follow"],
        "categories": {"L": "allow", "F": "deny", "Fo": "deny", "P": "promote", "BAN": "error", "–": "promote"},
    },
    "tensorflow": {
        "column": "tf_cuda",
        "text": "the lists of TensorFlow's grappler pass auto_mixed_precision for CUDA",
        "lines": [],
        "categories": {"L": "allow", "F": "deny", "I": "infer", "C": "clear", "–": None},
    },
}


def listed_ops(tblgen, definitions, *includes):
    """The ops that each row speaks of, in the order of their definitions."""
    command = [tblgen, "--dump-json", *[f"-I{path}" for path in includes], definitions]
    records = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    ops = {}
    for record in map(records.get, records["!instanceof"]["Op"]):
        if records[record["opDialect"]["def"]]["name"] != "mp":
            continue
        if "listedAs" not in record:
            sys.exit(f"generate.py: mp.{record['opName']} does not say which row of op-lists.csv speaks of it")
        if record["listedAs"]:
            ops.setdefault(record["listedAs"], []).append((record["!locs"][0], "mp." + record["opName"]))
    return {row: [op for _, op in sorted(found, key=place)] for row, found in ops.items()}


def place(entry):
    file, line, *_ = entry[0].split(":")
    return file, int(line)


def main():
    system = SYSTEMS[sys.argv[1]]
    ops = listed_ops(*sys.argv[2:])
    rows = csv.DictReader((pathlib.Path(__file__).parent / "op-lists.csv").open(encoding="utf-8"))
    lists, missing = {}, set(ops)
    for row in rows:
        missing.discard(row["op"])
        category = system["categories"].get(row[system["column"]])
        if category and category != row["proposed"]:
            lists.setdefault(category, []).extend(ops.get(row["op"], []))
    if missing:
        faults = [f"{', '.join(ops[row])}: op-lists.csv has no row '{row}'" for row in sorted(missing)]
        sys.exit("generate.py: " + "; ".join(faults))
    print(f"# {system['text'][0].upper()}{system['text'][1:]}, as far as they differ from Halfstep's own categories.")
    print(f"# Made by generate.py from op-lists.csv, column {system['column']}; do not edit.")
    print("type: f16")
    for line in system["lines"]:
        print(line)
    for category, names in sorted(lists.items()):
        if names:
            print(f"{category}: {', '.join(names)}")


if __name__ == "__main__":
    main()
