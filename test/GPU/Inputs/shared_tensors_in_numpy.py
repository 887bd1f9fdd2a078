"""usage: shared_tensors_in_numpy.py LIBRARY TINY.mpx LOSS.mpx: NumPy reads what programs read and write on device cpu."""

import ctypes
import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import shared_tensors  # noqa: E402


def error_of(action, *arguments):
    try:
        action(*arguments)
    except RuntimeError as error:
        return str(error)
    return "no error"


def check_bytes(library, executable):
    """Bytes of rows, where they lie: what is written there is what the program reads."""
    with shared_tensors.Program(library, executable, "cpu", "infer", seed=7) as program:
        x, logits = (numpy.from_dlpack(program.tensor(name)) for name in ("x", "logits"))
        assert x.dtype == numpy.uint8 and x.shape == (8, 4) and x.any(), x
        assert logits.dtype == numpy.float32 and logits.shape == (8, 3) and not logits.any(), logits
        assert program.sample(runs=2) > 0
        ran = logits.copy()
        assert ran.any(axis=1).all(), ran
        ctypes.memmove(x.ctypes.data, bytes(reversed(x.tobytes())), x.nbytes)
        program.sample(runs=1)
        assert (logits != ran).any() and x.ctypes.data == program.tensor("x").managed.tensor.data
        # As JAX and PyTorch ask for a tensor.
        assert program.tensor("x").__dlpack_device__() == (1, 0)
        assert program.tensor("x").__dlpack__(stream=None, max_version=(1, 0))
        assert error_of(program.tensor, "z") == "program infer has no input or result 'z'"
    assert "does not have program fly" in error_of(shared_tensors.Program, library, executable, "cpu", "fly")
    assert "unknown device 'abacus'" in error_of(shared_tensors.Program, library, executable, "abacus", "infer")


def check_loss(library, executable):
    """Matrices in f16, labels in i32 and a scalar in f32: the loss and its gradient are those that NumPy computes."""
    with shared_tensors.Program(library, executable, "cpu", "infer") as program:
        program.sample(runs=1)
        x, y, loss, dx = (numpy.from_dlpack(program.tensor(name)) for name in ("x", "y", "loss", "dx"))
        assert [str(each.dtype) for each in (x, y, loss, dx)] == ["float16", "int32", "float32", "float16"]
        assert loss.shape == () and y.max() < x.shape[1] and abs(x.mean()) < 0.2, (loss, y, x)
        exponentials = numpy.exp(x.astype(numpy.float64))
        softmax = exponentials / exponentials.sum(axis=1, keepdims=True)
        rows = numpy.arange(len(y))
        expected = -numpy.log(softmax[rows, y]).mean()
        assert abs(loss - expected) < 1e-4, (loss, expected)
        softmax[rows, y] -= 1
        assert abs(dx - softmax / len(y)).max() < 1e-5, dx


LIBRARY = shared_tensors.load(sys.argv[1])
check_bytes(LIBRARY, sys.argv[2])
check_loss(LIBRARY, sys.argv[3])
