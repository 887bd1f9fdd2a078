"""The commands of the three tools, as tests of all of them have them: run by standard-output.test and output-files.test.

A command is a list of words. Files that it needs are in the folder `t`; output_flags() has those that write a file, which
is called PATH in them, or a file in a folder, which is called PATH/NAME.
"""

import os
import pathlib
import subprocess
import sys

INPUTS = pathlib.Path(__file__).parent
SMALL = ["--batch-size=1", "--training=false", "--target=cpu:sse2"]
STEPS = ["--data=t/data", "--steps=1"]


def prepare(build):
    """Writes the files that the commands need."""
    writer = f"{build}/unit/write-tiny-model"
    for arguments in (["t/m.mpx"], ["t/data", "data", "50", "20"]):
        subprocess.run([writer, *arguments], check=True)
    # What import runs: this Python, with the package of the build. One with sanitizers has none.
    package = pathlib.Path(build) / "python"
    if (package / "halfstep" / "_runtime.pyi").exists():
        import onnx_files

        onnx_files.write("t")
        folder = pathlib.Path("t/path").absolute()
        folder.mkdir(exist_ok=True)
        (folder / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (folder / "python3").chmod(0o755)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        os.environ["PYTHONPATH"] = str(package.absolute())


def imports(*commands):
    """Those commands where there are files of ONNX."""
    return list(commands) if os.path.exists("t/m.onnx") else []


def infer(tool):
    return [tool, "infer", "t/m.mpx", "--random-inputs=1"]


def train(tool):
    return [tool, "train", "t/m.mpx", *STEPS]


def compile(*more):
    return ["mp-run", "compile", str(INPUTS / "relu.mlir"), *SMALL, *more]


ACCURACY = str(INPUTS.parents[1] / "Integration/Inputs/tiny_accuracy.mlir")
COMPARE = ["mp-run", "compare", ACCURACY, "--variants=float32", "--batch-size=8", *STEPS]
BENCHMARK = ["mp-exec", "benchmark", "t/m.mpx", "--warmup=0", "--repeat=1", "--runs=1"]
TUNE = ["mp-run", "tune", "--seconds=0.01", "--target=cpu:sse2"]
EXPLAIN = ["mp-run", "explain", str(INPUTS / "relu.mlir"), "--batch-size=1", "--target=cpu:sse2"]
REPORT = ["mp-run", "report", str(INPUTS / "run.jsonl")]
OPT = ["mp-opt", str(INPUTS / "relu.mlir"), "-mp-specialize=batch=1"]


def verbs():
    """Each verb of each tool, and each other way to make it print. mp-opt has no verbs."""
    return {
        "mp-run": {
            "compile": [compile("--compile-to=specialize"), compile("-o", "t/x.mpx")],
            "import": imports(["mp-run", "import", "t/m.onnx"]),
            "infer": [infer("mp-run")],
            "train": [train("mp-run")],
            "compare": [COMPARE],
            "report": [[*REPORT, "-o", "-"], [*REPORT, "--json=-"]],
            "explain": [EXPLAIN, [*EXPLAIN, "--json=-"]],
            "tune": [TUNE],
            "devices": [["mp-run", "devices"]],
        },
        "mp-exec": {
            "infer": [infer("mp-exec")],
            "train": [train("mp-exec")],
            "benchmark": [BENCHMARK],
            "devices": [["mp-exec", "devices"]],
            "info": [["mp-exec", "info", "t/m.mpx"]],
        },
        "mp-opt": {
            "": [OPT, [*OPT, "-mp-autocast=plan-out=-", "-o", "/dev/null"]],
            "others": [["mp-opt", "--show-dialects"]],
        },
    }


def output_flags():
    """The flags that write files, and one file's name where the flag names a folder. Beside them there is --checkpoint."""
    return [
        (compile("-o", "PATH"), None),
        (compile("--compile-to=specialize", "-o", "PATH"), None),
        (compile("--compile-to=specialize", "-o", "/dev/null", "--dump-dir=PATH"), "01-specialize.mlir"),
        *[([*infer(tool), "--output=logits=@PATH"], None) for tool in ("mp-run", "mp-exec")],
        *[([*train(tool), "--quiet", "--log=PATH"], None) for tool in ("mp-run", "mp-exec")],
        ([*COMPARE, "--quiet", "--json=PATH"], None),
        ([*BENCHMARK, "--json=PATH"], None),
        ([*EXPLAIN, "--json=PATH"], None),
        ([*REPORT, "-o", "PATH"], None),
        ([*REPORT, "--json=PATH"], None),
        ([*TUNE, "-o", "PATH"], None),
        *[(command, None) for command in imports(
            ["mp-run", "import", "t/m.onnx", "-o", "PATH"],
            ["mp-run", "import", "t/w.onnx", "-o", "/dev/null", "--weights=PATH"])],
        ([*OPT, "-o", "PATH"], None),
        ([*OPT, "-mp-autocast=plan-out=PATH", "-o", "/dev/null"], None),
    ]


def checkpoint(tool):
    return [*train(tool), "--quiet", "--checkpoint=PATH"]
