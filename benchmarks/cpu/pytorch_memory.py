#!/usr/bin/env python3
"""usage: pytorch_memory.py WORK POLICY: takes two steps of a work of training.py by PyTorch, and prints as JSON the bytes
that the process held at most, and what it held before, with PyTorch loaded."""

import json
import resource
import sys

import torch

import pytorch
import training


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


work, policy = training.WORKS[int(sys.argv[1])], sys.argv[2]
torch.set_num_threads(1)
before = peak()
x = torch.randn(work.batch, *work.model.input_shape)
y = torch.randint(0, work.model.classes, (work.batch,))
steps = pytorch.Training(work.model, policy, work.optimizer, work.rate, x, y)
for _ in range(2):
    steps.run()
print(json.dumps({"before": before, "peak": peak()}))
