"""What is elsewhere under another name, or misspelt, is an error that says what to write; an error within a model says in which layer.

RUN: %{python} -W error %s
RUN: %{python} -W error %s coded
"""

import inspect
import math
import operator
import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parent / "Inputs"))
from coded import FaultCode, words

import halfstep
from halfstep import nn, ops
from halfstep.hints import elsewhere
from halfstep.layers import activations
from halfstep.callbacks import EarlyStopping, ModelCheckpoint

RANDOM = numpy.random.default_rng(1)
X = RANDOM.standard_normal((32, 8, 8, 3)).astype("float32")
Y = (X[..., 0].mean((1, 2)) > 0).astype("int64")


def refused(expected, function, kind=halfstep.Error):
    try:
        function()
    except kind as error:
        assert expected in str(error), error
        return str(error)
    raise AssertionError(f"expected: {expected}")


def fit(*layers):
    model = nn.Sequential(*layers)
    model.compile("sgd", policy="float32", threads=1)
    return lambda: model.fit(X, Y, 16, verbose=False)


class Block(nn.Module):
    def __init__(self, kernel_size):
        self.first, self.body = nn.Conv2D(4, 3), nn.Sequential(nn.Activation("relu"), nn.Conv2D(4, kernel_size))
        self.head = nn.Dense(2)

    def forward(self, x):
        return self.head(ops.reduce_mean(self.body(self.first(x)), (1, 2)))


class Bare(nn.Module):
    """Does in its own forward what its layers cannot."""

    def __init__(self, forward):
        self.head, self.__dict__["_does"] = nn.Dense(2), forward

    def forward(self, x):
        return self.head(self._does(x))


# Which layer: its place in a Sequential, and its name; within several, that of the innermost; outside of layers nothing is said of them.
for said, call in (("in layer 1, 'conv2d2': " + words("'mp.conv' op a window spans 9 pixels in spatial dimension 0, where the image has 6", FaultCode.WINDOW_TOO_LARGE),
                    fit(nn.Conv2D(4, 3), nn.Conv2D(4, 9), nn.Flatten(), nn.Dense(2))),
                   ("in layer 2, 'max_pool2d2': " + words("'mp.max_pool' op a window spans 4 pixels", FaultCode.WINDOW_TOO_LARGE), fit(nn.Conv2D(4, 3), nn.MaxPool2D(4), nn.MaxPool2D(4))),
                   ("in layer 0, 'conv1d1': Conv1D takes [rows, length, channels]", fit(nn.Conv1D(4, 3))),
                   ("in layer 0, 'conv2d1': Conv2D: 3 channels and 4 filters are not divided by 2 groups", fit(nn.Conv2D(4, 3, groups=2))),
                   ("in layer 1, 'lstm1': shape (None, 192) is not", fit(nn.Flatten(), nn.LSTM(5))),
                   ("in layer 0, 'reshape1': Reshape: a row is [8, 8, 3], of 192 elements, which [4, 5] does not have", fit(nn.Reshape(4, 5))),
                   ("in layer 1, <lambda>: " + words("'mp.matmul' op contraction sizes differ", FaultCode.CONSTRAINT), fit(nn.Flatten(), lambda x: x @ numpy.ones((5, 5), "float32"))),
                   ("in layer 1 of 'block1.body', 'block1.body.conv2d1': " + words("'mp.conv' op a window spans 9", FaultCode.WINDOW_TOO_LARGE), fit(nn.Dropout(0.1), Block(9))),
                   ("in layer 0, 'bare1': " + words("'mp.matmul' op contraction sizes differ", FaultCode.CONSTRAINT), fit(Bare(lambda x: x @ numpy.ones((5, 5), "float32")))),
                   ("in layer 0, 'bare1': softmax: unknown argument 'axis'; did you mean 'dimension'?", fit(Bare(lambda x: ops.softmax(x, axis=1)))),
                   ("Sequential: layer 1, <lambda>, returned None, expected a tensor", fit(nn.Flatten(), lambda x: None, nn.Dense(2))),
                   ("in 'head': Dense is given None, expected a tensor", lambda: Bare(lambda x: None).predict(X)),
                   ("in 'head': Dense is given a ndarray, expected a tensor; ops.constant(array) makes one", lambda: Bare(lambda x: X[0]).predict(X)),
                   ("labels of shape (None,) are not one for each row of (None, 6, 6, 2), expected (None, 6, 6); where an image has one label, "
                    "nn.Flatten() or nn.GlobalAvgPool2D() comes before the last layer", fit(nn.Conv2D(4, 3), nn.Dense(2))),
                   ("a Dense is called in the forward of a module; model.predict(x) computes the outputs of arrays", lambda: nn.Dense(2)(X))):
    assert refused(said, call).count("in layer") + refused(said, call).count("in '") <= 1
refused("in layer 1, 'conv2d1': mp.conv: image has elements of uint8, expected floats; cast it first, as in ops.cast(x, 'float32'), or by "
        "nn.Rescaling(1 / 255) as the first layer", nn.Sequential(nn.Input((8, 8, 3), "uint8"), nn.Conv2D(4, 3)).to_mlir)
refused(words("'mp.matmul' op contraction sizes differ", FaultCode.CONSTRAINT), lambda: Bare(lambda x: x @ numpy.ones((5, 5), "float32")).predict(X))
for given in ((16, 4, 3), (-1, 3), (4, -1)):  # shapes of rows, of which one size is what is left
    for layer in (nn.Reshape(*given), nn.Reshape(given)):
        assert nn.Sequential(layer).predict(X).shape == X.reshape(32, *given).shape

# Keywords of methods and functions, each with the one that is meant, or with what is here instead.
model = nn.Sequential(nn.Flatten(), nn.Dense(2))
model.compile("sgd", policy="float32", threads=1)
text = model.to_mlir({"x": nn.Input((8, 8, 3))})
for said, call in {
    "fit: unknown argument 'epoch'; did you mean 'epochs'? arguments are x, y, batch_size": lambda: model.fit(X, Y, epoch=1),
    "fit: unknown argument 'batchsize'; did you mean 'batch_size'?": lambda: model.fit(X, Y, batchsize=1),
    "fit: unknown argument 'val_data'; did you mean 'validation_data'?": lambda: model.fit(X, Y, val_data=(X, Y)),
    "fit: unknown argument 'class_weight'; compile(loss=halfstep.losses.CrossEntropy(weight=": lambda: model.fit(X, Y, class_weight={0: 1}),
    "fit: unknown argument 'policy'; it is an argument of compile": lambda: model.fit(X, Y, policy="float32"),
    "evaluate: unknown argument 'batch'; did you mean 'batch_size'?": lambda: model.evaluate(X, Y, batch=3),
    "evaluate: unknown argument 'return_dict'; it returns a dictionary, always": lambda: model.evaluate(X, Y, return_dict=True),
    "predict: unknown argument 'batch_size'; it takes any number of rows at once": lambda: model.predict(X, batch_size=3),
    "compile: unknown argument 'optimiser'; did you mean 'optimizer'?": lambda: model.compile(optimiser="adam"),
    "compile: unknown argument 'lr'; did you mean 'learning_rate'?": lambda: model.compile("adam", lr=0.1),
    "compile: unknown argument 'dtype'; did you mean 'policy'?": lambda: model.compile("adam", dtype="bfloat16"),
    "compile: unknown argument 'jit_compile'; a step is one program": lambda: model.compile("adam", jit_compile=True),
    "compile: unknown argument 'polcy'; did you mean 'policy'? arguments are model, to, remarks": lambda: halfstep.compile(text, polcy="float32"),
    "load_state_dict: unknown argument 'strict'; it takes all names, no others": lambda: model.load_state_dict({}, strict=False),
    "save_weights: unknown argument 'filename'; did you mean 'path'?": lambda: model.save_weights(filename="a"),
    "compare: unknown argument 'epoch'; did you mean 'epochs'?": lambda: halfstep.compare(model, (X, Y), epoch=1),
    "from_onnx: unknown argument 'path'; arguments are model": lambda: halfstep.from_onnx(path="a"),
    "Session: unknown argument 'thread'; did you mean 'threads'?": lambda: halfstep.Session("a.mpx", thread=1),
    "EarlyStopping: unknown argument 'patiance'; did you mean 'patience'?": lambda: EarlyStopping(patiance=1),
    "ModelCheckpoint: unknown argument 'filepath'; did you mean 'path'?": lambda: ModelCheckpoint(filepath="a"),
    "CrossEntropy: unknown argument 'smoothing'; did you mean 'label_smoothing'?": lambda: halfstep.losses.CrossEntropy(smoothing=0.1),
    "CrossEntropy: unknown argument 'ignore_index'; did you mean 'ignore_label'?": lambda: halfstep.losses.CrossEntropy(ignore_index=0),
    "Reshape: unknown argument 'target_shape'; arguments are *shape": lambda: nn.Reshape(target_shape=(4, 4)),
}.items():
    refused(said, call, halfstep.UnknownArgument)
    refused(said, call, TypeError)
refused("Conv2D() got multiple values for argument 'kernel_size'; arguments are filters, kernel_size", lambda: nn.Conv2D(3, 16, kernel_size=3), TypeError)
for method, arguments in elsewhere.ARGUMENTS.items():
    own = inspect.signature(getattr(nn.Module, method)).parameters
    assert not set(own) & set(arguments), method
    for name, instead in arguments.items():
        refused(f"{method}: unknown argument '{name}'; {instead}; arguments are", lambda: getattr(model, method)(**{name: 1}), halfstep.UnknownArgument)
refused("x is an array and y is None, expected targets, one for each row", lambda: model.fit(X))
refused("x is a dictionary of arrays and y is None", lambda: model.fit({"x": X}))
refused("validation_data is an array, expected (inputs, targets)", lambda: model.fit(X, Y, validation_data=X))
refused("a Dense is called in the forward of a module; a Sequential begins with an nn.Input", lambda: nn.Dense(2)(nn.Input((3,))))
refused("Sequential: layer 1 is 'relu', expected a module, a function of a tensor or, at the start, an nn.Input; nn.Activation('relu') is an op by its name",
        lambda: nn.Sequential(nn.Dense(2), "relu"))
refused("numpy.mean takes arrays, and is given a tensor of a model; ops.mean(x, ...) computes it", lambda: Bare(lambda x: numpy.mean(x, (1, 2))).predict(X))
refused("numpy.concatenate takes arrays, and is given a tensor of a model; here it is ops.concat([a, b], dimension)",
        lambda: Bare(lambda x: numpy.concatenate([x, x])).predict(X))

# NumPy's functions of elements are refused; its operators, which have arrays on the left, are those of the tensor.
for name, instead in {"exp": "ops.exp(x, ...) computes it", "tanh": "ops.tanh(x, ...) computes it", "std": "here it is ops.sqrt(ops.var(x, dimensions, "
                      "correction=0))", "var": "here it is ops.var(x, dimensions, correction=0)", "repeat": "here it is ops.gather(x, numpy.arange(size)"}.items():
    refused(f"numpy.{name} takes arrays, and is given a tensor of a model; {instead}",
            lambda: Bare(lambda x: getattr(numpy, name)(x, *[2] * (name == "repeat"))).predict(X))
refused("ops.reduce_max(x, dimensions)", lambda: Bare(lambda x: numpy.max(x, (1, 2))).predict(X))
refused("ops.maximum(x, ...) computes it", lambda: Bare(lambda x: numpy.maximum(x, 0)).predict(X))
for call in (numpy.add.reduce, lambda x: numpy.add(x, 1, out=X[0].copy()), lambda x: operator.iadd(X[0].copy(), x)):
    refused("numpy.add takes arrays", lambda: Bare(call).predict(X))
for does in (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, numpy.add, numpy.subtract, numpy.multiply, numpy.divide,
             numpy.matmul, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    square = RANDOM.standard_normal((3, 3)).astype("float32")
    rows = numpy.concatenate([square[None] + one for one in (0, 1, -1)])
    for call in (lambda x: does(square, x), lambda x: does(x, square)):
        assert numpy.allclose(nn.Sequential(lambda x: ops.cast(call(x), "float32")).predict(rows), call(rows), 1e-5, 1e-6), does
assert numpy.allclose(nn.Sequential(lambda x: numpy.abs(numpy.float32(2) ** -x)).predict(rows), 2 ** -rows)

# Layers that are ops: of one tensor alone as an activation, else how they are called; losses before the ops of their names.
for name in filter(activations.is_activation, ops.__all__):
    assert nn.Sequential(nn.Input((6,)), nn.Dense(4, name), nn.Activation(name)).to_mlir()
for name, said in {"ReLU": 'nn.Activation("relu")', "Add": "ops.add(x, y) in a forward", "Maximum": "ops.maximum(x, y) in a forward",
                   "Split": "ops.split(x, sizes, dimension)", "Attention": "ops.attention(query, key, value)", "Einsum": "ops.einsum(subscripts, x, y)",
                   "MSELoss": 'loss="MSELoss"', "L1Loss": 'loss="L1Loss"', "NLLLoss": 'loss="NLLLoss"', "HuberLoss": 'loss="HuberLoss"',
                   "Dropout2d": "ops.dropout(x, rate, shared=[1, 2])", "SpatialDropout1D": "ops.dropout(x, rate, shared=[1])"}.items():
    told = refused(f"halfstep.nn has no '{name}'; ", lambda: getattr(nn, name), AttributeError)
    assert said in told and (name == "ReLU" or "Activation" not in told), told
for rank in (1, 2, 3):
    sizes = (4,) * rank
    fit_ones = nn.Sequential(nn.Input((*sizes, 3)), lambda x: ops.dropout(x, 0.5, shared=[*range(1, rank + 1)]), nn.Flatten(), nn.Dense(2))
    fit_ones.compile("sgd", policy="float32", threads=1)
    fit_ones.fit(numpy.ones((16, *sizes, 3), "float32"), numpy.zeros(16, "int64"), 16, verbose=False)
for name, said in {"add": "ops.add(x, y)", "clamp": "ops.clamp(x, min, max)", "dropout": "ops.dropout(x, rate)", "concat": "ops.concat([x, y], dimension)"}.items():
    for layer in (nn.Activation, lambda name: nn.Dense(2, name), lambda name: nn.Conv2D(2, 3, activation=name)):
        refused(f"'{name}' is no activation, which is of one tensor alone: it is called {said} in a forward", lambda: layer(name))

# What freezes elsewhere is refused, and so is a tensor in the place of a parameter or a state.
frozen = nn.Sequential(nn.Input((4,)), nn.Dense(2))
frozen.to_mlir()
for one, name in ((frozen, "trainable"), (frozen.layers[1], "trainable"), (frozen.layers[1].kernel, "requires_grad"), (frozen.layers[1].kernel, "trainable")):
    refused(f"has no '{name}' to set: model.compile(frozen='encoder.*') says by their names what does not train", lambda: setattr(one, name, False))


class Doubled(nn.Module):
    def __init__(self, kind):
        self.values = kind((3,), "ones")

    def forward(self, x):
        self.values *= 2
        return x * self.values


refused("Doubled: 'values' is its Parameter, and a forward sets it to a tensor; write w = self.values * 2, of another name",
        Doubled(nn.Parameter).specify(x=nn.Input((3,))).to_mlir)
refused("Doubled: 'values' is its State, and a forward sets it to a tensor; self.values.assign(value) is its value after the step",
        Doubled(nn.State).specify(x=nn.Input((3,))).to_mlir)

# Attributes of modules and of the package.
for name, instead in elsewhere.ATTRIBUTES.items():
    refused(f"a module has no '{name}': {instead}", lambda: getattr(model, name), AttributeError)
    assert not hasattr(model, name)
for name in ("save", "to_onnx"):
    refused('model.export("model.mpx") writes the compiled model with them', lambda: getattr(model, name), AttributeError)
refused("a module has no 'evalute': did you mean 'evaluate'?", lambda: model.evalute, AttributeError)
refused("a module has no 'laers': did you mean 'layers'?", lambda: model.laers, AttributeError)
refused("a Sequential has no attribute 'zork'", lambda: model.zork, AttributeError)
for name, instead in elsewhere.PACKAGE.items():
    refused(f"module 'halfstep' has no attribute '{name}'; {instead}", lambda: getattr(halfstep, name), AttributeError)
refused("module 'halfstep' has no attribute 'Dense'; here it is halfstep.nn.Dense", lambda: halfstep.Dense, AttributeError)
refused("did you mean halfstep.AdamW?", lambda: halfstep.Adamw, AttributeError)
assert halfstep.compare is halfstep.compare and not hasattr(halfstep, "__path") and {*elsewhere.PACKAGE}.isdisjoint(halfstep.__all__)


class Failing(nn.Module):
    """What a property lacks is said, not that there is no such property."""

    @property
    def size(self):
        return (3).zork


class Named(nn.Module):
    """Names of other frameworks are free."""

    def __init__(self):
        self.save, self.weights, self.loss = nn.Dense(2), nn.Parameter((192,), "ones"), 3

    def forward(self, x):
        return self.save(x.reshape(None, 192) * self.weights)


refused("'int' object has no attribute 'zork'", lambda: Failing().size, AttributeError)
assert Named().predict(X).shape == (32, 2)

# Names of activations, initializers, optimizers, losses, metrics and policies.
for said, call in {
    "there is no activation 'ReLU'; did you mean 'relu'?": lambda: nn.Dense(2, "ReLU"),
    "there is no activation 'swish'; did you mean 'silu'?": lambda: nn.Dense(2, "swish"),
    "there is no initializer 'HeNormal'; did you mean 'he_normal'?": lambda: nn.Parameter((2,), "HeNormal"),
    "there is no initializer 'xavier_uniform'; did you mean 'glorot_uniform'?": lambda: nn.Parameter((2,), "xavier_uniform"),
    "there is no initializer 'random_normal'; did you mean nn.Normal(stddev=0.05)?": lambda: nn.Parameter((2,), "random_normal"),
    "there is no optimizer 'adamm'; did you mean 'adam'?": lambda: model.compile("adamm"),
    "there is no loss 'bce'; did you mean 'binary_crossentropy'?": lambda: model.compile(loss="bce"),
    "there is no metric 'acc'; did you mean 'accuracy'?": lambda: model.compile(metrics=["acc"]),
}.items():
    refused(said, call)
for name, meant in (("mixed_bf16", "'mixed_bfloat16'"), ("bf16", "'mixed_bfloat16'"), ("fp16", "'mixed_float16'"), ("FP16", "'mixed_float16'"),
                    ("amp", "'mixed_float16' or 'mixed_bfloat16'"), ("fp32", "'float32'"), ("mixed_floot16", "'mixed_float16'"), ("O1", "'apex_o1'")):
    for call in (lambda: halfstep.Policy(name), lambda: model.compile("adam", policy=name), lambda: halfstep.set_global_policy(name),
                 lambda: halfstep.compile(text, policy=name)):
        refused(words(f"unknown policy '{name}', expected auto, mixed_float16, "), call)
        refused(words(f"or the path of a policy file; did you mean {meant}?"), call)

# Rows: the line of PyTorch, and what leaves two sizes open.
for call, shape in ((lambda x: x.reshape(x.shape[0], -1), (32, 192)), (lambda x: x.reshape(x.shape[0], -1, 3), (32, 64, 3)),
                    (lambda x: ops.reshape(x, (x.shape[0], 4, -1)), (32, 4, 48)), (lambda x: x.reshape(None, 192), (32, 192))):
    assert nn.Sequential(call).predict(X).shape == shape
for call, said in ((lambda x: x.reshape(-1, -1), "reshape: (-1, -1) leaves two sizes open; of rows, x.reshape(None, 192) or nn.Flatten() keeps the first"),
                   (lambda x: x.reshape(None, None, 3), "reshape: (None, None, 3) leaves two sizes open"),
                   (lambda x: x.reshape(x.shape[0], -1, 5), "reshape: a row of [8, 8, 3] has 192 elements, which [-1, 5] cannot hold"),
                   (lambda x: x.reshape(x.shape[0], -1, 0), "reshape: a row of [8, 8, 3] has 192 elements, which [-1, 0] cannot hold"),
                   # Two element types, of every op that wants one.
                   *((lambda x, op=op: op(x, ops.cast(x, "int32")), "operands differ in type: float32 and int32; cast one of them, as in ops.cast(x, 'int32')")
                     for op in (ops.add, ops.sub, ops.mul, ops.div, ops.max))):
    refused(said, lambda: nn.Sequential(call).predict(X))

# What the compiler alone finds names the layer, too, and so does its warning the layers that there are.
model = nn.Sequential(nn.Flatten(), nn.BatchNorm(), nn.Dense(2))
model.compile("sgd", policy="float32", threads=1)
refused(words("in 'batch_norm1': 'mp.batch_norm' op operand is 'tensor<1x192xf32>'"), lambda: model.fit(X, Y, 1, verbose=False))
model.compile("sgd", policy=halfstep.Policy("mixed_bfloat16", deny=["loc:dense2"]), threads=1)
try:
    model.fit(X, Y, 8, verbose=False)
    raise AssertionError("no warning")
except UserWarning as warning:
    assert words("'loc:dense2' matches the location of no op; did you mean 'loc:dense1'? ops are at loc:dense1") in str(warning), warning

# Methods of a callback that nothing calls.
for name, said in (("on_batch_end", "did you mean 'on_train_batch_end'? a callback has on_train_begin, "), ("on_epoch_ends", "did you mean 'on_epoch_end'?"),
                   ("on_test_begin", "is never called; a callback has "), ("on_train_batch_begin", "is never called; a callback has ")):
    refused(f"Own.{name} is never called; ", lambda: type("Own", (EarlyStopping,), {name: lambda self, *given: None}), halfstep.UnknownName)
    refused(said, lambda: type("Own", (EarlyStopping,), {name: lambda self, *given: None}))
type("Own", (EarlyStopping,), {"on_epoch_begin": lambda self, epoch, logs=None: None, "on_off": 3})

# What is meant is a slip away, or the same with another spelling; names that are alike are others.
for name, meant in {"sofmax": "softmax", "relluu": None, "rellu": "relu", "ReLU": "relu", "expp": "exp", "max_pool2d": "max_pool", "scatter": None,
                    "linear": None, "mode": None, "argsort": None, "det": None, "inv": None, "rand": None, "unique": None}.items():
    told = refused(f"halfstep.ops has no '{name}'; ", lambda: getattr(ops, name), AttributeError)
    assert ("did you mean" in told) == (meant is not None) and (meant is None or told.endswith(f"did you mean ops.{meant}?")), told
for owner, name, meant in ((nn, "GLU", None), (nn, "Cropping2D", None), (nn, "Denes", "Dense"), (nn, "conv2d", "Conv2D"), (nn, "LSTMS", "LSTM"),
                           (halfstep, "Adamax", None), (halfstep, "version", None), (halfstep, "SGDD", "SGD"), (halfstep, "Adamm", "Adam")):
    told = refused(f" '{name}'", lambda: getattr(owner, name), AttributeError)
    assert told.endswith(f"{meant}?") if meant else "did you mean" not in told, told
for name in ("kernel_regularizer", "padding_mode"):
    assert "did you mean" not in refused(f"Conv2D: unknown argument '{name}'", lambda: nn.Conv2D(8, 3, **{name: 1}))
refused("compile: unknown argument 'learnig_rate'; did you mean 'learning_rate'?", lambda: model.compile(learnig_rate=1))
rows = RANDOM.standard_normal((3, 4)).astype("float32")
for name, said, ours, theirs in (
        ("norm", "ops.l2_norm(x, dimensions)", lambda x: ops.l2_norm(x, 1), numpy.linalg.norm(rows, axis=1)),
        ("relu6", "ops.clamp(x, 0, 6)", lambda x: ops.clamp(x, 0, 6), rows.clip(0, 6)),
        ("log_sigmoid", "ops.neg(ops.softplus(-x))", lambda x: ops.neg(ops.softplus(-x)), -numpy.log1p(numpy.exp(-rows))),
        ("exp2", "ops.pow(2.0, x)", lambda x: ops.pow(2.0, x), numpy.exp2(rows)),
        ("erfc", "ops.sub(1, ops.erf(x))", lambda x: ops.sub(1, ops.erf(x)), numpy.vectorize(math.erfc)(rows)),
        ("repeat", "ops.gather(x, numpy.arange(size).repeat(repeats), dimension)", lambda x: ops.gather(x, numpy.arange(4).repeat(2), 1), rows.repeat(2, 1)),
        ("std", "ops.sqrt(ops.var(x, dimensions, correction=1))", lambda x: ops.sqrt(ops.var(x, 1, correction=1)), rows.std(1, ddof=1))):
    refused(said, lambda: getattr(ops, name), AttributeError)
    assert numpy.allclose(nn.Sequential(ours).predict(rows), theirs, 1e-4, 1e-5), name

# Dimensions and arguments in the order of PyTorch, where no window fits.
first = RANDOM.standard_normal((4, 3, 8, 8)).astype("float32")
for layer, x, said in ((nn.MaxPool2D(4), first, "channels come last here, [rows, height, width, channels], as in numpy.moveaxis(x, 1, -1)"),
                       (nn.Conv2D(2, 5), first, "channels come last here, [rows, height, width, channels]"),
                       (nn.Conv2D(3, 16, 3), X, "a layer finds the channels of its input, so that Conv2D(16, ...) is of 16 filters"),
                       (nn.Conv1D(3, 16, 3), X[:, :, 0], "a layer finds the channels of its input, so that Conv1D(16, ...) is of 16 filters")):
    refused(words("the result would be empty; take a smaller window, or more padding", FaultCode.WINDOW_TOO_LARGE) + f"; {said}", lambda: nn.Sequential(layer).predict(x))
told = refused(end := words("take a smaller window, or more padding", FaultCode.WINDOW_TOO_LARGE), lambda: nn.Sequential(nn.Conv2D(4, 9)).predict(X))
assert told.endswith(end), told

# One row where rows are expected, before training and after, of one input and of several; what has the shape of rows is taken.
class Beside(nn.Module):
    def __init__(self):
        self.head = nn.Dense(2)

    def forward(self, image, number):
        return self.head(ops.concat([nn.Flatten()(image), number], 1))


alone, beside = nn.Sequential(nn.Input((8, 8, 3)), nn.Flatten(), nn.Dense(2)), Beside().specify(image=nn.Input((8, 8, 3)), number=nn.Input((1,)))
picture = numpy.ones((8, 8, 3), "float32")
for _ in range(2):
    refused("predict: 'x' is one row, of shape (8, 8, 3), expected rows; array[None] is a batch of it alone", lambda: alone.predict(picture))
    assert alone.predict(picture[None]).shape == (1, 2)
    alone.compile("sgd", policy="float32", threads=1)
    alone.fit(numpy.ones((4, 8, 8, 3), "float32"), numpy.arange(4) % 2, 4, verbose=False)
refused("predict: 'image' is one row, of shape (8, 8, 3)", lambda: beside.predict({"image": picture, "number": numpy.ones((1, 1), "float32")}))
assert beside.predict({"image": picture[None], "number": numpy.ones((1, 1), "float32")}).shape == (1, 2)
