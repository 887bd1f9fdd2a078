"""Modules of PyTorch have their classes in dimension 1, whatever comes behind: losses and accuracy are PyTorch's, where a size is that of
the classes, too, and are never of another dimension.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import copy

import torch
import torch.nn.functional as F
from torch import nn

import halfstep

torch.manual_seed(0)
torch.set_num_threads(1)
ROWS, CLASSES, RATE = 4, 5, 2.0**6


def module(rank: int) -> nn.Module:
    """A score of each class at each place of a picture of so many dimensions."""
    conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[rank - 1]
    return nn.Sequential(conv(3, 6, 3, padding=1), nn.ReLU(), conv(6, CLASSES, 1))


def logs(rank: int) -> nn.Module:
    return nn.Sequential(module(rank), nn.LogSoftmax(1))


weight = torch.tensor([0.5, 2.0, 1.0, 0.25, 1.5])
ours = halfstep.losses
LOSSES = (
    (module, "cross_entropy", nn.CrossEntropyLoss(), False), (module, "CrossEntropyLoss", nn.CrossEntropyLoss(), True),
    (module, ours.CrossEntropy(0.1, 1, weight), nn.CrossEntropyLoss(weight, ignore_index=1, label_smoothing=0.1), False),
    (module, lambda outputs, targets: ours.cross_entropy(outputs, targets, weight=weight), nn.CrossEntropyLoss(weight), True),
    (logs, "NLLLoss", nn.NLLLoss(), False), (logs, ours.NLL(weight, 2), nn.NLLLoss(weight, ignore_index=2), False))

# Of sizes that are none of the classes, that all are, and of one position, whose labels are a column.
for sizes, losses in (((7,), LOSSES[:1]), ((1,), LOSSES), ((CLASSES,), LOSSES[:2]), ((3, 6), LOSSES), ((CLASSES, CLASSES), LOSSES), ((2, 3, CLASSES), LOSSES[:2])):
    x, labels = torch.randn(ROWS, 3, *sizes), torch.randint(0, CLASSES, (ROWS, *sizes))
    shares = torch.softmax(torch.randn(ROWS, CLASSES, *sizes), 1)
    for make, loss, peer, is_soft in losses:
        own, y = make(len(sizes)), shares if is_soft else labels
        model = halfstep.from_torch(own, x)
        model.compile(halfstep.SGD(RATE), loss=loss, metrics=["accuracy"], policy="float32", threads=1)
        reached = copy.deepcopy(own).double()
        outputs = reached(x.double())
        exact = peer.double()(outputs, y.double() if is_soft else y)
        exact.backward()
        before, logs_of_step = model.state_dict(), model.trainer.step(x.numpy(), y.numpy())
        assert abs(logs_of_step["loss"] - float(exact)) < 1e-5 * float(exact), (sizes, loss, logs_of_step, exact)
        # Labels that are ignored are counted as the page of metrics says, and are in no test here.
        if not isinstance(peer, nn.NLLLoss) and peer.ignore_index < 0:
            hits = (outputs.argmax(1) == (y.argmax(1) if is_soft else y)).double().mean()
            assert abs(logs_of_step["accuracy"] - float(hits)) < 1e-6, (sizes, loss, logs_of_step, hits)
        for name, value in model.state_dict().items():
            gradient, wanted = (before[name].double() - value.double()) / RATE, dict(reached.named_parameters())[name].grad
            worst = float((gradient - wanted).abs().max())
            assert worst < 1e-5 * float(wanted.abs().max()) + 2.0**-22 * float(value.abs().max()) / RATE + 1e-7, (sizes, loss, name, worst)


# What PyTorch refuses is refused, with what to write: scores of classes that are last, also where all sizes are the same.
class Tokens(nn.Module):
    def __init__(self, turned):
        super().__init__()
        self.tokens, self.head, self.turned = nn.Embedding(9, 6), nn.Linear(6, CLASSES), turned

    def forward(self, x):
        y = self.head(self.tokens(x))
        return y.movedim(-1, 1) if self.turned else y


x, y = torch.randint(0, 9, (ROWS, 7)), torch.randint(0, CLASSES, (ROWS, 7))
for loss in ("cross_entropy", "nll_loss", lambda outputs, targets: ours.cross_entropy(outputs, targets)):
    model = halfstep.from_torch(Tokens(False), x)
    model.compile("sgd", loss=loss, metrics=[], policy="float32")
    try:
        model.trainer.step(x.numpy(), y.numpy())
        raise AssertionError("the last dimension was taken for the classes")
    except halfstep.Error as error:
        assert "a module of PyTorch has its classes in dimension 1" in str(error) and "outputs.movedim(-1, 1)" in str(error), error
own = Tokens(True)
model = halfstep.from_torch(own, x)
model.compile("sgd", loss="cross_entropy", policy="float32")
assert abs(model.trainer.step(x.numpy(), y.numpy())["loss"] - float(F.cross_entropy(own(x), y))) < 1e-5
