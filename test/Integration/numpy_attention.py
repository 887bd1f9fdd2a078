"""Compares mp.attention and its gradients with NumPy.

usage: numpy_attention.py DIRECTORY

In f64, over sizes, masks, grouped queries and dropout: the result, the logarithm of the sum, and the gradients of all
operands, which are compared with central differences of NumPy's formula. A query without keys has 0, -inf and no gradient.
"""

import pathlib
import subprocess
import sys

import numpy as np
from numpy_differences import differences, tensor

RATE = 0.3


def scores_of(q, k, mask, causal, scale):
    k = np.repeat(k, q.shape[1] // k.shape[1], axis=1)
    scores = np.einsum("bhtd,bhsd->bhts", q, k) * (q.shape[3] ** -0.5 if scale is None else scale)
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    return scores


def attention(q, k, v, mask=None, causal=False, scale=None, kept=1.0):
    scores = scores_of(q, k, mask, causal, scale)
    largest = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(-1, keepdims=True)
    v = np.repeat(v, q.shape[1] // v.shape[1], axis=1)
    with np.errstate(divide="ignore"):
        lse = np.log(total) + np.where(np.isinf(largest), 0, largest)
    return np.einsum("bhts,bhsd->bhtd", kept * weights / np.where(total == 0, 1, total), v), lse[..., 0]


def program_of(q, k, v, mask, causal, scale, drops):
    types = {"q": tensor(q.shape), "k": tensor(k.shape), "v": tensor(v.shape), "g": tensor((*q.shape[:3], v.shape[3]))}
    lse, scores = tensor(q.shape[:3]), tensor((*q.shape[:3], k.shape[2]))
    how, attributes = "causal" if causal else "", []
    if mask is not None:
        types["mask"] = tensor(mask.shape, "i1" if mask.dtype == bool else "f64")
        how += f" mask %mask : {types['mask']}"
    if scale is not None:
        attributes.append(f"scale = {scale} : f64")
    if drops:
        types["rng"] = "tensor<2xi64>"
        how += " rng %rng"
        attributes += [f"rate = {RATE} : f64", "stream = 5 : i64"]
    how += " {" + ", ".join(attributes) + "}"
    arguments = ", ".join(f'%{name}: {kind} {{mp.input = "{name}"}}' for name, kind in types.items())
    results = {"y": types["g"], "lse": lse, "gq": types["q"], "gk": types["k"], "gv": types["v"]}
    # What dropout keeps, from the op that draws it for everyone.
    drawn = f"%kept = mp.dropout %ones, %rng {{rate = {RATE}, stream = 5}} : {scores}" if drops else f"%kept = mp.reshape %ones : {scores} -> {scores}"
    results["kept"] = scores
    signature = ", ".join(f'{kind} {{mp.output = "{name}"}}' for name, kind in results.items())
    return f"""func.func @infer({arguments}) -> ({signature}) attributes {{mp.program = "infer"}} {{
  %ones = mp.constant dense<1.0> : {scores}
  {drawn}
  %y, %lse = mp.attention %q, %k, %v {how} : {types["q"]}, {types["k"]}, {types["v"]}
  %product = mp.mul %y, %g : {types["g"]}, {types["g"]} -> {types["g"]}
  %delta = mp.reduce_sum %product dimensions [3] : {types["g"]} -> {lse}
  %gq, %gk, %gv = mp.attention_grad %q, %k, %v, %lse, %g, %delta {how} : {types["q"]}, {types["k"]}, {types["v"]}, {lse}, {types["g"]}
  return {", ".join("%" + name for name in results)} : {", ".join(results.values())}
}}
"""


def cases(random):
    """(batch, heads, groups, queries, keys, depth, columns), mask, causal, scale, drops."""
    sizes = (2, 4, 2, 3, 5, 4, 6)
    yield sizes, None, False, None, False
    yield (1, 1, 1, 1, 1, 1, 1), None, False, None, False
    yield (2, 3, 3, 4, 4, 2, 3), None, True, 0.3, False
    yield sizes, random.random((3, 5)) < 0.6, False, None, False
    yield sizes, random.random((2, 1, 1, 5)) < 0.7, False, None, False
    yield sizes, random.normal(0, 1, (2, 4, 3, 5)), False, None, False
    far = np.where(random.random((4, 3, 5)) < 0.5, -1e9, 0.0)
    far[..., 2] = 0
    yield sizes, far, False, None, False
    without = np.ones((3, 5), dtype=bool)
    without[1] = False  # a query without a key
    yield sizes, without, False, None, False
    yield sizes, np.where(without, 0.0, -np.inf), False, None, False
    yield sizes, None, False, None, True
    yield (1, 2, 1, 4, 4, 3, 5), random.random((1, 2, 4, 4)) < 0.7, True, -1.5, True
    yield (2, 2, 1, 3, 0, 4, 5), None, False, None, False  # no keys at all
    yield (2, 2, 1, 0, 3, 4, 5), None, False, None, False


def main():
    random = np.random.default_rng(0)
    count = 0
    for (batch, heads, groups, queries, keys, depth, columns), mask, causal, scale, drops in cases(random):
        directory = pathlib.Path(sys.argv[1]) / str(count)
        directory.mkdir(parents=True, exist_ok=True)
        q, g = random.normal(0, 1.5, (batch, heads, queries, depth)), random.normal(0, 1, (batch, heads, queries, columns))
        k, v = random.normal(0, 1.5, (batch, groups, keys, depth)), random.normal(0, 1, (batch, groups, keys, columns))
        (directory / "infer.mlir").write_text(program_of(q, k, v, mask, causal, scale, drops), encoding="utf-8")
        inputs = {"q": q, "k": k, "v": v, "g": g, "rng": np.array([11, 7]), "mask": mask}
        for name, value in inputs.items():
            if value is not None:
                np.save(directory / f"{name}.npy", value)
        subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)
        found = {name: np.load(directory / f"output.{name}.npy") for name in ("y", "lse", "gq", "gk", "gv", "kept")}
        kept = found["kept"]
        if drops:
            assert 0 < (kept == 0).mean() < 1 and set(np.unique(kept)) == {0.0, float(np.float32(1 / (1 - RATE)))}

        def loss(q, k, v):
            return (g * attention(q, k, v, mask, causal, scale, kept)[0]).sum()

        y, lse = attention(q, k, v, mask, causal, scale, kept)
        expected = {
            "y": (y, 1e-12),
            "lse": (lse, 1e-12),
            "gq": (differences(lambda moved: loss(moved, k, v), q), 1e-7),
            "gk": (differences(lambda moved: loss(q, moved, v), k), 1e-7),
            "gv": (differences(lambda moved: loss(q, k, moved), v), 1e-7),
        }
        for name, (value, bound) in expected.items():
            assert found[name].shape == value.shape, f"{name}: shape {found[name].shape}, expected {value.shape}"
            finite = np.isfinite(value)
            assert (found[name][~finite] == value[~finite]).all(), f"{name} of case {count}: {found[name]}"
            difference = abs(found[name][finite] - value[finite]).max(initial=0)
            assert difference <= bound * (1 + abs(value[finite]).max(initial=0)), f"{name} of case {count}: off by {difference}"
        count += 1
    print(f"{count} uses of attention and their gradients agree with NumPy")


if __name__ == "__main__":
    main()
