#!/usr/bin/python3
"""Does what a page of the documentation tells its reader to do, in the current folder.

usage: run-page.py PAGE.md

Writes each ```mlir block to the file that the text before it named last, as in "a file `model.mlir`:", and runs each ```sh
block, in order. Stops at the first command that fails. Its own Python is the first on the PATH, so that `python3` on the page
is the one that the tests use.
"""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^( *)```(mlir|sh)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)  # in lists, too


def main():
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    text = pathlib.Path(sys.argv[1]).read_text()
    commands = 0
    for block in BLOCK.finditer(text):
        code = textwrap.dedent(block[3])
        if block[2] == "mlir":
            pathlib.Path(re.findall(r"`([\w.-]+\.mlir)`", text[: block.start()])[-1]).write_text(code)
            continue
        print(f"+ {code}", flush=True)
        status = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", code], stderr=subprocess.STDOUT).returncode
        if status != 0:
            sys.exit(f"{sys.argv[1]}: ended with {status}:\n{code}")
        commands += 1
    print(f"{commands} blocks ran")
    return 0 if commands else 1


if __name__ == "__main__":
    sys.exit(main())
