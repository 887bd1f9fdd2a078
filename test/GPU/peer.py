#!/usr/bin/env python3
"""Times with PyTorch what the bundle's benchmarks time, beside ours: reads lines NAME<tab>WORDS, writes as it goes, for
each, NAME<tab>STATUS<tab>MICROSECONDS<tab>MESSAGE<tab>OUR MICROSECONDS.

usage: peer.py --device=cuda [--bundle=FOLDER] < LINES

The executable of FOLDER/cases/NAME.tar.xz runs in this process, by FOLDER/lib/libHalfstepRuntime.so, and PyTorch works on the
memory of its inputs: random normal values that are on the device before. Results are compared with ours. A sample is
several runs one after another between two events of the device's clock (of the host's, on cpu); samples of ours and of
PyTorch take turns, and of each the median counts. Without the library PyTorch works on tensors of its own, and our time
is null.
"""

import argparse
import contextlib
import dataclasses
import functools
import pathlib
import statistics
import sys
import tarfile
import tempfile
import time
from typing import Callable

import torch
import torch.nn.functional as F

import image_networks
import shared_tensors
import torch_models

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "tf32": torch.float32}
# How far a result may be from ours, in parts of its largest value: a few roundings of factors and result.
TOLERANCES = {"f16": 1e-2, "bf16": 2e-2, "f32": 1e-4, "tf32": 1e-2}
LOW = {"mixed_float16": torch.float16, "mixed_bfloat16": torch.bfloat16}


@dataclasses.dataclass
class Peer:
    label: str
    run: Callable
    # Runs once and gives what it computes, by the names of our results.
    results: Callable = dict


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("work", choices=sorted(WORKS))
    parser.add_argument("--type", choices=sorted(TYPES), default="f32")
    parser.add_argument("--policy", choices=["float32", "tf32", *LOW], default="float32")
    for name in ("m", "n", "k", "images", "size", "channels", "filters", "taps", "stride", "padding"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--pass", dest="direction", choices=["forward", "dx", "dw"])
    parser.add_argument("--model", choices=sorted(image_networks.NETWORKS))
    parser.add_argument("--optimizer", choices=["adam", "sgd"], default="adam")
    for flag in ("transpose-lhs", "transpose-rhs", "compile", "fused"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--epilogue", choices=["bias_relu"])
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split("-")])
    return parser.parse_args(words)


def own_tensors(device):
    """Inputs of PyTorch's own: random values, integers below `limit`."""

    def make(_name, shape, dtype, limit=256):
        if dtype.is_floating_point:
            return torch.randn(shape, device=device).to(dtype)
        return torch.randint(0, limit, shape, device=device, dtype=dtype)

    return make


def inputs_of(program):
    """Our inputs, which have the type that is asked for."""

    def share(name, shape, dtype, limit=None):
        tensor = torch.from_dlpack(program.tensor(name))
        if tensor.shape != shape or tensor.dtype != dtype:
            raise ValueError(f"input {name} is {tensor.dtype} of {tuple(tensor.shape)}, not {dtype} of {shape}")
        return tensor

    return share


def gemm(options, device, given):
    m, n, k, dtype = options.m, options.n, options.k, TYPES[options.type]
    a = given("p_a", (k, m), dtype).t() if options.transpose_lhs else given("p_a", (m, k), dtype)
    b = given("p_b", (n, k), dtype).t() if options.transpose_rhs else given("p_b", (k, n), dtype)
    if not options.epilogue:
        out = torch.empty((m, n), dtype=dtype, device=device)
        run = functools.partial(torch.matmul, a, b, out=out)
        return Peer("torch.matmul", run, lambda: {"p": run()})
    bias = given("p_w", (n,), dtype)
    # The library's own fusion, where this version has it.
    if device.type == "cuda" and hasattr(torch, "_addmm_activation"):
        run = functools.partial(torch._addmm_activation, bias, a, b)
        return Peer("torch._addmm_activation", run, lambda: {"p_r": run()})
    return Peer("torch.addmm, relu", lambda: torch.relu_(torch.addmm(bias, a, b)),
                lambda: {"p_r": torch.addmm(bias, a, b).relu()})


def convolution(options, device, given):
    """Our images are NHWC, what PyTorch calls channels_last: it reads them, and our filters, where they lie."""
    dtype, sides, steps = TYPES[options.type], [options.padding] * 2, [options.stride] * 2
    made = (options.size + 2 * options.padding - options.taps) // options.stride + 1
    shapes = {"image": (options.images, options.size, options.size, options.channels),
              "filter": (options.filters, options.taps, options.taps, options.channels),
              "result": (options.images, made, made, options.filters)}

    def read(name, what):
        return given(name, shapes[what], dtype).permute(0, 3, 1, 2)

    def ours(tensor):
        return tensor.permute(0, 2, 3, 1)

    if options.direction != "forward":
        of_image = options.direction == "dx"
        # What is not given is read for its shape alone.
        other = torch.empty(shapes["image" if of_image else "filter"], dtype=dtype, device=device).permute(0, 3, 1, 2)
        if of_image:
            g, x, w = read("p_a", "result"), other, read("p_b", "filter")
        else:
            g, x, w = read("p_b", "result"), read("p_a", "image"), other
        run = functools.partial(torch.ops.aten.convolution_backward, g, x, w, None, steps, sides, [1, 1], False, [0, 0], 1,
                                [of_image, not of_image, False])
        return Peer("convolution_backward", run, lambda: {"p": ours(run()[0 if of_image else 1])})
    x, w = read("p_a", "image"), read("p_b", "filter")
    if not options.epilogue:
        run = functools.partial(F.conv2d, x, w, stride=steps, padding=sides)
        return Peer("conv2d", run, lambda: {"p": ours(run())})
    bias = given("p_w", (options.filters,), dtype)
    if options.fused:  # the library's own fusion, which not every version has in every type
        run = functools.partial(torch.cudnn_convolution_relu, x, w, bias, steps, sides, [1, 1], 1)
        return Peer("cudnn_convolution_relu", run, lambda: {"p_r": ours(run())})
    run = lambda: torch.relu_(F.conv2d(x, w, bias, stride=steps, padding=sides))  # noqa: E731
    return Peer("conv2d, relu", run, lambda: {"p_r": ours(run())})


def cross_entropy(options, device, given):
    logits = given("x", (options.m, options.n), TYPES[options.type]).requires_grad_()
    labels = given("y", (options.m,), torch.int32, options.n).long()  # the type that PyTorch takes
    function = torch.compile(F.cross_entropy) if options.compile else F.cross_entropy

    def run():
        logits.grad = None
        loss = function(logits, labels)
        loss.backward()
        return loss.detach()

    return Peer("torch.compile cross_entropy" if options.compile else "eager cross_entropy", run,
                lambda: {"loss": run(), "dx": logits.grad})


def copy(options, device, given):
    """As much traffic as our ReLU has."""
    source = given("x", (options.m, options.n), torch.float32)
    target = torch.empty_like(source)
    run = functools.partial(target.copy_, source)
    return Peer("Tensor.copy_", run, lambda: {"y": run().relu()})


def network(options, device):
    if options.model:
        return torch_models.network(image_networks.NETWORKS[options.model]).to(device, memory_format=torch.channels_last)
    layers = []
    for inputs, outputs in zip(options.sizes, options.sizes[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).to(device)


def stepper_of(options, model, device):
    """The optimizer, and what to call it."""
    make, rate = {"adam": (torch.optim.Adam, 1e-3), "sgd": (torch.optim.SGD, 1e-2)}[options.optimizer]
    fused = device.type == "cuda"
    return make(model.parameters(), lr=rate, fused=fused), f"fused {make.__name__}" if fused else make.__name__


def grad_scaler(device, enabled):
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device.type, enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled and device.type == "cuda")


def inputs_of_step(options, given):
    """What makes the network's input of ours, as often as it runs, and labels in the type that PyTorch takes."""
    if options.model:
        model = image_networks.NETWORKS[options.model]
        classes, images = model.classes, given("x", (options.m, *model.input_shape), torch.float32).permute(0, 3, 1, 2)
        make = lambda: images  # noqa: E731 (channels_last where it lies)
    else:
        classes, pixels = options.sizes[-1], given("x", (options.m, options.sizes[0]), torch.uint8)
        make = lambda: pixels.float() / 255  # noqa: E731
    return make, given("y", (options.m,), torch.uint8, classes).long()


def step(options, device, given):
    model = network(options, device)
    optimizer, optimizer_label = stepper_of(options, model, device)
    scaler = grad_scaler(device, options.policy == "mixed_float16")
    low = LOW.get(options.policy)
    if low and device.type != "cuda":
        low = torch.bfloat16  # not every version has f16 on a CPU, where this is only tried
    cast = functools.partial(torch.autocast, device.type, low) if low else contextlib.nullcontext
    images, labels = inputs_of_step(options, given)

    def forward():
        with cast():
            return F.cross_entropy(model(images()), labels)

    if options.compile:
        forward = torch.compile(forward, mode="reduce-overhead")

    def run():
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(forward()).backward()
        scaler.step(optimizer)
        scaler.update()

    return Peer(f"{'torch.compile' if options.compile else 'eager'} {options.policy}, {optimizer_label}", run)


def optimizer(options, device, given):
    """The step of Adam, with the checks and the scale of mixed precision."""
    model = network(options, device)
    stepper, label = stepper_of(options, model, device)
    scaler = grad_scaler(device, options.policy == "mixed_float16")
    if scaler.is_enabled():
        scaler.scale(torch.ones((), device=device))  # makes the scale
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)

    def run():
        scaler.step(stepper)
        scaler.update()

    return Peer(label, run)


WORKS = {"gemm": gemm, "conv": convolution, "cross-entropy": cross_entropy, "copy": copy, "step": step, "optimizer": optimizer}
# Of our executables; "infer" is that of other works.
PROGRAMS = {"step": "train_step", "optimizer": "apply"}


def sample(action, device, runs):
    """Runs and waits; the seconds of one run."""
    if device.type != "cuda":
        begin = time.perf_counter()
        for _ in range(runs):
            action()
        return (time.perf_counter() - begin) / runs
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(runs):
        action()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / runs


def take_turns(samplers):
    """The median microseconds of a run of each, in samples of at least a few milliseconds."""
    runs = []
    for sampler in samplers:
        sampler(10)
        runs.append(max(1, min(1000, int(5e-3 / max(sampler(3), 1e-9)))))
    turns = [[sampler(count) for sampler, count in zip(samplers, runs)] for _ in range(20)]
    return [statistics.median(seconds) * 1e6 for seconds in zip(*turns)]


def compare(program, peer, tolerance):
    """Raises where a result of ours is not the peer's."""
    program.sample(1)
    for name, theirs in peer.results().items():
        ours = torch.from_dlpack(program.tensor(name))
        if ours.shape != theirs.shape:
            raise ValueError(f"wrong result {name}: {tuple(ours.shape)}, PyTorch's is {tuple(theirs.shape)}")
        difference = (theirs - ours).abs().max().item()
        allowed = tolerance * theirs.abs().max().item()
        if not difference <= allowed:
            raise ValueError(f"wrong result {name}: differs by {difference:.3g} from PyTorch's, allowed is {allowed:.3g}")


def run(options, device, program):
    """The peer's label, its microseconds and, where there is a program, ours."""
    allows_tf32 = "tf32" in (options.type, options.policy)
    torch.backends.cuda.matmul.allow_tf32 = allows_tf32
    torch.backends.cudnn.allow_tf32 = allows_tf32
    torch.backends.cudnn.benchmark = True  # the fastest of its kernels
    if options.compile:
        torch.compiler.reset()  # it gives up on a function that it compiles often
    torch.manual_seed(0)
    peer = WORKS[options.work](options, device, inputs_of(program) if program else own_tensors(device))
    theirs = functools.partial(sample, peer.run, device)
    if not program:
        return peer.label, take_turns([theirs])
    if device.type == "cuda":
        torch.cuda.synchronize()  # ours run in a stream of their own
    compare(program, peer, TOLERANCES[options.type])
    return peer.label, take_turns([theirs, program.sample])


def open_program(library, bundle, case, device, name):
    """The program of a case, read from its archive."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(bundle / "cases" / f"{case}.tar.xz") as archive:
        archive.extract(f"{case}.mpx", folder)
        return shared_tensors.Program(library, pathlib.Path(folder, f"{case}.mpx"), device, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=torch.device, default="cuda")
    parser.add_argument("--bundle", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    arguments = parser.parse_args()
    device, library, suffix = arguments.device, None, f", PyTorch {torch.__version__}"
    if device.type == "cuda":
        device = torch.device("cuda", device.index or 0)  # set_device takes no device without a number
        torch.cuda.set_device(device)
    try:
        library = shared_tensors.load(arguments.bundle / "lib" / "libHalfstepRuntime.so")
    except (OSError, AttributeError) as error:
        suffix += f", own tensors: {error}"
    for line in sys.stdin:
        name, words = line.rstrip("\n").split("\t")
        try:
            options = parse(words.split())
            with contextlib.ExitStack() as stack:
                program = library and stack.enter_context(
                    open_program(library, arguments.bundle, name, str(device), PROGRAMS.get(options.work, "infer")))
                label, (theirs, *ours) = run(options, device, program)
            values = [f"{theirs:.3f}", label + suffix, f"{ours[0]:.3f}" if ours else "null"]
            print(name, "passed", *values, sep="\t", flush=True)
        except Exception as error:  # one that is not there in this version is no reason to stop
            text = " ".join(str(error).split())[:200]
            print(name, "failed", "null", f"{type(error).__name__}: {text}", "null", sep="\t", flush=True)
        if device.type == "cuda":
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
