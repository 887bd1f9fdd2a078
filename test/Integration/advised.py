#!/usr/bin/python3
"""Checks that a comparison's advice trains the variant that it names: with the same test accuracy; and that it is not said to be slow.

usage: advised.py COMPARISON REPORT.json TRAINING
"""

import json
import re
import sys


def main():
    comparison, report, training = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
    name = re.search(r"^Next: train (\S+),", comparison, re.MULTILINE)[1]
    expected = {row["name"]: row["test_accuracy"] for row in json.loads(report)["policies"]}[name]
    found = float(re.search(r"^test: .* accuracy (\S+)", training, re.MULTILINE)[1])
    slower = re.search(r"^(\S.*): slower than", comparison, re.MULTILINE)
    if slower and name in slower[1].split(", "):
        print(f"{name} is slower, and advised")
        return 1
    if abs(found - expected) > 1e-5:
        print(f"{name}: the comparison has a test accuracy of {expected}, the advice one of {found}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
