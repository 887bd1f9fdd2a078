"""Resized images are those of PyTorch's interpolate and of ONNX's Resize, by size and by scale, and so are their gradients.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import itertools
import sys

sys.path = sys.path[1:]  # a file here has the name of the package onnx

import numpy
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import halfstep
from halfstep import nn, ops

random = numpy.random.default_rng(3)


class Resized(nn.Module):
    def __init__(self, **named):
        self.named = named

    def forward(self, x):
        return ops.resize(x, **self.named)


def resize(x, **named):
    """Of images with channels behind one another, as PyTorch and ONNX have them, in float64."""
    last = numpy.moveaxis(x, 1, -1)
    model = Resized(**named).specify(x=nn.Input(last.shape, "float64", batched=False))
    return numpy.moveaxis(model.predict(last), -1, 1)


def close(found, expected, *what, allowed=1e-12):
    assert found.shape == expected.shape, (found.shape, expected.shape, what)
    assert numpy.abs(found - expected).max() < allowed * max(1, numpy.abs(expected).max()), (numpy.abs(found - expected).max(), what)


# PyTorch
OURS = {"nearest": ("nearest", "asymmetric", "floor"), "nearest-exact": ("nearest", "half_pixel", "round_prefer_ceil"), "linear": ("linear", "half_pixel", "floor"),
        "bilinear": ("linear", "half_pixel", "floor"), "trilinear": ("linear", "half_pixel", "floor"), "bicubic": ("cubic", "half_pixel", "floor")}
MODES = {1: ("nearest", "nearest-exact", "linear"), 2: ("nearest", "nearest-exact", "bilinear", "bicubic"), 3: ("nearest", "nearest-exact", "trilinear")}
SIZES = {1: [(5,), (9,), (1,), (10,), (3,)], 2: [(10, 14), (3, 4), (1, 9), (13, 5)], 3: [(4, 6, 5), (2, 9, 1)]}
for rank, modes in MODES.items():
    x = random.normal(size=(2, 3, *(5, 7, 4)[:rank]))
    for mode, corners in itertools.product(modes, (False, True)):
        if corners and mode.startswith("nearest"):
            continue
        ours, coordinates, rounding = OURS[mode]
        named = {"mode": ours, "coordinates": "align_corners" if corners else coordinates, "rounding": rounding}
        theirs = {} if mode.startswith("nearest") else {"align_corners": corners}
        for size in SIZES[rank]:
            expected = F.interpolate(torch.from_numpy(x), size=size, mode=mode, **theirs).numpy()
            close(resize(x, sizes=size, **named), expected, mode, corners, size)
        for factor in (2.0, 0.5, 1.5, 2.75, 0.7):
            expected = F.interpolate(torch.from_numpy(x), scale_factor=factor, mode=mode, **theirs).numpy()
            # Scales of their own are what coordinates are made of, as in PyTorch where it does not recompute them.
            close(resize(x, scales=factor, **named), expected, mode, corners, factor)

# ONNX
for rank, mode, coordinates in itertools.product((1, 2), ("nearest", "linear", "cubic"), ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")):
    if mode == "cubic" and rank == 1:
        continue  # the reference has none
    x = random.normal(size=(1, 2, *(5, 4)[:rank]))
    for rounding in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil") if mode == "nearest" else ("floor",):
        for sizes in SIZES[rank][:4]:
            if coordinates == "pytorch_half_pixel" and mode == "cubic" and 1 in sizes:
                continue  # where the operator's text says 0, as do its runtimes, the reference has -0.5
            node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode=mode, coordinate_transformation_mode=coordinates,
                                    **({"nearest_mode": rounding} if mode == "nearest" else {}))
            graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.DOUBLE, None), helper.make_tensor_value_info("sizes", TensorProto.INT64, None)],
                                      [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)])
            (expected,) = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])).run(
                None, {"x": x, "sizes": numpy.array([1, 2, *sizes], "int64")})
            # Coordinates of the reference are float32 where it is cubic.
            close(resize(x, sizes=sizes, mode=mode, coordinates=coordinates, rounding=rounding), expected, mode, coordinates, rounding, sizes,
                  allowed=1e-5 if mode == "cubic" else 1e-12)


# Gradients: of an image that is a parameter, one step of SGD with the rate 1.
class Image(nn.Module):
    def __init__(self, value, **named):
        self.image, self.named = nn.Parameter(value.shape, "ones", value=value), named

    def forward(self, weights):
        return ops.resize(self.image, **self.named) * weights


for mode, corners in (("nearest", None), ("nearest-exact", None), ("bilinear", False), ("bilinear", True), ("bicubic", False), ("bicubic", True)):
    ours, coordinates, rounding = OURS[mode]
    for size in SIZES[2]:
        x, w = random.normal(size=(2, 3, 5, 7)).astype("float32"), random.normal(size=(2, 3, *size)).astype("float32")
        model = Image(numpy.moveaxis(x, 1, -1), sizes=size, mode=ours, coordinates="align_corners" if corners else coordinates, rounding=rounding)
        weights = numpy.moveaxis(w, 1, -1)
        model.specify(weights=nn.Input(weights.shape, batched=False))
        model.compile(halfstep.SGD(1.0), loss=lambda outputs, targets: ops.mean(outputs - targets), metrics=[], policy="float32", threads=1)
        model.trainer.step(weights, numpy.zeros_like(weights))
        found = numpy.moveaxis(numpy.moveaxis(x, 1, -1) - model.state_dict()["image"], -1, 1)
        given = torch.from_numpy(x).requires_grad_()
        (F.interpolate(given, size=size, mode=mode, **({} if corners is None else {"align_corners": corners})) * torch.from_numpy(w)).mean().backward()
        assert numpy.abs(found - given.grad.numpy()).max() < 1e-6, (mode, corners, size)

for wrong, expected in (
    (lambda x: ops.resize(x), "resize: neither sizes nor scales are given, expected one of them"),
    (lambda x: ops.resize(x, (3, 4, 5)), "resize: 3 sizes for an input of shape (None, 5, 7, 3), expected one or 2"),
    (lambda x: ops.resize(x, 0), "resize: a size is 0, expected a whole number of at least 1"),
    (lambda x: ops.resize(x, scales=0), "resize: scales is 0, expected finite numbers greater than 0"),
    (lambda x: ops.resize(x, scales=[2, None]), "resize: a scale is None, expected a number"),
    (lambda x: ops.resize(x[:, 0, 0], 3), "resize: an input of shape (None, 3), expected [rows, sizes, channels] with one to three sizes"),
    (lambda x: ops.resize(x, 3, mode="bilinear"), "mode"),
    (lambda x: ops.resize(x, 3, rounding="ceil"), "nearest"),
):
    try:
        nn.Sequential(wrong).predict(numpy.zeros((2, 5, 7, 3), "float32"))
        raise AssertionError(expected)
    except halfstep.Error as error:
        assert expected in str(error), (str(error), expected)


# Under every policy, of an open batch, on a CPU and on a simulated GPU: behind a layer whose results are low, and in front of one.
class Upsampled(nn.Module):
    def __init__(self):
        self.first, self.second = nn.Conv2D(8, 3, padding="same"), nn.Conv2D(2, 3, padding="same")

    def forward(self, x):
        return self.second(ops.resize(ops.relu(self.first(x)), scales=2, mode="cubic") + ops.resize(x[..., :1], (8, 10), mode="nearest", coordinates="asymmetric"))


x, y = random.normal(size=(4, 4, 5, 3)).astype("float32"), random.normal(size=(4, 8, 10, 2)).astype("float32")
found = {}
for policy, device in itertools.product(("float32", "mixed_float16", "mixed_bfloat16"), ("cpu", "simt")):
    model = Upsampled()
    model.compile(halfstep.SGD(0.001), loss="mse", policy=policy, device=device, metrics=[], loss_scaler=256.0)
    found[policy, device] = [model.trainer.step(x, y)["loss"] for _ in range(3)] + [model.evaluate(x, y)["loss"], float(model.predict(x[:3]).sum())]
for (policy, device), values in found.items():
    allowed = {"float32": 1e-4, "mixed_float16": 2e-2, "mixed_bfloat16": 5e-2}[policy]
    assert numpy.allclose(values[:4], found["float32", "cpu"][:4], rtol=allowed), (policy, device, values, found["float32", "cpu"])
    assert numpy.isfinite(values).all()
