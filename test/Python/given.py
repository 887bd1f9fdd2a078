"""Every op of halfstep.ops says of what can be no operand for which one it was given, and takes a number or an array as its one operand.

RUN: %{python} -W error %s
"""

import inspect

import numpy

import halfstep
from halfstep import nn, ops
from halfstep.graph import operands

TENSOR = object()  # stands for the tensor of the model
ARRAY = numpy.arange(1.0, 7.0, dtype="float32").reshape(2, 3) / 8
WRONG = {"None": None, "'a'": "a", "b'a'": b"a", "of type dict": {"a": 1.0}, "of type object": object(), "of type Dense": nn.Dense(2),
         "of type function": lambda x: x}


def call(function, *arguments):
    """What it gives, or its error, of a model of one input."""
    found = []

    def forward(x):
        try:
            given = function(*[x if one is TENSOR else one for one in arguments])
            found.append(None)
            given = given if isinstance(given, halfstep.Tensor) else x
        except Exception as error:  # of any kind: which is what is looked at
            found.append(error)
            given = x
        return given

    text = nn.Sequential(nn.Input((3,)), forward).to_mlir()
    return found[0], text


def required_of(function):
    return [one.name for one in inspect.signature(function).parameters.values() if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]


# Each operand of each op, beside tensors.
places = several = 0
for name in ops.__all__:
    function = getattr(ops, name)
    required = required_of(function)
    for i, argument in enumerate(required):
        annotation = inspect.signature(function).parameters[argument].annotation
        if annotation not in {*operands._ONE, operands._SEVERAL}:
            continue
        for said, value in WRONG.items():
            error, _ = call(function, *[value if j == i else TENSOR for j in range(len(required))])
            expected = "several tensors, as in [a, b]" if annotation == operands._SEVERAL else "a tensor, an array or a number"
            assert isinstance(error, TypeError) and isinstance(error, halfstep.Error), (name, said, error)
            assert str(error).startswith(f"{name}: {argument} is {said}, expected {expected}"), (name, said, error)
        if annotation == operands._SEVERAL and i == 0:
            several += 1
            assert f"{name}: {argument}[1] is None, expected a tensor" in str(call(function, [ARRAY, None])[0])
        places += 1
assert places > 130 and several == 3, (places, several)
assert "einsum: inputs[1] is 'a', expected a tensor" in str(call(ops.einsum, "ij,jk->ik", TENSOR, "a")[0])
assert call(lambda x: ops.einsum("ij->ji", x), ARRAY)[0] is None
assert "attention: mask is 'a', expected a tensor" in str(call(ops.attention, TENSOR, TENSOR, TENSOR, "a")[0])

# No first argument, whatever else is wrong, ends in an error of Python's insides.
for name in ops.__all__:
    count = len(required_of(getattr(ops, name)))
    for value in (3, 2.5, True, [1.0, 2.0], [], ARRAY, numpy.float32(2), TENSOR, *WRONG.values()):
        for others in (TENSOR, 1, "a", None):
            error, _ = call(getattr(ops, name), *[value, *[others] * max(count - 1, 0)][:max(count, 1)])
            assert error is None or isinstance(error, halfstep.Error), (name, value, others, error)

# A number is a float, and an array or a list is what NumPy makes of it, by op and by what is made of ops.
for value, text in ((3, "dense<3.000000e+00> : tensor<f32>"), (2.5, "dense<2.500000e+00> : tensor<f32>"), (ARRAY, ": tensor<2x3xf32>"), (ARRAY.tolist(), ": tensor<2x3xf32>")):
    for function in (ops.relu, ops.reduce_sum, ops.mean, ops.softplus, ops.transpose):
        error, model = call(function, value)
        assert error is None and text in model, (function, value, error, model)
error, model = call(lambda: ops.reduce_sum(input=[1.0, 2.0], dimensions=0))
assert error is None and ": tensor<2xf32>" in model, model
