#!/usr/bin/python3
"""Checks that each room includes only what the table "Rooms" of docs/ARCHITECTURE.md lets it use.

usage: layering.py REPOSITORY

Reads the room (first column) and what it may use (third column) from that table, closes it transitively, and then reads
every `#include` of "mp/ROOM/...", "ROOM/..." (a header inside lib/), "mp-c/...", "mlir/..." and "llvm/..." under include/,
lib/ and tools/. A folder that has no row in the table is an error, too, and so are an include of a room that has none, and
one of another room's header inside lib/.

The files of the Python packages import each other in no circle, either, wherever the import stands, in a function, too. What is imported
under TYPE_CHECKING is no dependency: nothing of it is there when the program runs.
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


def table_rows(text):
    """The cells of the table under the heading "Rooms"."""
    section = text.split("\n## Rooms\n", 1)[1].split("\n## ", 1)[0]
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


def imports_of(tree, files):
    """Each of these files, by dotted name, that a file imports, with the line; those for types alone left out."""
    for_types = {id(one) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" == getattr(node.test, "id", None)
                 for part in node.body for one in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{one.name}" for one in node.names]
            yield from ((name if name in files else node.module, node.lineno) for name in names)
        elif isinstance(node, ast.Import):
            yield from ((one.name, node.lineno) for one in node.names)


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
            for used, line in imports_of(ast.parse(file.read_text()), files):
                if used in files and used != name:
                    uses.setdefault(name, {}).setdefault(used, line)
        around = circle_of(uses)
        if around:
            paths = {name: file.relative_to(folder) for name, file in files.items()}
            yield f"files in a circle: {', '.join(f'{paths[a]}:{uses[a][b]} imports {paths[b]}' for a, b in around)}"


def main():
    repository = pathlib.Path(sys.argv[1])
    found = [*violations(repository), *circles(repository), *runtime_violations(repository), *python_circles(repository)]
    print("\n".join(found) if found else "layering holds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
