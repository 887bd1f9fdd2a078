"""What the bundle packs: a list of cases.

A case has a name, an executable ('write': arguments of write-tiny-model, whose kernels are C compiled for both devices,
the runtime alone; or 'model' or 'text', 'chips' and 'flags' of mp-run compile), and what is done with it:
  infer      {program, inputs: files, given: texts, outputs, tolerance}: results against those of device cpu; other
             inputs are random
  train      {data, flags}: as many steps are skipped as on device cpu; then infer checks the trained network
  benchmark  {data, flags}: rows per second of training, uploads and all
  time       arguments of mp-exec benchmark; 'small' if that runs on a CPU, too; 'peers' are lines for peer.py about
             the same work
Also 'each_chip': run the code for each chip by itself; 'sanitize': run under compute-sanitizer, too. A case whose
executable gets no variant for a GPU is left out, with the reason.
"""

import pathlib
import subprocess
import sys

import benchmark_models
import gemm_models

HERE = pathlib.Path(__file__).resolve().parent
TEST = HERE.parent
IMAGES = "/usr/share/datasets/fashion-mnist"

LOGITS = {"outputs": ["logits"]}
TINY_TRAINING = {"data": "tiny", "flags": ["--epochs=3", "--learning-rate=0.5"]}

# The runtime alone.
RUNTIME = [
    {"name": "runtime-infer", "write": ["gpu"], "sanitize": True, "infer": LOGITS},
    {"name": "runtime-infer-one-row", "write": ["gpu", "batch=1"], "infer": LOGITS},
    {"name": "runtime-eval", "write": ["gpu"],
     "infer": {"program": "eval", "outputs": ["loss", "accuracy"], "given": {"y": "8xui8=0,1,2,0,1,2,0,1"}}},
    {"name": "runtime-train", "write": ["gpu"], "sanitize": True, "train": TINY_TRAINING, "infer": LOGITS},
    {"name": "runtime-train-skipped-steps", "write": ["gpu", "loss-scale=16777216"], "train": TINY_TRAINING,
     "infer": LOGITS},
    {"name": "runtime-train-accumulated", "write": ["gpu", "accumulate"], "infer": LOGITS,
     "train": {"data": "tiny", "flags": [*TINY_TRAINING["flags"], "--accumulate=4"]}},
    {"name": "runtime-step-overhead", "write": ["gpu"], "benchmark": {"data": "tiny", "flags": ["--steps=2000"]}},
]

# (policy flags, chips, tolerance of the trained network's outputs)
POLICIES = {
    "f16": (["--policy=mixed_float16", "--loss-scale=dynamic:init-scale=524288,growth-interval=200"], "sm_70,sm_75,sm_80,sm_90", 5e-2),
    "bf16": (["--policy=mixed_bfloat16"], "sm_80,sm_90", 1e-1),
    "f32": (["--policy=float32"], "sm_70,sm_80", 1e-3),
}
MODELS = {
    "example": (TEST.parent / "examples" / "fashion_mnist_mlp.mlir", 8),
    "odd": (TEST / "Integration" / "Inputs" / "odd_mlp.mlir", 50),
}


def training():
    """20 steps of networks; f16 begins at a loss scale that skips the first."""
    for model, (file, batch) in MODELS.items():
        for policy, (flags, chips, tolerance) in POLICIES.items():
            yield {
                "name": f"train-{model}-{policy}", "model": file, "chips": chips, "each_chip": True,
                "flags": [f"--batch-size={batch}", "--optimizer=adam", *flags],
                "train": {"data": "images", "flags": ["--steps=20", "--learning-rate=0.001"]},
                "infer": {"outputs": ["logits"], "tolerance": f"{tolerance},{tolerance}"},
                "sanitize": (model, policy) == ("odd", "f16"),
            }


def products():
    for program in gemm_models.grid():
        yield {
            "name": program["name"], "text": program["text"], "flags": program["flags"], "chips": program["chips"],
            "infer": {"outputs": program["results"], "tolerance": program["tolerance"]}, "each_chip": True,
            "sanitize": program["name"] in ("gemm-f16-nn", "gemm-f32-tt"),
        }


def product_grid(build, work):
    """The products of the tests of Codegen, with their schedules, by chip and types."""
    folder = work / "gemm-grid"
    folder.mkdir()
    subprocess.run([build / "unit" / "write-gemm-grid", folder], check=True)
    for line in (folder / "grid.tsv").read_text().splitlines():
        name, chip, kind, accumulator, longest = line.split("\t")
        flags = ["--policy=float32", "--training=false", "--batch-size=1"]
        yield {
            "name": name, "model": folder / f"{name}.mlir", "chips": chip, "each_chip": True,
            "flags": flags + ["--allow-tf32=true"] * (kind == "tf32"),
            "infer": {"tolerance": gemm_models.tolerance(kind, int(longest), accumulator)},
        }


def ops(build, work):
    """Every op in f32 and f16, and apart from them in bf16, which takes another chip, and with sums in f16."""
    folder = work / "op-cases"
    folder.mkdir()
    subprocess.run([build / "unit" / "write-op-cases", folder], check=True)
    for model in sorted(folder.glob("*.mlir")):
        inputs = {file.name.split(".")[-2]: file for file in folder.glob(f"{model.stem}.mlir.*.npy")}
        yield {
            "name": "op-" + model.stem.replace("_", "-").replace(".", "-"), "model": model,
            "chips": "sm_80" if model.stem.endswith(".bf16") else "sm_70",
            "flags": ["--policy=float32", "--training=false", "--batch-size=1"],
            "infer": {"inputs": inputs, **({"tolerance": "3e-2,4e-3"} if model.stem.endswith(".acc-f16") else {})},
            "sanitize": model.stem in ("softmax", "transpose"),
        }


def all_cases(build, work):
    return [*RUNTIME, *products(), *product_grid(build, work), *ops(build, work), *training(), *benchmark_models.cases()]


def write_data(build, folder):
    subprocess.run([build / "unit" / "write-tiny-model", folder / "tiny", "data", "203", "50"], check=True)
    subprocess.run([sys.executable, TEST / "Integration" / "first-images.py", IMAGES, folder / "images", "200"],
                   check=True)
