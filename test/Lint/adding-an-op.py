#!/usr/bin/python3
"""Checks the lists of docs/adding-an-op.md: for the ops in a heading, the files of lib and include that name them, and those
of test/unit and test/IR where the list has any; other tests may use any op. `*` stands for any part of a name.

usage: adding-an-op.py REPOSITORY [PAGE]
"""

import fnmatch
import pathlib
import re
import sys

HEADING = re.compile(r"^## .*$", re.MULTILINE)
OP = re.compile(r"`mp\.(\w+)`")
FILE = re.compile(r"`((?:lib|include|test)/[\w./*-]+)`")


def naming(ops):
    """What names an op: mp.softmax_grad in text, SoftmaxGradOp in C++, MP_SoftmaxGradOp in a definition."""
    names = [rf"mp\.{op}" for op in ops]
    names += ["(?:MP_)?" + "".join(word.capitalize() for word in op.split("_")) + "Op" for op in ops]
    return re.compile(r"\b(?:" + "|".join(names) + r")\b")


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else repository / "docs/adding-an-op.md"
    text = page.read_text()
    starts = [match.start() for match in HEADING.finditer(text)] + [len(text)]
    faults, families = [], 0
    for start, end in zip(starts, starts[1:]):
        heading, _, section = text[start:end].partition("\n")
        ops = OP.findall(heading)
        if not ops:
            continue
        families += 1
        rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("|")]
        listed = {file for row in rows for file in FILE.findall(row)}
        tops = ["include", "lib"] + ["test/unit", "test/IR"] * any(file.startswith("test/") for file in listed)
        names = naming(ops)
        found = set()
        for top in tops:
            for file in (repository / top).rglob("*"):
                if file.is_file() and names.search(file.read_text(errors="replace")):
                    found.add(str(file.relative_to(repository)))
        found |= {file for file in listed - found if (repository / file).is_file() and names.search((repository / file).read_text())}
        # A pattern stands for those of its files that name the op, of which there is one at least.
        for pattern in [entry for entry in listed if "*" in entry]:
            if matched := set(fnmatch.filter(found, pattern)):
                found -= matched
                listed.remove(pattern)
        faults += [f"mp.{ops[0]}: {file} names it and is not on the page" for file in found - listed]
        faults += [f"mp.{ops[0]}: {file} is on the page and does not name it" for file in listed - found]
    print("\n".join(sorted(faults)))
    print(f"{families} families, {len(faults)} faults")
    return 1 if faults or not families else 0


if __name__ == "__main__":
    sys.exit(main())
