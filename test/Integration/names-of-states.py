#!/usr/bin/python3
"""Trains a text with two states A and B under other names, and compares what becomes of them with what the text says.

usage: names-of-states.py MODEL FOLDER

FOLDER has data.npz of 64 rows. A step of 4 micro-batches of 8 rows commits 4 new values, a skipped one none.
"""

import importlib.util
import pathlib
import subprocess
import sys

there = pathlib.Path(__file__).with_name("compare-checkpoints.py")
spec = importlib.util.spec_from_file_location("checkpoints", there)
checkpoints = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checkpoints)

NAMES = [("s", "t"), ("s", "s/pending/pending"), ("s/pending/pending", "s"), ("s", "learning_rate/pending"), ("s", "skipped_steps/pending"),
         ("s", "w/gradient_sum/pending"), ("s", "s/gradient_sum"), ("s/x", "s/x/adam.m")]
#: Settings, and how many steps of the two are kept.
SETTINGS = {"float32": (["--policy=float32", "--optimizer=sgd"], 2),
            "kept": (["--policy=mixed_float16", "--optimizer=adam", "--loss-scale=16"], 2),
            "skipped": (["--policy=mixed_float16", "--optimizer=adam", "--loss-scale=1e38"], 0)}


def main():
    model, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    trainings = 0
    for a, b in NAMES:
        text = folder / "model.mlir"
        text.write_text(model.replace('"A"', f'"{a}"').replace('"B"', f'"{b}"'))
        for setting, (flags, steps) in SETTINGS.items():
            checkpoint = folder / f"checkpoint{trainings}"
            subprocess.run(["mp-run", "train", text, f"--data={folder / 'data.npz'}:x=x,y=y", "--batch-size=8", "--accumulate=4", "--steps=2",
                            "--learning-rate=0.25", "--quiet", f"--checkpoint={checkpoint}", *flags], check=True)
            state = checkpoints.load(checkpoint)
            found, expected = (float(state[a]), float(state[b])), (0.5 + 4 * steps, 2 * 1.5 ** (4 * steps))
            assert found == expected, f"{a} and {b}, {setting}: {found}, expected {expected}"
            trainings += 1
    print(f"{trainings} trainings, no value depends on a name")


if __name__ == "__main__":
    main()
