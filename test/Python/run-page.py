"""Runs the Python of a page of the documentation, in order and in one namespace; what says `setup` comes first, and what says `zoo`
runs where that is asked for, alone.

usage: run-page.py PAGE.md [zoo]

RUN: rm -rf %t && mkdir %t && cd %t && %{python} %s %{source}/README.md && %{python} %s %{source}/docs/python.md | FileCheck %s
CHECK: val_accuracy
CHECK: func.func @sequential(%x: tensor<?x784xui8>
CHECK: x: tensor<?x784xui8> (input)
CHECK: is unknown
"""

import pathlib
import re
import sys

sys.path = sys.path[1:]  # a file beside this one has the name of a package
page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
blocks = [(match.start(), match[1], match[2]) for match in re.finditer(r"^```python( \w+)?\n(.*?)^```", page, re.MULTILINE | re.DOTALL)]
blocks = [block for block in blocks if (block[1] == " zoo") == (sys.argv[2:] == ["zoo"])]
assert blocks and {block[1] for block in blocks} <= {None, " setup", " zoo"}
namespace = {}
for at, _, code in sorted(blocks, key=lambda block: not block[1]):
    line = page.count("\n", 0, at) + 1
    print(f"{sys.argv[1]}:{line}:", code.strip().splitlines()[-1], flush=True)
    # As many lines before it as the page has, so that errors are at its own.
    exec(compile("\n" * line + code, sys.argv[1], "exec"), namespace)
