"""A loss of classes that is given to a module of PyTorch by its name leaves out what PyTorch leaves out.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import math
import warnings

import torch
import torch.nn.functional as F

import halfstep

torch.manual_seed(1)
x = torch.randn(12, 6)
labels = torch.randint(0, 4, (12,))
labels[::3] = -100
kept = labels != -100

linear = torch.nn.Linear(6, 4)
logs = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.LogSoftmax(1))
for module, loss, function in ((linear, None, F.cross_entropy), (linear, "cross_entropy", F.cross_entropy), (linear, "CrossEntropyLoss", F.cross_entropy),
                               (logs, "nll_loss", F.nll_loss), (logs, "NLLLoss", F.nll_loss)):
    model = halfstep.from_torch(module, (x,))
    model.compile(halfstep.SGD(0.1), loss=loss, metrics=["accuracy"], policy="float32", threads=1)
    outputs = module(x)
    wanted, accuracy = function(outputs, labels), (outputs.argmax(1) == labels)[kept].double().mean().item()
    found = model.trainer.step(x, labels)
    assert math.isclose(found["loss"], wanted.item(), rel_tol=1e-5) and math.isclose(found["accuracy"], accuracy, rel_tol=1e-6), (loss, found)
    weight = next(module.parameters())
    gradient, = torch.autograd.grad(wanted, weight)
    assert (next(iter(model.state_dict().values())) - (weight - 0.1 * gradient)).abs().max() < 1e-6, loss
    for targets in (labels.clamp(min=0).to(torch.uint8), F.one_hot(labels.clamp(min=0), 4).float()) if function is F.cross_entropy else ():
        other = halfstep.from_torch(module, (x,))
        other.compile(halfstep.SGD(0.1), loss=loss, policy="float32", threads=1)
        assert math.isclose(other.trainer.step(x, targets)["loss"], function(outputs, labels.clamp(min=0)).item(), rel_tol=1e-5), targets.dtype

# The label is named where another is none of the classes; a loss of ours says its own.
for loss, said in (("cross_entropy", "and the label -100 for rows that do not count"), (halfstep.losses.CrossEntropy(), "; a loss with ignore_label=-1 leaves")):
    model = halfstep.from_torch(linear, (x,))
    model.compile(halfstep.SGD(0.1), loss=loss, policy="float32", threads=1)
    for call in (model.trainer.step, model.evaluate, lambda x, y: model.fit(x, y, 12, verbose=False)):
        try:
            call(x, labels.abs().neg().clamp(min=-1))
            raise AssertionError(loss)
        except halfstep.Error as error:
            assert "is out of range: input 'y' has 4 classes" in str(error) and said in str(error), error

# Keras' names take the softmax apart where PyTorch has it, along dimension 1, and rows that do not count have their place in it.
image, marks = torch.randn(3, 2, 4, 5), torch.randint(0, 5, (3, 4, 5))
conv = torch.nn.Conv2d(2, 5, 1)
ended = torch.nn.Sequential(conv, torch.nn.Softmax(1))
model = halfstep.from_torch(ended, (image,))
model.compile(halfstep.SGD(0.1), loss="sparse_categorical_crossentropy", policy="float32", threads=1)
assert math.isclose(model.trainer.step(image, marks)["loss"], F.cross_entropy(conv(image), marks).item(), rel_tol=1e-5)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = halfstep.from_torch(ended, (image,))
    model.compile(halfstep.SGD(0.1), loss="cross_entropy", policy="float32", threads=1)
    marks[0] = -100
    found, outputs = model.trainer.step(image, marks), ended(image)
assert math.isclose(found["loss"], F.cross_entropy(outputs, marks).item(), rel_tol=1e-5)
assert math.isclose(found["accuracy"], (outputs.argmax(1) == marks)[1:].double().mean().item(), rel_tol=1e-6)
assert any("the model ends in a softmax" in str(one.message) for one in caught), [str(one.message) for one in caught]
