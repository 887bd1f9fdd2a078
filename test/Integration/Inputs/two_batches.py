"""Weights that a step changes are those that the other batch reads, packed or not: a step of 64 rows, then predictions of one row each, as a
file of the one batch has them.

usage: two_batches.py BOTH.mpx ONE.mpx FOLDER
"""

import pathlib
import subprocess
import sys

import numpy

both, one, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
random = numpy.random.default_rng(2)
x = random.integers(0, 256, (64, 784)).astype("uint8")
numpy.savez(folder / "wide.npz", x_train=x, y_train=random.integers(0, 10, 64).astype("uint8"))


def run(*words):
    subprocess.run(["mp-exec", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def predict(file, weights, rows):
    numpy.save(folder / "x.npy", rows)
    run("infer", file, f"--weights={folder / weights}", f"--input=x=@{folder / 'x.npy'}", f"--output=logits=@{folder / 'y.npy'}")
    return numpy.load(folder / "y.npy")


for file, batch, name in ((one, 64, "one"), (both, 64, "both"), (both, 1, "single")):
    run("train", file, f"--data={folder / 'wide.npz'}", f"--batch-size={batch}", "--steps=2", f"--checkpoint={folder / name}", "--quiet")
assert (folder / "one").glob("step*").__next__().read_bytes() == (folder / "both").glob("step*").__next__().read_bytes()
expected = predict(one, "both", x)
assert numpy.array_equal(predict(both, "both", x), expected)
for row in range(3):
    # Sums of one row may be added in another order than those of 64.
    assert numpy.abs(predict(both, "both", x[row : row + 1]) - expected[row]).max() < 2e-2 * numpy.abs(expected).max()
