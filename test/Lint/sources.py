#!/usr/bin/python3
"""Checks how source files begin and how they include each other.

usage: sources.py REPOSITORY

Every .cpp, .h, .c, .td and .def file says in its first line what it is, as a sentence ("// Values in the host's memory."), and
its licence in the second. A header's guard is its path. A file of this project is included by its path from include/, lib/,
test/unit/ or tools/, never by one from the file that includes it.
"""

import pathlib
import re
import sys

SOURCES = {".cpp", ".h", ".c", ".td", ".def", ".in"}
TOPS = ("include", "lib", "tools", "test", "benchmarks")
ROOTS = ("include", "lib", "test/unit", "tools")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
INCLUDE = re.compile(r'^\s*#?\s*include\s+"([^"]+)"', re.MULTILINE)


def guard_of(path):
    """include/mp/IR/Tiles.h -> MP_IR_TILES_H, lib/IR/KernelFormat.h -> MP_LIB_IR_KERNELFORMAT_H; none elsewhere."""
    if path.suffix != ".h":
        return None
    parts = path.parts
    if parts[:2] == ("include", "mp"):
        inner = parts[2:]
    elif parts[:2] == ("test", "unit"):
        inner = ("test",) + parts[2:]
    elif parts[0] in ("lib", "tools"):
        inner = parts
    else:
        return None
    return re.sub(r"\W", "_", "_".join(("mp",) + inner)).upper()


def faults(repository, path):
    text = (repository / path).read_text()
    lines = text.split("\n") + ["", ""]
    if not re.match(r"(//|/\*) \S.*[.:?]$", lines[0]):
        yield 1, "the first line does not say what the file is; expected a sentence: // Values in the host's memory."
    if lines[1] not in (f"// {SPDX}", f" * {SPDX}"):
        yield 2, f"the second line is not the licence; expected // {SPDX}"
    guard = guard_of(path)
    if guard and f"#ifndef {guard}\n#define {guard}\n" not in text:
        yield 3, f"the include guard is not {guard}"
    for match in INCLUDE.finditer(text):
        name = pathlib.Path(match[1])
        by_root = any((repository / root / name).exists() for root in ROOTS)
        beside = (repository / path.parent / name).exists()
        # What the build makes has a template here, or is TableGen's; what has a folder and is not here is a library's.
        generated = name.suffix == ".inc" or any((repository / path.parent).glob(f"{name}.in"))
        if not by_root and not generated and (beside or len(name.parts) == 1):
            line = text.count("\n", 0, match.start(1)) + 1
            yield line, f"includes {name} by its name alone, or from where this file is; expected its path from {', '.join(ROOTS)}"


def main():
    repository = pathlib.Path(sys.argv[1])
    files = [file for top in TOPS for file in sorted((repository / top).rglob("*")) if file.suffix in SOURCES and file.is_file()]
    files = [file for file in files if file.suffix != ".in" or file.name.endswith(".h.in")]
    if not files:
        sys.exit(f"no source file under {', '.join(TOPS)} of {repository}")
    count = 0
    for file in files:
        path = file.relative_to(repository)
        for line, fault in faults(repository, path):
            print(f"{path}:{line}: {fault}")
            count += 1
    print(f"{len(files)} files, {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
