"""The shape and the numbers of a transposed convolution, as an op and as a layer, by NumPy.

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

# The layers: sizes of PyTorch's formula and of Keras' "same", a bias, an activation.
for rank, layer, settings, sizes, low in (
        (1, nn.Conv1DTranspose(6, numpy.array([4]), numpy.array([3]), output_padding=numpy.array([2])), {"strides": (3,)}, (27,), (0,)),
        (1, nn.Conv1DTranspose(4, 3, 2, [2, 1], "relu", dilation=2, groups=2, bias_init=nn.Normal()), {"strides": (2,), "dilations": (2,), "groups": 2, "relu": True}, (16,), (2,)),
        (2, nn.Conv2DTranspose(6, 3, 2, "same", bias_init=nn.Normal()), {"strides": (2, 2)}, (16, 12), (0, 0)),
        (2, nn.Conv2DTranspose(6, (4, 3), (2, 1), 1, "relu", output_padding=(1, 0), dilation=(1, 2), groups=2, bias_init=nn.Normal()),
         {"strides": (2, 1), "dilations": (1, 2), "groups": 2, "relu": True}, (17, 8), (1, 1)),
        (2, nn.Conv2DTranspose(5, 2, 3, use_bias=False), {"strides": (3, 3)}, (23, 17), (0, 0)),
        (3, nn.Conv3DTranspose(4, (2, 3, 1), (1, 2, 2), (0, 1, 0), groups=2, bias_init=nn.Normal()),
         {"strides": (1, 2, 2), "groups": 2}, (9, 11, 9), (0, 1, 0))):
    x = RANDOM.standard_normal((3, 8, 6, 5)[:rank + 1] + (4,)).astype("float32")
    model = nn.Sequential(layer)
    given, state = model.predict(x), {name.split(".")[1]: value.astype("float64") for name, value in model.state_dict().items()}
    ones = (1,) * rank
    expected = spread(x, state["kernel"], sizes, settings["strides"], low, settings.get("dilations", ones), settings.get("groups", 1)) + state.get("bias", 0.0)
    expected = numpy.maximum(expected, 0) if settings.get("relu") else expected
    assert given.shape == expected.shape, (sizes, given.shape, expected.shape)
    assert numpy.abs(given - expected).max() < 1e-4, settings
for said, make in (("Conv2DTranspose: output_padding is 2, expected a whole number of at least 0 and less than the strides, (2, 2), or one for each of two",
                    lambda: nn.Conv2DTranspose(4, 3, 2, output_padding=2)),
                   ("Conv1DTranspose: output_padding is (0, 0), expected", lambda: nn.Conv1DTranspose(4, 3, 2, output_padding=(0, 0))),
                   ("Conv2DTranspose: output_padding is 1 under padding='same', where a size is size * stride",
                    lambda: nn.Conv2DTranspose(4, 3, 2, "same", output_padding=1)),
                   ("Conv3DTranspose: filters is 0, expected a whole number of at least 1", lambda: nn.Conv3DTranspose(0, 3)),
                   ("Conv2DTranspose: 4 channels and 3 filters are not divided by 2 groups", lambda: nn.Sequential(nn.Conv2DTranspose(3, 3, groups=2)).predict(x[:, 0])),
                   ("the result would be empty: 6 pixels become 8, and padding takes 12; expected less padding",
                    lambda: nn.Sequential(nn.Conv2DTranspose(3, 3, padding=6)).predict(x[:, 0])),
                   ("Conv2DTranspose takes [rows, height, width, channels], given 5 dimensions", lambda: nn.Sequential(nn.Conv2DTranspose(3, 3)).predict(x))):
    try:
        make()
    except halfstep.Error as error:
        assert said in str(error), error
    else:
        raise AssertionError(said)

# A step of gradient descent against differences of the loss in float64: of the kernel, of the bias, and of what is before.
images = RANDOM.standard_normal((4, 6, 5, 2)).astype("float32")
model = nn.Sequential(nn.Conv2D(3, 1, use_bias=False), nn.Conv2DTranspose(2, 3, 2, 1, output_padding=1, bias_init=nn.Normal()), nn.Flatten())
model.compile(halfstep.SGD(0.5), "mse", [], policy="float32", threads=1)
targets = RANDOM.standard_normal((4, 12 * 10 * 2)).astype("float32")
model.fit(images, targets, 4, epochs=0, verbose=False)
before = {name: value.astype("float64") for name, value in model.state_dict().items()}
model.fit(images, targets, 4, verbose=False)
after = model.state_dict()


def loss_of(state):
    mixed = images.astype("float64") @ state["conv2d1.kernel"][:, 0, 0].T
    made = spread(mixed, state["conv2d_transpose1.kernel"], (12, 10), (2, 2), (1, 1), (1, 1), 1) + state["conv2d_transpose1.bias"]
    return ((made.reshape(4, -1) - targets) ** 2).mean()


for name, value in before.items():
    for at in ([*numpy.ndindex(value.shape)][::7] if value.size > 8 else numpy.ndindex(value.shape)):
        step = numpy.zeros(value.shape)
        step[at] = 1e-3
        slope = (loss_of({**before, name: value + step}) - loss_of({**before, name: value - step})) / 2e-3
        assert abs(value[at] - after[name][at] - 0.5 * slope) < 1e-5, (name, at, value[at] - after[name][at], 0.5 * slope)

# A small autoencoder learns its images, in mixed precision.
x, y = numpy.meshgrid(numpy.arange(8), numpy.arange(8))
waves = numpy.stack([numpy.sin(a * x / 3 + b * y / 4) for a in range(8) for b in range(8)]).astype("float32")[..., None]
model = nn.Sequential(nn.Conv2D(16, 3, 2, "same", "relu"), nn.Conv2DTranspose(16, 3, 2, "same", "relu"), nn.Conv2D(1, 3, padding="same"))
model.compile(halfstep.Adam(0.01), "mse", [], policy="mixed_bfloat16", threads=1)
losses = model.fit(waves, waves, 16, epochs=60, verbose=False).history["loss"]
assert losses[-1] < 0.05 < 0.2 < losses[0], (losses[0], losses[-1])

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
