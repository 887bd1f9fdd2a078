"""Trains and tests a model that learns from images alone, with batches that are not full.

usage: autoencoder.py DIRECTORY

With a learning rate that changes nothing the losses are those of the first values, which NumPy knows.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

TRAIN, TEST, SIZE, HIDDEN = 21, 13, 12, 5
MODEL = """
func.func @autoencoder(%x: tensor<?x{size}xf32> {{mp.input = "x"}},
    %encoder: tensor<{size}x{hidden}xf32> {{mp.parameter = "encoder", mp.initializer = #mp.constant<0.25 : f64>}},
    %decoder: tensor<{hidden}x{size}xf32> {{mp.parameter = "decoder", mp.initializer = #mp.constant<0.5 : f64>}})
    -> (tensor<f32> {{mp.loss}}) attributes {{mp.program = "model"}} {{
  %code = mp.matmul %x, %encoder acc f32 : tensor<?x{size}xf32>, tensor<{size}x{hidden}xf32> -> tensor<?x{hidden}xf32>
  %bent = mp.leaky_relu %code {{negative_slope = 0.125 : f64}} : tensor<?x{hidden}xf32>
  %again = mp.matmul %bent, %decoder acc f32 : tensor<?x{hidden}xf32>, tensor<{hidden}x{size}xf32> -> tensor<?x{size}xf32>
  {loss}
  return %l : tensor<f32>
}}
"""
LOSSES = {
    "mse_loss": "%l = mp.mse_loss %again, %x : tensor<?x{0}xf32>, tensor<?x{0}xf32> -> tensor<f32>",
    "reduce_mean": """%d = mp.sub %again, %x : tensor<?x{0}xf32>, tensor<?x{0}xf32> -> tensor<?x{0}xf32>
  %s = mp.mul %d, %d : tensor<?x{0}xf32>, tensor<?x{0}xf32> -> tensor<?x{0}xf32>
  %l = mp.reduce_mean %s dimensions [0, 1] : tensor<?x{0}xf32> -> tensor<f32>""",
}


def losses_of(folder, name, policy):
    """What a run says of training and of the test."""
    model = folder / f"{name}.mlir"
    model.write_text(MODEL.format(size=SIZE, hidden=HIDDEN, loss=LOSSES[name].format(SIZE)), encoding="utf-8")
    run = subprocess.run(["mp-run", "train", model, f"--data={folder / 'images.npz'}", f"--policy={policy}", "--epochs=1", "--batch-size=8",
                          "--last-batch=pad", "--optimizer=sgd", "--learning-rate=1e-30", "--target=cpu"],
                         check=True, stdout=subprocess.PIPE, text=True)
    return [float(re.search(rf"^{part}: +loss ([0-9.e-]+)", run.stdout, re.MULTILINE)[1]) for part in ("train", "test")]


def loss_of(x):
    code = x @ np.full((SIZE, HIDDEN), 0.25)
    again = np.where(code < 0, 0.125 * code, code) @ np.full((HIDDEN, SIZE), 0.5)
    return ((again - x) ** 2).mean()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    images = {part: random.normal(0.3, 1, (rows, SIZE)).astype(np.float32) for part, rows in (("train", TRAIN), ("test", TEST))}
    np.savez(folder / "images.npz", x_train=images["train"], y_train=np.zeros(TRAIN, np.uint8), x_test=images["test"],
             y_test=np.zeros(TEST, np.uint8))

    expected = [loss_of(images[part].astype(np.float64)) for part in ("train", "test")]
    for name in LOSSES:
        found = losses_of(folder, name, "float32")
        assert np.allclose(found, expected, rtol=2e-6), f"{name}: {found}, NumPy has {expected}"
    print("float32: the same test loss by mse_loss, by reduce_mean and by NumPy")

    lowered = [losses_of(folder, name, "mixed_bfloat16") for name in LOSSES]
    assert np.allclose(*lowered, rtol=2e-6), lowered
    assert np.allclose(lowered[0], expected, rtol=0.02) and lowered[0] != expected, f"{lowered[0]}, float64 has {expected}"
    print("mixed_bfloat16: the same test loss by mse_loss and by reduce_mean")


if __name__ == "__main__":
    main()
