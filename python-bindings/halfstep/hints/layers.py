"""Layers that other frameworks have, by what is written here."""

INSTEAD = {
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
