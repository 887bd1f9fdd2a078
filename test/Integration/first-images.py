#!/usr/bin/python3
"""Writes the first images and labels of a data set in MNIST's files as a data set of its own.

usage: first-images.py SOURCE TARGET COUNT
"""

import gzip
import pathlib
import struct
import sys

source, target, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
target.mkdir(parents=True, exist_ok=True)
for kind in ("train", "t10k"):
    for name, header in ((f"{kind}-images-idx3-ubyte", 16), (f"{kind}-labels-idx1-ubyte", 8)):
        data = gzip.decompress((source / f"{name}.gz").read_bytes())
        row = (len(data) - header) // struct.unpack_from(">I", data, 4)[0]
        (target / name).write_bytes(data[:4] + struct.pack(">I", count) + data[8 : header + count * row])
