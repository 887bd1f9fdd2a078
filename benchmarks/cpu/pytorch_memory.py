#!/usr/bin/env python3
"""usage: pytorch_memory.py WORK POLICY: takes two steps of a work of training.py by PyTorch, and prints the bytes that the
process held before, after steps of the smallest work."""

import sys

import torch

import peak_memory
import pytorch
import training


def steps(work, policy):
    x = torch.randn(work.batch, *work.model.input_shape)
    y = torch.randint(0, work.model.classes, (work.batch,))
    training_steps = pytorch.Training(work.model, policy, work.optimizer, work.rate, x, y)
    for _ in range(2):
        training_steps.run()


torch.set_num_threads(1)
work, policy = training.WORKS[int(sys.argv[1])], sys.argv[2]
steps(training.SMALLEST, policy)  # much of PyTorch is loaded by the first step
print(peak_memory.held(), flush=True)
steps(work, policy)
