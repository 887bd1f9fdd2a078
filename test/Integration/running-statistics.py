#!/usr/bin/python3
"""Checks what a checkpoint holds of running statistics.

usage: running-statistics.py FOLDER moved|kept

The newest safetensors checkpoint in FOLDER. `moved`: no running mean is 0 everywhere and no running variance 1, variances are
positive, and no state still waits to be committed as another value than the one that was. `kept`: they are as they began.
"""

import importlib.util
import pathlib
import sys

import numpy

there = pathlib.Path(__file__).with_name("compare-checkpoints.py")
spec = importlib.util.spec_from_file_location("checkpoints", there)
checkpoints = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checkpoints)


def main():
    state = checkpoints.load(sys.argv[1])
    found = {name: value for name, value in state.items() if name.endswith(("running_mean", "running_variance"))}
    assert found, f"no running statistics among {sorted(state)}"
    for name, value in found.items():
        first = 0 if name.endswith("mean") else 1
        if sys.argv[2] == "kept":
            assert (value == first).all(), f"{name} is {value}"
            continue
        assert numpy.isfinite(value).all() and (value != first).any(), f"{name} is {value}"
        assert first == 0 or (value > 0).all(), f"{name} is {value}"
        waiting = state.get(name + "/pending")
        assert waiting is None or (waiting == value).all(), f"{name} is {value}, waiting is {waiting}"


if __name__ == "__main__":
    main()
