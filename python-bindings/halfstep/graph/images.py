"""Images of other sizes: resized, and by the transposed convolution."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

from halfstep.graph import generated
from halfstep.graph.graph import element_type, operand, result_type, type_of
from halfstep.graph.shapes import known_sizes
from halfstep.hints.types import DType, Operand, Padding, ResultType, Shape, Sizes, Tensor
from halfstep_runtime._errors import Error, as_float, integer, number_of, several, shown
from halfstep_runtime._libraries import numpy


def resize(input: Operand, sizes: Sizes | None = None, *, scales: float | Iterable[float] | None = None, mode: Literal["nearest", "linear", "cubic"] = "linear",
           coordinates: Literal["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"] = "half_pixel",
           rounding: Literal["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"] = "floor") -> Tensor:
    """Images [rows, sizes, channels] of other `sizes`, one for all spatial dimensions or one for each; without them `scales`, of one for
    all or one for each, say how many times as many pixels there are, rounded down, and coordinates are of these scales rather than of sizes.
    The defaults are PyTorch's `interpolate` with mode="bilinear", and what TensorFlow and Keras do; PyTorch's "nearest" is
    mode="nearest", coordinates="asymmetric", its "nearest-exact" coordinates="half_pixel", rounding="round_prefer_ceil"."""
    input = operand(input)
    image = input.shape[1:-1]
    if not 1 <= len(image) <= 3 or None in input.shape[1:]:
        raise Error(f"resize: an input of shape {input.shape}, expected [rows, sizes, channels] with one to three sizes")
    given = None if scales is None else _each_scale(scales, len(image))
    if sizes is not None:
        found = [integer("resize: a size", size, 1) for size in several("resize: sizes", sizes)]
        found = found * len(image) if len(found) == 1 else found
    elif given is not None:
        found = [max(math.floor(size * scale), 1) for size, scale in zip(known_sizes(image), given)]
    else:
        raise Error("resize: neither sizes nor scales are given, expected one of them")
    if len(found) != len(image):
        raise Error(f"resize: {len(found)} sizes for an input of shape {input.shape}, expected one or {len(image)}")
    tensor = None if given is None else (element_type("float64"), numpy.asarray(given))
    return generated.resize(input, mode, coordinates, rounding=rounding, scales=tensor, result=type_of((input.shape[0], *found, input.shape[-1]), input.dtype))


def _each_scale(scales: float | Iterable[float], count: int) -> list[float]:
    try:
        found = [number_of("resize: a scale", one) for one in ([scales] if as_float(scales) is not None else scales)]  # type: ignore[union-attr]
    except TypeError:
        raise Error(f"resize: scales is {shown(scales)}, expected a number, or several as in (2, 2)") from None
    if any(not math.isfinite(one) or one <= 0 for one in found):
        raise Error(f"resize: scales is {shown(scales)}, expected finite numbers greater than 0")
    found = found * count if len(found) == 1 else found
    if len(found) != count:
        raise Error(f"resize: {len(found)} scales, expected one or {count}")
    return found


def conv_transpose(input: Operand, filter: Operand, *, acc: DType | None = None, strides: Sizes | None = None, padding: Padding | None = None,
                   dilations: Sizes | None = None, groups: int | None = None, result: ResultType | None = None,
                   output_padding: Sizes | None = None) -> Tensor:
    """The gradient of a convolution in its image, of a filter [channels of the input, sizes, channels of the result / groups]. Without a
    `result` each dimension has (size - 1) * stride + (window - 1) * dilation + 1 pixels less its padding, and so many more as
    `output_padding` says, each less than its stride: as PyTorch's conv_transpose. Under padding="same" it has size * stride, as Keras has it.
    `result="tensor<?x16x16x8xf32>"` is another of the sizes that the convolution makes the input of."""
    input, filter = operand(input), operand(filter)
    if result_type(result) is None:
        shape = _spread(input.shape, known_sizes(filter.shape), strides, padding, dilations, groups, output_padding)
        result = type_of(shape, input.dtype if result is None else result)
    return generated.conv_transpose(input, filter, acc=acc, strides=strides, padding=padding, dilations=dilations, groups=groups, result=result)


def _spread(image: Shape, filter: list[int], strides: Sizes | None, padding: Padding | None, dilations: Sizes | None, groups: int | None,
            output_padding: Sizes | None) -> Shape:
    """The shape of the result."""
    rank = len(image) - 2
    if rank < 1 or len(filter) != rank + 2:
        raise Error(f"conv_transpose: an input of shape {image} and a filter of {tuple(filter)}; expected [rows, sizes, channels] and "
                    "[channels, sizes of the window, channels of the result / groups]")
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise Error(f"conv_transpose: padding={shown(padding)}, expected 'same', 'valid' or two numbers for each dimension")
    strides = _each_number("strides", strides, rank, 1)
    dilations = _each_number("dilations", dilations, rank, 1)
    more = _each_number("output_padding", output_padding, rank, 0)
    if any(more) and padding == "same":
        raise Error(f"conv_transpose: output_padding={shown(output_padding)} and padding='same', under which a size is size * stride; expected one of the two")
    for extra, stride in zip(more, strides):
        if not 0 <= extra < stride:
            raise Error(f"conv_transpose: output_padding={shown(output_padding)}, expected at least 0 and less than the strides, {tuple(strides)}")
    zeros = [0] * 2 * rank if isinstance(padding, str) else _each_number("padding", padding, 2 * rank, 0)
    sizes: list[int | None] = []
    for i, (size, window) in enumerate(zip(image[1:-1], filter[1:-1])):
        if size is None:
            sizes.append(None)
        elif padding == "same":
            sizes.append(size * strides[i])
        else:
            spread = (size - 1) * strides[i] + (window - 1) * dilations[i] + 1 + more[i]
            padded = zeros[2 * i] + zeros[2 * i + 1]
            if size > 0 and spread <= padded:
                raise Error(f"conv_transpose: the result would be empty: {size} pixels become {spread}, and padding takes {padded}; "
                            "expected less padding")
            sizes.append(spread - padded)
    return image[0], *sizes, filter[-1] * (1 if groups is None else integer("conv_transpose: groups", groups, 1))


def _each_number(name: str, value: Any, count: int, default: int) -> list[int]:
    if value is None:
        return [default] * count
    values = [integer(f"conv_transpose: {name}", one) for one in several(f"conv_transpose: {name}", value)]
    if len(values) != count:
        raise Error(f"conv_transpose: {name}={shown(value)}, expected {count} {'number' if count == 1 else 'numbers'}")
    return values
