"""Models of convolutions and of their gradients: programs of many each, from a table of layers, as the compiler
schedules them."""

import dataclasses
import itertools
import math

from gemm_models import TYPES, Program, tensor, tolerance

# By the op of each pass: which of image, filter and result it takes and gives.
PASSES = {"forward": ("mp.conv", 0, 1, 2), "dx": ("mp.conv_transpose", 2, 1, 0), "dw": ("mp.conv_filter_grad", 0, 2, 1)}


@dataclasses.dataclass(frozen=True)
class Layer:
    """A convolution in one, two or three spatial dimensions: numbers of a dimension each, two of the padding."""

    images: int
    sizes: tuple
    channels: int
    filters: int
    taps: tuple
    padding: tuple = ()
    strides: tuple = ()
    dilations: tuple = ()
    groups: int = 1

    def windows(self):
        """Strides, padding and dilations, those that are left out, too."""
        ones = (1,) * len(self.sizes)
        return self.strides or ones, self.padding or (0,) * (2 * len(self.sizes)), self.dilations or ones

    def shapes(self):
        """Of image, filter and result."""
        strides, padding, dilations = self.windows()
        spans = [(taps - 1) * dilation + 1 for taps, dilation in zip(self.taps, dilations)]
        padded = [size + low + high for size, low, high in zip(self.sizes, padding[::2], padding[1::2])]
        results = [(size - span) // stride + 1 for size, span, stride in zip(padded, spans, strides)]
        return ((self.images, *self.sizes, self.channels), (self.filters, *self.taps, self.channels // self.groups),
                (self.images, *results, self.filters))

    def longest(self, direction):
        """How many products an element of what a pass gives is the sum of, at most."""
        _, weights, result = self.shapes()
        return {"forward": math.prod(weights[1:]), "dx": math.prod(self.taps) * self.filters // self.groups,
                "dw": math.prod(result[:-1])}[direction]

    def products(self):
        _, weights, result = self.shapes()
        return math.prod(result) * math.prod(weights[1:])


def same(*taps):
    """Padding that leaves the size as it is, where taps are odd and one apart."""
    return tuple(tap // 2 for tap in taps for _ in range(2))


# Whole tiles, then tails in each dimension, what a window can have, images of one and three channels, groups of several
# channels and of one, and other numbers of dimensions.
LAYERS = {
    "whole": Layer(2, (8, 8), 64, 64, (3, 3), same(3, 3)),
    "whole1x1": Layer(1, (16, 16), 32, 128, (1, 1)),
    "tails": Layer(3, (7, 9), 24, 40, (3, 3), same(3, 3)),
    "odd": Layer(1, (9, 9), 5, 7, (3, 3), same(3, 3)),
    "strides": Layer(2, (16, 16), 32, 64, (3, 3), same(3, 3), (2, 2)),
    "strides_odd": Layer(1, (15, 13), 16, 24, (3, 3), same(3, 3), (2, 2)),
    "strides1x1": Layer(2, (16, 16), 64, 32, (1, 1), (), (2, 2)),
    "asymmetric": Layer(2, (9, 8), 8, 16, (3, 2), (0, 1, 1, 0), (2, 1)),
    "dilated": Layer(1, (14, 14), 16, 32, (3, 3), (2, 2, 2, 2), (), (2, 2)),
    "colours": Layer(2, (30, 30), 3, 32, (7, 7), same(7, 7), (2, 2)),
    "grey": Layer(4, (14, 14), 1, 16, (3, 3), same(3, 3)),
    "groups4": Layer(2, (8, 8), 64, 64, (3, 3), same(3, 3), groups=4),
    "groups2": Layer(1, (10, 10), 24, 12, (3, 3), same(3, 3), (2, 2), groups=2),
    "depthwise": Layer(2, (12, 12), 32, 32, (3, 3), same(3, 3), groups=32),
    "depthwise_strides": Layer(1, (13, 13), 48, 48, (3, 3), same(3, 3), (2, 2), groups=48),
    "line": Layer(4, (64,), 32, 48, (5,), same(5)),
    "line_tails": Layer(3, (33,), 7, 20, (3,), same(3), (2,)),
    "solid": Layer(1, (6, 8, 8), 16, 32, (3, 3, 3), same(3, 3, 3)),
    "solid_tails": Layer(1, (5, 7, 6), 3, 8, (2, 3, 3), (0, 1, 1, 1, 1, 0), (1, 2, 2)),
}
# Of dW alone, whose sum is over all pixels and is cut into parts where it is long: by themselves, since they take a tolerance
# that is too wide for others.
LONG = {"long": Layer(32, (16, 16), 16, 32, (3, 3), same(3, 3)), "long1x1": Layer(8, (32, 32), 64, 16, (1, 1))}


class Convolutions(Program):
    def add_pass(self, name, layer, direction, epilogue="plain"):
        """A pass of normal operands, the forward one perhaps with bias and ReLU."""
        op, left, right, made = PASSES[direction]
        strides, padding, dilations = (f"[{', '.join(map(str, numbers))}]" for numbers in layer.windows())
        windows = f"{{strides = {strides}, padding = {padding}, dilations = {dilations}, groups = {layer.groups}}}"
        shapes = layer.shapes()
        a = self.argument(f"{name}_a", tensor(*shapes[left], self.element))
        b = self.argument(f"{name}_b", tensor(*shapes[right], self.element))
        result = tensor(*shapes[made], self.element)
        bias = ""
        if epilogue == "bias_relu":
            bias = f" bias %{name}_w : " + self.argument(f"{name}_w", tensor(layer.filters, self.element))
        self.body.append(f"%{name} = {op} %{name}_a, %{name}_b{bias} acc f32 {windows} : {a}, {b} -> {result}")
        if epilogue == "bias_relu":
            self.body.append(f"%{name}_r = mp.relu %{name} : {result}")
        self.result(f"%{name}_r" if epilogue == "bias_relu" else f"%{name}", result)


def grid():
    """A program of each type and pass; with and without bias and ReLU take turns."""
    programs = [(direction, direction, LAYERS) for direction in PASSES] + [("dw-long", "dw", LONG)]
    for kind, (label, direction, layers) in itertools.product(TYPES, programs):
        row, program = TYPES[kind], Convolutions(TYPES[kind]["element"])
        for turn, (name, layer) in enumerate(layers.items()):
            program.add_pass(name, layer, direction, "bias_relu" if direction == "forward" and turn % 2 else "plain")
        longest = max(layer.longest(direction) for layer in layers.values())
        flags = ["--policy=float32", "--training=false", "--batch-size=1", *row["flags"]]
        yield {"name": f"conv-{kind}-{label}", "text": program.text(), "flags": flags, "chips": row["chips"],
               "results": [row[2] for row in program.results], "tolerance": tolerance(kind, longest)}
