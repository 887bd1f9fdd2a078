"""What tensors have elsewhere and not in a model, with what is here."""

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
