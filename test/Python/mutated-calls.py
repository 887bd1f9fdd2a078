"""Calls whose arguments are of wrong kinds, sizes and names end well or in an error of ours, which says of what it is.

RUN: rm -rf %t && mkdir %t && cd %t && %{python} -W error %s %if long %{2000%} %else %{150%}

Faults that it found, and that were mended, by their class: NumPy's arrays, and numbers of it that are none (dates, complex ones), that `==`, `in`
and `if` were asked of; whole numbers that Python does not spell, and arrays of several lines, in errors; text that UTF-8 has not, which the bindings
told in C++'s words; a tensor of bool for an attribute, after which Python's next call failed; 0-d arrays and iterators that give once, for several
operands; None for operands of losses; any object as the folder of a checkpoint or the file of a log, which were called by its text; settings by
`str` of any object; arguments of callbacks that were first looked at when an epoch ended.
"""

import dataclasses
import decimal
import enum
import faulthandler
import fractions
import inspect
import math
import pathlib
import re
import sys

sys.path = sys.path[1:]  # files here have the names of packages

import numpy
from hypothesis import HealthCheck, given, settings, strategies

import halfstep
from halfstep import losses, nn, ops
from halfstep.callbacks import CSVLogger, EarlyStopping, JSONLinesLogger, LearningRateScheduler, ModelCheckpoint, TensorBoard

# The same calls every time; a failure is made small, and printed.
EXAMPLES = int(sys.argv[1])


@dataclasses.dataclass(frozen=True)
class Of:
    """Stands for a tensor of that shape, of which the first size may be open."""

    shape: tuple
    dtype: str = "float32"


X, ROW, SQUARE, NUMBER = Of((None, 4, 6)), Of((6,)), Of((6, 6)), Of(())
WHOLE = Of((None, 4, 6), "int32")
LABELS, TRUTHS, IMAGE = Of((None, 4), "int64"), Of((None, 4, 6), "bool"), Of((None, 8, 8, 4))

# What operands of functions and ops are in a call that is right, by their names; and of those that want others.
OPERANDS = {
    **dict.fromkeys(["input", "lhs", "rhs", "base", "exponent", "prediction", "target", "logs", "logits", "probabilities", "query", "key", "value", "true_value",
                     "false_value", "min", "max"], X),
    **dict.fromkeys(["scale", "offset", "mean", "variance", "slope"], ROW),
    "labels": LABELS, "condition": TRUTHS, "image": IMAGE, "filter": Of((5, 3, 3, 4)), "inputs": [X, X], "matrices": [SQUARE, SQUARE],
    "matrix": SQUARE, "vector": ROW, "dimension": 1, "dimensions": [1], "window": [2, 2], "rate": 0.5, "keep_dims": True, "dtype": "float32", "epsilon": 1e-3,
    "strides": [1, 1], "alpha": 1.0, "beta": 0.5, "diagonal": 1, "approximate": "none", "delta": 1.0, "negative_slope": 0.1, "momentum": 0.1, "unbiased": True,
}
OWN = {
    "addbmm": {"input": SQUARE, "lhs": Of((2, 6, 6)), "rhs": Of((2, 6, 6))},
    "addmm": {"input": SQUARE, "lhs": SQUARE, "rhs": SQUARE},
    "addmv": {"input": ROW},
    "addr": {"input": SQUARE, "lhs": ROW, "rhs": ROW},
    "baddbmm": dict.fromkeys(["input", "lhs", "rhs"], Of((2, 6, 6))),
    "addcdiv": {"value": 0.5},
    "addcmul": {"value": 0.5},
    "argmax": {"dtype": "int32"},
    "argmin": {"dtype": "int32"},
    "attention": {**dict.fromkeys(["query", "key", "value"], Of((None, 2, 4, 6))), "causal": True, "scale": 0.5},
    "clamp": {"min": -1.0, "max": 1.0},
    "avg_pool": {"padding": "same", "count_padding": True},
    "max_pool": {"padding": [0, 1, 0, 1], "dilations": [1, 1]},
    "bilinear": {"lhs": Of((3, 4)), "rhs": Of((3, 6)), "weight": Of((2, 4, 6))},
    "broadcast": {"input": ROW, "shape": [4, 6]},
    "constant": {"value": [1.0, 2.0]},
    "conv": {"padding": "same", "dilations": [1, 1], "groups": 1, "acc": "float32"},
    "conv_tbc": {"input": Of((7, 2, 4)), "weight": Of((3, 4, 5)), "pad": 1},
    "conv_transpose": {"input": IMAGE, "filter": Of((4, 3, 3, 5)), "padding": [0, 0, 0, 0], "dilations": [1, 1], "groups": 1, "output_padding": [0, 0]},
    "cross": {"lhs": Of((None, 3)), "rhs": Of((None, 3))},
    "cross_entropy": {"label_smoothing": 0.1, "ignore_label": -1},
    "softmax_cross_entropy": {"label_smoothing": 0.1, "ignore_label": -1},
    "nll_loss": {"ignore_label": -1},
    "cumsum": {"exclusive": True, "reverse": False},
    "dot": {"lhs": ROW, "rhs": ROW},
    "vdot": {"lhs": ROW, "rhs": ROW},
    "dropout": {"shared": [1]},
    "gather": {"input": SQUARE, "indices": Of((None, 4), "int32"), "dimension": 0},
    "gather_elements": {"input": SQUARE, "indices": Of((3, 6), "int32"), "dimension": 0},
    "group_norm": {"groups": 2, "scale": ROW, "offset": ROW},
    "index_put": {"input": SQUARE, "indices": [Of((3,), "int32")], "values": Of((3, 6)), "accumulate": True},
    "iota": {"dimension": 0, "shape": [3, 4], "dtype": "int32"},
    "kl_div": {},
    "logical_and": {"lhs": TRUTHS, "rhs": TRUTHS},
    "logical_or": {"lhs": TRUTHS, "rhs": TRUTHS},
    "logical_not": {"input": TRUTHS},
    "matmul": {"rhs": SQUARE, "bias": ROW, "transpose_lhs": False, "transpose_rhs": True, "acc": "float32"},
    "matrix_norm": {"order": 1, "dimensions": [1, 2]},
    "mv": {},
    "one_hot": {"classes": 3},
    "outer": {"lhs": ROW, "rhs": ROW},
    "pad": {"low": [0, 1, 0], "high": [0, 0, 2], "interior": [0, 0, 0], "value": 1.0},
    "compare": {"predicate": "lt"},
    "renorm": {"order": 2.0, "most": 1.0},
    "reshape": {"shape": [None, 24]},
    "resize": {"input": IMAGE, "sizes": [5, 7], "scales": [1.5, 2.0], "mode": "nearest", "coordinates": "asymmetric", "rounding": "ceil"},
    "reverse_gradient": {"scale": 0.5},
    "round": {},
    "scaled_dot_product_attention": {"attn_mask": Of((4, 4)), "dropout_p": 0.1, "is_causal": False, "scale": 0.5},
    "scatter_add": {"input": SQUARE, "indices": Of((3,), "int32"), "updates": Of((3, 6)), "dimension": 0},
    "scatter_add_elements": {"input": SQUARE, "indices": Of((3, 6), "int32"), "updates": Of((3, 6)), "dimension": 0},
    "scatter_elements": {"input": SQUARE, "indices": Of((3, 6), "int32"), "updates": Of((3, 6)), "dimension": 0},
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right"], dict.fromkeys(["lhs", "rhs"], WHOLE)), "bitwise_not": {"input": WHOLE},
    **dict.fromkeys(["random_normal", "random_uniform"], {"shape": [3, 4], "dtype": "float32"}), "random_bernoulli": {"probability": X},
    "slice": {"starts": [0, 0, 1], "limits": [-(2**63), 4, 5], "strides": [1, 1, 2]},
    "split": {"sizes": [2, 4], "dimension": 2},
    "straight_through": {"value": X, "to": X},
    "tensordot": {"lhs": SQUARE, "rhs": SQUARE, "dimensions": 1},
    "tile": {"repeats": [1, 2]},
    "top_k": {"k": 2, "largest": False},
    "transpose": {"permutation": [0, 2, 1]},
    "tril": {}, "triu": {},
    "update_running": {"old": ROW, "batch": ROW, "count": 8},
    "var": {"correction": 1.0},
    "vector_norm": {"order": 3},
    "vecdot": {"dimension": -1},
    "einsum": {"subscripts": "bij,jk->bik"},
    "batch_norm": {"weights": Of((None,))},
    **dict.fromkeys(["binary_cross_entropy", "huber_loss", "l1_loss", "mse_loss", "sigmoid_cross_entropy"], {"weights": Of((None,))}),
}


def in_forward(call, module=None):
    """A call of a function of tensors, in a model of which they are the inputs, and the module is part."""

    def run(**arguments):
        found = []

        def specs(value):
            if isinstance(value, Of):
                found.append(value)
            elif isinstance(value, (list, tuple)):
                for one in value:
                    specs(one)

        specs(list(arguments.values()))
        inputs = {f"input{i}": nn.Input(of.shape[1:] if of.shape[:1] == (None,) else of.shape, of.dtype, of.shape[:1] == (None,)) for i, of in enumerate(found)}

        class Called(nn.Module):
            def __init__(self):
                self.module = module

            def forward(self, x, *given):
                left = iter(given)

                def own(value):
                    if isinstance(value, Of):
                        return next(left)
                    return type(value)(own(one) for one in value) if type(value) in (list, tuple) else value

                made = call(*map(own, arguments.values())) if call is module else call(**{name: own(value) for name, value in arguments.items()})
                return made[0] if isinstance(made, (list, tuple)) else made

        return Called().specify(x=nn.Input((4,)), **inputs).to_mlir()

    return run


def of_op(name):
    function = getattr(ops, name)
    own = OWN.get(name, {})
    arguments = {one.name: own.get(one.name, OPERANDS.get(one.name)) for one in inspect.signature(function).parameters.values()
                 if one.kind is not one.VAR_POSITIONAL and (one.default is one.empty or one.name in own or one.name in ("dimension", "dimensions", "keep_dims", "epsilon", "alpha", "beta",
                     "diagonal", "approximate", "delta", "negative_slope", "momentum", "unbiased", "dtype", "strides"))}
    arguments = {key: value for key, value in arguments.items() if not (key == "result")}
    if name == "einsum":
        return in_forward(lambda subscripts, lhs, rhs, **more: ops.einsum(subscripts, lhs, rhs, **more)), {"subscripts": "bij,jk->bik", "lhs": X, "rhs": SQUARE}
    return in_forward(function), arguments


class Kind(enum.Enum):
    ONE = 1


def numbers_one_by_one():
    yield from (1, 2)


# What is given for an argument, made anew each time: None and truths, words, numbers, several, what is no data at all, NumPy's.
MUTANTS = {
    one: (lambda one=one: eval(one)) for one in (  # the text is what a failure shows
        "None", "True", "False", "Ellipsis", "''", "'a'", "'relu'", "'float16'", "'float64'", "'nan'", "'1'", "'1,2'", "'a=b'", "'a\\nb'", "'a\\0b'", "'\\ud800'",
        "'é' * 300", "b'x'", "bytearray(b'x')", "0", "1", "-1", "2", "3", "7", "-7", "10**4", "2**31", "-2**31", "2**32", "2**40", "2**63 - 1", "2**63", "-2**63", "-2**63 - 1",
        "2**64", "10**5000", "0.0", "-0.0", "0.5", "1.0", "1.5", "-2.5", "1e-320", "1e300", "-1e300", "math.nan", "math.inf", "-math.inf", "1j",
        "decimal.Decimal('0.5')", "decimal.Decimal('nan')", "fractions.Fraction(1, 2)", "[]", "()", "[0]", "[1, 2]", "(1, 2, 3)", "[-1]", "[2**70]", "[1.5]", "[None]",
        "[None, None]", "['a']", "[['a']]", "[[1], [2, 3]]", "[math.nan]", "[1] * 100", "[0, 0]", "[-2**63]", "[2**62, 2**62]", "[[]]", "[True]", "{}", "{'a': 1}", "{0: 1}", "{1, 2}",
        "frozenset({'a'})", "set()", "numbers_one_by_one()", "iter([])", "range(3)", "map(str, 'ab')", "object()", "object", "int", "len", "lambda x: x", "lambda: 1", "math", "Kind.ONE",
        "slice(None)", "NotImplemented", "Exception('a')", "pathlib.Path('a')", "memoryview(b'ab')", "numpy.int8(3)", "numpy.uint64(2**64 - 1)", "numpy.int64(-1)", "numpy.float32(2)",
        "numpy.float16(math.nan)", "numpy.float64(0.5)", "numpy.bool_(True)", "numpy.str_('a')", "numpy.bytes_(b'a')", "numpy.datetime64('2020')", "numpy.timedelta64(1)",
        "numpy.complex64(1j)", "numpy.void(b'a')", "numpy.longdouble(1)", "numpy.array(3)", "numpy.array([])", "numpy.array([2])", "numpy.array([1, 2])", "numpy.array('a')",
        "numpy.array(['a', 'b'])", "numpy.array([None, 1])", "numpy.array(None)", "numpy.array([1j])", "numpy.array([math.nan], 'float32')", "numpy.ones((2, 3))", "numpy.ones((4, 6), 'float16')",
        "numpy.zeros((0, 4), 'int32')", "numpy.ones((12, 3), 'float32')[::-1]", "numpy.ones((12, 3), '>f4')", "numpy.ones((1,) * 32)", "numpy.ma.masked_array([1.0], [True])",
        "numpy.zeros(2, 'i4,f4')", "numpy.zeros(2, 'M8[s]')", "numpy.dtype('float32')", "numpy.float32", "numpy", "numpy.arange(12)", "numpy.full((12, 3), math.nan)",
        "numpy.full((12,), -5)", "nn.Input((3,))", "nn.Parameter((2, 3))", "nn.State(())", "nn.Dense(2)", "nn.Dense", "halfstep.Adam()", "halfstep.Policy('float32')", "losses.Huber")
}
TENSORS = {f"Of({shape}, {dtype!r})": (lambda shape=shape, dtype=dtype: Of(shape, dtype))
           for shape in ((), (None,), (0,), (6,), (4, 6), (None, 6), (None, 4, 6), (None, 0, 6), (3, 4, 6), (None, 8, 8, 4), (None, 2, 4, 6), (1,) * 6, (2**31, 2**31, 6))
           for dtype in ("float32", "int32", "bool", "bfloat16")}
NAMES = ("axis", "x", "self", "a b", "", "lr", "strict", "\0", "é", "input_", "dtype", "name", "function", "named", "call")


class Fixtures:
    """What calls are made on, each made once."""

    X = numpy.linspace(-1, 1, 36, dtype="float32").reshape(12, 3)
    Y = numpy.arange(12) % 2

    @staticmethod
    def network(**said):
        model = nn.Sequential(nn.Input((3,)), nn.Dense(4, "relu"), nn.Dense(2))
        model.compile(**{"optimizer": "sgd", "policy": "float32", "threads": 1, **said})
        return model


TEXT = nn.Sequential(nn.Input((3,)), nn.Dense(2)).to_mlir()
TRAINED = Fixtures.network()
TRAINED.fit(Fixtures.X, Fixtures.Y, 4, verbose=False)
EXECUTABLE = halfstep.compile(TEXT, policy="float32", training=False)
SESSION = halfstep.Session(EXECUTABLE, threads=1)
SESSION.initialize()
SESSION.save_weights("known2.safetensors")
TRAINED.export("known.mpx")
TRAINED.save_weights("known.safetensors")


def of_layer(make):
    """A layer that is made and, in a model, called."""

    def call(of=None, **arguments):
        layer = make(**arguments)
        return in_forward(layer, layer)(x=of)

    return call


def of_compile(**said):
    Fixtures.network(**said).fit(Fixtures.X, Fixtures.Y, 4, verbose=False)


def of_fit(**said):
    return TRAINED.fit(**{"x": Fixtures.X, "y": Fixtures.Y, "batch_size": 4, "verbose": False, **said})


def with_callback(make):
    return lambda **said: TRAINED.fit(Fixtures.X, Fixtures.Y, 4, 2, verbose=False, validation_data=(Fixtures.X, Fixtures.Y), callbacks=[make(**said)])


IMAGES = {1: Of((None, 8, 4)), 2: IMAGE, 3: Of((None, 8, 8, 8, 4))}
LAYERS = {
    "Activation": (X, {"name": "relu"}), "BatchNorm": (X, {"momentum": 0.1, "epsilon": 1e-5, "unbiased": True}), "Dense": (X, {"units": 3, "activation": "relu", "use_bias": True,
        "init": "glorot_uniform", "bias_init": "zeros", "dtype": "float16"}), "Dropout": (X, {"rate": 0.5}), "Embedding": (LABELS, {"rows": 3, "columns": 4, "init": "zeros"}),
    "Flatten": (X, {"dtype": None}), "GroupNorm": (X, {"groups": 2, "epsilon": 1e-5}), "LayerNorm": (X, {"epsilon": 1e-5}), "MultiHeadAttention": (X, {"heads": 2, "dropout": 0.0}),
    "Rescaling": (X, {"scale": 0.5, "offset": 1.0}),
    **{name: (X, {"units": 3, "layers": 2, "return_sequences": True, "bidirectional": False, "dropout": 0.1, "use_bias": True, "init": "zeros", "recurrent_init": "zeros"}) for name in ("GRU", "LSTM")},
    "RNN": (X, {"units": 3, "layers": 1, "activation": "tanh"}),
    **{f"Conv{rank}D": (of, {"filters": 4, "kernel_size": 3, "strides": 1, "padding": "same", "activation": "relu", "dilation": 1, "groups": 2, "init": "zeros"}) for rank, of in IMAGES.items()},
    **{f"Conv{rank}DTranspose": (of, {"filters": 4, "kernel_size": [3] * rank, "strides": 2, "padding": 1, "output_padding": 1, "dilation": 1, "groups": 2}) for rank, of in IMAGES.items()},
    **{f"{kind}Pool{rank}D": (of, {"pool_size": 2, "strides": [2] * rank, "padding": "same"}) for rank, of in IMAGES.items() for kind in ("Max", "Avg")},
    **{f"GlobalAvgPool{rank}D": (of, {"dtype": "float32"}) for rank, of in IMAGES.items()},
}
PAIR = {"outputs": X, "targets": X}
LOSSES = {
    "cosine_embedding_loss": {"first": Of((None, 6)), "second": Of((None, 6)), "targets": Of((None,)), "margin": 0.1},
    "cross_entropy": {"logits": Of((None, 6)), "labels": Of((None,), "int64"), "label_smoothing": 0.1, "ignore_label": -1, "weight": [1.0] * 6, "from_logits": True},
    "hinge_embedding_loss": {**PAIR, "margin": 1.0},
    "kl_div": {"logs": X, "targets": X},
    "margin_ranking_loss": {"first": Of((None,)), "second": Of((None,)), "targets": Of((None,)), "margin": 0.0},
    "multi_margin_loss": {"outputs": Of((None, 6)), "labels": Of((None,), "int64"), "p": 1, "margin": 1.0, "weight": [1.0] * 6},
    "multilabel_margin_loss": {"outputs": Of((None, 6)), "labels": Of((None, 6), "int64")},
    "nll_loss": {"logs": Of((None, 6)), "labels": Of((None,), "int64"), "weight": {1: 2.0}, "ignore_label": -1},
    "poisson_nll_loss": {**PAIR, "log_input": True, "full": True, "epsilon": 1e-8},
    "soft_margin_loss": PAIR,
    "triplet_margin_loss": {"anchor": Of((None, 6)), "positive": Of((None, 6)), "negative": Of((None, 6)), "margin": 1.0, "p": 2.0, "epsilon": 1e-6, "swap": True},
}
FACTORIES = {
    "BinaryCrossentropy": {"from_logits": True, "label_smoothing": 0.1}, "CategoricalCrossentropy": {"from_logits": True, "label_smoothing": 0.1},
    "CrossEntropy": {"label_smoothing": 0.1, "ignore_label": -1, "weight": [1.0, 2.0], "from_logits": True}, "Huber": {"delta": 1.0}, "KLDiv": {"reduction": "batchmean"},
    "NLL": {"weight": [1.0, 2.0], "ignore_label": -1}, "SparseCategoricalCrossentropy": {"from_logits": True, "ignore_class": -1},
}


def of_loss(make):
    """A loss that is made and told to compile."""

    def call(**arguments):
        loss = make(**arguments)
        given = Of((None, 2)), Of((None, 2)) if make in (losses.BinaryCrossentropy, losses.CategoricalCrossentropy, losses.Huber, losses.KLDiv) else Of((None,), "int64")
        return in_forward(lambda outputs, targets: loss(outputs, targets))(outputs=given[0], targets=given[1])

    return call


OPTIMIZERS = {
    "SGD": {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "clip_norm": 1.0}, "Adam": {"learning_rate": 0.1, "betas": [0.9, 0.99], "epsilon": 1e-8},
    "AdamW": {"learning_rate": 0.1, "weight_decay": 0.1, "clip_value": 1.0}, "RMSprop": {"learning_rate": 0.1, "alpha": 0.9, "epsilon": 1e-8, "momentum": 0.1, "centered": True},
    "Adagrad": {"learning_rate": 0.1, "learning_rate_decay": 0.1, "initial_accumulator_value": 0.1, "epsilon": 1e-10}, "NAdam": {"learning_rate": 0.1, "momentum_decay": 0.1},
    "LAMB": {"learning_rate": 0.1, "clip_parameter_norm": 1.0}, "Lion": {"learning_rate": 0.1, "betas": (0.9, 0.99)},
    "LossScaler": {"init_scale": 2.0**10, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 10, "enabled": True, "hysteresis": 2, "floor": 1.0, "ceiling": 2.0**20},
    "Policy": {"name": "mixed_bfloat16", "deny": ["mp.exp"], "allow": ["mp.matmul"]},
}


def run_session(executable="known.mpx", **said):
    with halfstep.Session(executable, **said) as session:
        session.initialize()
        return session.run("infer", x=Fixtures.X)


def set_state(name, value):
    SESSION.state[name] = value


def set_rate(rate):
    TRAINED.learning_rate = rate


def onnx_bytes():
    import onnx
    from onnx import TensorProto, helper

    node = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()


ONNX = onnx_bytes()
# Of calls that take long there are fewer.
QUICK = {
    **{f"ops.{name}": of_op(name) for name in ops.__all__},
    **{f"nn.{name}": (of_layer(getattr(nn, name)), {"of": of, **own}) for name, (of, own) in LAYERS.items()},
    "nn.Reshape": (lambda of, a, b, **more: in_forward(lambda of: nn.Reshape(a, b, **more)(of))(of=of), {"of": X, "a": 4, "b": 6}),
    "nn.Sequential": (lambda a, b: nn.Sequential(nn.Input((3,)), a, b).to_mlir(), {"a": abs, "b": nn.Flatten()}),
    "nn.Input": (lambda **said: nn.Sequential(nn.Input(**said), nn.Activation("relu")).to_mlir(), {"shape": (3,), "dtype": "float32", "batched": True}),
    "nn.Parameter": (lambda **said: nn.Sequential(nn.Input((2, 3)), Adding(nn.Parameter(**said))).to_mlir(), {"shape": (2, 3), "init": "zeros", "dtype": "float32", "value": None, "trainable": True}),
    "nn.State": (lambda **said: nn.Sequential(nn.Input((2, 3)), Adding(nn.State(**said))).to_mlir(), {"shape": (2, 3), "init": 0.5, "dtype": "float32", "value": None}),
    "nn.Initializer": (lambda **said: nn.Sequential(nn.Input((3,)), nn.Dense(2, init=nn.Initializer(**said))).to_mlir(), {"kind": "zeros", "numbers": (), "seed": None}),
    **{f"nn.{name}": (lambda make=getattr(nn, name), **said: nn.Sequential(nn.Input((3,)), nn.Dense(2, init=make(**said))).to_mlir(), own)
       for name, own in {"Constant": {"value": 1.0}, "Normal": {"mean": 0.0, "stddev": 1.0, "seed": 3}, "Uniform": {"low": 0.0, "high": 1.0, "seed": 3}}.items()},
    **{f"losses.{name}": (in_forward(getattr(losses, name)), own) for name, own in LOSSES.items()},
    **{f"losses.{name}": (of_loss(getattr(losses, name)), own) for name, own in FACTORIES.items()},
    **{f"halfstep.{name}": (getattr(halfstep, name), own) for name, own in OPTIMIZERS.items()},
    "autocast": (lambda tensor, **said: in_forward(lambda tensor: _autocast(tensor, **said))(tensor=tensor), {"tensor": X, "dtype": "float16", "enabled": True}),
    "index": (in_forward(lambda tensor, index: tensor[index]), {"tensor": X, "index": (slice(None), slice(1, 3), 2)}),
    "range of indices": (in_forward(lambda tensor, start, stop, step: tensor[:, start:stop:step]), {"tensor": X, "start": 1, "stop": 3, "step": 1}),
    "mp.add": (in_forward(lambda tensor, other: tensor + other), {"tensor": X, "other": 2}),
    "mp.matmul": (in_forward(lambda tensor, other: other @ tensor), {"tensor": SQUARE, "other": numpy.ones((6, 6))}),
    "pow": (in_forward(lambda tensor, other: other**tensor), {"tensor": X, "other": 2.0}),
    "astype": (in_forward(lambda tensor, dtype: tensor.astype(dtype)), {"tensor": X, "dtype": "float16"}),
    "reshape": (in_forward(lambda tensor, first, second: tensor.reshape(first, second)), {"tensor": X, "first": None, "second": 24}),
    "assign": (lambda value: nn.Sequential(nn.Input((2, 3)), Assigning(value)).to_mlir(), {"value": 1.0}),
    "to_mlir": (lambda **said: nn.Sequential(nn.Dense(2)).to_mlir(**said), {"inputs": {"x": nn.Input((3,))}, "locations": True}),
    "specify": (lambda **said: nn.Sequential(nn.Dense(2)).specify(**said).to_mlir(), {"x": nn.Input((3,))}),
    "Executable": (halfstep.Executable, {"data": EXECUTABLE.to_bytes()}),
    "initialize": (SESSION.initialize, {"seed": 3}),
    "run": (lambda program, inputs, **more: SESSION.run(program, inputs, **more), {"program": "infer", "inputs": {"x": Fixtures.X}}),
    "run x": (lambda x: SESSION.run("infer", x=x), {"x": Fixtures.X}),
    "state": (set_state, {"name": "dense1.bias", "value": [1.0, 2.0]}),
    "get state": (lambda name: SESSION.state[name], {"name": "dense1.bias"}),
    "set_states": (SESSION.set_states, {"values": {"dense1.bias": [1.0, 2.0]}}),
    "Session.load_weights": (lambda path: halfstep.Session(EXECUTABLE, threads=1).load_weights(path), {"path": "known2.safetensors"}),
    "Session.save_state": (SESSION.save_state, {"path": "saved.safetensors", "steps": 3, "epochs": 1}),
    "Session": (run_session, {"executable": "known.mpx", "device": "cpu", "threads": 1, "pin_threads": False}),
    "from_onnx": (halfstep.from_onnx, {"model": ONNX, "trainable": None, "frozen": None}),
    "predict": (TRAINED.predict, {"x": Fixtures.X}),
    "learning_rate": (set_rate, {"rate": 0.1}),
    "load_state_dict": (TRAINED.load_state_dict, {"values": TRAINED.state_dict()}),
    "load_weights": (TRAINED.load_weights, {"path": "known.safetensors"}),
    "save_weights": (TRAINED.save_weights, {"path": "saved.safetensors"}),
    "set_global_policy": (lambda policy: _global_policy(policy), {"policy": "float32"}),
    **{f"callbacks.{kind.__name__}": (kind, own) for kind, own in (
        (EarlyStopping, {"monitor": "val_loss", "patience": 1, "min_delta": 0.1, "restore_best_weights": True}), (LearningRateScheduler, {"schedule": lambda epoch: 0.1}),
        (ModelCheckpoint, {"path": "a-{epoch}", "monitor": "val_loss", "save_best_only": True}), (CSVLogger, {"path": "a.csv", "separator": ",", "append": True}),
        (JSONLinesLogger, {"path": "a.jsonl", "append": True}), (TensorBoard, {"log_dir": "runs", "update_freq": "batch"}))},
}
SLOW = {
    "compile": (of_compile, {"optimizer": "adam", "loss": "cross_entropy", "metrics": ["accuracy"], "policy": "float32", "loss_scaler": "none", "device": "cpu", "threads": 1,
                             "pin_threads": False, "trainable": "*", "frozen": "dense1.*", "accumulate": 1, "skip_limit": 3, "loss_scale": None, "deny": ["mp.exp"]}),
    "fit": (of_fit, {"x": Fixtures.X, "y": Fixtures.Y, "batch_size": 4, "epochs": 1, "validation_data": (Fixtures.X, Fixtures.Y), "validation_split": 0.0, "callbacks": [], "verbose": False,
                     "seed": 1, "last_batch": "drop", "checkpoint": None, "resume": False, "log": "log.jsonl", "find_nonfinite": False, "initial_epoch": 0}),
    "fit batches": (lambda x: TRAINED.fit(x, verbose=False), {"x": [(Fixtures.X, Fixtures.Y)]}),
    "fit batch": (lambda x, y: TRAINED.fit([(x, y)], verbose=False), {"x": Fixtures.X, "y": Fixtures.Y}),
    "evaluate": (TRAINED.evaluate, {"x": Fixtures.X, "y": Fixtures.Y, "batch_size": 4}),
    "step": (TRAINED.trainer.step, {"x": Fixtures.X, "y": Fixtures.Y, "seed": 3}),
    "export": (TRAINED.export, {"path": "a.mpx", "weights": True, "batch_sizes": [1, 4], "targets": ["cpu:sse2"], "training": False}),
    "halfstep.compile": (halfstep.compile, {"model": TEXT, "to": "autocast", "remarks": "mp", "on_diagnostic": repr, "on_stage": max, "name": "a.mlir", "device": "cpu", "policy": "float32",
                                            "batch_size": 4, "training": False}),
    "compare": (halfstep.compare, {"model": Fixtures.network(), "data": (Fixtures.X, Fixtures.Y), "policies": ["float32"], "validation_data": None, "batch_size": 4, "epochs": 1, "seed": 1,
                                   "last_batch": "drop", "verbose": False}),
    **{f"fit with {kind.__name__}": (with_callback(kind), own) for kind, own in (
        (EarlyStopping, {"monitor": "val_loss", "patience": 1, "min_delta": 0.1, "restore_best_weights": True}), (LearningRateScheduler, {"schedule": lambda epoch: 0.1}),
        (ModelCheckpoint, {"path": "a-{epoch}", "monitor": "val_loss", "save_best_only": True}), (CSVLogger, {"path": "a.csv", "separator": ",", "append": True}),
        (JSONLinesLogger, {"path": "a.jsonl", "append": True}))},
}


class Adding(nn.Module):
    def __init__(self, leaf):
        self.leaf = leaf

    def forward(self, x):
        return x + self.leaf


class Assigning(nn.Module):
    def __init__(self, value):
        self.leaf, self.__dict__["_value"] = nn.State((2, 3)), value

    def forward(self, x):
        self.leaf.assign(self._value)
        return x


def _autocast(of, **said):
    with halfstep.autocast(**said):
        return of + 1


def _global_policy(policy):
    halfstep.set_global_policy(policy)
    halfstep.set_global_policy("float32")


# What an error says of the place: the function or the layer, which in the model is called `module`, and of an argument that is a layer or a loss with arguments of its own.
PLACES = {"index": "slice|dimension", "range": "slice|range of indices", "pow": "mp.pow", "autocast": "autocast", "astype": "astype", "get": "state", "state": "dense1.bias|state", "reduce_mean": "mean", "NLL": "nll_loss",
          "CrossEntropy": "cross_entropy", "SparseCategoricalCrossentropy": "cross_entropy", "from_onnx": "ONNX", "run": "executable", "fit": "monitor"}
# What it calls arguments that Python's operators, indices and layers have no names for, and those of what a call makes.
ARGUMENTS = {"index": "index|dimension", "range": "strides|range of indices", "mp.": "operands?|lhs|rhs", "pow": "operands?|lhs|rhs", "nn.": "the input|takes|operand shapes", "reshape": "shape",
             "state": "state|dense1.bias", "get": "state", "fit": "'y'|an iterable", "export": "a compiled model", "learning_rate": "learning_rate", "einsum": "inputs", "SparseCategoricalCrossentropy": "ignore_label"}
# Arguments that are functions, whose own errors are the user's, and those that say how much is to be done, of which nobody waits for much.
FUNCTIONS = {"loss", "metrics", "activation", "schedule", "on_stage", "on_diagnostic", "a", "b"}
COUNTS = {"epochs", "layers", "repeats"}


def is_told_all(place: str, argument: str, value) -> bool:
    """Whether a call with it says something of ours."""
    if argument in COUNTS and isinstance(value, int) and value > 100:
        return False
    if place == "pow" and isinstance(value, numpy.ma.MaskedArray):  # whose own operator it is
        return False
    return not callable(value) or isinstance(value, (nn.Module, nn.Input)) or argument not in FUNCTIONS and place != "nn.Activation"


def has_tensor(value) -> bool:
    return isinstance(value, Of) or isinstance(value, (list, tuple)) and any(map(has_tensor, value))


@strategies.composite
def calls(draw):
    """The place, and what is other than in the call that is right: for arguments the texts of values, one that is none of its arguments."""
    table = draw(strategies.sampled_from([QUICK] * 9 + [SLOW]))
    place = draw(strategies.sampled_from(sorted(table)))
    arguments = table[place][1]
    values = strategies.sampled_from(sorted(MUTANTS) + sorted(TENSORS) * any(map(has_tensor, arguments.values())))
    changed = draw(strategies.dictionaries(strategies.sampled_from(sorted(set(arguments) - {"tensor"})), strategies.tuples(values, strategies.booleans()), min_size=1, max_size=2))
    return place, changed


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(calls())
def check(drawn):
    place, changed = drawn
    call, arguments = {**QUICK, **SLOW}[place]
    arguments = dict(arguments)
    for argument, (text, is_within) in changed.items():
        value, own = {**MUTANTS, **TENSORS}[text](), arguments[argument]
        if is_told_all(place, argument, value):
            arguments[argument] = type(own)([value, *own[1:]]) if is_within and isinstance(own, (list, tuple)) and own else value
    faulthandler.dump_traceback_later(120, exit=True)
    try:
        call(**arguments)
    except halfstep.Error as error:
        said = str(error)
        assert said and (len(said) < 1000 or isinstance(error, halfstep.CompileError)), said
        if isinstance(error, (halfstep.CompileError, halfstep.MissingFile)) and not error.fault.name or error.of or any(isinstance(one, str) and one and said.startswith(one) for one in arguments.values()):
            return  # which begins with the place in the text of a model, or with the file
        kind, name = place[: place.find(".") + 1], place.split(".")[-1].split(" ")[0]
        assert said.startswith("in ") and kind == "nn." or re.search(rf"(\b|_)({name}|{place.split(' ')[-1]}|{PLACES.get(name, name)})\b", said), (place, said)
        assert any(re.search(rf"\b({one})\b", said) for one in {*(f"{one.removesuffix('s')}s?" for one in arguments), *(ARGUMENTS[one] for one in (kind, name) if one in ARGUMENTS)}), (place, said)
    except UserWarning:  # ours, which -W error raises
        pass
    finally:
        faulthandler.cancel_dump_traceback_later()


# What is not changed is right, of what is quick.
for right, given_right in QUICK.values():
    right(**given_right)
for place, (call, arguments) in QUICK.items():
    if place.startswith(("ops.", "nn.", "losses.", "halfstep.")) and place != "nn.Sequential":
        for name in NAMES:
            if name not in arguments and name != "self":
                try:
                    call(**arguments, **{name: 1})
                except halfstep.UnknownArgument as error:
                    assert "unknown" in str(error), error
                except halfstep.Error:  # who makes what the call is given finds something else
                    pass
check()
