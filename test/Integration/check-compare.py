#!/usr/bin/python3
"""Checks what `mp-run compare --json` wrote for float32, mixed_float16, mixed_bfloat16 and auto.

usage: check-compare.py FILE.json --accuracy=LEAST --spread=MOST

Each test accuracy is at least LEAST and they differ by at most MOST; every field is there and means what it says; where
float16 started at a loss scale that is too large, steps were skipped and the scale came down.
"""

import argparse
import json
import sys

POLICIES = ["float32", "mixed_float16", "mixed_bfloat16", "auto"]
FIELDS = {"policy", "compiled_policy", "test_accuracy", "final_loss", "seconds_per_step", "speedup", "peak_bytes", "ops_by_type", "casts",
          "skipped_steps", "loss_scale"}
LOW_TYPE = {"mixed_float16": "f16", "mixed_bfloat16": "bf16"}


def faults(report, least, spread):
    rows = report["policies"]
    if [row["policy"].split(":")[0] for row in rows] != POLICIES:
        yield f"policies are {[row['policy'] for row in rows]}"
        return
    if not report["device"] or not report["commit"]:
        yield "device or commit is empty"
    for row in rows:
        policy = row["policy"].split(":")[0]
        if missing := FIELDS - row.keys():
            yield f"{policy}: has no {sorted(missing)}"
            continue
        if not least <= row["test_accuracy"] <= 1:
            yield f"{policy}: test accuracy is {row['test_accuracy']}, expected at least {least}"
        if not (0 < row["final_loss"] < 2.4 and row["seconds_per_step"] > 0 and row["peak_bytes"] > 0):
            yield f"{policy}: loss, time or memory cannot be: {row}"
        ratio = rows[0]["seconds_per_step"] / row["seconds_per_step"]
        if abs(row["speedup"] / ratio - 1) > 0.02:
            yield f"{policy}: speedup is {row['speedup']}, but the times have the ratio {ratio}"
        low = LOW_TYPE.get(policy)
        if low and not (row["ops_by_type"].get(low, 0) > 0 and row["casts"] > rows[0]["casts"]):
            yield f"{policy}: no op in {low}, or no cast: {row}"
        if policy == "mixed_float16":
            if not (row["skipped_steps"] > 0 and 1 <= row["loss_scale"] < 2**24):
                yield f"{policy}: started at 2^24, skipped {row['skipped_steps']}, ended at {row['loss_scale']}"
        elif row["skipped_steps"] != 0 or row["loss_scale"] != 1:
            yield f"{policy}: needs no loss scale, skipped {row['skipped_steps']}, ended at {row['loss_scale']}"
    accuracies = [row["test_accuracy"] for row in rows]
    if max(accuracies) - min(accuracies) > spread:
        yield f"test accuracies {accuracies} differ by more than {spread}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=argparse.FileType())
    parser.add_argument("--accuracy", type=float, required=True)
    parser.add_argument("--spread", type=float, required=True)
    options = parser.parse_args()
    found = list(faults(json.load(options.file), options.accuracy, options.spread))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
