"""A model is trained under several policies, side by side, and the page of it is mp-run's.

RUN: rm -rf %t && mkdir %t
RUN: %{python} %s %t
RUN: mp-run report %t/all.json -o %t/page.html --json=%t/again.json
RUN: cmp %t/page.html %t/own.html
RUN: cmp %t/all.json %t/again.json
"""

import json
import math
import pathlib
import sys

import numpy

import halfstep
from halfstep import nn

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(1)
X = random.standard_normal((320, 8)).astype(numpy.float32)
Y = (X[:, :4].sum(1) > X[:, 4:].sum(1)).astype(numpy.int64)

model = nn.Sequential(nn.Dense(16, "relu"), nn.Dense(2))
model.compile(halfstep.AdamW(0.01), policy="mixed_bfloat16", loss_scaler=halfstep.LossScaler(init_scale=2.0**40), threads=1)
policies = ["float32", halfstep.Policy("mixed_float16", deny=["loc:dense2", "mp.relu"])]
given = dict(batch_size=32, epochs=3, seed=5)
compared = halfstep.compare(model, (X, Y), policies, validation_data=(X[:64], Y[:64]), **given)

# Each is what fit gives under that policy.
for policy, found in zip(policies, compared.policies):
    again = nn.Sequential(nn.Dense(16, "relu"), nn.Dense(2))
    again.compile(halfstep.AdamW(0.01), policy=policy, loss_scaler=halfstep.LossScaler(init_scale=2.0**40), threads=1)
    history = again.fit(X, Y, 32, 3, validation_data=(X[:64], Y[:64]), seed=5, verbose=False, log=folder / "log.jsonl")
    steps = [line for line in map(json.loads, open(folder / "log.jsonl")) if "found_inf" in line]
    assert found["final_loss"] == history.history["loss"][-1] and found["test_accuracy"] == history.history["val_accuracy"][-1]
    assert found["skipped_steps"] == history.skipped_steps
    assert [numpy.float32(one) for one in found["steps"]["loss"]] == [numpy.float32(one["loss"]) for one in steps]
    assert found["steps"]["loss_scale"] == [one["loss_scale"] for one in steps]
    assert found["steps"]["skipped"] == [{"step": one["step"], "gradient": one["gradient"]} for one in steps if one["found_inf"]]
    assert sum(part["bytes"] for part in found["memory"]) == found["peak_bytes"] == history.resident_bytes > 0
    assert len(found["kernels"]) > 5 and all(one["seconds"] >= 0 for one in found["kernels"])
    assert [one["stage"] for one in found["stages"]][:2] == ["specialize", "autocast"] and "mp.matmul" in found["stages"][1]["text"]
    # Of one run the log is a comparison, too.
    log = halfstep.Comparison.load(folder / "log.jsonl")
    assert log.policies[0]["steps"] == found["steps"] and log.policies[0]["test_accuracy"] == found["test_accuracy"]
    assert math.isclose(log.policies[0]["final_loss"], found["final_loss"], rel_tol=1e-6)

assert str(compared).splitlines()[-1] == "model Sequential, 320 rows, tested on 64, seed 5", str(compared)
assert "<p class=\"note\">model Sequential, 320 rows, tested on 64, seed 5</p>" in compared.to_html()
first, second = compared.policies
assert second["policy"] == "mixed_float16:deny=loc:dense2:deny=mp.relu"
assert (first["speedup"], second["speedup"]) == (1, first["seconds_per_step"] / second["seconds_per_step"])
assert first["steps"]["skipped"] == [] and second["steps"]["skipped"][0] == {"step": 1, "gradient": "dense1.kernel"}
types = {(one["place"].split()[0], one["op"]): one["type"] for one in second["ops"] if one["function"] == "sequential"}
assert types["dense1", "mp.matmul"] == "f16" and types["dense2", "mp.matmul"] == "f32", types
assert all(one["type"] != "f16" for one in first["ops"])
assert first["casts"] < second["casts"] and "f16" in second["ops_by_type"] and "f16" not in first["ops_by_type"]

# What is printed, shown and written is one.
assert compared.verdict and str(compared).split()[:2] == ["float32", "mixed_float16"] and "skipped steps" in str(compared), str(compared)
assert repr(compared) == "<halfstep.Comparison of float32, mixed_float16>"
assert compared.to_html(folder / "own.html") is None and compared.to_json(folder / "all.json") is None
assert (folder / "own.html").read_text() == compared.to_html() and (folder / "all.json").read_text() == compared.to_json() and compared._repr_html_().count("<") == 2
assert "&lt;!DOCTYPE html&gt;" in compared._repr_html_()

# The model itself stays as it was.
assert model.trainer.session is None
model.fit(X, Y, 32, 1, verbose=False)
before = model.state_dict()
halfstep.compare(model, (X, Y), "float32", epochs=1)
assert all((before[name] == value).all() for name, value in model.state_dict().items())
assert halfstep.compare(nn.Sequential(nn.Dense(2)), (X, Y), "auto").policies[0]["by_cost"] is True


def refused(expected, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except halfstep.Error as found:
        assert expected in str(found), found
        return
    raise AssertionError(f"expected: {expected}")


refused("policies are none", halfstep.compare, model, (X, Y), [])
refused("data are (inputs, targets)", halfstep.compare, model, X)
refused("mixed_float17: ", halfstep.compare, model, (X, Y), ["float32", "mixed_float17"])
(folder / "broken.json").write_text('{"policies": [')
refused("broken.json: is not JSON at byte 15", halfstep.Comparison.load, folder / "broken.json")
(folder / "broken.json").write_bytes(b'{"policies": [{"policy": "\xff<script>"}]}')
assert "<script>\"" not in halfstep.Comparison.load(folder / "broken.json").to_html()
