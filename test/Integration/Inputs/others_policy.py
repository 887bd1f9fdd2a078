"""Writes a checkpoint's tensors as a file that another program made, with a policy of another kind."""

import glob
import json
import struct
import sys

checkpoint, output = sys.argv[1:]
[path] = glob.glob(checkpoint + "/*.safetensors")
with open(path, "rb") as file:
    data = file.read()
[size] = struct.unpack("<Q", data[:8])
head = json.loads(data[8 : 8 + size])
head["__metadata__"] = {"format": "pt", "policy": "resnet"}
text = json.dumps(head).encode()
text += b" " * (-len(text) % 8)
with open(output, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data[8 + size :])
