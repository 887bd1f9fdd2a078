"""A training that is resumed tells its callbacks the epoch that it is in, with the state that it goes on from; what they set is kept.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import pathlib
import signal
import sys
import warnings

import numpy

import halfstep
from halfstep import nn
from halfstep.callbacks import Callback, LearningRateScheduler

folder = pathlib.Path(sys.argv[1])
X = numpy.random.default_rng(2).standard_normal((72, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


class Told(Callback):
    """The epochs that begin and end, with the learning rate and a weight at their begin; training may stop after a step."""

    def __init__(self, stops=None):
        self.stops, self.begun, self.ended, self.rates, self.weights, self.batches = stops, [], [], [], [], []

    def on_epoch_begin(self, epoch, logs=None):
        self.begun.append(epoch)
        self.rates.append(self.model.learning_rate)
        self.weights.append(self.model.state_dict()["dense1.kernel"][0, 0])

    def on_train_batch_end(self, batch, logs=None):
        self.batches.append(batch)
        self.model.stop_training = logs["step"] == self.stops

    def on_epoch_end(self, epoch, logs=None):
        self.ended.append(epoch)


def fit(epochs, name, *, stops=None, resume=True, verbose=False, validation=None, more=()):
    model = nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dense(2))
    model.compile(halfstep.Adam(0.5), policy="float32", threads=1)
    told = Told(stops)
    model.fit(X, Y, 8, epochs, verbose=verbose, seed=3, checkpoint=folder / name, resume=resume, validation_data=validation, callbacks=[
        LearningRateScheduler(lambda epoch, rate: rate / 2 if epoch else rate), told, *more])
    return model, told


def states(model):
    return dict(model.trainer.session.state)


whole, all_told = fit(4, "whole")
assert all_told.begun == all_told.ended == [0, 1, 2, 3] and all_told.rates == [0.5, 0.25, 0.125, 0.0625]

# Ended after an epoch: the schedule, and every bit, are those of one training.
fit(2, "parts")
parts, told = fit(4, "parts")
assert told.begun == told.ended == [2, 3] and told.rates == all_told.rates[2:] and told.weights == all_told.weights[2:]
assert all((one == states(parts)[name]).all() for name, one in states(whole).items())

# Within one, which is begun again.
fit(4, "within", stops=13)
within, told = fit(4, "within")
assert told.batches[0] > 3 and told.batches == [*range(told.batches[0], 9), *range(9), *range(9)], told.batches
assert told.begun == [1, 2, 3] and told.ended == [1, 2, 3] and within.trainer.steps == whole.trainer.steps == 36, (told.begun, told.ended)

# Nothing is left to do, or nothing is there yet. Who asked for epochs is told so; epochs=0 asks for none.
for epochs in (0, 2, 4):
    for verbose in (False, True):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model, told = fit(epochs, "parts", verbose=verbose)
        assert told.begun == told.ended == [] and (model.trainer.steps, model.trainer.epochs) == (36, 4), (epochs, told.begun, told.ended, model.trainer.steps, model.trainer.epochs)
        assert [str(one.message) for one in said] == [f"nothing to train: {folder / 'parts'} has 4 epochs, and epochs={epochs} asks for so many in "
                                                      "all; epochs=0 loads it alone"][: bool(epochs)]
        assert all(one.filename == __file__ for one in said)
fresh, told = fit(1, "fresh")
assert told.begun == told.ended == [0] and fresh.trainer.epochs == 1


signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs this may ignore it


class Interrupted(Callback):
    """A signal comes in a step; the scores of each epoch are kept by all of a training's parts."""

    def __init__(self, at, scores):
        self.at, self.scores = at, scores

    def on_train_batch_end(self, batch, logs=None):
        if logs["step"] == self.at:
            signal.raise_signal(signal.SIGINT)

    def on_epoch_end(self, epoch, logs=None):
        assert epoch not in self.scores, epoch
        self.scores[epoch] = logs


# In the last step of an epoch: its evaluation is made by the training that goes on, after the last epoch, too.
tested, expected, scores = (X[:20], Y[:20]), {}, {}
fit(3, "tested", validation=tested, more=[Interrupted(None, expected)])
for at, known in ((9, 0), (27, 2)):
    try:
        fit(3, "signalled", validation=tested, more=[Interrupted(at, scores)])
        raise AssertionError("the signal is lost")
    except KeyboardInterrupt:
        assert len(scores) == known, scores
_, told = fit(3, "signalled", validation=tested, more=[Interrupted(None, scores)])
assert scores == expected and sorted(scores) == [0, 1, 2] and "val_loss" in scores[2], (scores, expected)
assert told.begun == told.ended == [2] and not told.batches, (told.begun, told.ended, told.batches)
