"""Compares losses, activations and norms with NumPy.

usage: numpy_losses.py DIRECTORY

In f64, the formulas as the documentation of PyTorch and Keras has them; one program of all.
"""

import pathlib
import subprocess
import sys

import numpy as np

ROWS, COLUMNS = 7, 5


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


ACTIVATIONS = {
    "mp.neg %x": lambda x: -x,
    "mp.abs %x": np.abs,
    "mp.floor %x": np.floor,
    "mp.round %x": np.round,
    "mp.reciprocal %x": lambda x: 1 / x,
    "mp.rsqrt %p": lambda x: 1 / np.sqrt(x),
    "mp.clamp %x {min = -0.5 : f64, max = 1.0 : f64}": lambda x: np.clip(x, -0.5, 1),
    "mp.sigmoid %x": sigmoid,
    "mp.silu %x": lambda x: x * sigmoid(x),
    "mp.softplus %x": lambda x: np.log1p(np.exp(x)),
    "mp.leaky_relu %x": lambda x: np.where(x < 0, 0.01 * x, x),
    "mp.elu %x {alpha = 0.5 : f64}": lambda x: np.where(x < 0, 0.5 * np.expm1(x), x),
    "mp.selu %x": lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x),
    "mp.hard_sigmoid %x": lambda x: np.clip(x + 3, 0, 6) / 6,
    "mp.hard_swish %x": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "mp.log_softmax %x": log_softmax,
}


def huber(x, t, delta):
    distance = np.abs(x - t)
    return np.where(distance <= delta, distance**2 / 2, delta * (distance - delta / 2))


def binary_cross_entropy(p, t):
    p = np.clip(p, 1e-7, 1 - 1e-7)
    return -(t * np.log(p) + (1 - t) * np.log(1 - p))


# The term of each element, of which a loss is the mean.
LOSSES = {
    "mp.mse_loss %x, %t": lambda v: (v["x"] - v["t"]) ** 2,
    "mp.l1_loss %x, %t": lambda v: np.abs(v["x"] - v["t"]),
    "mp.huber_loss %x, %t {delta = 0.75 : f64}": lambda v: huber(v["x"], v["t"], 0.75),
    "mp.sigmoid_cross_entropy %x, %p": lambda v: binary_cross_entropy(sigmoid(v["x"]), v["p"]),
    "mp.binary_cross_entropy %p, %t": lambda v: binary_cross_entropy(v["p"], v["t"]),
}


def mean_of_rows(rows, weights):
    return (rows * weights).sum() / weights.sum()


def one_hot(values):
    return np.eye(COLUMNS)[values["labels"]]


def away_from_ends(p):
    return np.clip(p, 1e-7, 1 - 1e-7)


# What each row adds to a mean over rows.
OF_CLASSES = {
    "mp.softmax_cross_entropy %x, %soft": lambda v: -(v["soft"] * log_softmax(v["x"])).sum(-1),
    "mp.softmax_cross_entropy %x, %soft {label_smoothing = 0.25 : f64}":
        lambda v: -((0.75 * v["soft"] + 0.25 / COLUMNS) * log_softmax(v["x"])).sum(-1),
    "mp.cross_entropy %edge, %labels": lambda v: -(one_hot(v) * np.log(away_from_ends(v["edge"]))).sum(-1),
    "mp.cross_entropy %p, %soft": lambda v: -(v["soft"] * np.log(v["p"])).sum(-1),
    "mp.cross_entropy %p, %labels {label_smoothing = 0.25 : f64}":
        lambda v: -((0.75 * one_hot(v) + 0.25 / COLUMNS) * np.log(v["p"])).sum(-1),
    "mp.nll_loss %x, %labels": lambda v: -v["x"][np.arange(ROWS), v["labels"]],
    "mp.kl_div %x, %soft": lambda v: np.where(v["soft"] > 0, v["soft"] * (np.log(np.where(v["soft"] > 0, v["soft"], 1)) - v["x"]), 0).sum(-1),
}


def smoothed(values, smoothing, ignored, weights):
    log, labels = log_softmax(values["x"]), values["labels"]
    target = (1 - smoothing) * np.eye(COLUMNS)[labels] + smoothing / COLUMNS
    weights = np.where(labels == ignored, 0, weights)
    return (weights * -(target * log).sum(-1)).sum() / weights.sum()


def with_weights(loss):
    op, _, clause = loss.partition(" {")
    return f"{op} weights %w : tensor<{ROWS}xf64>" + (f" {{{clause}" if clause else "")


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    values = {"x": random.normal(0, 3, (ROWS, COLUMNS)), "t": random.normal(0, 3, (ROWS, COLUMNS)),
              "p": random.uniform(0.01, 0.99, (ROWS, COLUMNS)), "w": random.uniform(0.1, 2, ROWS),
              "scale": random.normal(0, 1, COLUMNS), "labels": random.integers(0, COLUMNS, ROWS)}
    values["soft"] = values["p"] * (values["p"] > 0.2)
    values["soft"] /= values["soft"].sum(-1, keepdims=True)
    values["edge"] = np.round(values["p"])  # 0 and 1
    images, row, weights = f"tensor<{ROWS}x{COLUMNS}xf64>", f"tensor<{COLUMNS}xf64>", f"tensor<{ROWS}xf64>"
    labels, number = f"tensor<{ROWS}xi64>", "tensor<f64>"
    types = {"x": images, "t": images, "p": images, "w": weights, "scale": row, "labels": labels, "soft": images, "edge": images}

    lines, results, expected = [], [], []

    def add(text, operands, result, value):
        lines.append(f"  %r{len(lines)} = {text} : {operands}")
        results.append(result)
        expected.append(np.asarray(value))

    for text, function in ACTIVATIONS.items():
        add(text, images, images, function(values["p" if "%p" in text else "x"]))
    for text, term in LOSSES.items():
        terms = term(values)
        add(text, f"{images}, {images} -> {number}", number, terms.mean())
        add(with_weights(text), f"{images}, {images} -> {number}", number,
            (values["w"] * terms.mean(-1)).sum() / values["w"].sum())
    for text, function in OF_CLASSES.items():
        rows = function(values)
        other = labels if "%labels" in text else images
        add(text, f"{images}, {other} -> {number}", number, rows.mean())
        add(with_weights(text), f"{images}, {other} -> {number}", number, mean_of_rows(rows, values["w"]))
        if "%labels" in text:
            ignoring = f"{text[:-1]}, ignore_label = 1 : i64}}" if "{" in text else f"{text} {{ignore_label = 1 : i64}}"
            add(ignoring, f"{images}, {other} -> {number}", number, mean_of_rows(rows, 1.0 * (values["labels"] != 1)))
    cosines = (values["x"] * values["t"]).sum(-1) / np.linalg.norm(values["x"], axis=-1) / np.linalg.norm(values["t"], axis=-1)
    add("mp.l2_norm %x dimensions [1]", f"{images} -> {weights}", weights, np.linalg.norm(values["x"], axis=-1))
    add("mp.cosine_similarity %x, %t", f"{images}, {images} -> {weights}", weights, cosines)
    for smoothing, ignored in [(0.0, None), (0.2, None), (0.0, 1), (0.1, 1), (0.1, 255)]:
        clause = f"{{label_smoothing = {smoothing} : f64" + ("}" if ignored is None else f", ignore_label = {ignored} : i64}}")
        for weighted in (False, True):
            add("mp.softmax_cross_entropy %x, %labels " + (f"weights %w : {weights} " if weighted else "") + clause,
                f"{images}, {labels} -> {number}", number,
                smoothed(values, smoothing, ignored, values["w"] if weighted else np.ones(ROWS)))
    root = np.sqrt((values["x"] ** 2).mean(-1, keepdims=True) + 0.01)
    add("mp.rms_norm %x, %scale {epsilon = 0.01 : f64}", f"{images}, {row}", images, values["x"] / root * values["scale"])

    arguments = ", ".join(f'%{name}: {of} {{mp.input = "{name}"}}' for name, of in types.items())
    outputs = ", ".join(f'{of} {{mp.output = "r{i}"}}' for i, of in enumerate(results))
    returned = ", ".join(f"%r{i}" for i in range(len(results)))
    program = f"func.func @infer({arguments}) -> ({outputs}) attributes {{mp.program = \"infer\"}} {{\n" + "\n".join(lines)
    program += f"\n  return {returned} : {', '.join(results)}\n}}\n"
    (directory / "infer.mlir").write_text(program, encoding="utf-8")
    for name, value in values.items():
        np.save(directory / f"{name}.npy", value)
    subprocess.run(["mp-evaluate", directory / "infer.mlir", "--program=infer", f"--directory={directory}"], check=True)
    for i, value in enumerate(expected):
        found = np.load(directory / f"output.r{i}.npy")
        assert found.shape == value.shape, f"{lines[i]}: shape {found.shape}, expected {value.shape}"
        assert abs(found - value).max() <= 1e-12 * (1 + abs(value).max()), f"{lines[i]}: {found}, NumPy has {value}"
    print(f"{len(expected)} functions agree with NumPy")


if __name__ == "__main__":
    main()
