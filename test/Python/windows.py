"""Convolutions and poolings of one to three dimensions as layers, against NumPy.

RUN: %{python} %s
"""

import itertools

import numpy as np

from halfstep import nn

RANDOM = np.random.default_rng(5)


def windows(x, size, strides, dilation, padding):
    """Each position of a window: its index, and what lies under it, [rows, taps..., channels]."""
    x = np.pad(x.astype(np.float64), ((0, 0), *zip(padding[::2], padding[1::2], strict=True), (0, 0)))
    counts = [(all_ - (taps - 1) * far - 1) // stride + 1 for all_, taps, far, stride in zip(x.shape[1:], size, dilation, strides, strict=False)]
    for index in itertools.product(*map(range, counts)):
        starts = zip(index, strides, size, dilation, strict=True)
        yield index, x[(slice(None), *(slice(i * stride, i * stride + (taps - 1) * far + 1, far) for i, stride, taps, far in starts))]


def together(found):
    """What there is for each position, as an image."""
    found = list(found)
    shape = [size + 1 for size in found[-1][0]]
    return np.stack([one for _, one in found], 1).reshape(len(found[0][1]), *shape, -1)


def predicted(layer, x):
    model = nn.Sequential(layer)
    return model.predict(x), {name.split(".")[-1]: value for name, value in model.state_dict().items()}


for rank, layer, shape, size, strides, dilation, padding, groups in (
        (1, nn.Conv1D(6, 3, 2, [1, 2], dilation=2, groups=2), (9, 4), (3,), (2,), (2,), (1, 2), 2),
        (1, nn.Conv1D(5, 4), (11, 3), (4,), (1,), (1,), (0, 0), 1),
        (2, nn.Conv2D(4, (2, 3), (1, 2), (1, 0)), (5, 8, 3), (2, 3), (1, 2), (1, 1), (1, 1, 0, 0), 1),
        (3, nn.Conv3D(4, (2, 3, 1), (1, 2, 1), 1, groups=2), (3, 6, 4, 2), (2, 3, 1), (1, 2, 1), (1, 1, 1), (1,) * 6, 2)):
    x = RANDOM.standard_normal((3, *shape)).astype(np.float32)
    got, parameters = predicted(layer, x)
    kernel = parameters["kernel"].astype(np.float64)
    filters, channels = len(kernel) // groups, x.shape[-1] // groups
    expected = together(
        (index, np.concatenate([np.tensordot(under[..., g * channels:(g + 1) * channels], kernel[g * filters:(g + 1) * filters],
                                             (range(1, rank + 2), range(1, rank + 2))) for g in range(groups)], 1))
        for index, under in windows(x, size, strides, dilation, padding))
    assert got.shape == expected.shape, (layer, got.shape, expected.shape)
    assert np.abs(got - expected).max() < 2e-6 * kernel[0].size, layer

for rank, shape in ((1, (9, 3)), (2, (5, 8, 3)), (3, (4, 5, 6, 2))):
    x = RANDOM.standard_normal((2, *shape)).astype(np.float32)
    once, none = (1,) * rank, (0,) * 2 * rank
    dimensions = tuple(range(1, rank + 1))
    for kind, reduce, bound in (("MaxPool", np.max, 0), ("AvgPool", np.mean, 1e-6)):
        layer = getattr(nn, f"{kind}{rank}D")
        for built, size, strides in ((layer(), (2,) * rank, (2,) * rank), (layer(3, 2), (3,) * rank, (2,) * rank)):
            expected = together((index, reduce(under, dimensions)) for index, under in windows(x, size, strides, once, none))
            got, _ = predicted(built, x)
            assert got.shape == expected.shape and np.abs(got - expected).max() <= bound, (kind, rank)
    got, _ = predicted(getattr(nn, f"GlobalAvgPool{rank}D")(), x)
    assert np.abs(got - x.mean(dimensions)).max() < 1e-6
