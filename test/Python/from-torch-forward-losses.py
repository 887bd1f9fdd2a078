"""Modules of PyTorch that compute their loss themselves train as PyTorch trains them, with a batch of any size, and predict without targets.

REQUIRES: pytorch
RUN: %{torch_python} -W ignore %s
"""

import copy
import math

import numpy
import torch
import torch.nn.functional as F
from torch import nn

import halfstep

torch.manual_seed(2)
torch.set_num_threads(1)
RATE, TOKENS, WIDTH = 0.5, 11, 8


class Language(nn.Module):
    """The next token of each; what it returns is its owner's to say."""

    def __init__(self, returns):
        super().__init__()
        self.table, self.mix, self.head = nn.Embedding(TOKENS, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, TOKENS)
        self.returns = returns

    def forward(self, tokens, labels):
        logits = self.head(torch.tanh(self.mix(self.table(tokens))))
        loss = F.cross_entropy(logits[:, :-1].reshape(-1, TOKENS), labels[:, 1:].reshape(-1))
        return self.returns(loss, logits)


generator = torch.Generator().manual_seed(4)
tokens = torch.randint(0, TOKENS, (12, 6), generator=generator)
labels = tokens.clone()
labels[:, 4:][::2] = -100  # as padding is marked
KINDS = ((lambda loss, logits: {"loss": loss, "logits": logits}, {}), (lambda loss, logits: (logits, loss), {"loss": "output1"}),
         (lambda loss, logits: {"logits": logits, "nll": loss}, {"loss": halfstep.losses.Output("nll")}))
for returns, how in KINDS:
    module = Language(returns)
    model = halfstep.from_torch(module, (tokens[:2], labels[:2]))
    model.compile(halfstep.SGD(RATE), policy="float32", threads=1, **how)
    mirror = copy.deepcopy(module)

    def of(x, y):
        given = mirror(x, y)
        return (given["loss"] if "loss" in given else given["nll"], given["logits"]) if isinstance(given, dict) else (given[1], given[0])

    for first in (0, 4, 8, 0):
        x, y = tokens[first : first + 4], labels[first : first + 4]
        loss, _ = of(x, y)
        for parameter, gradient in zip(mirror.parameters(), torch.autograd.grad(loss, list(mirror.parameters()))):
            parameter.data -= RATE * gradient
        found = model.trainer.step({"tokens": x, "labels": y}) if first else model.trainer.step(x, y)
        assert set(found) == {"loss", "skipped"} and math.isclose(found["loss"], loss.item(), rel_tol=1e-5), (how, found, loss)
        assert all((value - mirror.state_dict()[name]).abs().max() < 2e-6 for name, value in model.state_dict().items()), how
    with torch.no_grad():
        loss, logits = of(tokens[:5], labels[:5])
        assert numpy.abs(model.predict(tokens[:5]) - logits.numpy()).max() < 1e-5
        whole = [of(tokens[i : i + 4], labels[i : i + 4])[0].item() for i in (0, 4, 8)]
    assert math.isclose(model.evaluate({"tokens": tokens, "labels": labels})["loss"], sum(whole) / 3, rel_tol=1e-5), how
    history = model.fit({"tokens": tokens, "labels": labels}, batch_size=4, epochs=8, validation_data={"tokens": tokens, "labels": labels}, verbose=False)
    assert history.history["val_loss"][-1] < whole[0] and history.history["loss"][-1] < history.history["loss"][0]
    batches = [{"tokens": tokens[i : i + 4], "labels": labels[i : i + 4]} for i in (0, 4, 8)]
    model.fit(batches, verbose=False)
    model.fit(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(tokens, labels), batch_size=4), verbose=False)

# A fixed batch, whose forward has one as well, and targets beside it.
for policy in ("float32", "mixed_bfloat16"):
    module = Language(KINDS[0][0])
    model = halfstep.from_torch(module, (tokens, labels), batched=False)
    model.compile(halfstep.SGD(RATE), policy=policy, threads=1)
    found = model.trainer.step(tokens, labels)
    assert math.isclose(found["loss"], module(tokens, labels)["loss"].item(), rel_tol=1e-5 if policy == "float32" else 2e-2)
    assert model.evaluate(tokens, labels)["loss"] < found["loss"] and model.predict(tokens).shape == (12, 6, TOKENS)
