"""What other frameworks have under names that are not here, with what is."""

_WEIGHTS = "model.save_weights(path) writes parameters, model.load_weights(path) reads them"
_SAVED = _WEIGHTS + '; model.export("model.mpx") writes the compiled model with them, for mp-exec, programs in C and halfstep.Session'
_DEVICE = 'model.compile(device="cuda") trains there, halfstep.devices() lists what there is'
_POLICY = 'parameters are float32, and model.compile(policy="mixed_bfloat16") says what is computed narrow'
_BY_NAME = "model.state_dict() has them by name"
_FROZEN = "model.compile(frozen='encoder.*') says by their names what does not train; what a forward changes itself is an nn.State"
_ONNX = "no ONNX is written, only read, by halfstep.from_onnx; "

# Attributes of a module.
ATTRIBUTES = {
    "parameters": _BY_NAME + "; compile is told the optimizer",
    **dict.fromkeys(["named_parameters", "get_weights", "weights", "variables", "trainable_weights", "trainable_variables", "buffers"], _BY_NAME),
    "set_weights": "model.load_state_dict(values) takes them by name",
    "count_params": "sum(one.size for one in model.state_dict().values()) is their number",
    "train": "fit trains, and leaves dropout in by itself",
    "eval": "predict and evaluate leave dropout out by themselves",
    "training": "dropout and batch norms know which program they are in",
    **dict.fromkeys(["trainable", "requires_grad", "requires_grad_"], _FROZEN),
    **dict.fromkeys(["train_on_batch", "train_step", "training_step"], "model.trainer.step(x, y) is it"),
    "test_on_batch": "model.evaluate(x, y) is it",
    "predict_on_batch": "model.predict(x) is it",
    **dict.fromkeys(["backward", "zero_grad"], "model.trainer.step(x, y) does a whole step"),
    **dict.fromkeys(["save", "save_pretrained", "save_model", "serialize", "to_file", "to_torchscript"], _SAVED),
    **dict.fromkeys(["onnx", "to_onnx"], _ONNX + _SAVED),
    **dict.fromkeys(["load", "load_model", "from_pretrained"], _WEIGHTS),
    **dict.fromkeys(["to_json", "get_config"], "model.to_mlir() is its text"),
    **dict.fromkeys(["to", "cuda", "cpu", "device"], _DEVICE),
    **dict.fromkeys(["half", "float", "double", "bfloat16", "dtype", "type"], _POLICY),
    "history": "fit returns it",
    "modules": "model.named_modules() has them by name",
    "named_children": "model.children() has them by name",
    "get_layer": "a layer is an attribute of its module, model.layers of a Sequential",
    **dict.fromkeys(["add", "append", "add_module"], "layers are attributes of a module; a Sequential is given all of them, as nn.Sequential(first, second)"),
    "register_parameter": "self.name = nn.Parameter(shape) is one",
    "add_weight": "self.name = nn.Parameter(shape, init) is one, nn.State(shape, init) where it is not trainable",
    "register_buffer": "self.name = nn.State(shape) is one",
    **dict.fromkeys(["compute_loss", "loss", "optimizer", "metrics"], "model.compile is told it"),
    "call": "what Keras calls so is forward",
    "fit_generator": "fit takes what gives batches, too",
}

_STEP = "a step is one program, compiled ahead of time, on data that are prepared meanwhile: it is not needed"
_OF_COMPILE = "it is an argument of compile"
_OF_FIT = "it is an argument of fit"

# Arguments of the methods of a module, by the method.
ARGUMENTS = {
    "compile": {
        **dict.fromkeys(["jit_compile", "run_eagerly", "steps_per_execution"], _STEP),
        **dict.fromkeys(["batch_size", "epochs", "callbacks", "validation_data", "validation_split", "checkpoint", "resume"], _OF_FIT),
        "weighted_metrics": "metrics are of all rows, each as much",
        "loss_weights": "a loss that is a function of outputs and targets weighs what it adds",
        "auto_scale_loss": "loss_scaler says it, and without one the policy",
        "training": "fit, evaluate and predict know whether it is",
    },
    "fit": {
        **dict.fromkeys(["optimizer", "loss", "metrics", "policy", "device", "threads", "accumulate", "learning_rate", "lr"], _OF_COMPILE),
        "shuffle": "rows of arrays are shuffled anew in each epoch, as the seed says; batches of your own come as they are given",
        "class_weight": "compile(loss=halfstep.losses.CrossEntropy(weight={0: 1, 1: 2})) weighs classes",
        "sample_weight": "rows have no weights; compile(loss=halfstep.losses.CrossEntropy(weight=...)) weighs classes",
        **dict.fromkeys(["steps_per_epoch", "validation_steps"], "an epoch is all rows"),
        **dict.fromkeys(["augment", "augmentation", "transform"], "batches of your own may be of changed images; mp-run train has --augment"),
        "validation_freq": "each epoch ends with it",
        "validation_batch_size": "validation has the batch size of training",
        **dict.fromkeys(["workers", "use_multiprocessing", "max_queue_size"], _STEP),
    },
    "evaluate": {
        "return_dict": "it returns a dictionary, always",
        "verbose": "it prints nothing",
        "steps": "it goes through all rows",
        "sample_weight": "rows have no weights",
    },
    "predict": {
        "batch_size": "it takes any number of rows at once",
        "verbose": "it prints nothing",
        "steps": "it takes any number of rows at once",
    },
    "load_state_dict": {"strict": "it takes all names, no others"},
}

_FOUND = "a layer finds the shape of its input; a Sequential may begin with nn.Input(shape)"
_LAST = "features and channels are the last dimension, always"

# Arguments of layers.
LAYER_ARGUMENTS = {
    **dict.fromkeys(["input_shape", "batch_input_shape", "batch_shape", "in_features", "in_channels", "num_features", "num_channels", "input_size",
                     "normalized_shape", "embed_dim", "key_dim"], _FOUND),
    **dict.fromkeys(["axis", "data_format", "channels_last", "memory_format"], _LAST),
    "name": "a layer is named by the attribute that it is, in a Sequential by its class and a number",
    "trainable": _FROZEN,
    **dict.fromkeys(["kernel_regularizer", "bias_regularizer", "activity_regularizer"], "an optimizer has weight_decay, as halfstep.AdamW(weight_decay=0.01)"),
    "batch_first": "rows are the first dimension, always",
    "device": _DEVICE,
}

# What is asked of the package itself.
PACKAGE = {
    **dict.fromkeys(["save", "save_model", "export", "load", "load_model", "load_weights", "save_weights"], _SAVED),
    **dict.fromkeys(["onnx", "to_onnx"], _ONNX + _SAVED),
    **dict.fromkeys(["GradScaler", "LossScaleOptimizer"], "here it is halfstep.LossScaler()"),
    **dict.fromkeys(["amp", "mixed_precision"], 'model.compile(policy="mixed_bfloat16"), or halfstep.set_global_policy, says what is computed narrow'),
    **dict.fromkeys(["cuda", "device", "list_devices", "is_available"], 'halfstep.devices() lists what there is, model.compile(device="cuda") trains there'),
    **dict.fromkeys(["Model", "models", "keras", "Layer"], "models are made of halfstep.nn: nn.Sequential(...), or a class of nn.Module"),
    **dict.fromkeys(["optim", "optimizers"], "optimizers are here, as halfstep.AdamW(1e-3)"),
    "metrics": 'metrics are named to compile, as metrics=["accuracy"]',
    **dict.fromkeys(["manual_seed", "seed", "random"], "fit(seed=...) says it, of first values, shuffles and dropout"),
    **dict.fromkeys(["from_keras", "from_tensorflow", "from_tf"], "docs/from-keras.md takes weights over; there are from_torch and from_onnx"),
    **dict.fromkeys(["tensor", "array"], "data are arrays of NumPy, or of a library that knows DLPack; in a forward ops.constant(array) is one"),
    **dict.fromkeys(["no_grad", "inference_mode"], "model.predict computes outputs alone"),
    **dict.fromkeys(["train", "fit"], "model.fit(x, y) trains, halfstep.Trainer(model) step by step"),
    **dict.fromkeys(["jit", "trace", "script"], "halfstep.from_torch(module, args) takes a module of PyTorch"),
    **dict.fromkeys(["float16", "bfloat16", "float32"], "types are said by their names, as 'float16'"),
}

# Layers.
LAYERS = {
    **dict.fromkeys(["Linear", "LazyLinear"], "nn.Dense(units)"),
    **{f"{name}{rank}{d}": f"nn.Conv{rank}D(filters, kernel_size), channels last" for rank in (1, 2, 3)
       for name, d in (("Conv", "d"), ("LazyConv", "d"), ("Convolution", "D"))},
    **{f"Global{name}{rank}D": f"ops.reduce_max(x, {dims})" for rank, dims in ((1, [1]), (2, [1, 2]), (3, [1, 2, 3])) for name in ("MaxPool", "MaxPooling")},
    **{f"DepthwiseConv{rank}D": f"nn.Conv{rank}D(channels, kernel_size, groups=channels)" for rank in (1, 2)},
    **{f"SeparableConv{rank}D": f"nn.Conv{rank}D(channels, kernel_size, groups=channels), then nn.Conv{rank}D(filters, 1)" for rank in (1, 2)},
    **{name: f"nn.Conv{rank}DTranspose(filters, kernel_size), channels last" for rank in (1, 2, 3)
       for name in (f"ConvTranspose{rank}d", f"LazyConvTranspose{rank}d", f"Convolution{rank}DTranspose")},
    **dict.fromkeys(["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "BatchNormalization"], "nn.BatchNorm()"),
    **{f"{name}{rank}{d}": f"nn.{ours}{rank}D({arguments})" for rank in (1, 2, 3) for name, d, ours, arguments in (
        ("MaxPool", "d", "MaxPool", "pool_size"), ("MaxPooling", "D", "MaxPool", "pool_size"), ("AvgPool", "d", "AvgPool", "pool_size"),
        ("AveragePooling", "D", "AvgPool", "pool_size"), ("AdaptiveAvgPool", "d", "GlobalAvgPool", ""),
        ("GlobalAveragePooling", "D", "GlobalAvgPool", ""))},
    "LayerNormalization": "nn.LayerNorm(1e-3)",
    "GroupNormalization": "nn.GroupNorm(groups, 1e-3)",
    **{f"{name}{rank}{d}": f"ops.dropout(x, rate, shared={dims})" for rank, dims in ((1, [1]), (2, [1, 2]), (3, [1, 2, 3]))
       for name, d in (("Dropout", "d"), ("SpatialDropout", "D"))},
    **dict.fromkeys(["ModuleList", "ModuleDict", "ParameterList"], "a list or a dictionary, as an attribute"),
    **dict.fromkeys(["Identity", "Lambda"], "a function of a tensor, as lambda x: x"),
    **dict.fromkeys(["Buffer", "Variable"], "nn.State(shape)"),
    **dict.fromkeys(["RMSNorm", "RMSNormalization"], "ops.rms_norm(x, scale), its scale an nn.Parameter"),
    "Multiply": "ops.mul(x, y)",
    "Subtract": "ops.sub(x, y)",
    "PReLU": "ops.prelu(x, slope), its slope an nn.Parameter",
    "ReLU6": "ops.clamp(x, 0, 6)",
    "Hardtanh": "ops.clamp(x, -1, 1)",
    "Mish": "x * ops.tanh(ops.softplus(x))",
    "Softsign": "x / (1 + ops.abs(x))",
    "Swish": 'nn.Activation("silu")',
    "SmoothL1Loss": 'loss="huber_loss", told to compile',
    "SimpleRNN": "nn.RNN(units)",
    "Bidirectional": "nn.LSTM(units, bidirectional=True)",
    "Concatenate": "ops.concat([a, b], -1)",
    "functional": "halfstep.ops",
}

# Functions of tensors, where no name of halfstep.ops is near.
FUNCTIONS = {
    **dict.fromkeys(["cat", "concatenate", "hstack", "vstack"], "concat([a, b], dimension)"),
    **dict.fromkeys(["permute", "swapaxes", "moveaxis"], "transpose(x, permutation)"),
    **dict.fromkeys(["view", "flatten", "squeeze", "unsqueeze", "expand_dims"], "reshape(x, shape); x[:, None] has another dimension"),
    **dict.fromkeys(["zeros", "ones", "full", "asarray", "array", "tensor"], "constant(array)"),
    **dict.fromkeys(["astype", "to"], "cast(x, dtype)"),
    **dict.fromkeys(["equal", "greater", "less"], "compare(predicate, a, b), or an operator, as a > b"),
    **dict.fromkeys(["bmm", "mm"], "matmul(a, b)"),
    **dict.fromkeys(["divide", "true_divide"], "div(a, b)"),
    "absolute": "abs(x)",
    "amax": "reduce_max(x, dimensions)",
    "amin": "reduce_min(x, dimensions)",
    "argsort": "sort(x, dimension)[1]",
    "arange": "iota(dimension, shape)",
    "arccos": "acos(x)",
    "arcsin": "asin(x)",
    "arctan": "atan(x)",
    "clip": "clamp(x, min, max)",
    "multiply": "mul(a, b)",
    "negative": "neg(x)",
    "power": "pow(x, exponent)",
    "arctan2": "atan2(y, x)",
    **{f"arc{name}h": f"a{name}h(x)" for name in ("cos", "sin", "tan")},
    **{f"conv{rank}d": "conv(image, filter)" for rank in (1, 2, 3)},
    **dict.fromkeys(["conv2d_transpose", "conv_transpose2d"], "conv_transpose(input, filter)"),
    "detach": "stop_gradient(x)",
    "erfc": "sub(1, ops.erf(x))",
    "exp2": "pow(2.0, x)",
    **dict.fromkeys(["interpolate", "upsample"], "resize(x, sizes)"),
    "isfinite": "is_finite(x)",
    **dict.fromkeys(["log_sigmoid", "logsigmoid"], "neg(ops.softplus(-x))"),
    "norm": "l2_norm(x, dimensions)",
    "relu6": "clamp(x, 0, 6)",
    "repeat": "tile(x, repeats), as PyTorch has it; what NumPy repeats is ops.gather(x, numpy.arange(size).repeat(repeats), dimension)",
    "std": "sqrt(ops.var(x, dimensions, correction=1)), with correction=0 as NumPy has it",
    "subtract": "sub(a, b)",
    "swish": "silu(x)",
    "take": "gather(x, indices, dimension)",
    "take_along_axis": "gather_elements(x, indices, dimension)",
}

# What a tensor would have if it had values, or another shape.
VALUES = {
    **dict.fromkeys(["item", "numpy", "cpu", "tolist"], "it has no value yet: what a model computes is what predict gives"),
    "detach": "ops.stop_gradient(x) is it without its gradient",
    "T": "ops.transpose(x) turns its dimensions around; of matrices of a batch, which stays first, ops.transpose(x, (0, 2, 1)) is it",
    "mT": "of matrices of a batch ops.transpose(x, (0, 2, 1)) is it",
    **{name: f"here it is ops.reduce_{name}(x, dimensions)" for name in ("max", "min")},
    "size": "x.shape has its sizes",
    "dim": "x.ndim is their number",
    **dict.fromkeys(["float", "half", "bfloat16", "int", "long"], 'x.astype("float32") is it in another type'),
    "requires_grad": "parameters have gradients, nn.Parameter",
}

# What NumPy's functions do otherwise than PyTorch's of the same name.
OF_NUMPY = {
    "std": "here it is ops.sqrt(ops.var(x, dimensions, correction=0))",
    "var": "here it is ops.var(x, dimensions, correction=0)",
    **{name: f"here it is ops.reduce_{name}(x, dimensions)" for name in ("max", "min")},
    "repeat": "here it is ops.gather(x, numpy.arange(size).repeat(repeats), dimension)",
}
