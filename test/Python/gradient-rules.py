"""What is about gradients alone: values are those without it, and a step of SGD takes the gradient that each says, under every policy, on a
CPU and on a simulated GPU.

RUN: %{python} -W error::DeprecationWarning %s
"""

import warnings

import numpy

import halfstep
from halfstep import nn, ops

x = numpy.random.default_rng(1).integers(-8, 9, (4, 6)).astype("float32") / 4
given = {name: numpy.random.default_rng(i).integers(-8, 9, 6).astype("float32") / 4 for i, name in enumerate(("stopped", "straight", "reversed", "free"))}


class Rules(nn.Module):
    def __init__(self):
        for name, value in given.items():
            setattr(self, name, nn.Parameter(value.shape, "ones", value=value))

    def forward(self, x):
        grown = self.straight * x
        quantised = ops.straight_through(ops.round(grown), grown)
        return x * self.free + ops.stop_gradient(self.stopped * x) + quantised + ops.reverse_gradient(self.reversed * x, scale=0.25)


expected = x * (given["free"] + given["stopped"] + given["reversed"]) + numpy.round(x * given["straight"])
gradient = x.sum(0) / len(x)
after = {"stopped": given["stopped"], "straight": given["straight"] - gradient, "reversed": given["reversed"] + 0.25 * gradient, "free": given["free"] - gradient}
for policy in ("float32", "mixed_float16", "mixed_bfloat16"):
    for device in ("cpu", "simt"):
        model = Rules()
        model.compile(halfstep.SGD(1.0), loss=lambda outputs, targets: ops.mean(ops.sum(outputs - targets, 1)), metrics=[], policy=policy, device=device)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert not model.trainer.step(x, numpy.zeros_like(x))["skipped"]
        assert any('does not depend on parameter "stopped"' in str(one.message) for one in said), [str(one.message) for one in said]
        for name, value in model.state_dict().items():
            assert numpy.abs(value - after[name]).max() < (1e-6 if policy == "float32" else 2**-6), (policy, device, name, value, after[name])
        model.load_state_dict(given)
        assert numpy.abs(model.predict(x) - expected).max() < 1e-6, (policy, device)
        assert set(model.evaluate(x, numpy.zeros_like(x))) == {"loss"}

# No kernel is left of them, of a model as it was written either.
text = halfstep.compile(str(Rules().specify(x=nn.Input((6,)))), to="kernels", training=False, batch_size=4)
assert "mp.kernel" in text and not any(name in text for name in ("stop_gradient", "straight_through", "reverse_gradient")), text

for wrong, message in ((lambda x: ops.reverse_gradient(x, scale=float("inf")), "scale is INF, expected a finite number"),
                       (lambda x: ops.straight_through(x > 0, x), "mp.straight_through"),
                       (lambda x: ops.straight_through(x, x[:, :2]), "mp.straight_through")):
    try:
        nn.Sequential(wrong).predict(x)
        raise AssertionError(message)
    except halfstep.Error as error:
        assert message in str(error), (str(error), message)
