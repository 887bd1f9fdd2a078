"""Holds what `mp-cancel-transposes` says of functions, on stdin: no more transposes, no op reordered that is not there, and of chains of ten times as many steps ten times
as many visits. counts.py OPS..."""

import re
import sys

ops = [int(number) for number in sys.argv[1:]]
found = [dict((name, int(count)) for name, count in re.findall(r"(\w+)=(\d+)", line)) for line in sys.stdin if "Summary" in line]
assert len(found) == len(ops), (len(found), ops)
for of, counts in zip(ops, found):
    assert counts["after"] <= counts["before"] and counts["reordered"] <= of, (of, counts)
for (few, first), (many, second) in zip(zip(ops, found), list(zip(ops, found))[1:]):
    assert second["visits"] * few <= 2 * first["visits"] * many, (first, second)
print(*(f"{of} ops, {counts['before']} -> {counts['after']}" for of, counts in zip(ops, found)), sep="\n")
