"""Values of wrong kinds are told in our words at every call that goes into the libraries, and no signature of C++ is shown.

RUN: rm -rf %t && mkdir %t && cd %t && %{python} -W error %s
"""

import pathlib

import numpy

import halfstep
from halfstep import nn, ops
from halfstep.callbacks import CSVLogger, EarlyStopping, JSONLinesLogger, ModelCheckpoint

MODEL = """func.func @m(%x: tensor<?x4xf32> {mp.input = "x"}, %w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<?x2xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %0 = mp.matmul %x, %w acc f32 : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}"""
EXECUTABLE = halfstep.compile(MODEL, policy="float32", training=False)
SESSION = halfstep.Session(EXECUTABLE, threads=1)
SESSION.initialize()
NETWORK = nn.Sequential(nn.Input((4,)), nn.Dense(2))


def compiled(**arguments):
    return halfstep.compile(MODEL, policy="float32", training=False, **arguments)


# What is wrong of each argument, and a part of what is said; what is right is not among them.
WORDS = (3, 1.5, [1], b"x", object())
PATHS = (3, 1.5, None, [1], object())
WHOLE = ("a", 1.5, None, [1], b"x", -1, 2**70, object())
TRUTHS = ("a", "no", 3, 0, 1.5, None, [1], b"x", object())
for call, values, said in (
        (halfstep.Executable, ("a", *PATHS), "Executable: data is "),
        (halfstep.Executable.load, PATHS, "path is "),
        (EXECUTABLE.save, PATHS, "path is "),
        (halfstep.Session, PATHS, "path is "),
        (lambda v: halfstep.Session(EXECUTABLE, v), (None, *WORDS), "device is "),
        (lambda v: halfstep.Session(EXECUTABLE, threads=v), WHOLE, "threads is "),
        (lambda v: halfstep.Session(EXECUTABLE, pin_threads=v), TRUTHS, "Session: pin_threads is "),
        (SESSION.initialize, WHOLE, "seed is "),
        (SESSION.load_weights, PATHS, "path is "),
        (SESSION.save_weights, PATHS, "path is "),
        (lambda v: SESSION.run(v), (None, *WORDS), "run: the program is of type "),
        (lambda v: SESSION.run("infer", x=v), ("a", None, b"x", object()), "'x' is "),
        (lambda v: compiled(to=v), WORDS, "compile: to is "),
        (lambda v: compiled(remarks=v), WORDS, "compile: remarks is "),
        (lambda v: compiled(name=v), WORDS, "compile: name is "),
        (lambda v: compiled(device=v), WORDS, "device is "),
        (lambda v: compiled(on_diagnostic=v), ("a", *WORDS), "compile: on_diagnostic is "),
        (lambda v: compiled(on_stage=v), ("a", *WORDS), "compile: on_stage is "),
        (lambda v: NETWORK.to_mlir(locations=v), TRUTHS, "to_mlir: locations is "),
        (NETWORK.to_mlir, ("a", 3, [1], b"x", object()), "to_mlir: inputs is "),
        (NETWORK.save_weights, PATHS, "path is "),
        (NETWORK.load_weights, PATHS, "path is "),
        (ModelCheckpoint, PATHS, "path is "),
        (CSVLogger, PATHS, "path is "),
        (JSONLinesLogger, PATHS, "path is "),
        (EarlyStopping, (None, *WORDS), "EarlyStopping: monitor is "),
        (lambda v: ModelCheckpoint("a.safetensors", v), (None, *WORDS), "ModelCheckpoint: monitor is "),
        (nn.Constant, ("a", None, [1], object()), "Constant: value is "),
        (lambda v: nn.Normal(0, v), ("a", None, [1], object()), "Normal: stddev is "),
        (lambda v: nn.Uniform(0, 1, v), ("a", 1.5, [1]), "Uniform: seed is ")):
    for value in values:
        try:
            call(value)
        except halfstep.Error as error:
            assert said in str(error) and "expected" in str(error) and "\n" not in str(error), (said, value, error)
        else:
            raise AssertionError((said, value))

# What is told is what to do.
for said, call in (("Executable: data is 'a.mpx', expected bytes, as to_bytes() gives them; halfstep.Executable.load('a.mpx') reads a file",
                    lambda: halfstep.Executable("a.mpx")),
                   ("initialize: seed is -1, expected a whole number of at least 0 and less than 2**64", lambda: SESSION.initialize(-1)),
                   ("Session: pin_threads is 'no', expected True or False", lambda: halfstep.Session(EXECUTABLE, pin_threads="no"))):
    try:
        call()
    except halfstep.Error as error:
        assert str(error) == said, error
    else:
        raise AssertionError(said)

# What is right stays right: bytes of any kind, paths of any kind, seeds and truths of NumPy.
halfstep.Executable(bytearray(EXECUTABLE.to_bytes())), halfstep.Executable(memoryview(EXECUTABLE.to_bytes()))
for path in ("one.mpx", b"two.mpx", pathlib.Path("three.mpx")):
    EXECUTABLE.save(path)
    with halfstep.Session(path, threads=numpy.int64(1), pin_threads=numpy.bool_(False)) as session:
        session.initialize(numpy.uint64(2**64 - 1))
for path in ("one", b"two.safetensors", pathlib.Path("three.SafeTensors"), "weights.best", "run.v1.5"):
    for saver in (SESSION, NETWORK):
        saver.save_weights(path)
        saver.load_weights(path)

# A file of weights is not called by the name of another format, whatever writes it.
for ending in (".h5", ".weights.h5", ".hdf5", ".keras", ".pt", ".pth", ".pkl", ".npz", ".npy", ".ckpt", ".onnx", ".mpx", ".mlir", ".bin", ".gguf", ".msgpack", ".pb", ".tflite", ".H5"):
    path = pathlib.Path(f"weights{ending}")
    for save in (SESSION.save_weights, NETWORK.save_weights, ModelCheckpoint):
        try:
            save(path)
        except halfstep.Error as error:
            assert f"{path}: a file of weights is written as safetensors, and {path.suffix} is of" in str(error), error
            assert f"expected {path.with_suffix('.safetensors')}" in str(error), error
        else:
            raise AssertionError(path)
        assert not path.exists()

# The value of a state after a step: a tensor like it, or numbers of its shape.
GIVEN = {}


class Keeping(nn.Module):
    def __init__(self):
        self.kept, self.whole, self.head = nn.State((2, 3)), nn.State((), dtype="int32"), nn.Dense(2)

    def forward(self, x):
        self.kept.assign(GIVEN["kept"](self))
        self.whole.assign(GIVEN["whole"])
        return self.head(x)


def after(kept, whole=3):
    GIVEN.update(kept=kept if callable(kept) else lambda model: kept, whole=whole)
    model = Keeping()
    model.compile("sgd", policy="mixed_bfloat16", threads=1)
    model.fit(numpy.ones((8, 4), "float32"), numpy.zeros(8, "int64"), 4, verbose=False)
    return model.state_dict()


for given, expected in ((0.5, 0.5), (2, 2), ([1, 2, 3], [1, 2, 3]), (numpy.arange(6.0).reshape(2, 3), [[0, 1, 2], [3, 4, 5]]),
                        (lambda model: model.kept + 1, 2), (lambda model: model.kept, 0)):
    state = after(given)
    assert (state["kept"] == numpy.broadcast_to(expected, (2, 3))).all() and state["whole"] == 3 and state["whole"].dtype == "int32", (given, state)
for said, given in (("State.assign: the value is 'a', expected an array of numbers", ("a",)),
                    ("State.assign: the value is None, expected", (None,)),
                    ("State.assign: the value has shape (2,), the state (2, 3)", ([1, 2],)),
                    ("0.5 is no int32", (1, 0.5)),
                    ("State.assign: the state is tensor<2x3xf32>, given tensor<2x3xf64>; ops.reshape and ops.cast make one of the other",
                     (lambda model: ops.cast(model.kept, "float64"),)),
                    ("State.assign: the state is tensor<2x3xf32>, given tensor<3x2xf32>", (lambda model: ops.transpose(model.kept, (1, 0)),))):
    try:
        after(*given)
    except halfstep.Error as error:
        assert said in str(error), error
    else:
        raise AssertionError(said)
