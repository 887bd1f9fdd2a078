#!/usr/bin/python3
"""Writes a data set of patches of pictures, 32 x 32 in colour, as examples/cifar10_cnn.mlir takes them: which picture is a
patch of?

usage: colour_patches.py OUT.npz [--train=N] [--test=N] PICTURE...

Each picture is a class: a file that Pillow reads, or a .npy array [y, x, 3] of bytes. A picture is divided into squares of
64 x 64, of which one in four is for the test: no test patch shares a pixel with one of training. The same patches come for
the same arguments.
"""

import argparse
import pathlib
import sys

import numpy as np

SIDE, SQUARE = 32, 64


def read(path):
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    from PIL import Image  # a picture of NumPy needs no Pillow

    return np.asarray(Image.open(path).convert("RGB"))


def corners(shape, tests):
    """Of each square that is for the test, or of the others, its upper left corner."""
    squares = [(i, j) for i in range(shape[0] // SQUARE) for j in range(shape[1] // SQUARE) if (i % 2 == j % 2 == 1) == tests]
    return np.array(squares) * SQUARE


def patches(picture, count, tests, random):
    """`count` patches, each within one square."""
    squares = corners(picture.shape, tests)
    places = squares[random.integers(len(squares), size=count)] + random.integers(SQUARE - SIDE + 1, size=(count, 2))
    return np.stack([picture[y : y + SIDE, x : x + SIDE] for y, x in places])


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--train", type=int, default=10000)
    parser.add_argument("--test", type=int, default=2000)
    parser.add_argument("pictures", type=pathlib.Path, nargs="+")
    given = parser.parse_args()
    random = np.random.default_rng(1)
    pictures = [read(path) for path in given.pictures]
    for path, picture in zip(given.pictures, pictures):
        if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or min(picture.shape[:2]) < 2 * SQUARE:
            sys.exit(f"{path}: expected bytes [y, x, 3] of at least {2 * SQUARE} x {2 * SQUARE}, found {picture.dtype} "
                     f"{list(picture.shape)}")
    arrays = {}
    for part, count, tests in (("train", given.train, False), ("test", given.test, True)):
        labels = np.arange(count, dtype=np.uint8) % len(pictures)
        images = np.empty((count, SIDE, SIDE, 3), np.uint8)
        for label, picture in enumerate(pictures):
            images[labels == label] = patches(picture, np.count_nonzero(labels == label), tests, random)
        arrays |= {f"x_{part}": images, f"y_{part}": labels}
    np.savez(given.out, **arrays)
    print(f"{given.out}: {len(pictures)} pictures, {given.train} patches of training, {given.test} of test")


if __name__ == "__main__":
    main()
