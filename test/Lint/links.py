#!/usr/bin/python3
"""Checks that every relative link of every page leads somewhere, and that README.md leads to every page under docs/.

usage: links.py REPOSITORY
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
FENCED = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def targets(page):
    """The files that a page links to; links to other sites are not ours to check."""
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        if "://" not in link and not link.startswith("mailto:"):
            yield link, (page.parent / link).resolve()


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    pages = [page for page in repository.rglob("*.md") if not {"build", ".venv"} & set(page.relative_to(repository).parts)]
    faults = []
    for page in pages:
        for link, target in targets(page):
            if not target.exists():
                faults.append(f"{page.relative_to(repository)}: links to '{link}', which is not there")

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
