"""Convolutions of well-known layers: forward, and the gradients of image and filter."""

import dataclasses

import models
import ours
import turns
from report import Row


@dataclasses.dataclass(frozen=True)
class Layer:
    """Images of height = width, square filters, the same padding on each side."""

    images: int
    size: int
    channels: int
    filters: int
    taps: int
    stride: int
    padding: int
    groups: int = 1

    @property
    def name(self):
        sizes = ",".join(map(str, dataclasses.astuple(self)[:-1]))
        return sizes if self.groups == 1 else f"{sizes}, {self.groups} groups"

    @property
    def result(self):
        return (self.size + 2 * self.padding - self.taps) // self.stride + 1

    def flops(self):
        return 2 * self.images * self.result**2 * self.filters * self.channels // self.groups * self.taps**2

    def shapes(self):
        """Of image, filter and result."""
        return ((self.images, self.size, self.size, self.channels), (self.filters, self.taps, self.taps, self.channels // self.groups),
                (self.images, self.result, self.result, self.filters))


LAYERS = [
    Layer(64, 32, 3, 32, 3, 1, 1), Layer(64, 32, 32, 32, 3, 1, 0), Layer(64, 15, 32, 64, 3, 1, 1), Layer(64, 15, 64, 64, 3, 1, 0),
    Layer(16, 56, 64, 64, 3, 1, 1), Layer(16, 28, 128, 128, 3, 1, 1), Layer(16, 14, 256, 256, 3, 1, 1), Layer(16, 56, 64, 256, 1, 1, 0),
    Layer(16, 56, 128, 128, 3, 2, 1), Layer(4, 224, 3, 64, 7, 2, 3),
    Layer(64, 32, 32, 32, 3, 1, 1, groups=32), Layer(16, 56, 128, 128, 3, 1, 1, groups=128), Layer(16, 56, 128, 128, 3, 2, 1, groups=128),
]
QUICK = LAYERS[:1]
# By the op of each pass: which of image, filter and result it takes and gives.
PASSES = {"forward": ("mp.conv", 0, 1, 2), "dX": ("mp.conv_transpose", 2, 1, 0), "dW": ("mp.conv_filter_grad", 0, 2, 1)}


def text(layer, direction, kind):
    op, left, right, result = PASSES[direction]
    a, b, p = (models.tensor(*layer.shapes()[place], kind) for place in (left, right, result))
    windows = f"{{strides = [{layer.stride}, {layer.stride}], padding = [{', '.join([str(layer.padding)] * 4)}], groups = {layer.groups}}}"
    return f"""func.func @conv(%a: {a} {{mp.input = "a"}}, %b: {b} {{mp.input = "b"}}) -> ({p} {{mp.output = "p"}})
    attributes {{mp.program = "model"}} {{
  %p = {op} %a, %b acc f32 {windows} : {a}, {b} -> {p}
  return %p : {p}
}}
"""


def compare(run):
    run.report.section("Convolutions (images, height = width, channels, filters, taps, stride, padding)", 1.0)
    for threads in run.thread_counts():
        for kind in ("f32", "bf16"):
            for layer in QUICK if run.is_quick else LAYERS:
                for direction in PASSES:
                    work = f"conv {kind} {direction} {layer.name}"
                    if run.wants(work):
                        run.report.add(row(run, kind, direction, layer, threads, work))
    run.report.finish()


def row(run, kind, direction, layer, threads, work):
    executable, _ = run.halfstep.compile(text(layer, direction, kind), "--policy=float32", "--training=false")
    with run.halfstep.open(executable, "infer", threads) as program:
        participants = {"ours": ours.participant(program, threads)}
        program.sample(1)
        if run.pytorch:
            for layout in run.pytorch.LAYOUTS:
                action = run.pytorch.convolution(program, layer, direction, layout)
                run.pytorch.compare(work, run.pytorch.from_ours(program, "p"), action(), run.pytorch.TOLERANCES[kind])
                participants[f"PyTorch, {layout}"] = turns.calls(action, threads)
        times = turns.take_turns(participants, run.budget(threads))
    mine = times.pop("ours")
    return Row(work, threads, mine, times, 1.5 if layer.channels == 3 and kind == "f32" else 0.9,
               figures={"gflops": 1e-9 * layer.flops() / mine.median})
