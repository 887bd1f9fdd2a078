#!/usr/bin/python3
"""Assembles PTX texts, each for the chips that it says it is for, and says what each kernel takes.

usage: ptxas.py FILE|FOLDER...

Looks for ptxas in the project's .venv, on PATH and in /usr/local/cuda, and runs each that knows the chip. A file may hold
several texts, one after another; a folder is what `mp-run compile --dump-dir` made. Prints a line for each kernel: chip,
name, registers, bytes of shared memory, bytes spilled. Fails where ptxas does, where a text is for a chip that no ptxas found
knows, and where a kernel spills more than its kind may. Kernels of which only the text is there may spill nothing.
"""

import argparse
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Bytes that a kernel may spill, by its schedule. A spill in the loop of a product waits in every step; what others may spill
# is what they have been seen to, so that a change that adds some is noticed.
SPILL_BUDGETS = {"mma": 0, "map": 0, "row": 0, "column": 0, "partial": 0, "serial": 0}

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
KERNEL = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


@functools.cache
def assemblers():
    """Paths of ptxas, the project's own first, each with the chips that its help quotes as values of --gpu-name."""
    places = [*REPOSITORY.glob(".venv/lib/python*/site-packages/nvidia/cuda_nvcc/bin/ptxas")]
    places += [path for path in (shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas") if path]
    found = []
    for place in {pathlib.Path(place).resolve(): None for place in places}:
        try:
            words = subprocess.run([str(place), "--help"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        found.append((place, set(re.findall(r"'(sm_\d+[a-z]?)'", words))))
    return found


def find_assemblers(chip):
    """Every ptxas that knows the chip."""
    return [str(place) for place, chips in assemblers() if chip in chips]


def texts_of(text):
    """The PTX texts that stand in one, one after another."""
    return [part for part in re.split(r"(?m)^(?=\.version )", text) if ".target" in part]


def kinds_of(folder):
    """The schedule of each kernel of a dump, by symbol."""
    (kernels,) = folder.glob("*-kernels.mlir")
    found = re.findall(r'mp\.kernel "([^"]*)".*?schedule\(#mp\.(\w+)<', kernels.read_text())
    return {"mp_" + re.sub(r"\W", "_", name): kind for name, kind in found}


def assemble(text, chip, kinds, assembler):
    """Assembles one text; returns whether that went well."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as source:
        source.write(text)
        source.flush()
        run = subprocess.run(
            [assembler, f"-arch={chip}", "-v", source.name, "-o", "/dev/null"], capture_output=True, text=True
        )
    words = run.stdout + run.stderr
    if run.returncode != 0:
        print(words, file=sys.stderr)
        return False
    kernels = KERNEL.findall(words)
    spills = [max(int(stores), int(loads)) for stores, loads in SPILLS.findall(words)]
    used = USED.findall(words)
    good = True
    for (name, target), spilled, (registers, shared) in zip(kernels, spills, used, strict=True):
        print(f"{target} {name} registers={registers} shared={shared or 0} spilled={spilled}")
        budget = SPILL_BUDGETS[kinds[name]] if name in kinds else 0
        if spilled > budget:
            print(f"{name} spills {spilled} bytes on {target}; at most {budget}", file=sys.stderr)
            good = False
    warnings = [line for line in words.splitlines() if "warning" in line.lower()]
    for line in warnings:
        print(line, file=sys.stderr)
    return good and not warnings


def assemble_all(text, kinds):
    """Assembles the texts of one file."""
    good = True
    for part in texts_of(text):
        chip = re.search(r"\.target (\w+)", part)[1]
        found = find_assemblers(chip)
        if not found:
            print(f"no ptxas that knows {chip}: `make setup` installs one", file=sys.stderr)
            good = False
        for assembler in found:
            good &= assemble(part, chip, kinds, assembler)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    good = True
    for path in parser.parse_args().files:
        files = [*path.rglob("*-asm.s")] if path.is_dir() else [path]
        texts = [(file.read_text() if str(file) != "-" else sys.stdin.read(), file) for file in files]
        if not any(texts_of(text) for text, _ in texts):
            print(f"{path} holds no PTX", file=sys.stderr)
            good = False
        for text, file in texts:
            good &= assemble_all(text, kinds_of(file.parent) if path.is_dir() else {})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
