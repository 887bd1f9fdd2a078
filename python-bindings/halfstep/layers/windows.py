"""Layers that walk windows over images, or over what has one or three dimensions beside its channels, which come last."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any, get_args

from halfstep import ops
from halfstep.hints.types import Activation, ComputeDType, Initializer, Padding, PaddingWord, Shape, Sizes, Tensor
from halfstep.layers.activations import find_activation
from halfstep.layers.layer import Layer
from halfstep.layers.leaves import Parameter
from halfstep_runtime._errors import Error, FaultCode, integer, is_integer, shown, truth

_COUNTS = {1: "one dimension", 2: "two dimensions", 3: "three dimensions"}
_SHAPES = {1: "[rows, length, channels]", 2: "[rows, height, width, channels]", 3: "[rows, depth, height, width, channels]"}
_WORDS: tuple[PaddingWord, ...] = get_args(PaddingWord)
_SIDES = {1: "[left, right]", 2: "[top, bottom, left, right]", 3: "[front, back, top, bottom, left, right]"}


def _several(value: Any, count: int) -> tuple[Any, ...]:
    """Several sizes, or one so often."""
    try:
        return (value,) * count if isinstance(value, str) or is_integer(value) else tuple(value)
    except TypeError:
        return (value,) * count


def _sizes(name: str, value: Any, rank: int, least: int = 1, limits: tuple[int, ...] = ()) -> tuple[int, ...]:
    """A size of all dimensions, or one of each."""
    sizes = _several(value, rank)
    if len(sizes) != rank or not all(is_integer(size) and size >= least for size in sizes) or any(a >= b for a, b in zip(sizes, limits)):
        also = f" and less than the strides, {limits}" if limits else ""
        raise Error(f"{name} is {shown(value)}, expected a whole number of at least {least}{also}, or one for each of {_COUNTS[rank]}")
    return tuple(integer(name, size) for size in sizes)


def _paddings(rank: int) -> str:
    each = "" if rank == 1 else f" one for each of {_COUNTS[rank]},"
    return f"'valid', 'same', a number of at least 0,{each} or {_SIDES[rank]}"


def _word(name: str, value: str, window: tuple[int, ...]) -> PaddingWord:
    """Padding that is a word; `window` is how many pixels each dimension of a window spans."""
    for word in _WORDS:
        if value == word:
            return word
    near = next(iter(difflib.get_close_matches(value.lower(), _WORDS, 1)), None)
    said = f"; did you mean {near!r}?" if near else ""
    if value.lower() == "causal":
        said = (f"; zeros before alone are {name.partition(': ')[2]}={[window[0] - 1, 0]}" if len(window) == 1 else
                "; zeros before alone are numbers, with 0 for what is behind")
    elif value.lower() == "full":
        said = f"; that is {name.partition(': ')[2]}={window[0] - 1 if len({*window}) == 1 else tuple(size - 1 for size in window)}"
    elif value.lower() in ("reflect", "symmetric", "replicate", "circular", "wrap", "edge", "zeros"):
        said = "; what is around an image is zeros, and of a pooling nothing"
    raise Error(f"{name} is {shown(value)}, expected {_paddings(len(window))}{said}")


def _padding(name: str, value: Any, window: tuple[int, ...]) -> PaddingWord | list[int]:
    """"valid" or "same", or how many zeros: a number for all sides, one for each dimension, or each dimension's before and behind."""
    if isinstance(value, str):
        return _word(name, value, window)
    rank = len(window)
    sizes = _several(value, 1)
    if len(sizes) not in (1, rank, 2 * rank) or not all(is_integer(size) and size >= 0 for size in sizes):
        raise Error(f"{name} is {shown(value)}, expected {_paddings(rank)}")
    zeros = [integer(name, size) for size in sizes]
    return zeros if len(zeros) == 2 * rank else [size for size in (zeros * rank)[:rank] for _ in range(2)]


class _Windows(Layer):
    _rank: int  # dimensions of a window, as the names of the layers have it

    def __init_subclass__(cls) -> None:
        if cls.__module__ == __name__ and (found := re.search(r"(\d)D", cls.__name__)):
            cls._rank = int(found[1])

    def _check_shape(self, shape: Shape) -> None:
        if len(shape) != self._rank + 2:
            raise Error(f"{type(self).__name__} takes {_SHAPES[self._rank]}, given {len(shape)} dimensions: [{', '.join(map(str, shape))}]")

    def _apply(self, op: Callable[..., Tensor], x: Tensor, *operands: Any, **how: Any) -> Tensor:
        """What `op` makes of `x`. Where no window fits, dimensions or arguments may stand in another system's order."""
        self._check_shape(x.shape)
        try:
            return op(x, *operands, **how)
        except Error as error:
            meant = self._meant(x.shape) if error.fault.code == FaultCode.WINDOW_TOO_LARGE else ""
            if not meant:
                raise
            raise Error(f"{error}; {meant}") from None

    def _meant(self, shape: Shape) -> str:
        if shape[1] in (1, 3, 4) and shape[-1] not in (1, 3, 4):
            return f"channels come last here, {_SHAPES[self._rank]}, as in numpy.moveaxis(x, 1, -1)"
        return ""


class _Filters(_Windows):
    """Layers with a filter for each channel of their result."""

    def __init__(self, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: Padding = "valid", activation: Activation = None, *,
                 dilation: Sizes = 1, groups: int = 1, use_bias: bool = True, init: Initializer = "glorot_uniform",
                 bias_init: Initializer = "zeros", dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        name = type(self).__name__
        self.filters = integer(f"{name}: filters", filters, 1)
        self.kernel_size = _sizes(f"{name}: kernel_size", kernel_size, self._rank)
        self.strides = _sizes(f"{name}: strides", strides, self._rank)
        self.dilation = _sizes(f"{name}: dilation", dilation, self._rank)
        spans = tuple((taps - 1) * far + 1 for taps, far in zip(self.kernel_size, self.dilation))
        self.padding = _padding(f"{name}: padding", padding, spans)
        self.groups = integer(f"{name}: groups", groups, 1)
        self.activation = find_activation(activation)
        self.use_bias = truth(f"{name}: use_bias", use_bias)
        self.init = init
        self.bias_init = bias_init

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        raise NotImplementedError

    def build(self, shape: Shape) -> None:
        name = type(self).__name__
        self._check_shape(shape)
        channels = shape[-1] or 0
        if channels % self.groups or self.filters % self.groups:
            raise Error(f"{name}: {shape[-1]} channels and {self.filters} filters are not divided by {self.groups} groups")
        self.kernel = Parameter(self._kernel_shape(channels), self.init)
        self.bias = Parameter((self.filters,), self.bias_init) if self.use_bias else None


class _Conv(_Filters):
    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (self.filters, *self.kernel_size, channels // self.groups)

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self._apply(ops.conv, x, self.kernel, self.bias, strides=self.strides, padding=self.padding,
                                          dilations=self.dilation, groups=self.groups))

    def _meant(self, shape: Shape) -> str:
        if self.filters == shape[-1] and len({*self.kernel_size}) == 1:
            name = type(self).__name__
            return f"a layer finds the channels of its input, so that {name}({self.kernel_size[0]}, ...) is of {self.kernel_size[0]} filters"
        return super()._meant(shape)


class Conv1D(_Conv):
    """Convolution of sequences [rows, length, channels]; padding is "valid", "same", a number for both sides, or [left, right]."""


class Conv2D(_Conv):
    """Convolution of images [rows, height, width, channels]; padding is "valid", "same", a number for all sides, one for each dimension,
    or [top, bottom, left, right]."""


class Conv3D(_Conv):
    """Convolution of volumes or clips [rows, depth, height, width, channels]; padding is "valid", "same", a number for all sides, one for each
    dimension, or [front, back, top, bottom, left, right]."""


class _ConvTranspose(_Filters):
    def __init__(self, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: Padding = "valid", activation: Activation = None, *,
                 output_padding: Sizes = 0, dilation: Sizes = 1, groups: int = 1, use_bias: bool = True, init: Initializer = "glorot_uniform",
                 bias_init: Initializer = "zeros", dtype: ComputeDType = None) -> None:
        super().__init__(filters, kernel_size, strides, padding, activation, dilation=dilation, groups=groups, use_bias=use_bias, init=init,
                         bias_init=bias_init, dtype=dtype)
        name = f"{type(self).__name__}: output_padding"
        self.output_padding = _sizes(name, output_padding, self._rank, 0, self.strides)
        if any(self.output_padding) and self.padding == "same":
            raise Error(f"{name} is {shown(output_padding)} under padding='same', where a size is size * stride; expected numbers of padding")

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (channels, *self.kernel_size, self.filters // self.groups)

    def forward(self, x: Tensor) -> Tensor:
        result = self._apply(ops.conv_transpose, x, self.kernel, strides=self.strides, padding=self.padding, dilations=self.dilation,
                             groups=self.groups, output_padding=self.output_padding)
        return self.activation(result if self.bias is None else result + self.bias)


class Conv1DTranspose(_ConvTranspose):
    """Transposed convolution of sequences [rows, length, channels], which makes them longer: the gradient of Conv1D in its input. A size
    becomes (size - 1) * strides + (kernel_size - 1) * dilation + 1 less the padding and, less than strides, `output_padding` more; with
    padding="same" size * strides. The kernel is [channels, sizes, filters / groups]; padding as Conv1D has it."""


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution of images [rows, height, width, channels], which makes them larger: the gradient of Conv2D in its input. Sizes and
    the kernel as Conv1DTranspose has them; padding as Conv2D has it."""


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution of volumes or clips [rows, depth, height, width, channels], which makes them larger: the gradient of Conv3D in its
    input. Sizes and the kernel as Conv1DTranspose has them; padding as Conv3D has it."""


class _Pool(_Windows):
    def __init__(self, pool_size: Sizes = 2, strides: Sizes | None = None, padding: Padding = "valid", *, dtype: ComputeDType = None) -> None:
        super().__init__(dtype=dtype)
        name = type(self).__name__
        self.pool_size = _sizes(f"{name}: pool_size", pool_size, self._rank)
        self.strides = _sizes(f"{name}: strides", strides, self._rank) if strides is not None else self.pool_size
        self.padding = _padding(f"{name}: padding", padding, self.pool_size)


class _MaxPool(_Pool):
    def forward(self, x: Tensor) -> Tensor:
        return self._apply(ops.max_pool, x, self.pool_size, strides=self.strides, padding=self.padding)


class _AvgPool(_Pool):
    def forward(self, x: Tensor) -> Tensor:
        return self._apply(ops.avg_pool, x, self.pool_size, strides=self.strides, padding=self.padding, count_padding=False)


class _GlobalAvgPool(_Windows):
    def forward(self, x: Tensor) -> Tensor:
        self._check_shape(x.shape)
        return ops.mean(x, tuple(range(1, self._rank + 1)))


class MaxPool1D(_MaxPool):
    """The largest of each window of a sequence; strides are the window's size where there are none; padding as Conv1D has it."""


class MaxPool2D(_MaxPool):
    """The largest of each window of an image; strides are the window's size where there are none; padding as Conv2D has it."""


class MaxPool3D(_MaxPool):
    """The largest of each window of a volume or a clip; strides are the window's size where there are none; padding as Conv3D has it."""


class AvgPool1D(_AvgPool):
    """The mean of each window of a sequence; padding does not count, as in Keras; strides and padding as MaxPool1D has them."""


class AvgPool2D(_AvgPool):
    """The mean of each window of an image; padding does not count, as in Keras; strides and padding as MaxPool2D has them."""


class AvgPool3D(_AvgPool):
    """The mean of each window of a volume or a clip; padding does not count, as in Keras; strides and padding as MaxPool3D has them."""


class GlobalAvgPool1D(_GlobalAvgPool):
    """The mean of each channel of a sequence."""


class GlobalAvgPool2D(_GlobalAvgPool):
    """The mean of each channel of an image."""


class GlobalAvgPool3D(_GlobalAvgPool):
    """The mean of each channel of a volume or a clip."""
