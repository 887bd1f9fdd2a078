"""Attention and its gradients where a mask is far from the scores, in the type of scores, beside NumPy.

usage: far_masks.py DIRECTORY
"""

import pathlib
import subprocess
import sys

import numpy

QUERIES, KEYS, DEPTH = 3, 5, 4
MASKS = {"far": -1e9, "farther": -3e38, "beside": -1e4}


def attend(q, k, v, g, mask, scores):
    """The definition, with scores in that type: the result, and the gradients of queries, keys and values."""
    factor = DEPTH**-0.5
    s = (q @ k.T * factor + mask).astype(scores).astype("float64")
    lse = (numpy.log(numpy.exp(s - s.max(-1, keepdims=True)).sum(-1, keepdims=True)) + s.max(-1, keepdims=True)).astype(scores)
    weights = numpy.exp(s - s.max(-1, keepdims=True))
    y = weights / weights.sum(-1, keepdims=True) @ v
    p = numpy.exp(s - lse)  # from what is kept of the sum, as every implementation has it
    ofScores = factor * p * (g @ v.T - (g * y).sum(-1, keepdims=True))
    return {"y": y, "gq": ofScores @ k, "gk": ofScores.T @ q, "gv": p.T @ g}


def model_of(element):
    scores = "f64" if element == "f64" else "f32"
    types = {name: f"tensor<1x1x{rows}x{DEPTH}x{element}>" for name, rows in (("q", QUERIES), ("k", KEYS), ("v", KEYS), ("g", QUERIES))}
    wide, mask, sums = f"tensor<1x1x{QUERIES}x{DEPTH}x{scores}>", f"tensor<{QUERIES}x{KEYS}x{scores}>", f"tensor<1x1x{QUERIES}x{scores}>"
    inputs = ", ".join(f'%{name}: {kind} {{mp.input = "{name}"}}' for name, kind in {**types, "mask": mask}.items())
    results = {"y": types["q"], "gq": types["q"], "gk": types["k"], "gv": types["v"]}
    cast = "\n".join(f"  %{name}w = mp.cast %{name} : {types['q']} -> {wide}" if element == "f16" else
                     f"  %{name}w = mp.reshape %{name} : {wide} -> {wide}" for name in "gy")
    return f"""func.func @model({inputs})
    -> ({", ".join(f'{kind} {{mp.output = "{name}"}}' for name, kind in results.items())}) attributes {{mp.program = "model"}} {{
  %y, %lse = mp.attention %q, %k, %v mask %mask : {mask} : {types["q"]}, {types["k"]}, {types["v"]}
{cast}
  %product = mp.mul %yw, %gw : {wide}, {wide} -> {wide}
  %delta = mp.reduce_sum %product dimensions [3] : {wide} -> {sums}
  %gq, %gk, %gv = mp.attention_grad %q, %k, %v, %lse, %g, %delta mask %mask : {mask} : {types["q"]}, {types["k"]}, {types["v"]}, {sums}, {types["g"]}
  return %y, %gq, %gk, %gv : {", ".join(results.values())}
}}
"""


def main():
    directory = pathlib.Path(sys.argv[1])
    random = numpy.random.default_rng(3)
    for element, devices, bound in (("f32", ("reference", "cpu", "simt"), 1e-5), ("f16", ("reference", "cpu", "simt"), 4e-3),
                                    ("f64", ("reference",), 1e-12)):
        dtype = {"f16": "float16", "f32": "float32", "f64": "float64"}[element]
        scores = "float64" if element == "f64" else "float32"
        model = directory / f"{element}.mlir"
        model.write_text(model_of(element))
        given = {name: random.standard_normal((1, 1, rows, DEPTH)).astype(dtype) for name, rows in (("q", QUERIES), ("k", KEYS), ("v", KEYS), ("g", QUERIES))}
        for device in devices:
            for name, far in MASKS.items():
                mask = numpy.zeros((QUERIES, KEYS), scores)
                mask[0], mask[1, ::2] = far, far  # all keys of a query, and some of another's
                for key, value in {**given, "mask": mask}.items():
                    numpy.save(directory / f"{key}.npy", value)
                subprocess.run(["mp-run", "infer", model, "--policy=float32", f"--device={device}",
                                *(f"--input={key}=@{directory / key}.npy" for key in (*given, "mask")),
                                *(f"--output={key}=@{directory / key}.out.npy" for key in ("y", "gq", "gk", "gv"))], check=True, stdout=subprocess.DEVNULL)
                expected = attend(*(given[key][0, 0].astype("float64") for key in "qkvg"), mask, scores)
                for key, value in expected.items():
                    found = numpy.load(directory / f"{key}.out.npy")[0, 0]
                    assert abs(found - value).max() <= bound * (1 + abs(value).max()), (element, device, name, key, found, value)
                if scores == "float32" and name != "beside":
                    assert abs(expected["y"][0] - given["v"][0, 0].astype("float64").mean(0)).max() < 1e-6
            print(f"{element} {device}: {len(MASKS)} masks")


main()
