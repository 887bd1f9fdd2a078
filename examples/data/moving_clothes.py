#!/usr/bin/python3
"""Writes clips of clothes that move, 8 frames of 20 x 20, as examples/moving_clothes_conv3d.mlir takes them: in which
direction?

usage: moving_clothes.py FASHION_MNIST OUT.npz [TRAIN [TEST]]

A piece of clothing of Fashion-MNIST, at half its size, moves one pixel a frame in one of eight directions (right, then
counterclockwise by 45 degrees each), over noise; what leaves the field comes back on the other side. It begins anywhere, so
that no single frame tells the label. The test's clothes are those of the data set's test images.
"""

import gzip
import pathlib
import sys

import numpy as np

FRAMES, FIELD, SPRITE = 8, 20, 14
DIRECTIONS = np.array([(0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1)])


def sprites(folder, name):
    """Images [n, 14, 14]: the mean of each four pixels of a file's."""
    data = gzip.decompress((folder / f"{name}-images-idx3-ubyte.gz").read_bytes())
    images = np.frombuffer(data, np.uint8, offset=16).reshape(-1, SPRITE, 2, SPRITE, 2)
    return images.mean((2, 4)).astype(np.uint8)


def clips(images, count, random):
    labels = np.arange(count, dtype=np.uint8) % len(DIRECTIONS)
    chosen = images[random.integers(len(images), size=count)]
    start = random.integers(FIELD, size=(count, 2))
    seen = random.integers(0, 64, (count, FRAMES, FIELD, FIELD), np.uint8)  # noise
    for clip, label in enumerate(labels):
        for frame in range(FRAMES):
            rows, columns = ((at + np.arange(SPRITE)) % FIELD for at in start[clip] + DIRECTIONS[label] * frame)
            there = np.ix_([clip], [frame], rows, columns)
            seen[there] = np.maximum(seen[there], chosen[clip])
    return seen.reshape(count, -1), labels


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    train, test = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((3, 8000), (4, 1600)))
    random = np.random.default_rng(1)
    arrays = {}
    for part, name, count in (("train", "train", train), ("test", "t10k", test)):
        arrays[f"x_{part}"], arrays[f"y_{part}"] = clips(sprites(folder, name), count, random)
    np.savez(out, **arrays)
    print(f"{out}: {train} clips of training, {test} of test, {FRAMES} x {FIELD} x {FIELD}")


if __name__ == "__main__":
    main()
