"""Our compiler and runtime: models become executables, executables become participants."""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import shared_tensors  # noqa: E402

import turns  # noqa: E402

LEVELS = {
    "amx-fp16": {"amx-fp16", "amx-bf16", "amx-tile", "avx512bf16"},
    "amx-bf16": {"amx-bf16", "amx-tile", "avx512bf16"},
    "avx512": {"avx512bw", "avx512dq", "avx512f", "avx512vl", "avx2", "f16c", "fma"},
    "avx2": {"avx2", "f16c", "fma"},
    "sse2": {"sse2"},
}


def level_of(features, vendor):
    """The CPU level to compile for. Only on AMD's processors is bf16 by its own instruction faster than by f32."""
    level = next((name for name, needed in LEVELS.items() if needed <= features), "sse2")
    has_fast_bf16 = vendor == "AuthenticAMD" and "avx512bf16" in features
    return "avx512bf16" if level == "avx512" and has_fast_bf16 else level


class Halfstep:
    def __init__(self, build, folder, level=None):
        self.build, self.folder, self.executables = build, folder, {}
        for path in (self.tool("mp-run"), self.tool("mp-exec"), self.runtime()):
            if not path.exists():
                sys.exit(f"{path} is missing: build mp-run, mp-exec and HalfstepRuntime, or name another build folder")
        self.devices = self.run(self.tool("mp-exec"), "devices").split("\nsimt:")[0]
        self.library = shared_tensors.load(self.runtime())
        features = set(re.search(r"features (.*)", self.devices)[1].split())
        vendor = re.search(r"vendor_id\s*:\s*(\S+)", pathlib.Path("/proc/cpuinfo").read_text())
        self.level = level or level_of(features, vendor[1] if vendor else "")

    def tool(self, name):
        return self.build / "bin" / name

    def runtime(self):
        return self.build / "lib" / "libHalfstepRuntime.so"

    def run(self, *command):
        environment = dict(os.environ, HALFSTEP_COMPILE_CACHE="off")
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return done.stdout

    def compile(self, text, *flags):
        """The executable of a model, and the seconds that it took to compile."""
        key = (text, flags)
        if key not in self.executables:
            stem = self.folder / f"model{len(self.executables)}"
            stem.with_suffix(".mlir").write_text(text)
            begin = time.perf_counter()
            self.run(self.tool("mp-run"), "compile", stem.with_suffix(".mlir"), f"--target=cpu:{self.level}",
                     "-o", stem.with_suffix(".mpx"), *flags)
            self.executables[key] = stem.with_suffix(".mpx"), time.perf_counter() - begin
        return self.executables[key]

    def open(self, executable, program, threads):
        """A program with random inputs, to be closed by who opens it."""
        return shared_tensors.Program(self.library, executable, "cpu", program, threads=threads)


def participant(program, threads):
    return turns.Participant(program.sample, threads)
