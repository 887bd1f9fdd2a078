"""Arrays come in and go out by DLPack: every element type, without dimensions, empty, with strides, and as long as somebody has them.

RUN: %{python} %s
"""

import gc
import itertools
import weakref

import ml_dtypes
import numpy

import halfstep
from halfstep import nn, ops

DTYPES = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64")


class ByDLPack:
    """An array of another library, of which it is known who has it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def has_dlpack(array):
    """NumPy has no DLPack of bf16, nor of what must not be written; before 1.25, none of bool."""
    try:
        array.__dlpack__()
    except (BufferError, TypeError, RuntimeError):
        return False
    return True


class Flip(nn.Module):
    def forward(self, x):
        return ops.transpose(x, (0, 2, 1)), ops.reshape(x, x.shape)


class Scalar(nn.Module):
    def __init__(self, dtype):
        self.kept = nn.State((), "zeros", dtype)

    def forward(self, x):
        self.kept.assign(x)
        return ops.reshape(x, (1, 1))


def values(dtype, *shape):
    random = numpy.random.default_rng(len(shape))
    numbers = random.integers(0, 2 if dtype == "bool" else 200, shape)
    return numbers.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except (TypeError, BufferError, halfstep.Error) as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


def layouts(array):
    """The same elements, in other places of memory."""
    yield array
    yield numpy.asfortranarray(array)
    wide = numpy.repeat(array, 2, axis=-1)
    yield wide[..., ::2]
    yield array[::-1].copy()[::-1]
    still = array.copy()
    still.flags.writeable = False
    yield still


for dtype in DTYPES:
    executable = halfstep.compile(
        Flip().specify(x=nn.Input((2, 3), dtype)).to_mlir(), training=False, policy="float32", batch_size=4)
    with halfstep.Session(executable, "cpu", threads=1) as session:
        session.initialize()
        for rows in (1, 4, 9):
            x = values(dtype, rows, 2, 3)
            for own, wrap in itertools.product(layouts(x), (lambda array: array, ByDLPack)):
                if wrap is ByDLPack and not has_dlpack(own):
                    continue
                flipped, same = session.run("infer", x=wrap(own)).values()
                assert same.dtype == x.dtype and same.shape == x.shape and same.tobytes() == x.tobytes(), (dtype, rows)
                assert flipped.shape == (rows, 3, 2) and (flipped == x.transpose(0, 2, 1)).all()
            assert own.tobytes() == x.tobytes()
        for empty in (x[:0], ByDLPack(x[:0]) if has_dlpack(x) else x[:0]):
            refused("input 'x' has no rows", session.run, "infer", x=empty)
    # Results outlive the session that they are of, one without the others, and are the reader's to write.
    del session, own
    gc.collect()
    if has_dlpack(flipped):
        again = numpy.from_dlpack(flipped)
        assert again.ctypes.data == flipped.ctypes.data and not flipped.size == 0
        del flipped
        gc.collect()
        assert (again == x.transpose(0, 2, 1)).all()
    same[...] = 0
    assert not same.any()

    scalar = Scalar(dtype).specify(x=nn.Input((), dtype, batched=False))
    text = scalar.to_mlir()
    with halfstep.Session(halfstep.compile(text, training=False, policy="float32")) as session:
        session.initialize()
        one = values(dtype)
        for given in (one, ByDLPack(one) if has_dlpack(one) else one, one[()]):
            result = session.run("infer", x=given)["output"]
            assert result.shape == (1, 1) and result.dtype == one.dtype and result[0, 0] == one

# Nothing is kept of what was given: neither by a run nor by state.
executable = halfstep.compile(Flip().specify(x=nn.Input((2, 3))).to_mlir(), training=False, policy="float32", batch_size=4)
with halfstep.Session(executable) as session:
    session.initialize()
    given = ByDLPack(values("float32", 4, 2, 3))
    alive = weakref.ref(given)
    results = session.run("infer", x=given)
    del given
    gc.collect()
    assert alive() is None and results["output0"].shape == (4, 3, 2)
    # A run leaves what runs before it gave.
    first = session.run("infer", x=numpy.ones((4, 2, 3), numpy.float32))["output0"]
    session.run("infer", x=numpy.zeros((4, 2, 3), numpy.float32))
    assert (first == 1).all()

model = nn.Sequential(nn.Input((3,)), nn.Dense(2))
model.compile("sgd", policy="float32")
x = ByDLPack(values("float32", 8, 3))
model.fit(x, ByDLPack(values("bool", 8).astype("int64")), batch_size=4, verbose=False)
kernel = ByDLPack(numpy.asfortranarray(values("float32", 3, 2)))
alive = weakref.ref(kernel.array)
model.trainer.session.state["dense1.kernel"] = kernel
taken = model.trainer.session.state["dense1.kernel"]
assert (taken == kernel.array).all() and taken.ctypes.data != kernel.array.ctypes.data
del kernel
gc.collect()
assert alive() is None

# What is no type of a model, or lies elsewhere, is said.
with halfstep.Session(executable) as session:
    for wrong in (values("uint8", 4, 2, 3).astype("uint16"), values("float32", 4, 2, 3).astype("complex64")):
        for wrap in (lambda array: array, ByDLPack):
            said = wrap is not ByDLPack or has_dlpack(wrong)
            refused(f"has elements of {wrong.dtype}" if said else "", session.run, "infer", x=wrap(wrong))
