"""What is compiled and names no policy has the global one: models, text, and policies that say what differs.

RUN: %{python} -W error %s
"""

import numpy

import halfstep
from halfstep import nn

X = numpy.random.default_rng(0).standard_normal((32, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


def network():
    return nn.Sequential(nn.Input((6,)), nn.Dense(8, "relu"), nn.Dense(2))


def trained(**settings):
    """The policy that a model is trained under."""
    model = network()
    model.compile("sgd", threads=1, **settings)
    model.fit(X, Y, 8, verbose=False)
    return model.trainer.session.executable.policy


def of_text(**settings):
    return halfstep.compile(network().to_mlir(locations=True), training=False, batch_size=8, **settings).policy


def refused(expected, policy):
    try:
        halfstep.set_global_policy(policy)
    except halfstep.Error as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"expected: {expected}")


# Without one it is what mp-run has.
assert halfstep.global_policy().name == halfstep.Policy().name == trained() == of_text() == "mixed_float16"
exact = network().predict(X)
before = network()
before.compile("sgd", threads=1)

halfstep.set_global_policy("mixed_bfloat16")
assert halfstep.global_policy().name == "mixed_bfloat16" and halfstep.global_policy().compute_dtype == "bfloat16"
assert trained() == of_text() == "mixed_bfloat16"
assert "xbf16>" in halfstep.compile(network().to_mlir(), to="autocast")
assert trained(policy="float32") == of_text(policy="float32") == "float32"
assert halfstep.Policy(deny=["loc:dense2"]).settings() == {"policy": "mixed_bfloat16", "deny": ["loc:dense2"]}

# What was compiled before keeps its own, and what never was predicts in float32.
assert (network().predict(X) == exact).all()
before.fit(X, Y, 8, verbose=False)
assert before.trainer.session.executable.policy == "mixed_float16"

# One with settings, which those of a compilation change, and a policy of text is one of a model.
policy = halfstep.Policy("mixed_float16", deny=["loc:dense2"])
halfstep.set_global_policy(policy)
assert halfstep.global_policy() is policy
assert trained() == of_text() == of_text(policy=policy) == "mixed_float16:deny=loc:dense2", of_text()
assert of_text(deny=["loc:dense1"]) == "mixed_float16:deny=loc:dense1"
assert of_text(policy=halfstep.Policy("float32")) == "float32"
assert halfstep.compare(network(), (X, Y), batch_size=8).policies[0]["policy"] == "float32"

# What is none is an error at once, and changes nothing.
refused("policy=mixed_flot16: unknown policy 'mixed_flot16', expected auto, mixed_float16", "mixed_flot16")
refused("'mp.zork' is not an op", halfstep.Policy("float32", deny=["mp.zork"]))
for given in (None, 3, ["mixed_float16"]):
    refused(f"there is no policy {given!r}; expected a name, as 'mixed_bfloat16', or a halfstep.Policy", given)
assert halfstep.global_policy() is policy
