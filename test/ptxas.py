#!/usr/bin/python3
"""Assembles PTX texts, each for the chips that it says it is for, and says what each kernel takes.

usage: ptxas.py [--spills=N] FILE...

Looks for ptxas in the project's .venv, on PATH and in /usr/local/cuda, and takes the first that knows the chip. A file may
hold several texts, one after another. Prints a line for each kernel: chip, name, registers, bytes of shared memory, bytes
spilled. Fails where ptxas does, where a text is for a chip that no ptxas found knows, and where a kernel spills more than N
bytes (0).
"""

import argparse
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
KERNEL = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


@functools.cache
def assemblers():
    """Paths of ptxas, each with the chips that its help names."""
    places = [*REPOSITORY.glob(".venv/lib/python*/site-packages/nvidia/cuda_nvcc/bin/ptxas")]
    places += [path for path in (shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas") if path]
    found = []
    for place in places:
        try:
            words = subprocess.run([str(place), "--help"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        found.append((place, set(re.findall(r"sm_\d+[a-z]?", words))))
    return found


def assemble(text, chip, most_spills):
    """Assembles one text; returns whether that went well."""
    known = [place for place, chips in assemblers() if chip in chips]
    if not known:
        print(f"no ptxas that knows {chip}: `make setup` installs one", file=sys.stderr)
        return False
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as source:
        source.write(text)
        source.flush()
        run = subprocess.run(
            [str(known[0]), f"-arch={chip}", "-v", source.name, "-o", "/dev/null"], capture_output=True, text=True
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
        if spilled > most_spills:
            print(f"{name} spills {spilled} bytes on {target}; at most {most_spills}", file=sys.stderr)
            good = False
    warnings = [line for line in words.splitlines() if "warning" in line.lower()]
    for line in warnings:
        print(line, file=sys.stderr)
    return good and not warnings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spills", type=int, default=0)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    good = True
    for path in arguments.files:
        text = path.read_text() if str(path) != "-" else sys.stdin.read()
        parts = [part for part in re.split(r"(?m)^(?=\.version )", text) if ".target" in part]
        if not parts:
            print(f"{path} holds no PTX", file=sys.stderr)
            good = False
        for part in parts:
            good &= assemble(part, re.search(r"\.target (\w+)", part)[1], arguments.spills)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
