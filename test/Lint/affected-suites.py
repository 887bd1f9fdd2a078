#!/usr/bin/python3
"""Holds test/affected-suites.toml against the tree and the table "Rooms" of docs/ARCHITECTURE.md.

usage: affected-suites.py REPOSITORY

Every room of that table is a suite's, every folder of test/ and test/unit/ and whatever else lies at the top is named, and all that the
table names is there. A suite that runs gtest programs has every room whose headers their sources include. A test takes turns once.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import affected
import layering

PUBLIC = re.compile(r'#include "mp/([^/"]+)/')
#: What only a clone or a build has.
NOT_OURS = {".git", ".venv", "build", "dist", "__pycache__", ".mypy_cache"}


def rooms(repository):
    """The rooms of the page; include/mp-c goes with CAPI, and test/ is many suites."""
    rows = layering.table_rows((repository / "docs/ARCHITECTURE.md").read_text())
    return [room for cell, *_ in rows for room in layering.names(cell) if room not in ("mp-c", "test", "docs")]


def folders(repository):
    """What has to be named: all at the top but what holds rooms and suites, and each of those of test/ and test/unit/."""
    for top in (".", "test", "test/unit"):
        for path in sorted((repository / top).iterdir()):
            name = path.relative_to(repository).as_posix()
            if path.name not in NOT_OURS and name not in ("include", "lib", "test", "test/unit") and (path.is_dir() or top == "."):
                yield name


def programs_include(repository, suite):
    """The rooms whose headers the sources of the suite's own folders under test/unit include."""
    for path in suite.paths:
        if path.startswith("test/unit/") and path.split("/")[2] + "Tests" in [test.split("/")[-1] for test in suite.tests]:
            for file in sorted((repository / path).glob("*.*")):
                for match in PUBLIC.finditer(file.read_text()):
                    yield match[1], file.relative_to(repository)


def test_program(repository, test):
    """Whether a gtest program is built of which a test such as unit/AgreementTests/Suite.name is."""
    lists = (path.read_text() for path in (repository / "test/unit").rglob("CMakeLists.txt"))
    return any(f"add_mp_unittest({test.split('/')[1]} " in re.sub(r"\s", " ", text) for text in lists)


def faults(repository, table):
    page = rooms(repository)
    named = {room.split("/")[0] for suite in table.suites for room in suite.rooms}
    for room in page:
        if room not in named:
            yield f"room {room} of docs/ARCHITECTURE.md is no suite's"
    for room in sorted(named - set(page)):
        yield f"room {room} has no row in docs/ARCHITECTURE.md"
    for name in folders(repository):
        if not table.knows(name) and not affected.is_below(name, table.everything):
            yield f"{name} is not in the table"
    for suite in table.suites:
        for room in suite.rooms:
            if not any((repository / path).exists() for path in affected.paths_of_room(room)):
                yield f"suite {suite.name}: there is no {' nor '.join(affected.paths_of_room(room))}"
        for room, file in programs_include(repository, suite):
            if room not in suite.rooms:
                yield f"suite {suite.name} lacks the room {room}, which {file} includes"
    turns = [test for parts in table.turns.values() for part in parts for test in part]
    for test in turns:
        if turns.count(test) > 1:
            yield f"{test} takes turns twice"
        if not (test_program(repository, test) if test.startswith("unit/") else (repository / test).exists()):
            yield f"there is no {test}, which takes turns"
    for path in [*table.everything, *table.always, *(path for suite in table.suites for path in suite.paths)]:
        if "*" not in path and not (repository / path).exists():
            yield f"there is no {path}"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    table = affected.Table(repository / "test/affected-suites.toml")
    found = list(dict.fromkeys(faults(repository, table)))
    print("\n".join(found) if found else f"{len(table.suites)} suites, all rooms")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
