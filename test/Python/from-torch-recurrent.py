"""Recurrent layers of PyTorch predict, have gradients and are refused as PyTorch's are, from its weights.

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
ROWS, POSITIONS, FEATURES, UNITS, RATE = 6, 3, 4, 5, 2.0**6


class Read(nn.Module):
    """What a layer gives at all positions, and its last states where it is asked for them."""

    def __init__(self, kind, states=False, turned=False, **settings):
        super().__init__()
        self.layer = getattr(nn, kind)(FEATURES, UNITS, batch_first=not turned, **settings)
        self.states, self.turned = states, turned
        count = (2 if settings.get("bidirectional") else 1) * settings.get("num_layers", 1)
        width = UNITS * (2 if settings.get("bidirectional") else 1)
        parts = (2 if kind == "LSTM" else 1) * count * UNITS if states else 0
        self.head = nn.Linear(POSITIONS * width + parts, 3)

    def forward(self, x):
        outputs, last = self.layer(x.transpose(0, 1) if self.turned else x)
        outputs = outputs.transpose(0, 1) if self.turned else outputs
        parts = [outputs.flatten(1)]
        if self.states:
            for one in last if isinstance(last, tuple) else (last,):
                parts.append(one.transpose(0, 1).flatten(1))
        return self.head(torch.cat(parts, 1))


class Started(nn.Module):
    """A first state that is computed of the input, and one that is learnt."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(FEATURES, UNITS)
        self.lstm, self.gru, self.head = nn.LSTM(FEATURES, UNITS, batch_first=True), nn.GRU(FEATURES, UNITS, batch_first=True), nn.Linear(UNITS, 3)

    def forward(self, x):
        h = torch.tanh(self.first(x[:, 0]))[None]
        outputs, (_, memory) = self.lstm(x, (h, h * 2))
        return self.head(self.gru(x, memory)[0][:, -1] + outputs.mean(1))


class Cells(nn.Module):
    """Steps that are written one by one."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = nn.LSTMCell(FEATURES, UNITS), nn.GRUCell(UNITS, UNITS), nn.RNNCell(UNITS, 3, nonlinearity="relu")

    def forward(self, x):
        state, h, y = None, None, None
        for t in range(POSITIONS):
            state = self.lstm(x[:, t], state)
            h = self.gru(state[0], h)
            y = self.rnn(h, y)
        return y


MODULES = {
    "lstm": Read("LSTM", states=True),
    "gru": Read("GRU", states=True),
    "rnn": Read("RNN", states=True),
    "relu": Read("RNN", nonlinearity="relu", bias=False),
    "no bias": Read("GRU", bias=False, bidirectional=True),
    "all": Read("LSTM", states=True, bidirectional=True, num_layers=2),
    "time first": Read("GRU", turned=True, states=True, bidirectional=True),
    "started": Started(),
    "cells": Cells(),
}


def error(actual, exact):
    return float((actual.double() - exact.double()).abs().max() / exact.double().abs().max())


for name, module in MODULES.items():
    x, y = torch.randn(ROWS, POSITIONS, FEATURES), torch.randint(0, 3, (ROWS,))
    model = halfstep.from_torch(module, x)
    with torch.no_grad():
        exact = copy.deepcopy(module).double()(x.double())
    found = error(torch.from_numpy(model.predict(x.numpy())), exact)
    assert found < 2.0**-19, (name, found)
    # Another number of rows than that of the example.
    with torch.no_grad():
        found = error(torch.from_numpy(model.predict(x[:3].numpy())), module(x[:3]))
    assert found < 2.0**-19, (name, found)
    reached = copy.deepcopy(module).double()
    F.cross_entropy(reached(x.double()), y).backward()
    gradients = {key: one.grad for key, one in reached.named_parameters()}
    largest = max(float(one.abs().max()) for one in gradients.values())
    model.compile(halfstep.SGD(RATE), loss="cross_entropy", policy="float32", threads=1)
    before = model.state_dict()
    model.trainer.step(x.numpy(), y.numpy())
    for key, value in model.state_dict().items():
        gradient = (before[key].double() - value.double()) / RATE
        bound = 2.0**-18 * float(gradients[key].abs().max()) + 2.0**-20 * largest + 2.0**-23 * float(value.abs().max()) / RATE
        worst = float((gradient - gradients[key]).abs().max())
        assert worst <= bound, (name, key, worst, bound)
        assert float(gradients[key].abs().max()) > 0, (name, key)

# In float16 it learns which of the first features is larger, through all positions.
x = torch.randn(512, POSITIONS, FEATURES)
y = (x[:, 0, 0] > x[:, 0, 1]).long()
model = halfstep.from_torch(Read("LSTM", bidirectional=True, num_layers=2, dropout=0.1), x[:2])
model.compile(halfstep.AdamW(0.01), loss="cross_entropy", policy="mixed_float16")
model.fit(x, y, batch_size=32, epochs=8, verbose=False)
assert model.evaluate(x, y)["accuracy"] > 0.9


def refused(expected, module, x, **named):
    try:
        halfstep.from_torch(module, x, **named)
    except halfstep.Error as found:
        assert expected in str(found), found
        return
    raise AssertionError(f"expected: {expected}")


class Projected(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(FEATURES, UNITS, batch_first=True, proj_size=3)

    def forward(self, x):
        return self.layer(x)[0]


x = torch.randn(ROWS, POSITIONS, FEATURES)
refused("aten.lstm: 1, in 'layer' (from-torch-recurrent.py:", Projected(), x)
refused("proj_size is not supported: multiply the outputs by a matrix", Projected(), x)
refused("recurrent layers have the batch first with batch_first=True", nn.Sequential(nn.LSTM(FEATURES, UNITS)), x)
# One sequence without a batch.
layer = nn.GRU(FEATURES, UNITS)
model = halfstep.from_torch(layer, torch.randn(POSITIONS, FEATURES), batched=False)
given = torch.randn(POSITIONS, FEATURES)
outputs = model.predict(given.numpy())
assert error(torch.from_numpy(outputs["output0"]), layer(given)[0].detach()) < 2.0**-19
