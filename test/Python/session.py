"""Programs run on arrays of NumPy and of what knows DLPack; state is a mapping; errors are exceptions.

RUN: %{python} %s %t.safetensors
"""

import gc
import subprocess
import sys
import threading

import numpy

import halfstep

MODEL = """\
func.func @m(%x: tensor<?x2xf32> {mp.input = "x"},
             %w: tensor<2x3xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 1>})
    -> (tensor<?x3xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.matmul %x, %w acc f32 : tensor<?x2xf32>, tensor<2x3xf32> -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""


def refused(kind, expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


class ByDLPack:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


assert "cpu" in halfstep.devices()
executable = halfstep.compile(MODEL, policy="float32", batch_size=4, training=False)
session = halfstep.Session(executable, "cpu", threads=1)
session.initialize(seed=7)
first = session.state["w"]
assert first.shape == (2, 3) and first.dtype == numpy.float32 and list(session.state) == ["w"]
with halfstep.Session(executable) as other:
    other.initialize(seed=7)
    assert (other.state["w"] == first).all()
    other.initialize(seed=8)
    assert (other.state["w"] != first).any()
    session.save_weights(sys.argv[1])
    other.load_weights(sys.argv[1])
    assert (other.state["w"] == first).all()
refused(ValueError, "the session is closed", other.initialize)

# Any number of rows, of any library, in any order in memory. The numbers are small: every way of summing is exact.
session.state["w"] = [[1, 2, 3], [4, 5, 6]]
x = numpy.arange(14, dtype=numpy.float32).reshape(7, 2)
wide = numpy.zeros((7, 4), numpy.float32)
wide[:, ::2] = x
expected = x @ session.state["w"]
for given in (x, wide[:, ::2], numpy.asfortranarray(x), ByDLPack(x), x.tolist()):
    assert (session.run("infer", x=given)["y"] == expected).all(), given

# A result is the caller's, and outlives the session.
with halfstep.Session(executable) as other:
    other.state["w"] = session.state["w"]
    y = other.run("infer", {"x": x})["y"]
del other
gc.collect()
y += 1
assert (y == expected + 1).all() and (numpy.from_dlpack(y) == y).all()

# bf16 is viewed by ml_dtypes where it is there, else widened, which is exact.
low = halfstep.Session(halfstep.compile(MODEL, policy="mixed_bfloat16", batch_size=4, training=False))
low.state["w"] = numpy.full((2, 3), 1.0 + 2.0**-7, numpy.float32)
# Some machines keep it packed, between zeros, and say so in its name.
(name,) = [name for name in low.state if name.startswith("w/bf16")]
copy = low.state[name].astype(numpy.float32)
assert (copy[copy != 0] == 1.0 + 2.0**-7).all() and (copy != 0).sum() == 6 and ("@" in name or copy.shape == (2, 3)), name

# Arrays of another order of bytes are converted; what is no array of numbers is said by its name.
assert (session.run("infer", x=x.astype(">f4"))["y"] == expected).all()
session.state["w"] = session.state["w"].astype(">f4")
assert (session.run("infer", x=x)["y"] == expected).all()
refused(halfstep.Error, "'x' has elements of object", session.run, "infer", x=numpy.array([None]))
refused(halfstep.Error, "'x' has elements of complex64, expected one of bool", session.run, "infer", x=x * 1j)
refused(halfstep.Error, "'x' is a masked array", session.run, "infer", x=numpy.ma.masked_array(x, x > 3))
for given, said in ((None, "None"), ("abc", "'abc'"), ([[1], [2, 3]], "of type list"), ({}, "of type dict"), (object(), "of type object")):
    for call in (lambda one: session.run("infer", x=one), lambda one: session.state.__setitem__("w", one)):
        refused(halfstep.Error, f" is {said}, expected an array of numbers", call, given)
refused(halfstep.Error, "input 'x' is tensor<7x2xf64>, expected tensor<?x2xf32>", session.run, "infer", x=x.astype(float))
refused(halfstep.Error, "input 'x' of program infer is missing", session.run, "infer")
refused(halfstep.Error, "'z'", session.run, "infer", x=x, z=x)
refused(halfstep.Error, "no", session.run, "nothing", x=x)
refused(KeyError, "v", lambda: session.state["v"])
refused(halfstep.Error, "w", session.state.__setitem__, "w", x)
refused(TypeError, "no name can be removed", session.state.__delitem__, "w")
refused(halfstep.Error, "nowhere.mpx", halfstep.Session, "nowhere.mpx")
refused(halfstep.Error, "device", halfstep.Session, executable, "toaster")

# Threads take turns.
results = []
threads = [threading.Thread(target=lambda: results.append(session.run("infer", x=x)["y"])) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(results) == 8 and all((one == expected).all() for one in results)

# Importing is quick, and loads neither LLVM nor NumPy.
probe = "import halfstep, sys; print('numpy' in sys.modules, 'LLVM' in open('/proc/self/maps').read())"
assert subprocess.check_output([sys.executable, "-c", probe], text=True).split() == ["False", "False"]

# State that nobody gave values is no state to compute with; a program of none has none to wait for.
with halfstep.Session(executable) as other:
    refused(halfstep.Error, "program infer has no state yet, all of it is zeros: call session.initialize(seed=0), or load_weights(path), before",
            other.run, "infer", x=x)
    refused(halfstep.Error, "nothing", other.run, "nothing", x=x)
    other.load_weights(sys.argv[1])
    other.run("infer", x=x)
STATELESS = """\
func.func @m(%x: tensor<?x2xf32> {mp.input = "x"}) -> (tensor<?x2xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.add %x, %x : tensor<?x2xf32>, tensor<?x2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""
with halfstep.Session(halfstep.compile(STATELESS, policy="float32", batch_size=4, training=False)) as other:
    assert (other.run("infer", x=x)["y"] == 2 * x).all()
