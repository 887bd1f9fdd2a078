"""Images of other sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from halfstep.graph import generated
from halfstep.graph.graph import element_type, operand, type_of
from halfstep.graph.shapes import known_sizes
from halfstep.hints.types import Operand, Sizes, Tensor
from halfstep_runtime._errors import Error, as_float, integer, number_of, several, shown


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
    import numpy

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
