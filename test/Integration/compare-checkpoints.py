#!/usr/bin/python3
"""Compares the newest safetensors checkpoints of two folders, tensor by tensor.

usage: compare-checkpoints.py FOLDER FOLDER --error=MOST

Integers are equal. The difference of a float tensor has at most MOST times the norm of the second; 0 asks for the same
bits. Both folders have the same tensors, and at least one float tensor is not zero.
"""

import argparse
import json
import pathlib
import struct
import sys

import numpy

TYPES = {"F32": "f4", "I64": "i8", "I32": "i4", "U8": "u1", "BOOL": "?"}


def load(folder):
    file = max(pathlib.Path(folder).glob("*.safetensors"), key=lambda path: path.stat().st_mtime_ns)
    data = file.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length :]
    return {name: numpy.frombuffer(body[slice(*entry["data_offsets"])], TYPES[entry["dtype"]])
            for name, entry in header.items()}


def faults(ours, theirs, most):
    if ours.keys() != theirs.keys():
        yield f"tensors differ: {sorted(ours.keys() ^ theirs.keys())}"
        return
    if not any(tensor.dtype == numpy.float32 and tensor.any() for tensor in theirs.values()):
        yield "every float is zero"
    for name, tensor in ours.items():
        other = theirs[name]
        if tensor.dtype != numpy.float32:
            if not numpy.array_equal(tensor, other):
                yield f"{name}: {tensor}, expected {other}"
            continue
        norm = numpy.linalg.norm(other.astype("f8"))
        error = numpy.linalg.norm(tensor.astype("f8") - other)
        if not error <= most * norm:
            yield f"{name}: differs by {error / norm:.3g} of its norm, at most {most} is allowed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs=2)
    parser.add_argument("--error", type=float, required=True)
    options = parser.parse_args()
    found = list(faults(*map(load, options.folders), options.error))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
