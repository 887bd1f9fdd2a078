#!/usr/bin/python3
"""Checks that no module of the Python packages looks for words in an error: what an error of ours is about its `fault` says, and its class.

usage: own-errors.py REPOSITORY

Reads what each `except ... as error` does with `str(error)`, `error.args` or a text of `error.fault`: a comparison, a method that finds or cuts text,
a function of re. Where the error is another library's, which has no codes, test/Lint/own-errors.txt names the file and the function, and why.
"""

import ast
import pathlib
import sys

CUTS = {"startswith", "endswith", "partition", "rpartition", "replace", "split", "rsplit", "splitlines", "find", "rfind", "index", "count", "removeprefix", "removesuffix", "strip"}
TEXTS = {"args", "text", "detail", "message"}


def is_text(node, names):
    """Whether it is the text of one of these errors: str(error), f"{error}", error.args, error.fault.text."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in ("str", "repr") and one.args and getattr(one.args[0], "id", None) in names:
            return True
        if isinstance(one, ast.FormattedValue) and getattr(one.value, "id", None) in names:
            return True
        if isinstance(one, ast.Attribute) and one.attr in TEXTS:
            of = one.value.value if isinstance(one.value, ast.Attribute) and one.value.attr == "fault" else one.value
            if getattr(of, "id", None) in names:
                return True
    return False


def looks(node, names):
    """Whether the node itself looks for words in such a text."""
    if isinstance(node, ast.Compare):
        return any(is_text(one, names) for one in (node.left, *node.comparators))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_re = getattr(node.func.value, "id", None) == "re"
        return is_re and any(is_text(one, names) for one in node.args) or node.func.attr in CUTS and is_text(node.func.value, names)
    return False


class Finder(ast.NodeVisitor):
    """The functions that look, with the line."""

    def __init__(self):
        self.found, self.function, self.names = [], "module", set()

    def visit_FunctionDef(self, node):
        outside = self.function, self.names
        given = {one.arg for one in node.args.args if one.arg == "error" or getattr(one.annotation, "id", "") in ("Error", "Exception", "OSError")}
        self.function, self.names = node.name, self.names | given
        self.generic_visit(node)
        self.function, self.names = outside

    def visit_ExceptHandler(self, node):
        outside, self.names = self.names, self.names | ({node.name} if node.name else set())
        self.generic_visit(node)
        self.names = outside

    def generic_visit(self, node):
        if self.names and looks(node, self.names):
            self.found.append((self.function, node.lineno))
        super().generic_visit(node)


def found_in(file):
    finder = Finder()
    finder.visit(ast.parse(file.read_text()))
    return finder.found


def main():
    repository = pathlib.Path(sys.argv[1])
    allowed = {}
    table = repository / "test/Lint/own-errors.txt"
    for number, line in enumerate(table.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            place, _, reason = line.partition(": ")
            allowed[tuple(place.split())] = number if len(reason) > 10 else None
    faults, used = [], set()
    folder = repository / "python-bindings"
    for file in sorted([*folder.glob("halfstep/**/*.py"), *folder.glob("runtime/**/*.py")]):
        path = str(file.relative_to(folder))
        for function, line in found_in(file):
            used.add((path, function))
            if allowed.get((path, function)) is None:
                faults.append(f"{path}:{line}: {function} looks for words in an error; expected its class or its fault, or a reason in own-errors.txt")
    faults += [f"own-errors.txt:{number}: {' '.join(place)} looks for none" for place, number in allowed.items() if place not in used]
    print(*faults, f"{len(used)} functions, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
