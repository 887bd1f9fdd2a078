#!/usr/bin/python3
"""Checks that no analysis, kernel pass or emitter asks an op for its name.

usage: op-names.py REPOSITORY

What is not the dialect or an mp -> mp pass (the rooms Analysis, Kernels, Codegen and Pipeline) asks ops for their facts:
by the columns of their definitions and by interfaces. `isa`, `dyn_cast`, `Case`, `getDefiningOp`, `getOps` and `walk` of an
op of the dialect are faults there, but in files that attach models to ops, for the ops that are no computation (mp.kernel,
mp.yield, mp.copy), and where `op-names.txt` beside this script says why. A line of that list that no longer fits is a fault, too.
"""

import pathlib
import re
import sys

ROOMS = ("lib/Analysis", "lib/Kernels", "lib/Codegen", "lib/Pipeline")
STRUCTURE = {"KernelOp", "YieldOp", "CopyOp"}
ATTACHES = re.compile(r"\battachInterface<|\battachForms<")
QUESTION = re.compile(r"\b(?:isa|isa_and_nonnull|isa_and_present|dyn_cast|dyn_cast_or_null|dyn_cast_if_present|IsaPred"
                      r"|getDefiningOp|getOps|getParentOfType|Case)<([^<>();]*)>|\b(?:Case|walk)\(\s*\[[^\]]*\]\(([\w:]+)")


def ops_of_the_dialect(repository):
    names = set()
    for path in (repository / "include/mp/IR").glob("*.td"):
        names.update(re.findall(r"^def MP_(\w+Op)\b", path.read_text(), re.MULTILINE))
    return names - STRUCTURE


def code(text):
    """The text without comments, line by line as it was."""
    return re.sub(r"//[^\n]*", "", text)


def questions(repository, ops):
    """(path, op) -> the first line that asks."""
    asked = {}
    for room in ROOMS:
        for path in sorted((repository / room).rglob("*")):
            if path.suffix not in (".cpp", ".h"):
                continue
            text = code(path.read_text())
            if ATTACHES.search(text):
                continue
            for match in QUESTION.finditer(text):
                # arith::ConstantOp is another dialect's.
                for namespace, name in re.findall(r"(?:(\w+)::)?(\w+)", match[1] or match[2]):
                    if name in ops and namespace in ("", "mp"):
                        key = (str(path.relative_to(repository)), name)
                        asked.setdefault(key, text.count("\n", 0, match.start()) + 1)
    return asked


def read_exceptions(path):
    """Lines of "FILE OP[, OP...]: reason"."""
    exceptions = {}
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+) ([\w, ]+): (\S.{9,})", line)
        if not match:
            sys.exit(f"{path.name}:{number}: expected FILE OP[, OP...]: reason")
        for name in re.findall(r"\w+", match[2]):
            exceptions[match[1], name] = number
    return exceptions


def main():
    repository = pathlib.Path(sys.argv[1])
    own = repository / "test/Lint/op-names.txt"
    exceptions = read_exceptions(own)
    asked = questions(repository, ops_of_the_dialect(repository))
    faults = [
        f"{path}:{line}: asks whether an op is {name}; expected a fact of the op (a column, an interface), or a reason in {own.name}"
        for (path, name), line in asked.items()
        if (path, name) not in exceptions
    ]
    faults += [
        f"{own.name}:{line}: {path} does not ask for {name}" for (path, name), line in exceptions.items() if (path, name) not in asked
    ]
    print("\n".join(faults + [f"{len(asked)} questions, {len(exceptions)} with a reason, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
