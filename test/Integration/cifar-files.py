#!/usr/bin/python3
"""Writes a data set in CIFAR-10's binary files: random pictures, each class brighter in a colour and a corner of its own.

usage: cifar-files.py TARGET IMAGES_OF_A_FILE
"""

import pathlib
import sys

import numpy as np

target, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
target.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    labels = np.arange(count) % 10
    pixels = random.integers(0, 150, (count, 3, 32, 32))
    for picture, label in zip(pixels, labels):
        row, column = divmod(label // 3, 2)
        picture[label % 3, 16 * row : 16 * row + 16, 16 * column : 16 * column + 16] += 100
    records = np.concatenate([labels[:, None], pixels.reshape(count, -1)], 1).astype(np.uint8)
    (target / f"{name}.bin").write_bytes(records.tobytes())
(target / "batches.meta.txt").write_text("\n".join("airplane automobile bird cat deer dog frog horse ship truck".split()) + "\n")
