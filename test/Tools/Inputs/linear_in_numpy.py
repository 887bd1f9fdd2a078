"""The logits of the runtime tests' model, from a checkpoint's weights, in NumPy.

usage: linear_in_numpy.py CHECKPOINT_FOLDER X.npy Z.npy

Reads the safetensors file with nothing but struct and json, writes inputs in column-major order and what comes out.
"""

import json
import pathlib
import struct
import sys

import numpy

folder, inputs, outputs = sys.argv[1:]
name = json.loads((pathlib.Path(folder) / "manifest.json").read_text())["file"]
data = (pathlib.Path(folder) / name).read_bytes()
(length,) = struct.unpack("<Q", data[:8])
header = json.loads(data[8 : 8 + length])
entry = header["dense.kernel"]
assert entry["dtype"] == "F32" and entry["shape"] == [4, 3], entry
begin, end = (8 + length + offset for offset in entry["data_offsets"])
kernel = numpy.frombuffer(data[begin:end], "<f4").reshape(4, 3)

x = numpy.asfortranarray(numpy.random.default_rng(1).integers(0, 256, (21, 4), dtype=numpy.uint8))
numpy.save(inputs, x)
numpy.save(outputs, (x / 255.0 @ kernel.astype(numpy.float64)).astype(numpy.float32))
