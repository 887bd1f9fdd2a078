#!/usr/bin/python3
"""Checks that files which are written whole survive a crash of the machine at any moment.

usage: file_calls.py FILE

FILE has the calls of a process on the file system in order, as record-file-calls writes them. A file gets its name only
once its bytes are synchronized; the folder is synchronized after that, before any other file gets its name or is removed.
Prints how many files were written.
"""

import os
import sys


def faults(calls):
    written = {}  # path: whether it has been synchronized since it was last written
    renamed = None  # the file whose folder has not been synchronized
    for call, *paths in calls:
        path = paths[0]
        if call == "write":
            written[path] = False
        elif call == "sync" and path in written:
            written[path] = True
        elif call == "sync" and renamed and path == os.path.dirname(renamed):
            renamed = None
        elif call in ("rename", "remove"):
            if renamed:
                yield f"{call} {path}: the folder of {renamed} is not synchronized yet"
            if call == "rename":
                if not written.pop(path, False):
                    yield f"rename {path}: its bytes are not synchronized"
                renamed = paths[1]
    if renamed:
        yield f"at the end the folder of {renamed} is not synchronized"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        calls = [line.rstrip("\n").split("\t") for line in file]
    found = list(faults(calls))
    print("\n".join(found))
    print(f"{sum(call[0] == 'rename' for call in calls)} files were written, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
