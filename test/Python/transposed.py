"""The shape and the numbers of a transposed convolution, by NumPy.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
from halfstep import nn, ops

RANDOM = numpy.random.default_rng(7)


class Spread(nn.Module):
    def __init__(self, window, filters, groups=1, **settings):
        self.window, self.filters, self.settings = window, filters, dict(settings, groups=groups)

    def build(self, shape):
        self.filter = nn.Parameter((shape[-1], *self.window, self.filters // self.settings["groups"]), "glorot_uniform")

    def forward(self, x):
        return ops.conv_transpose(x, self.filter, **self.settings)


def spread(x, filter, sizes, strides, low, dilations, groups):
    """Each pixel over its window, in float64; what is outside is dropped."""
    rows, channels, own = x.shape[0], filter.shape[0] // groups, filter.shape[-1]
    result = numpy.zeros((rows, *sizes, own * groups))
    for at in numpy.ndindex(*x.shape[1:-1]):
        for tap in numpy.ndindex(*filter.shape[1:-1]):
            to = [p * s - b + r * d for p, s, b, r, d in zip(at, strides, low, tap, dilations)]
            if all(0 <= one < size for one, size in zip(to, sizes)):
                for g in range(groups):
                    k = slice(g * channels, (g + 1) * channels)
                    result[(slice(None), *to, slice(g * own, (g + 1) * own))] += x[(slice(None), *at, k)].astype("float64") @ filter[(k, *tap)]
    return result


for rank, window, settings, sizes, low in (
        (2, (3, 3), {}, (10, 8), (0, 0)),
        (2, (2, 2), {"strides": (2, 2)}, (16, 12), (0, 0)),
        (2, (3, 3), {"strides": (2, 3), "padding": (1, 0, 1, 2), "dilations": (2, 1)}, (18, 15), (1, 1)),
        (2, (3, 3), {"strides": (2, 2), "padding": "same"}, (16, 12), (0, 0)),
        (2, (3, 3), {"padding": "valid", "groups": 2}, (10, 8), (0, 0)),
        (2, (2, 2), {"strides": (2, 2), "result": "tensor<?x17x12x6xf32>"}, (17, 12), (0, 0)),
        (1, (4,), {"strides": (3,)}, (25,), (0,))):
    x = RANDOM.standard_normal((3, 8, 6, 4)[:rank + 1] + (4,)).astype("float32")
    model = nn.Sequential(Spread(window, 6, **settings))
    model.predict(x)  # makes the filter
    filter = RANDOM.standard_normal(model.layers[0].filter.shape).astype("float32")
    model.load_state_dict({"spread1.filter": filter})
    given = model.predict(x)
    ones = (1,) * rank
    expected = spread(x, filter, sizes, settings.get("strides", ones), low, settings.get("dilations", ones), settings.get("groups", 1))
    assert given.shape == expected.shape, (settings, given.shape, expected.shape)
    assert numpy.abs(given - expected).max() < 1e-4, settings

# Training goes through it, and what does not fit is said.
model = nn.Sequential(nn.Conv2D(4, 3), Spread((2, 2), 3, strides=(2, 2)), nn.Flatten(), nn.Dense(2))
model.compile("sgd", policy="mixed_bfloat16", threads=1)
model.fit(RANDOM.standard_normal((8, 6, 6, 1)).astype("float32"), numpy.zeros(8, "int64"), 4, verbose=False)
for said, settings in (("conv_transpose: strides=2, expected 2 numbers", {"strides": 2}),
                       ("conv_transpose: padding=(1, 1), expected 4 numbers", {"padding": (1, 1)}),
                       ("conv_transpose: padding='full', expected 'same', 'valid' or two numbers", {"padding": "full"}),
                       ("conv_transpose: an input of shape (None, 6) and a filter of", {"window": ()})):
    try:
        shape = (2, 6) if "window" in settings else (2, 6, 6, 4)
        nn.Sequential(Spread(settings.pop("window", (2, 2)), 3, **settings)).predict(numpy.zeros(shape, "float32"))
        raise AssertionError(said)
    except halfstep.Error as error:
        assert said in str(error), error
