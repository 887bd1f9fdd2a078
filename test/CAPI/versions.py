#!/usr/bin/python3
"""Checks that all that is installed has one version, that of CMakeLists.txt, and that programs find libraries by its first two numbers.

usage: versions.py PREFIX SOURCE
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

prefix, source = map(pathlib.Path, sys.argv[1:])
version = re.search(r"project\(Halfstep VERSION (\d+\.\d+\.\d+) ", (source / "CMakeLists.txt").read_text())[1]
minor = version.rpartition(".")[0]


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


for name in ("libHalfstep.so", "libHalfstepRuntime.so"):
    library = prefix / "lib" / name
    # One file, and the two names under which it is linked and found.
    assert os.readlink(library) == f"{name}.{minor}", library
    assert os.readlink(f"{library}.{minor}") == f"{name}.{version}", library
    assert not os.path.islink(f"{library}.{version}"), library
    soname = re.search(r"\(SONAME\).*\[(.*)\]", said("llvm-readelf-22", "-d", library))[1]
    assert soname == f"{name}.{minor}", soname
    package = prefix / "lib" / "pkgconfig" / ("halfstep.pc" if name == "libHalfstep.so" else "halfstep-runtime.pc")
    assert f"\nVersion: {version}\n" in package.read_text(), package
needed = re.findall(r"\(NEEDED\).*\[(libHalfstep.*)\]", said("llvm-readelf-22", "-d", prefix / "lib" / "libHalfstep.so"))
assert needed == [f"libHalfstepRuntime.so.{minor}"], needed
runtime = ctypes.CDLL(str(prefix / "lib" / "libHalfstepRuntime.so"))
runtime.mpVersion.restype = ctypes.c_char_p
assert runtime.mpVersion().decode() == version
for tool in ("mp-run", "mp-exec", "mp-opt"):
    assert f"Halfstep {version}" in said(prefix / "bin" / tool, "--version"), tool
config = (prefix / "lib" / "cmake" / "Halfstep" / "HalfstepConfigVersion.cmake").read_text()
assert f'set(PACKAGE_VERSION "{version}")' in config
print("one version:", version)
