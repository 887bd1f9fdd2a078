"""What the comparisons with NumPy have in common: central differences, and types as IR has them."""

import numpy as np


def differences(function, value):
    """The derivatives of a scalar function by each element of `value`."""
    result = np.zeros(value.shape)
    for index in np.ndindex(value.shape):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            moved[index] += sign * 1e-6
            ends.append(function(moved))
        result[index] = (ends[0] - ends[1]) / 2e-6
    return result


def tensor(sizes, element="f64"):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"
