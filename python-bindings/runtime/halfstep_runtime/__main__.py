"""`python -m halfstep_runtime` is `mp-exec`; `--prefix` shows the folder of the runtime for C."""

import os
import sys


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.argv[1:] == ["--prefix"]:
        print(folder)
        return
    os.execv(os.path.join(folder, "bin", "mp-exec"), ["mp-exec", *sys.argv[1:]])


if __name__ == "__main__":
    main()
