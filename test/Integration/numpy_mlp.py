"""Compares a two-layer perceptron, loss and gradients, with NumPy.

usage: numpy_mlp.py TYPE PROGRAM.mlir DIRECTORY

TYPE is f32 or f16, the type inside the network; PROGRAM.mlir has its train_step. Everything is computed here from the
mathematics of the network, twice:

- with the same roundings: each value rounded to TYPE, each sum of products kept in f32 in index order. The evaluator with
  --exact-accumulator gives the same bits.
- in f64. The evaluator, which sums in f64 and rounds each value to TYPE, is as near as those roundings allow.
"""

import pathlib
import subprocess
import sys

import numpy as np

PARAMETERS = ["w1", "b1", "w2", "b2"]


def make_arguments(seed):
    """Inputs and parameters; labels and weights of rows among them."""
    random = np.random.default_rng(seed)
    normal = lambda *shape: random.normal(0, 1, shape).astype(np.float32)
    return {
        "x": normal(9, 14),
        "y": random.integers(0, 5, 9).astype(np.uint8),
        "rows": random.uniform(0.25, 2, 9).astype(np.float32),
        "w1": normal(14, 11) / np.float32(4),
        "b1": normal(11),
        "w2": normal(11, 5) / np.float32(3),
        "b2": normal(5),
    }


class SameRoundings:
    """Values are of `kind`; sums of products are f32, one rounding for each product and its sum, in index order."""

    def __init__(self, kind):
        self.kind = kind

    def enter(self, value):
        return value.astype(self.kind)

    def product(self, lhs, rhs, bias=None):
        total = np.zeros((lhs.shape[0], rhs.shape[1]), np.float32)
        for k in range(lhs.shape[1]):
            # A longdouble holds the product; what is left of a second rounding is a matter of 2^-40.
            exact = lhs[:, k : k + 1].astype(np.longdouble) * rhs[k].astype(np.longdouble) + total
            total = exact.astype(np.float32)
        if bias is not None:
            total = total + bias.astype(np.float32)
        return total.astype(self.kind)

    def column_sums(self, value):
        total = np.zeros(value.shape[1], np.float32)
        for row in value:
            total = total + row.astype(np.float32)
        return total.astype(self.kind)

    def leave(self, value, kind):
        return value.astype(kind)


class Exact:
    """Everything in f64."""

    def enter(self, value):
        return value.astype(np.float64)

    def product(self, lhs, rhs, bias=None):
        return lhs @ rhs + (0 if bias is None else bias)

    def column_sums(self, value):
        return value.sum(axis=0)

    def leave(self, value, kind):
        return value


def network(arithmetic, a):
    """Loss and gradients of the network, by hand."""
    x, w1, b1, w2, b2 = (arithmetic.enter(a[name]) for name in ["x", "w1", "b1", "w2", "b2"])
    z1 = arithmetic.product(x, w1, b1)
    h = np.where(z1 > 0, z1, z1.dtype.type(0))
    z2 = arithmetic.product(h, w2, b2)

    # The loss and its gradient are f64 inside, rounded once.
    logits, rows, labels = z2.astype(np.float64), a["rows"].astype(np.float64), a["y"].astype(int)
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    softmax = shifted / shifted.sum(axis=1, keepdims=True)
    share = rows / rows.sum()
    row_losses = np.log(shifted.sum(axis=1)) + logits.max(axis=1) - logits[np.arange(9), labels]
    loss = (share * row_losses).sum()
    gz2 = arithmetic.enter((softmax - np.eye(5)[labels]) * share[:, None])

    gh = arithmetic.product(gz2, w2.T)
    gz1 = np.where(z1 > 0, gh, gh.dtype.type(0))
    results = {
        "loss": loss,
        "gradient.w1": arithmetic.product(x.T, gz1),
        "gradient.b1": arithmetic.column_sums(gz1),
        "gradient.w2": arithmetic.product(h.T, gz2),
        "gradient.b2": arithmetic.column_sums(gz2),
    }
    return {name: arithmetic.leave(np.asarray(value), np.float32) for name, value in results.items()}


def evaluate(program, directory, arguments, *flags):
    for name, value in arguments.items():
        np.save(directory / f"{name}.npy", value)
    subprocess.run(["mp-evaluate", program, "--program=train_step", f"--directory={directory}", *flags], check=True)
    return {name: np.load(directory / f"{name}.npy") for name in ["loss"] + [f"gradient.{p}" for p in PARAMETERS]}


def main():
    kind = {"f32": np.float32, "f16": np.float16}[sys.argv[1]]
    program, directory = sys.argv[2], pathlib.Path(sys.argv[3])
    directory.mkdir(parents=True, exist_ok=True)
    unit = {np.float32: 2.0**-24, np.float16: 2.0**-11}[kind]
    for seed in range(10):
        arguments = make_arguments(seed)
        expected = network(SameRoundings(kind), arguments)
        found = evaluate(program, directory, arguments, "--exact-accumulator")
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, f"seed {seed}: {name}, same roundings", strict=True)

        expected = network(Exact(), arguments)
        found = evaluate(program, directory, arguments)
        for name, value in expected.items():
            # A handful of roundings of values near 1, carried through sums of at most 14 terms.
            np.testing.assert_allclose(found[name], value, rtol=32 * unit, atol=32 * unit, err_msg=f"seed {seed}: {name}")
    print(f"{sys.argv[1]}: loss and gradients agree with NumPy for 10 seeds")


if __name__ == "__main__":
    main()
