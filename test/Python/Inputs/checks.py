"""What several tests ask of models."""

import halfstep
from halfstep import nn


def model_of(function, shape, dtype="float32"):
    """A model that computes `function` of rows of that shape."""

    class M(nn.Module):
        def forward(self, x):
            return function(x)

    return M().specify(x=nn.Input(shape[1:], dtype))


def refused_onnx(expected, model):
    """A model of ONNX whose import is an error that says what is expected."""
    try:
        halfstep.from_onnx(model).to_mlir()
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")
