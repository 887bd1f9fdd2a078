"""usage: long-manifest.py MANIFEST: a bundle's manifest with a case that takes longer than any limit."""

import sys

LINES = [
    ("nothing", "left-out", "unknown target", ""),
    ("long", "benchmark", "train cases/runtime-train.mpx --quiet --data=data/tiny --steps=4000000000", ""),
    ("after", "check", "infer cases/runtime-train.mpx --input=x=@cases/runtime-train.x.npy", ""),
]
with open(sys.argv[1], "w", encoding="utf-8") as manifest:
    for line in LINES:
        manifest.write("\t".join(line) + "\n")
