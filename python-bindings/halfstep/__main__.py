"""`python -m halfstep` is `mp-run`."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "mp-run"
    os.execv(program, ["mp-run", *sys.argv[1:]])


if __name__ == "__main__":
    main()
