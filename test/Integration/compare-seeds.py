#!/usr/bin/python3
"""Checks a comparison over seeds against one comparison for each of them.

usage: compare-seeds.py ALL.json ONE.json...

Each run over all seeds has the test accuracy of its own comparison, no two seeds train the same, and what is shown is the
mean.
"""

import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["policies"]


def faults(together, apart):
    policy = together["policy"]
    if [one["policy"] for one in apart] != [policy] * len(apart):
        yield f"{policy}: is compared with {[one['policy'] for one in apart]}"
    accuracies = [one["test_accuracy"] for one in apart]
    if together["test_accuracies"] != accuracies:
        yield f"{policy}: accuracies are {together['test_accuracies']}, alone {accuracies}"
    if len({one["final_loss"] for one in apart}) != len(apart):
        yield f"{policy}: two seeds have one loss"
    for field in ("test_accuracy", "final_loss", "skipped_steps"):
        mean = sum(one[field] for one in apart) / len(apart)
        if abs(together[field] - mean) > 1e-12 * abs(mean):
            yield f"{policy}: {field} is {together[field]}, the mean is {mean}"


def main():
    together, *apart = map(load, sys.argv[1:])
    found = [fault for row, *rows in zip(together, *apart, strict=True) for fault in faults(row, rows)]
    for row in together:
        print(f"{row['policy']}: {len(row['test_accuracies'])} seeds")
    print("\n".join(found))
    return 1 if found or not together else 0


if __name__ == "__main__":
    sys.exit(main())
