#!/usr/bin/python3
"""Checks that the help of every flag with a value says its default, for every verb of mp-run and mp-exec.

usage: defaults.py
"""

import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout


def main():
    flags, silent = 0, []
    for tool in ("mp-run", "mp-exec"):
        verbs = re.findall(r"^  (\w+) ", help_of(tool).split("Subcommands:")[1], re.MULTILINE)
        for verb in verbs:
            # A flag's help goes on in lines that are indented further.
            for entry in re.findall(r"^  -.*(?:\n {4,}.*)*", help_of(tool, verb), re.MULTILINE):
                name = re.match(r"  ((?:-\w,)?--[\w-]+)( [A-Z|a-z][\w.=@|,\[\]]*)?", entry)
                if name and name[2] and name[1] != "-h,--help":
                    flags += 1
                    if "default" not in entry and "required" not in entry and not re.search(r"=\S+ \(Env:", entry):
                        silent.append(f"{tool} {verb} {name[1]}: {' '.join(entry.split())}")
    if silent or flags < 100:
        sys.exit("\n".join(silent) + f"\n{len(silent)} of {flags} flags do not say their default")


if __name__ == "__main__":
    main()
