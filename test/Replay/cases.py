"""What the replay compiles: models, the flags they are compiled with, and for which targets.

A case is (name, model, flags, targets): the model's text; a target is "cpu:avx2" or a list of chips.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys

TEST = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TEST / "GPU"))
sys.dont_write_bytecode = True

import benchmark_models  # noqa: E402
import convolution_models  # noqa: E402
import gemm_models  # noqa: E402

CHIPS = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a"]
WITH_BF16 = CHIPS[2:]
LEVELS = ["cpu:avx2", "cpu:avx512", "cpu:avx512bf16", "cpu:amx-bf16", "cpu:amx-fp16"]
INFER = ["--policy=float32", "--training=false", "--batch-size=1"]
RANDOM_MODELS = 60

# The levels of the CPU and the chips that have units for a policy's types, or do without in a way of their own.
POLICIES = {
    "float32": (["--policy=float32"], LEVELS[:2], CHIPS),
    "mixed_float16": (["--policy=mixed_float16", "--loss-scale=dynamic"], [*LEVELS[:2], *LEVELS[3:]], CHIPS),
    "mixed_bfloat16": (["--policy=mixed_bfloat16"], LEVELS[:4], WITH_BF16),
}
# Settings that change what is compiled; each with one model.
SETTINGS = {
    "sgd": ["--optimizer=sgd:momentum=0.9", "--nesterov=true", "--weight-decay=0.01"],
    "adamw": ["--optimizer=adamw", "--weight-decay=0.01", "--clip-norm=1"],
    "rmsprop": ["--optimizer=rmsprop:momentum=0.9,centered=true", "--clip-value=1"],
    "adagrad": ["--optimizer=adagrad:learning-rate-decay=0.1", "--clip-parameter-norm=1"],
    "nadam": ["--optimizer=nadam"],
    "lamb": ["--optimizer=lamb", "--weight-decay=0.01"],
    "lion": ["--optimizer=lion"],
    "accumulate": ["--accumulate=4", "--clip-norm=1", "--log-gradient-norm=true"],
    "pad": ["--pad=true"],
    "underived": ["--derived-weights=false"],
    "pytorch": ["--policy=pytorch", "--loss-scale=dynamic:init-scale=2^24,growth-interval=200,hysteresis=2"],
    "tensorflow": ["--policy=tensorflow", "--loss-scale=1024"],
    "unchecked": ["--loss-scale=128", "--no-finite-check=true"],
    "narrow-sums": ["--allow-fp16-accumulation=true", "--allow-fp16-reduced-precision-reduction=true"],
    "tf32": ["--policy=float32", "--allow-tf32=true"],
}
#: Settings that no processor takes.
FOR_GPUS = ("narrow-sums", "tf32")


@dataclasses.dataclass
class Case:
    name: str
    model: str
    flags: list
    targets: list
    quick: bool = False
    #: Whether a kept model is compiled again, and not what its generator makes now: new ops change all that it makes.
    from_kept: bool = False


def networks():
    """The example and the tests' networks, under each policy; one of them with each setting."""
    files = {"example": (TEST.parent / "examples" / "fashion_mnist_mlp.mlir", 64)}
    files |= {name: (TEST / "Integration" / "Inputs" / f"{name}.mlir", 50) for name in ("odd_mlp", "tiny", "tiny_accuracy")}
    for name, (file, batch) in files.items():
        for policy, (flags, levels, chips) in POLICIES.items():
            yield Case(f"{name}-{policy}", file.read_text(), [*flags, f"--batch-size={batch}"],
                       [*levels, chips if name == "example" else sorted({chips[0], "sm_80", "sm_100a"})], name == "example")
    odd, batch = files["odd_mlp"]
    for name, flags in SETTINGS.items():
        yield Case(f"odd_mlp-{name}", odd.read_text(), [f"--batch-size={batch}", *flags],
                   [["sm_75", "sm_80"]] if name in FOR_GPUS else ["cpu:avx2", ["sm_75", "sm_80"]])
    for name in ("mlp_f16", "mlp_f32"):
        yield Case(name, (TEST / "Integration" / "Inputs" / f"{name}.mlir").read_text(), ["--policy=float32", "--batch-size=64"],
                   [*LEVELS, ["sm_70", "sm_80"]])
    for name, (sizes, rows, _) in benchmark_models.NETWORKS.items():
        for policy, flags in benchmark_models.POLICIES.items():
            yield Case(f"network-{name}-{policy}", benchmark_models.network(sizes), [*flags, f"--batch-size={rows}"],
                       [["sm_80", "sm_90"]] if policy in FOR_GPUS else ["cpu:avx512", ["sm_80", "sm_90"]])


def programs():
    """Models of the tests that only infer."""
    for path in ("Codegen/Inputs/products", "Codegen/Inputs/rows", "Codegen/Inputs/odd-rows", "Codegen/Inputs/short-products",
                 "Codegen/Inputs/column-broadcast", "GPU/Inputs/loss", "Pipeline/Inputs/long-sums", "Tools/Inputs/relu",
                 "Tools/Inputs/softmax"):
        rows = "64" if path.endswith("long-sums") else "5"
        text = (TEST / f"{path}.mlir").read_text()
        yield Case(path.rpartition("/")[2], text, ["--policy=float32", "--training=false", f"--batch-size={rows}"],
                   [*LEVELS, CHIPS], path.endswith(("/products", "/rows")))
        if path.endswith("products"):
            yield Case(path.rpartition("/")[2] + "-tf32", text, [*INFER, "--allow-tf32=true"], [WITH_BF16])
    for kind in ("f16", "f32"):
        for rows, classes in ((128, 10), (8192, 1000), (8192, 50304)):
            case = benchmark_models.cross_entropy(kind, rows, classes)
            yield Case(case["name"], case["text"], case["flags"], ["cpu:avx512", ["sm_75", "sm_80"]])
    for case in benchmark_models.products():
        if case["small"] or "4096" in case["name"]:
            yield Case(case["name"], case["text"], case["flags"], [case["chips"].split(",")])


def products():
    """Sizes and epilogues as the compiler schedules them, in each type and order of operands; then convolutions and their gradients."""
    for program in [*gemm_models.grid(), *convolution_models.grid()]:
        chips = program["chips"].split(",")
        yield Case(program["name"], program["text"], program["flags"], [chips] if "tf32" in program["name"] else [*LEVELS, chips],
                   program["name"].endswith("f16-nt"))


def grid(build, folder):
    """The products of the tests of Codegen, whose schedules are given, each for its chip."""
    write(build / "unit" / "write-gemm-grid", folder)
    for line in (folder / "grid.tsv").read_text().splitlines():
        name, chip, kind, _, _ = line.split("\t")
        yield Case(name, (folder / f"{name}.mlir").read_text(), INFER + ["--allow-tf32=true"] * (kind == "tf32"),
                   ["cpu:avx2", [chip]] if chip in ("sm_70", "sm_80") and kind != "tf32" else [[chip]], True)


def ops(build, folder):
    """Every op by itself."""
    write(build / "unit" / "write-op-cases", folder)
    for model in sorted(folder.glob("*.mlir")):
        yield Case("op-" + model.stem, model.read_text(), INFER,
                   [*LEVELS, ["sm_80", "sm_100a"] if ".bf16" in model.stem else ["sm_70", "sm_80", "sm_100a"]], from_kept=True)


def random_models(build, folder):
    """Whole models at random, each for the CPU and one chip."""
    write(build / "unit" / "write-random-models", folder, str(RANDOM_MODELS))
    for seed in range(RANDOM_MODELS):
        text = (folder / f"random-{seed}.mlir").read_text()
        flags = re.match(r"//(.*)", text)[1].split()
        chips = WITH_BF16 if "bf" in text else CHIPS
        yield Case(f"random-{seed}", text, flags, [LEVELS[seed % len(LEVELS)], [chips[seed % len(chips)]]], seed < 6, from_kept=True)


def write(program, *arguments):
    arguments[0].mkdir()
    subprocess.run([program, *arguments], check=True)


def all_cases(build, folder):
    """All cases, those of the quick form first."""
    found = [*networks(), *programs(), *products(), *grid(build, folder / "grid"), *ops(build, folder / "ops"),
             *random_models(build, folder / "random")]
    return sorted(found, key=lambda case: not case.quick)
