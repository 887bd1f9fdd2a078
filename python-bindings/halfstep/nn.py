"""Layers, and modules of one's own.

    class Classifier(nn.Module):
        def __init__(self):
            self.hidden = nn.Dense(128, "relu")
            self.head = nn.Dense(10)

        def forward(self, x):
            return self.head(self.hidden(x / 255))
"""

from __future__ import annotations

from halfstep import ops
from halfstep._errors import Error
from halfstep._initializers import Constant, Initializer, Normal, Uniform
from halfstep._module import Input, Module, Parameter, Sequential, State

__all__ = [
    "Activation", "AvgPool2D", "BatchNorm", "Constant", "Conv2D", "Dense", "Dropout", "Embedding", "Flatten", "GlobalAvgPool2D",
    "Initializer", "Input", "LayerNorm", "MaxPool2D", "Module", "MultiHeadAttention", "Normal", "Parameter", "Rescaling",
    "Reshape", "Sequential", "State", "Uniform",
]


def find_activation(name):
    """A function on tensors, by its name or itself; what passes everything for None."""
    if name is None or name == "linear":
        return lambda x: x
    if callable(name):
        return name
    function = getattr(ops, name) if name in ops.__all__ else None
    if function is None:
        raise Error(f"there is no activation '{name}'; ops of one operand are: relu, gelu, tanh, sigmoid, softmax, ...")
    return function


class Activation(Module):
    """An op on each element, by its name."""

    def __init__(self, name):
        self.function = find_activation(name)

    def forward(self, x):
        return self.function(x)


class Dense(Module):
    """`activation(x @ kernel + bias)`; the kernel is [features of x, units]."""

    def __init__(self, units: int, activation=None, *, use_bias=True, init="glorot_uniform", bias_init="zeros"):
        self.units = units
        self.activation = find_activation(activation)
        self.use_bias = use_bias
        self.init = init
        self.bias_init = bias_init

    def build(self, shape):
        self.kernel = Parameter((shape[-1], self.units), self.init)
        self.bias = Parameter((self.units,), self.bias_init) if self.use_bias else None

    def forward(self, x):
        return self.activation(ops.matmul(x, self.kernel, self.bias))


def _pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)


class Conv2D(Module):
    """Convolution of images [rows, height, width, channels]; padding is "valid", "same" or [top, bottom, left, right]."""

    def __init__(self, filters: int, kernel_size, strides=1, padding="valid", activation=None, *, dilation=1, groups=1,
                 use_bias=True, init="glorot_uniform", bias_init="zeros"):
        self.filters = filters
        self.kernel_size = _pair(kernel_size)
        self.strides = _pair(strides)
        self.padding = padding
        self.dilation = _pair(dilation)
        self.groups = groups
        self.activation = find_activation(activation)
        self.use_bias = use_bias
        self.init = init
        self.bias_init = bias_init

    def build(self, shape):
        self.kernel = Parameter((self.filters, *self.kernel_size, shape[-1] // self.groups), self.init)
        self.bias = Parameter((self.filters,), self.bias_init) if self.use_bias else None

    def forward(self, x):
        return self.activation(ops.conv(x, self.kernel, self.bias, strides=self.strides, padding=self.padding,
                                        dilations=self.dilation, groups=self.groups))


class MaxPool2D(Module):
    """The largest of each window of an image."""

    def __init__(self, pool_size=2, strides=None, padding="valid"):
        self.pool_size = _pair(pool_size)
        self.strides = _pair(strides if strides is not None else pool_size)
        self.padding = padding

    def forward(self, x):
        return ops.max_pool(x, self.pool_size, strides=self.strides, padding=self.padding)


class AvgPool2D(MaxPool2D):
    """The mean of each window of an image; padding does not count, as in Keras."""

    def forward(self, x):
        return ops.avg_pool(x, self.pool_size, strides=self.strides, padding=self.padding, count_padding=False)


class GlobalAvgPool2D(Module):
    """The mean of each channel of an image."""

    def forward(self, x):
        return ops.mean(x, (1, 2))


class Flatten(Module):
    """Each row in one dimension."""

    def forward(self, x):
        size = 1
        for one in x.shape[1:]:
            size *= one
        return ops.reshape(x, (None, size))


class Reshape(Module):
    """Each row in another shape."""

    def __init__(self, *shape: int):
        self.shape = shape

    def forward(self, x):
        return ops.reshape(x, (None, *self.shape))


class Rescaling(Module):
    """`x * scale + offset` in float32: what images of bytes need."""

    def __init__(self, scale: float, offset: float = 0.0):
        self.scale = scale
        self.offset = offset

    def forward(self, x):
        x = (x if x.dtype == "float32" else ops.cast(x, "float32")) * self.scale
        return x + self.offset if self.offset else x


class Embedding(Module):
    """Rows of a table [rows, columns] by their numbers: words by their tokens."""

    def __init__(self, rows: int, columns: int, *, init=Normal(0.0, 1.0)):
        self.table = Parameter((rows, columns), init)

    def forward(self, tokens):
        return ops.gather(self.table, tokens, 0)


class Dropout(Module):
    """Zeros instead of a part of the elements, in training alone."""

    def __init__(self, rate: float):
        self.rate = rate

    def forward(self, x):
        return ops.dropout(x, self.rate) if self.rate else x


class LayerNorm(Module):
    """Normalization along the last dimension. `epsilon` is PyTorch's; Keras has 1e-3."""

    def __init__(self, epsilon: float = 1e-5):
        self.epsilon = epsilon

    def build(self, shape):
        self.scale = Parameter(shape[-1:], "ones")
        self.offset = Parameter(shape[-1:], "zeros")

    def forward(self, x):
        return ops.layer_norm(x, self.scale, self.offset, epsilon=self.epsilon)


class BatchNorm(Module):
    """Normalization of each channel over the batch. `momentum` is the weight of the new, as in PyTorch."""

    def __init__(self, momentum: float = 0.1, epsilon: float = 1e-5, *, unbiased=True):
        self.momentum = momentum
        self.epsilon = epsilon
        self.unbiased = unbiased

    def build(self, shape):
        self.scale = Parameter(shape[-1:], "ones")
        self.offset = Parameter(shape[-1:], "zeros")
        self.running_mean = State(shape[-1:], "zeros")
        self.running_variance = State(shape[-1:], "ones")

    def forward(self, x):
        result, mean, variance, count = ops.batch_norm(x, self.scale, self.offset, epsilon=self.epsilon)
        for running, batch, unbiased in ((self.running_mean, mean, False), (self.running_variance, variance, self.unbiased)):
            running.assign(ops.update_running(running, batch, count, momentum=self.momentum, unbiased=unbiased))
        return result


class MultiHeadAttention(Module):
    """Self-attention over [rows, positions, features]."""

    def __init__(self, heads: int, dropout: float = 0.0):
        self.heads = heads
        self.query, self.key, self.value = Dense(0), Dense(0), Dense(0)
        self.output = Dense(0)
        self.dropout = Dropout(dropout)

    def build(self, shape):
        if shape[-1] % self.heads:
            raise Error(f"{shape[-1]} features are not divided by {self.heads} heads")
        for layer in (self.query, self.key, self.value, self.output):
            layer.units = shape[-1]

    def forward(self, x):
        _, positions, features = x.shape
        size = features // self.heads

        def split(y):
            return ops.transpose(ops.reshape(y, (None, positions, self.heads, size)), (0, 2, 1, 3))

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        mixed = ops.scaled_dot_product_attention(query, key, value, dropout=self.dropout.rate)
        mixed = ops.transpose(mixed, (0, 2, 1, 3))
        return self.output(ops.reshape(mixed, (None, positions, features)))
