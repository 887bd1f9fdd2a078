"""Follows docs/adding-a-python-function.md in a copy of the package halfstep.

usage: page-steps.py copy PAGE FOLDER        copies the package that is imported, without what the page changes
       page-steps.py make PAGE FOLDER STEP   changes it as the page says under '## STEP.'
       page-steps.py run PAGE FOLDER STEP    runs the check there with it, behind that of step 1; what it prints is on the page

A change is a block whose first line names its file. Of a part of it, up to a line of `@@`, the lines without those that
begin with + are in the file once, and are replaced by those that do not begin with -.
"""

import contextlib
import io
import os
import pathlib
import re
import shutil
import sys

BLOCK = re.compile(r"^```(diff|python) ?(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(page, step):
    """The kind, the file, the text and the line of each block of a step, or of all."""
    for section in re.finditer(r"^## (\d+)\..*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL):
        if step in (section[1], None):
            for found in BLOCK.finditer(page, *section.span()):
                yield *found.groups(), page.count("\n", 0, found.start()) + 1


def change(page, folder, step, undone=False):
    for kind, name, text, line in blocks_of(page, step):
        file = folder / "halfstep" / name
        for part in text.split("@@\n") if kind == "diff" else ():
            lines = part.splitlines(keepends=True)
            before, after = ("".join(one[1:] for one in lines if one[0] != left_out) for left_out in "+-")
            old, new = (after, before) if undone else (before, after)
            source = file.read_text()
            assert source.count(old) == 1, f"line {line} of the page: {name} has {source.count(old)} times\n{old}"
            file.write_text(source.replace(old, new))


def copy(folder):
    import halfstep

    package = pathlib.Path(halfstep.__file__).parent
    linked = {one.name for one in package.iterdir() if one.name.startswith("_compiler")} | {"bin"}
    shutil.copytree(package, folder / "halfstep", ignore=shutil.ignore_patterns("__pycache__", *linked))
    for one in (*(f"halfstep/{name}" for name in linked), "halfstep_runtime"):
        os.symlink(package.parent / one, folder / one)


def run(page, folder, step):
    sys.path[0] = str(folder)
    namespace = {"__name__": "page"}
    for one in dict.fromkeys(["1", step]):
        ((_, _, text, line),) = [block for block in blocks_of(page, one) if block[0] == "python"]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + text, "page", "exec"), namespace)
    assert pathlib.Path(namespace["halfstep"].__file__).is_relative_to(folder)
    for said in printed.getvalue().splitlines():
        assert f"`{said}`" in page, f"the page does not have what its step {step} says: {said}"
        print(said)


def main():
    action, page, folder, *step = sys.argv[1:]
    page, folder = pathlib.Path(page).read_text(), pathlib.Path(folder)
    if action == "copy":
        copy(folder)
        change(page, folder, None, undone=True)
    else:
        {"make": change, "run": run}[action](page, folder, *step)


if __name__ == "__main__":
    main()
