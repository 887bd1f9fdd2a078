#!/usr/bin/env python3
"""Compares our code for this CPU with PyTorch, OpenBLAS and ONNX Runtime.

usage: benchmarks/cpu/compare.py BUILD_DIR [--threads=1,2] [--only=REGEX] [--quick] [--compile] [--json=FILE] [--table=FILE]
           [--peers=pytorch,openblas,onnxruntime] [--sections=LIST] [--budget=SECONDS] [--limit=SECONDS] [--level=LEVEL]

BUILD_DIR holds bin/mp-run, bin/mp-exec and lib/libHalfstepRuntime.so; build it with the release preset. `make benchmark`
builds these, installs the peers and runs this. Tables: products in float32, bfloat16 and float16 and in parts of bfloat16, convolutions, training steps, our mixed
precision beside our float32, inference, and what steps take to compile and hold in memory.

All run in this process on the same random inputs (OpenBLAS in one of its own), and a result of ours that is not the peer's
is an error. Samples of all take turns; cells are the median of them, with the least and the greatest, and the ratio is
the best peer's median by ours. With one thread a sample is the processor's time of its process, so that other work on the
machine does not count, with more it is that of the clock. A peer that is expected to take longer than --limit is left out.
"""

import argparse
import functools
import importlib
import os
import pathlib
import re
import sys
import tempfile
import time
import warnings

import convolutions
import models
import openblas
import ours
import products
import training
import turns
from report import Report

PACKAGES = {"pytorch": ("torch", "pytorch"), "onnxruntime": ("onnxruntime", "onnx_peer"), "numpy": ("numpy", "numpy_peer")}
SECTIONS = {
    "f32": lambda run: products.compare(run, "f32"),
    "bf16": lambda run: products.compare(run, "bf16"),
    "f16": lambda run: products.compare(run, "f16"),
    "parts": products.compare_parts,
    "convolutions": convolutions.compare,
    "training": training.compare,
    "policies": training.compare_policies,
    "inference": lambda run: importlib.import_module("inference").compare(run),
    "costs": training.report_costs,
}


def peer_module(name, peers):
    """The module of a peer that is asked for; ends where its package is not installed."""
    if name not in peers:
        return None
    package, module = PACKAGES[name]
    try:
        importlib.import_module(package)
    except ImportError:
        sys.exit(f"{package} is not installed: make benchmark installs it, and --peers leaves it out")
    return importlib.import_module(module)


class Run:
    """What the sections share: ours, the peers, and how long all of it may take."""

    def __init__(self, options, report, folder):
        self.options, self.report = options, report
        self.is_quick, self.limit, self.with_compile = options.quick, options.limit, options.compile
        self.halfstep = ours.Halfstep(options.build, folder, options.level)
        self.pytorch, self.onnxruntime, self.numpy = (
            peer_module(name, options.peers) for name in ("pytorch", "onnxruntime", "numpy"))
        if "openblas" in options.peers and not openblas.is_there():
            sys.exit(f"{openblas.LIBRARY} is not installed: make benchmark installs Debian's")
        self.servers = {}
        if self.with_compile and self.pytorch:
            importlib.import_module("torch._inductor.config").force_disable_caches = True
            warnings.filterwarnings("ignore", module="torch")

    def wants(self, work):
        return self.options.only.search(work)

    def budget(self, threads):
        # The pause lets threads of other libraries that spin for more work go to sleep, which takes libgomp 15 ms.
        return turns.Budget(self.options.budget, 0.4 if self.is_quick else 1.5, sample=2e-3 if self.is_quick else 5e-3,
                            pause=0.0 if threads == 1 else 0.03)

    def thread_counts(self):
        """Each of the counts, set for PyTorch, too."""
        for threads in self.options.threads:
            if self.pytorch:
                self.pytorch.torch.set_num_threads(threads)
            yield threads

    @functools.cache
    def rates(self, kind):
        """PyTorch's with one thread, by pass."""
        threads = self.pytorch.torch.get_num_threads()
        self.pytorch.torch.set_num_threads(1)
        rates = self.pytorch.rates(kind)
        self.pytorch.torch.set_num_threads(threads)
        return rates

    def training_peers(self, model):
        """(Implementation of the optimizer, how it executes, layout of images)."""
        if not self.pytorch:
            return []
        if not models.has_images(model):
            return [("foreach", "eager", None)] + [("fused", execution, None) for execution in self.executions()]
        # The templates that max-autotune tries are of products; convolutions are oneDNN's in each mode.
        executions = [execution for execution in self.executions() if "autotune" not in execution]
        return [("fused", execution, layout) for execution in executions for layout in self.pytorch.LAYOUTS]

    def executions(self):
        """The ways of PyTorch to execute a model: all with --compile."""
        return list(self.pytorch.EXECUTIONS) if self.with_compile else ["eager"]

    def openblas(self, threads):
        """OpenBLAS with so many threads, by its fastest core type."""
        if "openblas" not in self.options.peers:
            return None
        if threads not in self.servers:
            self.servers[threads], rates = openblas.best_server(threads, self.halfstep.level)
            self.report.facts[f"OpenBLAS, {threads} threads"] = {
                label: {"config": config, "gflops": rate} for label, (config, rate) in rates.items()}
        return self.servers[threads]

    def describe(self):
        report = self.report
        report.line(f"# Halfstep beside its peers on this CPU, {time.strftime('%Y-%m-%d')}\n")
        lines = [line.strip() for line in self.halfstep.devices.splitlines()]
        report.fact("processor", lines[0].removeprefix("cpu: "))
        for line in lines[1:]:
            name, _, rest = line.partition(" ")
            if name in ("runs", "multiplies"):
                report.fact(name, rest)
        report.fact("our target", f"cpu:{self.halfstep.level}")
        report.fact("other work on the machine", f"{os.getloadavg()[0]:.1f} threads")
        if os.getloadavg()[0] > 0.5 and max(self.options.threads) > 1:
            report.line("- **Other work is running**: libraries whose threads wait for each other are slow then, and figures "
                        "with more than one thread say little.")
        if self.pytorch:
            torch = self.pytorch.torch
            report.fact("PyTorch", f"{torch.__version__}, {torch.backends.cpu.get_cpu_capability()}")
            for kind, kernel in importlib.import_module("peer_kernels").described().items():
                report.fact(f"PyTorch {kind}", kernel)
        if self.onnxruntime:
            report.fact("ONNX Runtime", self.onnxruntime.onnxruntime.__version__)
        if self.numpy:
            report.fact("NumPy", self.numpy.numpy.__version__)
        for threads in self.options.threads if "f32" in self.options.sections else []:
            if self.openblas(threads):
                rates = self.report.facts[f"OpenBLAS, {threads} threads"]
                for label, found in rates.items():
                    report.line(f"- {label}, {threads} threads: {found['config']}, {found['gflops']:.0f} GF/s at 1024")
        report.line("\nCells: median [least, greatest]; ratio: the best peer's time by ours.")

    def close(self):
        for server in self.servers.values():
            server.close()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="works whose name has a match")
    parser.add_argument("--sections", type=lambda text: text.split(","), default=list(SECTIONS), help=",".join(SECTIONS))
    parser.add_argument("--peers", default="pytorch,openblas,onnxruntime", help="those to run, of pytorch, openblas, "
                        "onnxruntime and numpy; none for ours alone")
    parser.add_argument("--quick", action="store_true", help="few works, short samples")
    parser.add_argument("--compile", action="store_true", help="torch.compile, too, by default and with max-autotune, which takes long")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    parser.add_argument("--table", type=argparse.FileType("w"), help="file for what is printed")
    parser.add_argument("--budget", type=float, help="seconds of a row's samples (default 1, 0.2 with --quick)")
    parser.add_argument("--limit", type=float, help="seconds of a peer's run that is left out (default 6, 0.5 with --quick)")
    parser.add_argument("--level", help="CPU level to compile for (default: the best for this CPU)")
    options = parser.parse_args()
    options.peers = [] if options.peers == "none" else options.peers.split(",")
    for name in options.peers:
        if name not in [*PACKAGES, "openblas"]:
            parser.error(f"unknown peer '{name}'")
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"unknown section '{name}'; there are {', '.join(SECTIONS)}")
    options.budget = options.budget or (0.2 if options.quick else 1.0)
    options.limit = options.limit or (0.5 if options.quick else 6.0)
    return options


def main():
    options = parse()
    report = Report(options.table)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, report, pathlib.Path(folder))
        try:
            run.describe()
            for name in options.sections:
                SECTIONS[name](run)
        finally:
            run.close()
    report.line(f"\n{(time.monotonic() - begin) / 60:.1f} minutes in all.")
    if options.json:
        report.write(options.json)


if __name__ == "__main__":
    main()
