#!/usr/bin/python3
"""Writes ten pictures of stripes under noise as .npy arrays [256, 256, 3]: five directions, two widths. Colours and brightness
tell nothing, so that who tells them apart has learned filters.

usage: textures.py TARGET
"""

import pathlib
import sys

import numpy as np

target = pathlib.Path(sys.argv[1])
target.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
y, x = np.mgrid[:256, :256]
for number in range(10):
    direction, width = np.pi * (number % 5) / 5, (4, 9)[number // 5]
    stripes = np.sin(2 * np.pi / width * (np.cos(direction) * x + np.sin(direction) * y))
    picture = 128 + 90 * stripes[..., None] + random.normal(0, 20, (256, 256, 3))
    np.save(target / f"{number}.npy", picture.clip(0, 255).astype(np.uint8))
