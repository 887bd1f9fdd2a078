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

import dataclasses
import itertools
import pathlib
import random
import subprocess
import sys

import benchmark_models
import convolution_models
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

# (policy, chips)
POLICIES = {
    "f16": ("mixed_float16", "sm_70,sm_75,sm_80,sm_90"),
    "bf16": ("mixed_bfloat16", "sm_80,sm_90"),
    "f32": ("float32", "sm_70,sm_80"),
}
# Of a trained network's outputs.
TOLERANCES = {"f16": 2e-2, "bf16": 1e-1, "f32": 1e-3}


@dataclasses.dataclass(frozen=True)
class Trained:
    """A network and how it is trained; its first loss scale makes f16 skip the first step where nothing else is said. Rates are
    small: Adam makes whole steps of gradients near zero, so that in 20 of 0.001 the last bits of a sum, which Tensor Cores cut,
    become a tenth of an output. In 20 of 0.0001 they become 0.005 of what changed by 0.4."""

    file: pathlib.Path
    batch: int
    data: str = "images"
    steps: int = 20
    optimizer: str = "adam"
    rate: float = 0.0001
    scale: int = 524288
    tolerances: dict = dataclasses.field(default_factory=lambda: TOLERANCES)


EXAMPLES = TEST.parent / "examples"
MODELS = {
    "example": Trained(EXAMPLES / "fashion_mnist_mlp.mlir", 8),
    "odd": Trained(TEST / "Integration" / "Inputs" / "odd_mlp.mlir", 50),
    "cnn": Trained(EXAMPLES / "fashion_mnist_cnn.mlir", 32),
    # Of so many values a ReLU's is now and then so near zero that another order of sums gives its sign: then gradients below it
    # differ by half a percent. Adam would make whole steps of that. The scale is well below what overflows.
    "resnet20": Trained(EXAMPLES / "cifar10_resnet20.mlir", 16, "colours", 4, "sgd", 0.001, 16384,
                        {"f16": 1e-1, "bf16": 2e-1, "f32": 3e-2}),
}


def training():
    for (model, how), (kind, (policy, chips)) in itertools.product(MODELS.items(), POLICIES.items()):
        scale = [f"--loss-scale=dynamic:init-scale={how.scale},growth-interval=200"] if kind == "f16" else []
        tolerance = how.tolerances[kind]
        yield {
            "name": f"train-{model}-{kind}", "model": how.file, "chips": chips, "each_chip": True,
            "flags": [f"--batch-size={how.batch}", f"--optimizer={how.optimizer}", f"--policy={policy}", *scale],
            "train": {"data": how.data, "flags": [f"--steps={how.steps}", f"--learning-rate={how.rate}"]},
            "infer": {"outputs": ["logits"], "tolerance": f"{tolerance},{tolerance}"},
            "sanitize": (model, kind) == ("odd", "f16"),
        }


def contractions():
    for program in [*gemm_models.grid(), *convolution_models.grid()]:
        yield {
            "name": program["name"], "text": program["text"], "flags": program["flags"], "chips": program["chips"],
            "infer": {"outputs": program["results"], "tolerance": program["tolerance"]}, "each_chip": True,
            "sanitize": program["name"] in ("gemm-f16-nn", "gemm-f32-tt", "conv-f16-forward"),
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


# Of ops whose results in f16 are sums of what was rounded to f16 before, and that may be rounded another way there: an element of
# the scores' gradient is up to 2, by keys up to 2, which is 0.002 for each of those that differ.
SUMS_OF_ROUNDED = {"attention_grad": "1e-2,4e-3"}


def ops(build, work):
    """Every op in f32 and f16, and apart from them in bf16, which takes another chip, and with sums in f16."""
    folder = work / "op-cases"
    folder.mkdir()
    subprocess.run([build / "unit" / "write-op-cases", folder], check=True)
    for model in sorted(folder.glob("*.mlir")):
        inputs = {file.name.split(".")[-2]: file for file in folder.glob(f"{model.stem}.mlir.*.npy")}
        tolerance = "3e-2,4e-3" if model.stem.endswith(".acc-f16") else SUMS_OF_ROUNDED.get(model.stem)
        yield {
            "name": "op-" + model.stem.replace("_", "-").replace(".", "-"), "model": model,
            "chips": "sm_80" if model.stem.endswith(".bf16") else "sm_70",
            "flags": ["--policy=float32", "--training=false", "--batch-size=1"],
            "infer": {"inputs": inputs, **({"tolerance": tolerance} if tolerance else {})},
            "sanitize": model.stem in ("softmax", "transpose"),
        }


def all_cases(build, work):
    return [*RUNTIME, *contractions(), *product_grid(build, work), *ops(build, work), *training(), *benchmark_models.cases()]


def write_data(build, folder):
    subprocess.run([build / "unit" / "write-tiny-model", folder / "tiny", "data", "203", "50"], check=True)
    subprocess.run([sys.executable, TEST / "Integration" / "first-images.py", IMAGES, folder / "images", "200"],
                   check=True)
    write_colours(folder / "colours")


def write_colours(folder):
    """Noisy pictures in CIFAR-10's files, each class of its own colour."""
    numbers = random.Random(1)
    folder.mkdir()
    for name in [*(f"data_batch_{part}.bin" for part in range(1, 6)), "test_batch.bin"]:
        with open(folder / name, "wb") as file:
            for label in range(20):
                label %= 10
                planes = (bytes(numbers.randrange(64) + 19 * (label * part % 10) for _ in range(32 * 32)) for part in (1, 3, 7))
                file.write(bytes([label]) + b"".join(planes))
