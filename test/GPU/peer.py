#!/usr/bin/env python3
"""Times with PyTorch what the bundle's benchmarks time: reads lines NAME<tab>WORDS, writes as it goes, for each,
NAME<tab>STATUS<tab>MICROSECONDS<tab>MESSAGE.

usage: peer.py --device=cuda < LINES

Inputs are random normal values that are on the device before. A sample is several runs one after another between two
events of the device's clock (of the host's, on cpu); of the samples the median counts, as for mp-exec benchmark.
"""

import argparse
import contextlib
import functools
import statistics
import sys
import time

import torch
import torch.nn.functional as F

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "tf32": torch.float32}


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("work", choices=sorted(WORKS))
    parser.add_argument("--type", choices=sorted(TYPES), default="f32")
    parser.add_argument("--policy", choices=["float32", "tf32", "mixed_float16"], default="float32")
    for name in ("m", "n", "k"):
        parser.add_argument(f"--{name}", type=int)
    for flag in ("transpose-lhs", "transpose-rhs", "compile"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--epilogue", choices=["bias_relu"])
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split("-")])
    return parser.parse_args(words)


def measure(action, device):
    """The median microseconds of a run, in samples of at least a few milliseconds."""
    is_gpu = device.type == "cuda"
    wait = torch.cuda.synchronize if is_gpu else lambda: None
    for _ in range(10):
        action()
    wait()
    begin = time.perf_counter()
    action()
    wait()
    runs = max(1, min(50, int(5e-3 / (time.perf_counter() - begin))))

    def stamp():
        if not is_gpu:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    stamps = [stamp()]
    for _ in range(20):
        for _ in range(runs):
            action()
        stamps.append(stamp())
    wait()
    pairs = zip(stamps, stamps[1:])
    return statistics.median((a.elapsed_time(b) * 1e3 if is_gpu else (b - a) * 1e6) / runs for a, b in pairs)


def random(shape, kind, device):
    return torch.randn(shape, device=device).to(TYPES[kind])


def gemm(options, device):
    m, n, k, kind = options.m, options.n, options.k, options.type
    a = random((k, m), kind, device).t() if options.transpose_lhs else random((m, k), kind, device)
    b = random((n, k), kind, device).t() if options.transpose_rhs else random((k, n), kind, device)
    if not options.epilogue:
        out = torch.empty((m, n), dtype=a.dtype, device=device)
        return "torch.matmul", lambda: torch.matmul(a, b, out=out)
    bias = random((n,), kind, device)
    # The library's own fusion, where this version has it.
    fused = getattr(torch, "_addmm_activation", None)
    if fused and device.type == "cuda":
        return "torch._addmm_activation", lambda: fused(bias, a, b)
    return "torch.addmm, relu", lambda: torch.relu_(torch.addmm(bias, a, b))


def cross_entropy(options, device):
    logits = random((options.m, options.n), options.type, device).requires_grad_()
    labels = torch.randint(0, options.n, (options.m,), device=device)
    function = torch.compile(F.cross_entropy) if options.compile else F.cross_entropy

    def run():
        logits.grad = None
        function(logits, labels).backward()

    return "torch.compile cross_entropy" if options.compile else "eager cross_entropy", run


def copy(options, device):
    source = random((options.m, options.n), "f32", device)
    target = torch.empty_like(source)
    return "Tensor.copy_", lambda: target.copy_(source)


def network(options, device):
    layers = []
    for inputs, outputs in zip(options.sizes, options.sizes[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).to(device)


def adam(model, device):
    return torch.optim.Adam(model.parameters(), lr=1e-3, fused=device.type == "cuda")


def grad_scaler(device, enabled):
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device.type, enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled and device.type == "cuda")


def step(options, device):
    model = network(options, device)
    optimizer = adam(model, device)
    is_mixed = options.policy == "mixed_float16"
    scaler = grad_scaler(device, is_mixed)
    # Not every version has f16 on a CPU, where this is only tried.
    low = torch.float16 if device.type == "cuda" else torch.bfloat16
    cast = functools.partial(torch.autocast, device.type, low) if is_mixed else contextlib.nullcontext
    images = torch.randint(0, 256, (options.m, options.sizes[0]), device=device, dtype=torch.uint8)
    labels = torch.randint(0, options.sizes[-1], (options.m,), device=device)

    def forward():
        with cast():
            return F.cross_entropy(model(images.float() / 255), labels)

    if options.compile:
        forward = torch.compile(forward, mode="reduce-overhead")

    def run():
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(forward()).backward()
        scaler.step(optimizer)
        scaler.update()

    return f"{'torch.compile' if options.compile else 'eager'} {options.policy}, fused Adam", run


def optimizer(options, device):
    """The step of Adam, with the checks and the scale of mixed precision."""
    model = network(options, device)
    stepper = adam(model, device)
    scaler = grad_scaler(device, options.policy == "mixed_float16")
    if scaler.is_enabled():
        scaler.scale(torch.ones((), device=device))  # makes the scale
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)

    def run():
        scaler.step(stepper)
        scaler.update()

    return "fused Adam" if device.type == "cuda" else "Adam", run


WORKS = {"gemm": gemm, "cross-entropy": cross_entropy, "copy": copy, "step": step, "optimizer": optimizer}


def run(words, device):
    options = parse(words)
    allows_tf32 = "tf32" in (options.type, options.policy)
    torch.backends.cuda.matmul.allow_tf32 = allows_tf32
    torch.backends.cudnn.allow_tf32 = allows_tf32
    torch.manual_seed(0)
    label, action = WORKS[options.work](options, device)
    return measure(action, device), label


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=torch.device, default="cuda")
    device = parser.parse_args().device
    for line in sys.stdin:
        name, words = line.rstrip("\n").split("\t")
        try:
            microseconds, label = run(words.split(), device)
            print(name, "passed", f"{microseconds:.3f}", f"{label}, PyTorch {torch.__version__}", sep="\t", flush=True)
        except Exception as error:  # one that is not there in this version is no reason to stop
            text = " ".join(str(error).split())[:200]
            print(name, "failed", "null", f"{type(error).__name__}: {text}", sep="\t", flush=True)
        if device.type == "cuda":
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
