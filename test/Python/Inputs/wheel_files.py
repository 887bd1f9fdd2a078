#!/usr/bin/python3
"""Checks the files of both wheels: sizes, the symbol versions of the systems they are for, that each library they need is in them or on
every such system, that none has a path of this machine, and licences.

usage: wheel_files.py FOLDER
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# manylinux_2_34 (PEP 600): Ubuntu 22.04, Debian 12, RHEL 9 and what came after them.
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
SYSTEM = {"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "libstdc++.so.6"}
MOST = {"halfstep": (40e6, 110e6), "halfstep_runtime": (3e6, 12e6)}  # bytes of the file, and installed
LICENCES = {"halfstep": {"llvm-22-dev", "liblld-22-dev", "libzstd-dev", "libstdc++-12-dev", "libtbb12", "Apache-2.0", "GPL-3"},
            "halfstep_runtime": {"libtbb12", "libboost-context1.74-dev", "libstdc++-12-dev", "zlib1g-dev", "Apache-2.0", "GPL-3"}}


def readelf(flag, path):
    return subprocess.run(["llvm-readelf-22", flag, path], check=True, capture_output=True, text=True).stdout


def check_versions(path):
    for kind, version in set(re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)", readelf("--version-info", path))):
        assert tuple(map(int, version.split("."))) <= NEWEST[kind], f"{path}: {kind}_{version} is newer than these systems have"


def main():
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        for package, (most, most_installed) in MOST.items():
            (wheel,) = folder.glob(f"{package}-*-cp310-abi3-manylinux_2_34_x86_64.whl")
            assert wheel.stat().st_size <= most, f"{wheel.name} has {wheel.stat().st_size} bytes"
            with zipfile.ZipFile(wheel) as file:
                file.extractall(root)
                installed = sum(one.file_size for one in file.infolist())
            assert installed <= most_installed, f"{wheel.name} takes {installed} bytes when it is installed"
            print(f"{package}: {wheel.stat().st_size / 1e6:.1f} MB, {installed / 1e6:.1f} MB installed")
            there = {one.stem for one in (root / package / "licences").glob("*.txt")}
            assert LICENCES[package] <= there, LICENCES[package] - there
            assert list((root).glob(f"{package}-*.dist-info/licenses/LICENSE")), f"{package} lacks our own licence"
        binaries = [one for one in root.rglob("*") if one.is_file() and one.read_bytes()[:4] == b"\x7fELF"]
        ours = {one.name for one in binaries}
        assert {"libHalfstep.so.0.1", "libHalfstepRuntime.so.0.1", "libtbb.so.12", "mp-run", "mp-opt", "mp-exec"} <= ours, ours
        for one in binaries:
            check_versions(one)
            dynamic = readelf("-d", one)
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
            assert needed <= SYSTEM | ours, f"{one}: {needed - SYSTEM - ours} is on no system"
            for paths in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic):
                for path in paths.split(":"):
                    assert path.startswith("$ORIGIN"), f"{one} looks into {path}"
                    assert (one.parent / path.replace("$ORIGIN", ".")).resolve().is_relative_to(root.resolve()), f"{one} looks into {path}"
        print(f"{len(binaries)} files run with glibc 2.34")


main()
