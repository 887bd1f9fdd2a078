"""Names that are taken, or those of other frameworks, are errors where they are said, with what to write.

RUN: rm -rf %t && mkdir %t && cd %t && %{python} -W error %s
"""

import inspect
import pickle
import re
import warnings

import numpy

import halfstep
from halfstep import nn, ops
from halfstep.compiler import settings
from halfstep.hints import elsewhere
from halfstep_runtime import _keywords, _tensor_files
from halfstep_runtime._errors import snake_case

X = numpy.random.default_rng(2).standard_normal((32, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


def refused(expected, function, kind=halfstep.Error):
    try:
        function()
    except kind as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


class Scaled(nn.Module):
    """Has a parameter, or a state, of that name."""

    def __init__(self, name, kind=nn.Parameter):
        self.head = nn.Dense(2)
        setattr(self, name, kind((6,), "ones"))
        self.__dict__["_scale"] = getattr(self, name)

    def forward(self, x):
        return self.head(x * ops.cast(self._scale, "float32"))


def trained(model):
    model.compile("sgd", policy="mixed_float16", threads=1)
    model.fit(X, Y, 8, verbose=False)
    return model.evaluate(X, Y)


# Of what training adds, for parameters, states and inputs; in a module within there is no clash.
ADDED = ("y", "row_weights", "loss_scale", "growth_tracker", "hysteresis_tracker", "skipped_steps", "consecutive_skips")
for name in ADDED:
    for kind in (nn.Parameter, nn.State):
        refused(f"Scaled: training has a '{name}' of its own; call the {kind.__name__} something else", lambda: trained(Scaled(name, kind)))
    inner = nn.Sequential(nn.Dense(6), Scaled(name))
    assert set(trained(inner)) == {"loss", "accuracy"} and f"scaled1.{name}" in inner.state_dict()
for name in (*ADDED, "learning_rate"):
    taken = type("Taken", (nn.Module,), {})
    exec(f"def forward(self, {name}): return self.head({name})", found := {})
    taken.forward = found["forward"]
    model = taken()
    model.head = nn.Dense(2)
    refused(f"Taken: training has a '{name}' of its own", lambda: trained(model))
    assert model.specify(**{name: nn.Input((6,))}).predict(X).shape == (32, 2)
refused("two of inputs, parameters and states are called 'x'; call one of them something else", lambda: trained(Scaled("x")))
for kind in (nn.Parameter, nn.State):
    refused(f"a {kind.__name__} is called 'rng', as the state of random numbers is; call it something else", lambda: trained(Scaled("rng", kind)))
    for name in ("w/pending", "w/gradient_sum", "w/sgd.momentum"):  # what training keeps beside "w"
        model = Scaled(name, kind)
        trained(model)
        model.w = nn.Parameter((6,), "ones")
        model.forward = lambda x, model=model: model.head(x * model.w * model._scale)
        refused(f"Scaled: training has a '{name}' of its own; call the {kind.__name__} something else", lambda: trained(model))
for name in ("loss", "accuracy", "output"):  # what results are called is no state
    assert set(trained(Scaled(name))) == {"loss", "accuracy"}

# Of what every module has, when it is set.
for name in ("learning_rate", "trainer", "fit", "compile", "forward", "state_dict", "predict"):
    refused(f"Scaled: every module has '{name}'; call the Parameter something else", lambda: Scaled(name))
    refused(f"Sequential: every module has '{name}'; call the Dense something else", lambda: setattr(nn.Sequential(), name, nn.Dense(2)))

# Layers of a Sequential have the names that Keras makes of their classes, by its two substitutions, and a number from 1.
for kind in (*(one for one in map(nn.__dict__.get, nn.__all__) if isinstance(one, type)), *(type(one, (), {}) for one in ("GRUCell", "MLPBlock", "MyConv2Down", "ReLU"))):
    expected = re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z]+)", r"\1_\2", kind.__name__)).lower()
    assert snake_case(kind.__name__) == expected, (kind, expected)
layers = nn.Sequential(nn.Conv2DTranspose(2, 3), nn.Conv2D(2, 3), nn.Conv2DTranspose(2, 3), nn.MaxPool2D(2))
assert [name for name, _ in layers.children()] == ["conv2d_transpose1", "conv2d1", "conv2d_transpose2", "max_pool2d1"]

# Settings of an optimizer, when it is made.
for optimizer in (halfstep.SGD, halfstep.Adam, halfstep.AdamW, halfstep.Lion, halfstep.RMSprop, halfstep.LAMB):
    refused(f"{optimizer.__name__}: unknown setting 'lr'; did you mean 'learning_rate'? arguments are learning_rate", lambda: optimizer(lr=0.1))
    refused(f"{optimizer.__name__}: unknown setting 'zork'", lambda: optimizer(zork=0.1))
    assert optimizer(0.5).learning_rate == 0.5

# Layers as others call them.
for name, said in (("Linear", "here it is nn.Dense(units)"), ("ReLU", 'here it is ops.relu(x), nn.Activation("relu"), or "relu" as the activation'),
                   ("LogSoftmax", "ops.log_softmax(x)"), ("Conv2d", "nn.Conv2D(filters, kernel_size)"), ("Conv1d", "nn.Conv1D(filters, kernel_size)"), ("DepthwiseConv2D", "groups=channels"), ("GlobalMaxPool2D", "ops.reduce_max(x, [1, 2])"), ("ConvTranspose2d", "nn.Conv2DTranspose(filters, kernel_size)"), ("GlobalAveragePooling3D", "nn.GlobalAvgPool3D()"), ("BatchNormalization", "nn.BatchNorm()"),
                   ("CrossEntropyLoss", 'losses are named to compile, as loss="CrossEntropyLoss"'), ("ModuleList", "a list or a dictionary"),
                   ("Embeding", "did you mean nn.Embedding?"), ("Zork", "expected one of Activation, AvgPool1D")):
    refused(f"halfstep.nn has no '{name}'; ", lambda: getattr(nn, name), AttributeError)
    refused(said, lambda: getattr(nn, name), AttributeError)
assert not hasattr(nn, "Linear") and all(hasattr(nn, name) for name in nn.__all__)
for name, instead in elsewhere.LAYERS.items():
    own = instead.partition("nn.")[2].partition("(")[0]
    assert not own or own in nn.__all__, instead

# Keywords that a function or a layer has under another name: an error of ours that is Python's own, too, and says which.
def forward(x):
    for name, call in {"softmax: unknown argument 'axis'; did you mean 'dimension'? arguments are input, dimension": lambda: ops.softmax(x, axis=-1),
                       "mean: unknown argument 'axis'; did you mean 'dimensions'?": lambda: ops.mean(x, axis=1),
                       "mean: unknown argument 'keepdims'; did you mean 'keep_dims'?": lambda: ops.mean(x, 1, keepdims=True),
                       "concat: unknown argument 'dim'; did you mean 'dimension'?": lambda: ops.concat([x, x], dim=0),
                       "transpose: unknown argument 'axes'; did you mean 'permutation'?": lambda: ops.transpose(x, axes=(1, 0)),
                       "exp: unknown argument 'x'; did you mean 'input'?": lambda: ops.exp(x=x),
                       "einsum: unknown argument 'out'; arguments are subscripts, *inputs": lambda: ops.einsum("ij->ji", x, out=x)}.items():
        refused(name, call)
        refused(name, call, TypeError)
    for call in (lambda: ops.softmax(), lambda: ops.softmax(x, 1, 2)):  # Python says it
        try:
            call()
        except TypeError as error:
            assert type(error) is TypeError
    return x


nn.Sequential(nn.Input((6,)), forward).to_mlir()
for said, call in {"Dense: unknown argument 'bias'; did you mean 'use_bias'? arguments are units, activation": lambda: nn.Dense(2, bias=False),
                   "LayerNorm: unknown argument 'eps'; did you mean 'epsilon'?": lambda: nn.LayerNorm(eps=1e-3),
                   "RNN: unknown argument 'nonlinearity'; did you mean 'activation'?": lambda: nn.RNN(2, nonlinearity="relu"),
                   "LSTM: unknown argument 'num_layers'; did you mean 'layers'?": lambda: nn.LSTM(2, num_layers=2),
                   "Normal: unknown argument 'std'; did you mean 'stddev'?": lambda: nn.Normal(std=1.0),
                   "Parameter: unknown argument 'initializer'; did you mean 'init'?": lambda: nn.Parameter((2,), initializer="zeros"),
                   "Sequential: unknown argument 'name'; a layer is named by the attribute that it is, in a Sequential by its class and a number; arguments are *layers": lambda: nn.Sequential(name="a")}.items():
    refused(said, call, halfstep.UnknownArgument)
    refused(said, call, TypeError)

# What a layer finds by itself, or what is said elsewhere, whatever the layer is; but for one no layer has such an argument.
layers = [one for one in map(nn.__dict__.get, nn.__all__) if isinstance(one, type) and issubclass(one, nn.Module) and one is not nn.Module]
for layer in layers:
    for given, said in elsewhere.LAYER_ARGUMENTS.items():
        if (layer, given) == (nn.Activation, "name"):  # which is its function's
            continue
        needed = [2 for one in inspect.signature(layer).parameters.values() if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
        refused(f"{layer.__name__}: unknown argument '{given}'; {said}; arguments are ", lambda: layer(*needed, **{given: 1}), halfstep.UnknownArgument)
assert len(layers) > 25
refused("fit: unknown argument 'augment'; batches of your own may be of changed images", lambda: nn.Sequential(nn.Dense(2)).fit(X, Y, augment="flip"))

# They are what they were else: signatures, documentation, pickles; no word is said for an argument that is nowhere.
arguments = set()
for module in (ops, nn):
    for name in module.__all__:
        one = getattr(module, name)
        assert pickle.loads(pickle.dumps(one)) is one and one.__name__ == name, name
        if one not in (nn.Module, nn.Sequential):
            arguments.update(inspect.signature(one).parameters)
assert str(inspect.signature(ops.softmax)) == "(input: 'Operand', dimension: 'int' = -1) -> 'Tensor'"
assert [*inspect.signature(nn.LayerNorm).parameters] == ["epsilon", "dtype"] and ops.softmax.__doc__.startswith("Exponentials")
for function in (nn.Module.compile, nn.Module.fit, nn.Module.load_state_dict, nn.Module.save_weights, halfstep.compile, halfstep.Session):
    arguments.update(inspect.signature(function).parameters)
assert {one.lstrip("*") for several in _keywords._MEANT.values() for one in several} <= {*arguments, *settings.setting_names()}
for layer in (nn.RNN, nn.LSTM):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        layer(2, dropout=0.5)
    assert [one.filename for one in told] == [__file__], told

# What a layer needs is told by its own name.
for layer, said in ((lambda: nn.Conv2D(3), "Conv2D() missing 1 required positional argument: 'kernel_size'"), (lambda: nn.Dense(), "Dense() missing 1 required"),
                    (lambda: nn.MaxPool3D(1, 2, 3, 4), "MaxPool3D() takes from 1 to 4 positional arguments but 5 were given")):
    try:
        layer()
    except TypeError as error:
        assert str(error).startswith(said), error
    else:
        raise AssertionError(said)

# Weights of layers that had other names are told with the nearest.
old = nn.Sequential(nn.Input((4,)), nn.Dense(3), nn.Dense(2)).state_dict()
_tensor_files.write_tensors("old.safetensors", {name.replace("dense2", "dens_e2"): value for name, value in old.items()})
refused("old.safetensors: has no tensors 'dense2.kernel', 'dense2.bias'; it has 'dens_e2.kernel', which the model has not",
        lambda: nn.Sequential(nn.Input((4,)), nn.Dense(3), nn.Dense(2)).load_weights("old.safetensors"))
