"""Runs what two builds compile of a model on the same inputs, and compares the bytes of what comes of it."""

import dataclasses
import functools
import math
import os
import pathlib
import pickle
import re
import struct
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).with_name("run_programs.py")
SEED = "1"
FORMATS = {"bool": "?", "uint8": "B", "int32": "i", "int64": "q", "float16": "e", "float32": "f", "float64": "d"}


@dataclasses.dataclass
class Run:
    """One model for one target: "cpu:avx2" or a chip, which is simulated."""

    name: str
    model: str
    flags: list
    target: str
    differs: bool  # in a text


@dataclasses.dataclass
class Failure:
    """Why there are no results. `is_result`: compiled code ended with an error, which another build's may not do."""

    text: str
    is_result: bool = False


@functools.cache
def has_level(build, level):
    """Whether the processor of this machine has tiles of that level, which are emulated elsewhere."""
    devices = subprocess.run([build / "bin" / "mp-run", "devices"], capture_output=True, text=True, check=True).stdout
    return level in re.search(r"features (.*)", devices)[1].split()


def is_emulated(build, target):
    return target.startswith("cpu:amx") and not has_level(build, target.removeprefix("cpu:"))


def python_of(build):
    """The interpreter whose packages the build's own package needs."""
    cache = build / "CMakeCache.txt"
    found = cache.exists() and re.search(r"^MP_PYTHON:\w+=(.+)$", cache.read_text(), re.M)
    return found[1] if found else sys.executable


def results_of(build, run, seconds):
    """By name the type, sizes and bytes of what a model's programs give and leave, or a Failure."""
    where = [f"--target={run.target}"] if run.target.startswith("cpu") else ["--target=simt", f"--chip={run.target}"]
    if is_emulated(build, run.target):
        where.append("--emulate-tiles=true")
    with tempfile.TemporaryDirectory() as work:
        source, executable, results = (pathlib.Path(work) / name for name in ("model.mlir", "model.mpx", "results"))
        source.write_text(run.model)
        environment = {**os.environ, "HALFSTEP_COMPILE_CACHE": "off", "PYTHONPATH": str(build.resolve() / "python"),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        made = subprocess.run([build / "bin" / "mp-run", "compile", source, *run.flags, *where, "-o", executable],
                              capture_output=True, text=True, env=environment)
        if made.returncode:
            return Failure("does not compile it: " + last_line(made))
        rows = re.findall(r"--batch-size[= ](\d+)", " ".join(run.flags)) or ["64"]
        device = "cpu" if run.target.startswith("cpu") else "simt"
        try:
            ran = subprocess.run([python_of(build), RUNNER, executable, device, SEED, rows[-1], results],
                                 capture_output=True, text=True, env=environment, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Failure(f"takes more than {seconds} s")
        if ran.returncode:
            return Failure(last_line(ran), is_result=True)
        return pickle.loads(results.read_bytes())


def last_line(process):
    lines = process.stderr.strip().splitlines()
    lacking = re.search(r"needs [^;]* has not", lines[-1]) if lines else None
    return lacking[0] if lacking else lines[-1] if lines else f"exit status {process.returncode}"


def number(kind, data):
    return struct.unpack("f", b"\0\0" + data)[0] if kind == "bfloat16" else struct.unpack(FORMATS[kind], data)[0]


def difference(before, now):
    """How two tensors differ: in how many elements, and the largest difference between finite ones."""
    (kind, shape, old), (other, sizes, new) = before, now
    if (kind, shape) != (other, sizes):
        return f"is {other} {list(sizes)}, was {kind} {list(shape)}"
    count = math.prod(shape)
    size = len(old) // count
    pairs = [(number(kind, old[i:i + size]), number(kind, new[i:i + size])) for i in range(0, len(old), size)
             if old[i:i + size] != new[i:i + size]]
    distances = [abs(a - b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    largest = f"by up to {max(distances):.3g}" if distances else "none of them finite in both"
    return f"{len(pairs)} of {count} elements, {largest}"


def differences(before, now):
    """What differs of all results, the first of them described; None where every byte is the same."""
    lacking = sorted(before.keys() ^ now.keys())
    if lacking:
        return f"{len(lacking)} results are of one build alone, {lacking[0]} among them"
    found = [name for name in before if before[name] != now[name]]
    return found and f"{found[0]}: {difference(before[found[0]], now[found[0]])}; {len(found)} of {len(before)} results differ"


def compare_results(old_build, new_build, run, seconds):
    """("equal", "differ" or "not run", a sentence) for one run."""
    note = " (vectors in the place of tiles)" if is_emulated(new_build, run.target) else ""
    before = results_of(old_build, run, seconds)
    if isinstance(before, Failure) and not before.is_result:
        return "not run", f"not run here: {old_build} {before.text}"
    now = results_of(new_build, run, seconds)
    if isinstance(now, Failure) and not now.is_result:
        return "not run", f"not run here: {new_build} {now.text}"
    if isinstance(before, Failure) and isinstance(now, Failure):
        return "not run", f"not run here: {before.text}"
    for build, found in ((old_build, before), (new_build, now)):
        if isinstance(found, Failure):
            return "differ", f"results differ{note}: {build} alone ends with an error: {found.text}"
    found = differences(before, now)
    return ("differ", f"results differ{note}: {found}") if found else ("equal", f"results equal{note}")
