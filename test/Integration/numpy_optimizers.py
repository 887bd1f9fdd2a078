#!/usr/bin/python3
"""Trains two parameters by every optimizer through mp-run, and beside it in NumPy by the published formulas, in f64.

usage: numpy_optimizers.py MP_RUN FOLDER [--torch] [--device=DEVICE]

The rows of the data are all alike, so that their order makes no difference: the loss is the mean of (8 (x w + u - y))^2,
its gradients are those of `gradients`. The first steps are skipped, because the loss scale starts too large: an
optimizer that counted them, or kept something of them, is elsewhere at the end. `--torch` takes torch.optim in the place
of the formulas, for optimizers that it has.
"""

import argparse
import json
import pathlib
import struct
import subprocess

import numpy

STEPS, SKIPPED = 26, 6
RATE = 2.0**-9
X = numpy.array([0.5, -1.25, 2, 0.75, -0.125, 1])
Y = numpy.array([1, 0.5, -1, 3, 0.25, -2])
START = {"w": numpy.full(6, 0.25), "u": numpy.ones(6)}

MODEL = f"""\
func.func @model(%x: tensor<?x6xf32> {{mp.input = "x"}}, %y: tensor<?xui8> {{mp.input = "y"}},
    %w: tensor<6xf32> {{mp.parameter = "w", mp.initializer = #mp.constant<0.25 : f64>}},
    %u: tensor<6xf32> {{mp.parameter = "u", mp.initializer = #mp.ones}})
    -> (tensor<f32> {{mp.loss}}) attributes {{mp.program = "model"}} {{
  %t = mp.constant dense<{Y.tolist()}> : tensor<6xf32>
  %p = mp.mul %x, %w : tensor<?x6xf32>, tensor<6xf32> -> tensor<?x6xf32>
  %z = mp.add %p, %u : tensor<?x6xf32>, tensor<6xf32> -> tensor<?x6xf32>
  %d = mp.sub %z, %t : tensor<?x6xf32>, tensor<6xf32> -> tensor<?x6xf32>
  %c = mp.constant dense<8.0> : tensor<f32>
  %e = mp.mul %d, %c : tensor<?x6xf32>, tensor<f32> -> tensor<?x6xf32>
  %s = mp.mul %e, %e : tensor<?x6xf32>, tensor<?x6xf32> -> tensor<?x6xf32>
  %l = mp.reduce_mean %s dimensions [0, 1] : tensor<?x6xf32> -> tensor<f32>
  return %l : tensor<f32>
}}
"""


def gradients(values):
    difference = 2 * 64 * (X * values["w"] + values["u"] - Y) / 6
    return {"w": difference * X, "u": difference}


# Each takes a parameter, its gradient, its slots (none at first), the number of the step from 1 on, and settings.


def sgd(p, g, slots, t, momentum=0.0, nesterov=False, weight_decay=0.0):
    g = g + weight_decay * p
    v = slots["momentum"] = momentum * slots.get("momentum", 0) + g
    return p - RATE * (g + momentum * v if nesterov else v)


def rmsprop(p, g, slots, t, alpha=0.99, momentum=0.0, centered=False, epsilon=1e-8, weight_decay=0.0):
    g = g + weight_decay * p
    v = slots["v"] = alpha * slots.get("v", 0) + (1 - alpha) * g**2
    mean = slots["mean"] = alpha * slots.get("mean", 0) + (1 - alpha) * g
    d = g / (numpy.sqrt(v - mean**2 if centered else v) + epsilon)
    b = slots["momentum"] = momentum * slots.get("momentum", 0) + d
    return p - RATE * b


def adagrad(p, g, slots, t, learning_rate_decay=0.0, initial_accumulator_value=0.0, epsilon=1e-10, weight_decay=0.0):
    g = g + weight_decay * p
    s = slots["sum"] = slots.get("sum", initial_accumulator_value) + g**2
    return p - RATE / (1 + (t - 1) * learning_rate_decay) * g / (numpy.sqrt(s) + epsilon)


def moments(g, slots, t, beta1, beta2):
    """The mean of the gradient, not corrected, and the root of its corrected square."""
    slots["m"] = beta1 * slots.get("m", 0) + (1 - beta1) * g
    slots["v"] = beta2 * slots.get("v", 0) + (1 - beta2) * g**2
    return slots["m"], numpy.sqrt(slots["v"] / (1 - beta2**t))


def adam(p, g, slots, t, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.0):
    m, root = moments(g + weight_decay * p, slots, t, beta1, beta2)
    return p - RATE * m / (1 - beta1**t) / (root + epsilon)


def adamw(p, g, slots, t, weight_decay=0.0, **settings):
    return adam(p * (1 - RATE * weight_decay), g, slots, t, **settings)


def nadam(p, g, slots, t, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.0, momentum_decay=0.004):
    g = g + weight_decay * p
    mu, following = (beta1 * (1 - 0.5 * 0.96 ** (step * momentum_decay)) for step in (t, t + 1))
    product = slots["product"] = slots.get("product", 1) * mu
    m, root = moments(g, slots, t, beta1, beta2)
    mean = (1 - mu) * g / (1 - product) + following * m / (1 - product * following)
    return p - RATE * mean / (root + epsilon)


def lamb(p, g, slots, t, beta1=0.9, beta2=0.999, epsilon=1e-6, weight_decay=0.0):
    m, root = moments(g, slots, t, beta1, beta2)
    u = m / (1 - beta1**t) / (root + epsilon) + weight_decay * p
    return p - RATE * numpy.linalg.norm(p) / numpy.linalg.norm(u) * u


def lion(p, g, slots, t, beta1=0.9, beta2=0.99, weight_decay=0.0):
    m = slots.get("m", 0)
    slots["m"] = beta2 * m + (1 - beta2) * g
    return p * (1 - RATE * weight_decay) - RATE * numpy.sign(beta1 * m + (1 - beta1) * g)


def clipped(all_of, clip_norm=None, clip_parameter_norm=None, clip_value=None):
    def limited(g, limit, norm):
        return g * min(limit / (norm + 1e-6), 1)

    if clip_norm:
        norm = numpy.linalg.norm(numpy.concatenate(list(all_of.values())))
        return {name: limited(g, clip_norm, norm) for name, g in all_of.items()}
    if clip_parameter_norm:
        return {name: limited(g, clip_parameter_norm, numpy.linalg.norm(g)) for name, g in all_of.items()}
    return {name: numpy.clip(g, -clip_value, clip_value) if clip_value else g for name, g in all_of.items()}


def trained(rule, settings, clipping):
    values, slots = dict(START), {name: {} for name in START}
    for t in range(1, STEPS - SKIPPED + 1):
        for name, g in clipped(gradients(values), **clipping).items():
            values[name] = rule(values[name], g, slots[name], t, **settings)
    return values | {f"{name}/{rule.__name__}.{slot}": slots[name][slot] for name in slots for slot in slots[name]}


def trained_by_torch(rule, settings, clipping):
    import torch

    names = {"learning_rate_decay": "lr_decay", "epsilon": "eps"}
    settings = {names.get(name, name): value for name, value in settings.items()}
    if rule is nadam or rule is adam or rule is adamw:
        settings["betas"] = (settings.pop("beta1", 0.9), settings.pop("beta2", 0.999))
    make = {sgd: "SGD", rmsprop: "RMSprop", adagrad: "Adagrad", adam: "Adam", adamw: "AdamW", nadam: "NAdam"}[rule]
    if rule is adamw:
        settings.setdefault("weight_decay", 0)
    values = {name: torch.tensor(value, requires_grad=True) for name, value in START.items()}
    optimizer = getattr(torch.optim, make)(values.values(), lr=RATE, **settings)
    x, y = torch.tensor(X), torch.tensor(Y)
    for _ in range(STEPS - SKIPPED):
        optimizer.zero_grad()
        ((8 * (x * values["w"] + values["u"] - y)) ** 2).mean().backward()
        if "clip_norm" in clipping:
            torch.nn.utils.clip_grad_norm_(values.values(), clipping["clip_norm"])
        if "clip_value" in clipping:
            torch.nn.utils.clip_grad_value_(values.values(), clipping["clip_value"])
        for value in values.values() if "clip_parameter_norm" in clipping else ():
            torch.nn.utils.clip_grad_norm_([value], clipping["clip_parameter_norm"])
        optimizer.step()
    return {name: value.detach().numpy() for name, value in values.items()}


CASES = [
    (sgd, {}, {}),
    (sgd, {"momentum": 0.9, "weight_decay": 0.1}, {"clip_norm": 32.0}),
    (sgd, {"momentum": 0.9, "nesterov": True}, {"clip_value": 8.0}),
    (rmsprop, {}, {}),
    (rmsprop, {"alpha": 0.9, "momentum": 0.5, "epsilon": 0.01, "weight_decay": 0.1}, {}),
    (rmsprop, {"alpha": 0.9, "momentum": 0.9, "centered": True, "epsilon": 0.01}, {"clip_parameter_norm": 16.0}),
    (adagrad, {}, {}),
    (adagrad, {"learning_rate_decay": 0.25, "initial_accumulator_value": 0.5, "epsilon": 0.1, "weight_decay": 0.1}, {}),
    (adam, {}, {"clip_norm": 32.0}),
    (adam, {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.1, "weight_decay": 0.1}, {"clip_value": 8.0}),
    (adamw, {"weight_decay": 0.1}, {}),
    (nadam, {}, {}),
    (nadam, {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.1, "weight_decay": 0.1, "momentum_decay": 0.5}, {}),
    (lamb, {}, {}),
    (lamb, {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.1, "weight_decay": 0.1}, {"clip_norm": 32.0}),
    (lion, {}, {}),
    (lion, {"beta1": 0.5, "beta2": 0.75, "weight_decay": 0.1}, {"clip_value": 8.0}),
]


def read(folder):
    file = max(folder.glob("*.safetensors"), key=lambda path: path.stat().st_mtime_ns)
    data = file.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    types = {"F32": "f4", "I64": "i8", "I32": "i4"}
    return {name: numpy.frombuffer(body[slice(*entry["data_offsets"])], types[entry["dtype"]])
            for name, entry in header.items() if name != "__metadata__"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mp_run")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    (options.folder / "model.mlir").write_text(MODEL)
    rows = {"x": numpy.tile(X, (4, 1)).astype("f4"), "y": numpy.zeros(4, "u1")}
    numpy.savez(options.folder / "data.npz", **{name + part: rows[name] for name in rows for part in ("_train", "_test")})
    failed = 0
    for index, (rule, settings, clipping) in enumerate(CASES):
        if options.torch and rule in (lamb, lion):
            continue
        text = [f"--{name.replace('_', '-')}={str(value).lower()}" for name, value in {**settings, **clipping}.items()]
        run = options.folder / str(index)
        # The largest gradient is between 2^6 and 2^7: it overflows where the scale is more than 2^121.
        subprocess.run(
            [options.mp_run, "train", options.folder / "model.mlir", f"--data={options.folder / 'data.npz'}", "--quiet",
             "--batch-size=2", f"--steps={STEPS}", "--policy=float32", f"--optimizer={rule.__name__}", f"--learning-rate={RATE}",
             "--loss-scale=dynamic:init-scale=2^127", f"--checkpoint={run}",
             f"--device={options.device}", *text], check=True)
        ours, theirs = read(run), (trained_by_torch if options.torch else trained)(rule, settings, clipping)
        skipped = int(ours["skipped_steps"][0])
        # Slots of the formulas that the settings leave unread are not kept; those that are kept are all compared.
        kept = set(ours) & set(theirs)
        error = max(numpy.abs(ours[name] - theirs[name]).max() / max(1, numpy.abs(theirs[name]).max()) for name in kept)
        moved = min(numpy.abs(theirs[name] - START[name]).min() for name in START)
        all_known = options.torch or all(name in kept for name in ours if "/" in name)
        right = error <= 2e-6 and moved > 1e-3 and skipped == SKIPPED and all_known
        failed += not right
        print("right" if right else "WRONG", rule.__name__, *text, f"error {error:.2g}, skipped {skipped}, least moved {moved:.2g}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
