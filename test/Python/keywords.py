"""A keyword that a function, a method or a layer does not have is halfstep.UnknownArgument, of everything that is public.

RUN: %{python} -W error %s
"""

import inspect

import numpy

import halfstep
from halfstep import callbacks, losses, nn, ops

X, Y = numpy.zeros((8, 4), "float32"), numpy.zeros(8, "int64")


def refuses(name, function):
    try:
        function(zork=1)
    except halfstep.UnknownArgument as error:
        assert f"{name}: unknown argument 'zork'" in str(error), error
        return
    raise AssertionError(name)


def takes_any(function):
    """Or wants another argument first, which Python says, not we."""
    parameters = inspect.signature(function).parameters.values()
    return any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)


# Functions and layers. Records of results, errors and what is derived from take what their bases do.
records = {"CompileError", "Diagnostic", "Error", "MissingFile", "Program", "UnknownArgument", "UnknownName", "Value", "Comparison", "History",
           "Nonfinite", "Tensor"}
checked = 0
for module, names in ((halfstep, halfstep.__all__), (nn, nn.__all__), (ops, ops.__all__), (losses, losses.__all__),
                      (callbacks, ["EarlyStopping", "LearningRateScheduler", "ModelCheckpoint", "CSVLogger", "JSONLinesLogger"])):
    for name in names:
        one = getattr(module, name)
        if callable(one) and name not in records and name != "Module" and not takes_any(one):
            refuses(name, one)
            checked += 1
assert checked > 200, checked

# Methods that users call, of what training and compiling make.
model = nn.Sequential(nn.Dense(2))
model.compile("sgd", policy="float32", threads=1)
model.fit(X, Y, batch_size=8, verbose=False)
executable = halfstep.compile(model.to_mlir(), training=False, policy="float32")
session = halfstep.Session(executable, threads=1)
methods = 0
for one in (model, model.trainer, model.trainer.scaler, executable, session):
    for name in dir(type(one)):
        method = getattr(type(one), name)
        bound = getattr(one, name, None)
        if name[0] != "_" and inspect.ismethod(bound) and name not in ("forward", "build", "children") and not takes_any(bound):
            refuses(name, bound)
            methods += 1
assert methods > 25, methods

# What is elsewhere, and layers that take nothing.
for call, said in ((lambda: nn.Flatten(start_dim=1), "Flatten: unknown argument 'start_dim'; arguments are dtype"),
                   (lambda: nn.GlobalAvgPool2D(keepdims=True), "GlobalAvgPool2D: unknown argument 'keepdims'; arguments are dtype"),
                   (lambda: halfstep.autocast(device_type="cuda"), 'autocast: unknown argument \'device_type\'; model.compile(device="cuda") says')):
    try:
        call()
        raise AssertionError(said)
    except halfstep.UnknownArgument as error:
        assert said in str(error), error


# A class of a user's own takes what its __init__ does, layers without one among its bases or not.
class Own(nn.Flatten):
    def __init__(self, size):
        super().__init__()
        self.size = size


class Beside:
    def __init__(self):
        self.beside = 1


class Both(nn.Module, Beside):
    pass


assert Own(size=3).size == 3 and Both().beside == 1
