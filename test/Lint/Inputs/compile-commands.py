"""Prints a compile_commands.json for lib/NAME.cpp of a repository: compile-commands.py REPOSITORY NAME..."""

import json
import pathlib
import sys

files = [str(pathlib.Path(sys.argv[1]).resolve() / "lib" / f"{name}.cpp") for name in sys.argv[2:]]
print(json.dumps([{"file": file, "command": f"clang++-22 -c {file}"} for file in files]))
