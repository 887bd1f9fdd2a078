#!/usr/bin/python3
"""Checks that each room includes only what the table "Rooms" of docs/ARCHITECTURE.md lets it use.

usage: layering.py REPOSITORY

Reads the room (first column) and what it may use (third column) from that table, closes it transitively, and then reads
every `#include` of "mp/ROOM/...", "ROOM/..." (a header inside lib/), "mp-c/...", "mlir/..." and "llvm/..." under include/,
lib/ and tools/. A folder that has no row in the table is an error, too, and so are an include of a room that has none, and
one of another room's header inside lib/.

The files of the Python packages import each other in no circle, either, and each package of halfstep imports only what the table "Packages"
lets it use, or lets its functions use. Imports under TYPE_CHECKING are left out: nothing of them is there when the program runs.
"""

import ast
import graphlib
import os
import pathlib
import re
import sys

SOURCES = {".h", ".cpp", ".c", ".td", ".inc"}
INCLUDE = re.compile(r'^\s*#?\s*include\s+[<"]([^">]+/[^">]+)[">]', re.MULTILINE)
LIBRARIES = {"mlir": "MLIR", "llvm": "MLIR"}


def table_rows(text, heading="Rooms"):
    """The cells of the table under the heading."""
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line.strip() for line in section.splitlines() if line.strip().startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names(cell):
    """`CAPI`, `include/mp-c` -> CAPI, mp-c."""
    return [part.strip(" `/").removeprefix("include/") for part in re.split("[,;]", cell)]


def allowed_uses(text):
    """Each room with everything it may include, itself among it."""
    direct = {}
    for rooms, _, uses in table_rows(text):
        above = list(direct)
        for room in names(rooms):
            direct[room] = above if uses == "all above" else names(uses)
    # The C headers share a row with their implementation, but lean on nothing: a C program includes them alone.
    direct["CAPI"].append("mp-c")
    direct["mp-c"] = []
    closed = {}
    for room in direct:
        seen, todo = set(), [room]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += direct.get(name, [])
        closed[room] = seen
    return closed


def room_of(path):
    """lib/IR/Verify.cpp and include/mp/IR/Verify.h are of IR, all of tools/ is of one room, lib/X.cpp is of none."""
    parts = path.parts
    if parts[0] == "lib" and len(parts) == 2:
        return None
    if parts[0] == "tools":
        return "tools"
    if parts[:2] == ("include", "mp-c"):
        return "mp-c"
    return parts[2 if parts[0] == "include" else 1]


def is_allowed(path, include, allowed):
    """Whether the file at `path` may have `#include "include"`."""
    room = room_of(path)
    first, second = include.split("/")[:2]
    if first == "mp":
        return second in allowed[room]
    if first in LIBRARIES or first == "mp-c":
        return LIBRARIES.get(first, first) in allowed[room]
    if first == "..":
        return room_of(pathlib.Path(os.path.normpath(path.parent / include))) == room
    # A room's own header inside lib/, or one of the system.
    return first == room or first not in allowed


def violations(repository):
    allowed = allowed_uses((repository / "docs/ARCHITECTURE.md").read_text())
    allowed[None] = set()
    tops = [repository / top for top in ("include", "lib", "tools")]
    files = [file for top in tops for file in sorted(top.rglob("*")) if file.suffix in SOURCES]
    if not files:
        yield "no source file under include/, lib/ and tools/"
    for file in files:
        path = file.relative_to(repository)
        room = room_of(path)
        if room not in allowed:
            yield f"{path}: '{room}' has no row in docs/ARCHITECTURE.md"
            continue
        text = file.read_text()
        for match in INCLUDE.finditer(text):
            if not is_allowed(path, match[1], allowed):
                line = text.count("\n", 0, match.start(1)) + 1
                yield f"{path}:{line}: {room or 'a file outside the rooms'} may not use {match[1]}"


def folder_of(path):
    """lib/Kernels/Memory/Arena.cpp and mp/Kernels/Memory/Arena.h are of Kernels/Memory."""
    parts = path.parent.parts
    return "/".join(parts[2:] if parts[:2] == ("include", "mp") else parts[1:])


def circles(repository):
    """One circle of folders, where there is any: each with the file that includes the next."""
    uses = {}
    for top in ("include/mp", "lib"):
        for file in sorted((repository / top).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            path = file.relative_to(repository)
            for match in INCLUDE.finditer(file.read_text()):
                included = pathlib.Path("include" if match[1].startswith("mp/") else "lib", match[1])
                if folder_of(included) != folder_of(path) and (repository / included).parent.is_dir():
                    uses.setdefault(folder_of(path), {}).setdefault(folder_of(included), path)
    around = circle_of(uses)
    if around:
        yield f"folders in a circle: {', '.join(f'{a} uses {b} ({uses[a][b]})' for a, b in around)}"


def circle_of(uses):
    """The steps of a circle, or none."""
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as error:
        around = error.args[1][::-1]
        return list(zip(around, around[1:]))
    return []


def runtime_violations(repository):
    """The package that runs what is compiled is installed without the other."""
    for file in sorted((repository / "python-bindings/runtime/halfstep_runtime").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if any(name.partition(".")[0] == "halfstep" for name in names):
                yield f"{file.relative_to(repository)}:{node.lineno}: halfstep_runtime may not use halfstep"


def imports_of(file, files):
    """What a file of Python imports of these files and of what else there is, by dotted names: each with the line, and whether it stands in a
    function. What is imported for types alone is left out."""
    tree = ast.parse(file.read_text())
    within = {kind: {id(one) for node in ast.walk(tree) if is_one(node) for part in node.body for one in ast.walk(part)} for kind, is_one in (
        ("types", lambda node: isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING"),
        ("function", lambda node: isinstance(node, ast.FunctionDef)))}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = [f"{node.module}.{one.name}" for one in node.names]
            names = [name if name in files or "." not in node.module else node.module for name in whole]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        if id(node) not in within["types"]:
            yield from ((name, node.lineno, id(node) in within["function"]) for name in names)


def files_of_package(folder):
    """The files of a Python package and of those in it, by their dotted names; what a package itself names leads to all of them."""
    return {".".join([folder.name, *file.relative_to(folder).with_suffix("").parts]): file
            for file in sorted(folder.rglob("*.py")) if file.stem != "__init__"}


def python_circles(repository):
    """One circle of a package's files, where there is any."""
    for package in ("halfstep", "runtime/halfstep_runtime"):
        folder = repository / "python-bindings" / package
        files = files_of_package(folder)
        uses = {}
        for name, file in files.items():
            for used, line, _ in imports_of(file, files):
                if used in files and used != name:
                    uses.setdefault(name, {}).setdefault(used, line)
        around = circle_of(uses)
        if around:
            paths = {name: file.relative_to(folder) for name, file in files.items()}
            yield f"files in a circle: {', '.join(f'{paths[a]}:{uses[a][b]} imports {paths[b]}' for a, b in around)}"


def allowed_imports(text):
    """Each package of halfstep with what it may import, and with what its functions may; a public module is of the package in whose row it is."""
    rows = [([name.strip("` ") for name in re.split("[,;]", cells[0])], *(set(names(cell)) - {"-"} for cell in cells[2:])) for cells in table_rows(text, "Packages")]
    package_of = {name: own[0] for own, *_ in rows for name in own}
    return package_of, {own[0]: (uses, uses | in_functions) for own, uses, in_functions in rows}


def package_violations(repository):
    package_of, allowed = allowed_imports((repository / "docs/ARCHITECTURE.md").read_text())
    folder = repository / "python-bindings/halfstep"
    files = files_of_package(folder)

    def package(dotted):
        """That of halfstep.importers.torch.aten is importers/torch; what is of none is called as it is."""
        words = dotted.split(".")[1:]
        return next((package_of[name] for i in range(len(words), 0, -1) if (name := "/".join(words[:i])) in package_of), ".".join(words))

    for name, file in files.items():
        path, own = file.relative_to(repository), package(name)
        place = "/".join(file.relative_to(folder).parts[:-1])
        if place != "" and place not in package_of:
            yield f"{path}: '{place}' has no row in docs/ARCHITECTURE.md"
        elif own in allowed:
            for used, line, in_function in imports_of(file, files):
                if used.partition(".")[0] == "halfstep" and (other := package(used)) not in {own, *allowed[own][in_function]}:
                    where = " outside functions" if other in allowed[own][True] else ""
                    yield f"{path}:{line}: {own} may not use {other}{where}"


def main():
    repository = pathlib.Path(sys.argv[1])
    found = [*violations(repository), *circles(repository), *runtime_violations(repository), *python_circles(repository),
             *package_violations(repository)]
    print("\n".join(found) if found else "layering holds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
