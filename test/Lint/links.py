#!/usr/bin/python3
"""Checks that every relative link of every page leads somewhere, that README.md leads to every page under docs/, and that
every source file or folder that a page names in backquotes is there.

usage: links.py REPOSITORY

A name is there if it is a path from the repository, or the end of one: `SIMT/Table.cpp`, `mp/IR/MP.h`. Names in
capitals, as `MODEL.mlir`, and patterns stand for files of the reader's own. What is built is not looked for.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
NAMED = re.compile(r"`([\w./+-]+)`")
CAPITALS = re.compile(r"[A-Z]([-.]|$)|[A-Z]+[-.]")
FENCED = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
SOURCE = {".c", ".cpp", ".csv", ".def", ".fbs", ".h", ".md", ".policy", ".py", ".sh", ".td", ".test"}
TOPS = {"benchmarks", "cmake", "docs", "examples", "include", "lib", "python-bindings", "setup", "test", "tools"}
NOT_OURS = {"build", ".git", ".venv", "shared"}


def targets(page):
    """The files that a page links to; links to other sites are not ours to check."""
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        if "://" not in link and not link.startswith("mailto:"):
            yield link, (page.parent / link).resolve()


def paths_of(repository):
    """Every path of the repository, folders too. What is built is not entered: other tests make and remove folders there."""
    for top in repository.iterdir():
        if top.name not in NOT_OURS:
            yield top
            yield from top.rglob("*")


def ends_of(repository):
    """Every path of the repository, and every end of one."""
    ends = set()
    for path in paths_of(repository):
        parts = path.relative_to(repository).parts
        ends.update("/".join(parts[first:]) for first in range(len(parts)))
    return ends


def names(page):
    """The source files and folders that a page names in backquotes."""
    for name in NAMED.findall(FENCED.sub("", page.read_text())):
        path = pathlib.PurePosixPath(name)
        if CAPITALS.match(path.name) or path.parts[0] in NOT_OURS or path.is_absolute():
            continue
        if path.suffix in SOURCE or (path.parts[0] in TOPS and len(path.parts) > 1):
            yield name.removeprefix("./").rstrip("/")


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    pages = [path for path in paths_of(repository) if path.suffix == ".md"]
    faults = []
    ends = ends_of(repository)
    for page in pages:
        for link, target in targets(page):
            if not target.exists():
                faults.append(f"{page.relative_to(repository)}: links to '{link}', which is not there")
        for name in names(page):
            if name not in ends:
                faults.append(f"{page.relative_to(repository)}: names '{name}', which is not in the repository")

    reached, todo = set(), [repository / "README.md"]
    while todo:
        page = todo.pop()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            todo += [target for _, target in targets(page)]
    for page in pages:
        if page.is_relative_to(repository / "docs") and page not in reached:
            faults.append(f"{page.relative_to(repository)}: no page on the way from README.md links to it")

    print("\n".join(sorted(faults)))
    print(f"{len(pages)} pages, {len(faults)} faults")
    return 1 if faults or not reached else 0


if __name__ == "__main__":
    sys.exit(main())
