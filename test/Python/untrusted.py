"""Files that nobody vouches for, changed at random: an error of ours, or what they say; never another exception, never a crash.

RUN: rm -rf %t && mkdir %t
RUN: %{python} -W ignore %s %t %if long %{2000%} %else %{60%}
"""

import json
import os
import pathlib
import random
import resource
import sys

sys.path = sys.path[1:]  # a file here has the name of a package

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import halfstep
from halfstep import nn

folder, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
# A size that a file names is not taken at its word.
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
draw = random.Random(7)
X = numpy.random.default_rng(1).standard_normal((64, 6)).astype(numpy.float32)
Y = (X[:, 0] > 0).astype(numpy.int64)


def changed(data: bytes) -> bytes:
    """Bits and bytes that are others, cut out, doubled or put in; or the end that is missing."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at, length = draw.randrange(len(data)), draw.randrange(1, 9)
        kind = draw.randrange(6)
        if kind == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, ord('"'), ord("{"), ord("9")))
        elif kind == 2:
            del data[at : at + length]
        elif kind == 3:
            data[at:at] = data[at : at + length]
        elif kind == 4:
            data[at : at + length] = draw.randbytes(length)
        else:
            del data[max(at, 1) :]
        data = data or bytearray(b"\0")
    return bytes(data)


def changed_field(data: bytes) -> bytes:
    """A model of ONNX of which one field is another: what only changed bytes hardly ever are."""
    model = onnx.load_model_from_string(data)
    fields: list = []

    def walk(message):
        for field, value in message.ListFields():
            if field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED:
                fields.append((message, field, draw.randrange(len(value))))
            elif field.message_type is None:
                fields.append((message, field, None))
            for one in value if field.message_type is not None and not hasattr(value, "ListFields") else [value]:
                if hasattr(one, "ListFields"):
                    walk(one)

    walk(model)
    message, field, at = draw.choice(fields)
    values = getattr(message, field.name)
    if at is not None and draw.randrange(2):
        if draw.randrange(2):
            del values[at]
        else:
            values.append(values[at])
    elif field.message_type is None:
        value = values if at is None else values[at]
        kinds = {int: (-1, 0, 1, 2, 99, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)), float: (0.0, -1.0, 1e38, float("inf"), float("nan")),
                 str: ("", "x", "w", "nothing", "\0", value), bytes: (b"", b"\0" * 8, value if isinstance(value, bytes) else b"")}
        new = draw.choice(kinds[type(value)])
        try:
            if at is None:
                setattr(message, field.name, new)
            else:
                values[at] = new
        except ValueError:  # beyond a field's range
            pass
    return model.SerializeToString()


def count(data: bytes, use, rounds: int, *, change=changed, place: str = ""):
    """How many of the changed files are refused, with the place that each error begins with; all others are used."""
    refused = 0
    use(data)
    for _ in range(rounds):
        given = data
        while given == data:
            given = change(data)
        (folder / "last").write_bytes(given)  # what to look at where this process ends
        try:
            use(given)
        except halfstep.Error as error:
            assert str(error).startswith(place), f"an error has a place: {error}"
            refused += 1
    return refused


# A model of ONNX with attributes, constants, weights and shapes.
weights = {"w": X[:6, :4], "b": X[0, :4], "v": X[:4, :4], "shape": numpy.array([0, 2, 2]), "axes": numpy.array([1])}
nodes = [
    helper.make_node("Gemm", ["x", "w", "b"], ["h"], alpha=0.5, transB=0),
    helper.make_node("Relu", ["h"], ["r"]),
    helper.make_node("Reshape", ["r", "shape"], ["s"]),
    helper.make_node("Softmax", ["s"], ["p"], axis=-1),
    helper.make_node("Transpose", ["p"], ["t"], perm=[0, 2, 1]),
    helper.make_node("ReduceMean", ["t", "axes"], ["m"], keepdims=0),
    helper.make_node("Concat", ["m", "m"], ["c"], axis=1),
    helper.make_node("MatMul", ["c", "v"], ["y"]),
]
graph = helper.make_graph(
    nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 6])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])],
    [numpy_helper.from_array(value, name) for name, value in weights.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString()
path = folder / "model.onnx"


def of_file(data):
    path.write_bytes(data)
    halfstep.from_onnx(path).to_mlir()


for change, use, place in ((changed, lambda data: halfstep.from_onnx(data).to_mlir(), ""), (changed, of_file, f"{path}: "),
                           (changed_field, of_file, f"{path}: ")):
    refused = count(model, use, 2 * rounds, change=change, place=place)
    assert rounds < refused < 2 * rounds, refused

# Weights, checkpoints and executables.
trained = nn.Sequential(nn.Dense(4, "relu"), nn.Dense(2))
trained.compile("adam", policy="mixed_float16", threads=1)
trained.fit(X, Y, 16, verbose=False, checkpoint=folder / "run")
executable = trained.trainer.session.executable
trained.save_weights(folder / "weights.safetensors")
session = halfstep.Session(executable, threads=1)


def load(path):
    def use(data):
        path.write_bytes(data)
        session.load_weights(path.parent if path.parent.name == "run" else path)

    return use


(tensors,) = (folder / "run").glob("step-*.safetensors")
for path in (folder / "weights.safetensors", folder / "run" / "manifest.json", tensors):
    data = path.read_bytes()
    refused = count(data, load(path), 4 * rounds)
    assert refused > rounds, (path, refused)
    path.write_bytes(data)

# The header of safetensors says where each tensor is: others than those that are there are refused, whatever they are.
data = (folder / "weights.safetensors").read_bytes()
size = int.from_bytes(data[:8], "little")
header = json.loads(data[8 : 8 + size])
name = next(one for one in header if one != "__metadata__")
for key, value in (("shape", [2**62, 4]), ("shape", [-1]), ("data_offsets", [0, 2**64]), ("data_offsets", [8, 0]), ("dtype", "F99"),
                   ("shape", "x"), ("data_offsets", [])):
    text = json.dumps({**header, name: {**header[name], key: value}}).encode()
    try:
        load(folder / "weights.safetensors")(len(text).to_bytes(8, "little") + text + data[8 + size :])
    except halfstep.Error:
        continue
    raise AssertionError(f"{key}={value} is taken")


def run(data):
    with halfstep.Session(halfstep.Executable(data), threads=1) as own:
        own.initialize()


# Their bytes have a hash, which no change keeps.
assert count(executable.to_bytes(), run, 4 * rounds) == 4 * rounds
