"""What several tests ask of modules of PyTorch."""

import numpy
from torch import nn

import halfstep


class Of(nn.Module):
    """A module that computes a function of its inputs."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def check_same(function, *inputs, tolerance=1e-6, batched=True):
    """Whether a function predicts what it gives in PyTorch, in the same type; whole numbers exactly."""
    model = halfstep.from_torch(Of(function), inputs, batched=batched)
    found = model.predict(dict(zip(model.input_names(), (one.numpy() for one in inputs))))
    wanted = function(*inputs).numpy()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found.dtype, found.shape, wanted.dtype, wanted.shape)
    assert numpy.allclose(found, wanted, rtol=0, atol=tolerance if found.dtype.kind == "f" else 0), (found, wanted)


def refused(expected, function, *inputs, batched=True):
    try:
        halfstep.from_torch(Of(function), inputs, batched=batched)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")
