"""What an optimizer cannot have is told where it is made, by the names of its arguments.

RUN: %{python} -W error %s
"""

import inspect
import math

import numpy

import halfstep
from halfstep import SGD, Adagrad, Adam, AdamW, LAMB, Lion, NAdam, RMSprop

ALL = (SGD, RMSprop, Adagrad, Adam, AdamW, NAdam, LAMB, Lion)


def refused(said, kind, **arguments):
    try:
        kind(**arguments)
    except halfstep.Error as error:
        assert str(error).startswith(f"{kind.__name__}: {said}"), (kind, arguments, error)
    else:
        raise AssertionError((kind, arguments))


# Every argument that is a number, of every optimizer, by the range that it has.
SHARED = ("learning_rate", "weight_decay", "clip_norm", "clip_parameter_norm", "clip_value")
checked = 0
for kind in ALL:
    refused("unknown setting 'optimizer'; it is one itself", kind, optimizer="sgd")
    own = [one.name for one in inspect.signature(kind).parameters.values() if one.kind is not one.VAR_KEYWORD]
    for name in dict.fromkeys([*own, *SHARED]):
        if name in ("nesterov", "centered"):
            refused(f"{name}=yes: expected one of true, false", kind, **{name: "yes"})
            continue
        checked += 1
        if name == "betas":
            for place in (0, 1):
                for wrong in (1, -0.1, 1.5, math.nan, math.inf):
                    betas = [0.5, 0.5]
                    betas[place] = wrong
                    refused(f"betas[{place}]={float(wrong):g}: expected", kind, betas=tuple(betas))
            for wrong in (0.9, (0.9,), "ab", None):
                refused(f"betas is {wrong!r}, expected two numbers", kind, betas=wrong)
            kind(betas=(0, numpy.float32(0.999)))
            for one in ("beta1", "beta2"):
                refused(f"unknown setting '{one}'; expected betas, two numbers", kind, **{one: 0.5})
            continue
        for wrong in (-1, -1e-30, math.inf, math.nan, "a", True):
            spelled = "true" if wrong is True else f"{wrong:g}" if isinstance(wrong, (int, float)) else wrong
            refused(f"{name}={spelled}: expected", kind, **{name: wrong})
        refused(f"{name} is [0.1], expected a number", kind, **{name: [0.1]})
        if name == "alpha":
            refused("alpha=1: expected at least 0 and less than 1", kind, alpha=1)
        if name.startswith("clip_"):
            refused(f"{name} is 0, under which nothing would be learned; expected more than 0, or None", kind, **{name: 0})
            kind(**{name: None})
        kind(**{name: numpy.float32(0.5)})
assert checked > 50, checked
refused("nesterov=true: needs a momentum greater than 0", SGD, nesterov=True)
refused("clip_value=1: clip_norm=1 is given, too; expected one of the two", Adam, clip_norm=1, clip_value=1)

# What is at the edge is made, as is what the compiler has for None, and what says another setting of the compiler.
SGD(0), SGD(None), SGD(0.1, 0.9, nesterov=True), Adam(epsilon=0), RMSprop(centered=True, momentum=0.5), Adam(accumulate=2), AdamW(chip="sm_80")
