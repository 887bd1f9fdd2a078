"""change.py FOLDER NAME OLD NEW: in one text of a folder of replay keep, replaces the first OLD by NEW."""

import gzip
import pathlib
import sys

folder, name, old, new = sys.argv[1:]
file = pathlib.Path(folder) / f"{name}.gz"
text = gzip.decompress(file.read_bytes()).decode()
assert old in text, f"{name} has no {old}"
file.write_bytes(gzip.compress(text.replace(old, new, 1).encode(), mtime=0))
