#!/usr/bin/python3
"""Checks that every option of every pass of mp-opt is a flag of mp-run by the same name, and a setting of mp-pipeline.

usage: options.py

An option that a flag sets under another name, because it is one of a group, has a line in GROUPS; one that no user sets
has a line in INTERNAL. A line for an option that is not there is an error, too.
"""

import re
import subprocess
import sys

# (pass, option): the flag whose value sets it.
GROUPS = {
    ("mp-specialize", "batch"): "batch-size",  # --batch-size=64
    ("mp-specialize", "other-batches"): "batch-size",  # --batch-size=64,1
    ("mp-optimizer", "kind"): "optimizer",  # --optimizer=sgd:momentum=0.9
    ("mp-loss-scaling", "mode"): "loss-scale",  # --loss-scale=dynamic:init-scale=8, or a number for static
    ("mp-autocast", "features"): "target",  # --target=cpu:avx2
    ("mp-decompose", "features"): "target",  # the same, or --chip
    ("mp-pad-channels", "features"): "target",
    ("mp-split-contractions", "features"): "target",
    ("mp-schedule-kernels", "features"): "target",
    ("mp-reduce-in-tiles", "features"): "target",
}
# What the stage table says to a verifier.
INTERNAL = {("mp-verify-kernels", "planned"), ("mp-verify-kernels", "scheduled")}


def text_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    options, owner = {}, None
    for line in text_of("mp-opt", "--help").splitlines():
        if match := re.match(r"      --([a-z0-9-]+) ", line):
            owner = match[1] if match[1].startswith("mp-") else None
            if owner:
                options[owner] = set()
        elif owner and (match := re.match(r"        --([a-z0-9-]+)[ =]", line)):
            options[owner].add(match[1])
    pipeline = options.pop("mp-pipeline")
    del options["mp-training"]  # groups of the same passes, in braces
    flags = set(re.findall(r"^ +--([a-z0-9-]+)", text_of("mp-run", "compile", "--help"), re.MULTILINE))
    pairs = {(owner, option) for owner, names in options.items() for option in names}
    problems = [f"{owner}: there is no option {option}" for owner, option in (set(GROUPS) | INTERNAL) - pairs]
    for owner, option in sorted(pairs - INTERNAL):
        flag = GROUPS.get((owner, option), option)
        for place, names in (("flag --", flags), ("setting of mp-pipeline, ", pipeline)):
            if flag not in names:
                problems.append(f"{owner}: option {option} is no {place}{flag}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(pairs)} options of {len(options)} passes, {len(flags)} flags")


if __name__ == "__main__":
    main()
