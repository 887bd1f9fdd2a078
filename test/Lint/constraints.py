#!/usr/bin/python3
"""Checks that constraints of ops and attributes, the verifier and its tests have the same numbers.

usage: constraints.py LLVM_TBLGEN SOURCES INCLUDE_DIR...

A description numbers its constraints (C1), (C2), ...; one that says "Constraints as `mp.add`" has those of mp.add, too. Fails for

- numbers that do not count up from 1,
- an error of lib/IR about an op or attribute without a number: `emitOpError(...)` where `violates(*this, 2) << ...` has one,
- a case of test/IR/*-invalid.mlir without a number above its function: `// mp.add (C2)`, `// #mp.mma (C1)`, or
  `// no constraint: WHY`,
- a number, in one of these, that no description has; of what several ops share test/Python/constraints.py looks at the numbers that come out,
- a number that no case has.
"""

import json
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"\(C(\d+)\)")
# "add (C2), compare (C2), (C3)": what a comment says; a number without a name is of the one before it.
TAG = re.compile(r"(?:(#?)(?:mp\.)?(\w+) )?\(C(\d+)\)")
METHOD = re.compile(r"^(?:template .*|static .*)?LogicalResult (?:\w+::)?(\w+(?:Op|Attr))::\w+\(", re.MULTILINE)
EMITS = re.compile(r"\bemitOpError\(|\bemitOptionalError\(|\bemitError\(\) <<")
# What is violated, or a check that is told which constraint it is of: `violates<SliceOp>(location, 1`, `verifyBias(*this, 4`.
NUMBERED = re.compile(r"\w+(?:<(\w+)>)?\((?:\*this|location|emitError\(\), \"#\" \+ name), (\d+)\b")
# Not about one op or attribute: names of ops, attributes of every op; what definitions say; signatures, whose rules are in docs/IR.md; nesting.
OTHERS = {"BuildOp.cpp", "Dialect.cpp", "Faults.cpp", "Signature.cpp", "ParserLimits.cpp", "program-invalid.mlir"}


class Constraints:
    """The numbers that each op, `add`, and attribute, `#mma`, has of its own, and whose it has besides."""

    def __init__(self, tblgen, definitions, includes):
        command = [tblgen, "--dump-json", *[f"-I{path}" for path in includes], definitions]
        records = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        self.own, self.same, self.classes = {}, {}, {}
        for kind, mnemonic, dialect, suffix in (("Op", "opName", "opDialect", "Op"), ("AttrDef", "mnemonic", "dialect", "Attr")):
            for name in records["!instanceof"][kind]:
                record = records[name]
                if records[record[dialect]["def"]]["name"] != "mp" or not record[mnemonic]:
                    continue
                key = record[mnemonic] if kind == "Op" else "#" + record[mnemonic]
                text = record["description"] or ""
                self.own[key] = [int(n) for n in NUMBER.findall(text)]
                self.same[key] = re.findall(r"[Cc]onstraints as `mp\.(\w+)`", text)
                self.classes[name.removeprefix("MP_").removesuffix(suffix) + suffix] = key

    def has(self, name, number):
        return number in self.own.get(name, []) or any(self.has(other, number) for other in self.same.get(name, []))

    def home(self, name, number):
        """The op that numbers it."""
        if number in self.own[name]:
            return name
        return next(self.home(other, number) for other in self.same[name] if self.has(other, number))


def tags_of(comment, default):
    name = default
    for found in TAG.finditer(comment):
        name = found[1] + found[2] if found[2] else name
        yield name, int(found[3])


def sources(constraints, folder, faults):
    for file in sorted(folder.glob("*.cpp")) + sorted(folder.glob("*.h")):
        if file.name in OTHERS:
            continue
        method = None
        for index, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            if line and not line[0].isspace() and "(" in line:
                found = METHOD.match(line)
                method = constraints.classes.get(found[1]) if found else None
            if EMITS.search(line):
                faults.append(f"{file.name}:{index + 1}: no number of a constraint")
            for of, number in NUMBERED.findall(line):
                name = constraints.classes.get(of, method)
                if name and not constraints.has(name, int(number)):
                    faults.append(f"{file.name}:{index + 1}: {name} has no (C{number})")


def tests(constraints, folder, faults):
    tested = set()
    for file in sorted(folder.glob("*-invalid.mlir")):
        for case in re.split(r"^// -----$", file.read_text(encoding="utf-8"), flags=re.MULTILINE):
            function = re.search(r"func\.func @(\w+)", case)
            if not function:
                continue
            comments = [line for line in case[: function.start()].splitlines() if line.startswith("// ")]
            tags = [tag for line in comments if re.match(r"// #?mp\.", line) for tag in tags_of(line[3:], None)]
            if not tags and file.name not in OTHERS and not any(line.startswith("// no constraint: ") for line in comments):
                faults.append(f"{file.name}: @{function[1]} has no number of a constraint")
            for name, number in tags:
                if constraints.has(name, number):
                    tested.add((constraints.home(name, number), number))
                else:
                    faults.append(f"{file.name}: @{function[1]}: {name} has no (C{number})")
    return tested


def main():
    tblgen, root, *includes = sys.argv[1:]
    root = pathlib.Path(root)
    constraints = Constraints(tblgen, str(root / "include/mp/IR/MPOps.td"), [str(root / "include"), *includes])
    faults = []
    for name, numbers in constraints.own.items():
        inherited = max((n for other in constraints.same[name] for n in constraints.own[other]), default=0)
        if numbers != list(range(inherited + 1, inherited + 1 + len(numbers))):
            faults.append(f"{name}: its constraints are numbered {numbers}")
    sources(constraints, root / "lib/IR", faults)
    tested = tests(constraints, root / "test/IR", faults)
    for name, numbers in sorted(constraints.own.items()):
        faults += [f"{name} (C{number}): no invalid test" for number in numbers if (name, number) not in tested]
    print("\n".join(faults))
    print(f"{sum(map(len, constraints.own.values()))} constraints, {len(faults)} faults")
    return 1 if faults or not tested else 0


if __name__ == "__main__":
    sys.exit(main())
