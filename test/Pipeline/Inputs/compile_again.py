#!/usr/bin/python3
"""Compiles the text of each stage again and compares what comes of it with what comes of the model itself.

usage: compile_again.py text|targets MODEL.mlir FOLDER FLAG...

The text of every stage up to the optimizer gives the same text of the optimizer stage; with `targets` also of the kernels
stage for each target, and the same executable for those whose code any machine runs: the same programs, the same results.
"""

import filecmp
import pathlib
import subprocess
import sys

STAGES = ["specialize", "autocast", "inference", "autodiff", "loss-scaling", "optimizer"]
TARGETS = [["--target=cpu"], ["--target=nvptx", "--chip=sm_90"], ["--target=simt", "--chip=sm_75"]]
EXECUTABLES = [["--target=cpu"], ["--target=reference"]]


def compile(model, output, *flags):
    done = subprocess.run(["mp-run", "compile", model, "-o", output, *flags], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{model} with {' '.join(flags)}:\n{done.stderr}")


def main():
    model, folder, flags = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    folder.mkdir(parents=True)
    goals = [["--compile-to=optimizer"]]
    if sys.argv[1] == "targets":
        goals += [["--compile-to=kernels", *target] for target in TARGETS]
        goals += [["--compile-to=executable", *target] for target in EXECUTABLES]
    for number, goal in enumerate(goals):
        compile(model, folder / f"{number}", *flags, *goal)
    compared = 0
    for stage in STAGES:
        # An executable says which file it was made of.
        text = folder / stage / model.name
        text.parent.mkdir()
        compile(model, text, *flags, f"--compile-to={stage}")
        for number, goal in enumerate(goals):
            compile(text, folder / stage / f"{number}", *flags, *goal)
            if not filecmp.cmp(folder / f"{number}", folder / stage / f"{number}", shallow=False):
                sys.exit(f"the text of {stage} gives something else: {folder / stage / str(number)}, {' '.join(goal)}")
            compared += 1
    print(f"{compared} of {len(STAGES) * len(goals)} are the same")


if __name__ == "__main__":
    main()
