"""Matrix products of a layer's passes: forward, the gradient of its input and that of its weights."""

import models
import ours
import turns
from report import Row

CUBES = [256, 512, 1024, 2048, 4096]
ROWS = [64, 128, 512, 1024]
LAYERS = [(784, 512), (512, 512), (768, 3072), (4096, 4096)]
QUICK = [(256, 256, 256), (1024, 1024, 1024), (128, 512, 784)]
NAMES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}
FLAGS = ("--policy=float32", "--training=false", "--batch-size=1")
PARTS = {"bf16x6": 1.5, "bf16x3": 2.5}  # sums of products of bf16 parts, and their goals
LEAST_OF_PARTS = 512


def sizes(is_quick):
    """(m, n, k) of the forward pass."""
    if is_quick:
        return QUICK
    # 512 cubed is among both.
    return list(dict.fromkeys([(size,) * 3 for size in CUBES] + [(m, n, k) for k, n in LAYERS for m in ROWS]))


def compare(run, kind):
    """Adds tables of this type's products to the run's report: of two inputs, which are packed in the time, and where a
    weight is one of them and has a low type, of that as a training step keeps it."""
    add_table(run, kind, f"Products in {NAMES[kind]}", list(models.PASSES), False)
    if kind != "f32":
        add_table(run, kind, f"Products in {NAMES[kind]} with weights as a step keeps them", ["forward", "dX"], True)


def compare_parts(run):
    """Adds a table of large products in float32 by parts in bf16, beside the peers' float32."""
    for parts, goal in PARTS.items():
        run.report.section(f"Products in float32 by allow-{parts}", goal)
        for threads in run.thread_counts():
            for size in sizes(run.is_quick):
                for direction in models.PASSES if min(size) >= LEAST_OF_PARTS else []:
                    work = f"{parts} {direction} {'x'.join(map(str, size))}"
                    if run.wants(work):
                        made = row(run, "f32", direction, size, threads, work, False, (f"--allow-{parts}=true",), goal)
                        run.report.add(made)
        run.report.finish()


def add_table(run, kind, title, directions, has_weight):
    run.report.section(title, 1.0)
    for threads in run.thread_counts():
        for size in sizes(run.is_quick):
            for direction in directions:
                work = f"{kind} {direction} {'x'.join(map(str, size))}" + " weight" * has_weight
                if run.wants(work):
                    run.report.add(row(run, kind, direction, size, threads, work, has_weight))
    run.report.finish()


def row(run, kind, direction, size, threads, work, has_weight, flags=(), goal=None):
    transposes, of_pass = models.PASSES[direction]
    executable, _ = run.halfstep.compile(models.gemm(kind, direction, *size, has_weight), *FLAGS, *flags)
    budget, expected = run.budget(threads), {}
    m, n, k = of_pass(*size)
    with run.halfstep.open(executable, "infer", threads) as program:
        participants = {"ours": ours.participant(program, threads)}
        program.sample(1)
        if run.pytorch:
            run.pytorch.check_product(program, kind, transposes, has_weight)
            name, seconds = f"PyTorch {'MKL' if kind == 'f32' else 'matmul'}", 2 * m * n * k / run.rates(kind)[direction] / threads
            if seconds > run.limit:
                expected[name] = seconds
            else:
                participants[name] = turns.calls(run.pytorch.product(program, transposes, has_weight), threads)
        if run.numpy and kind == "f32":
            product = run.numpy.product(program, transposes)
            run.numpy.check(program, product)
            participants["NumPy"] = turns.calls(product, threads)
        if kind == "f32" and run.openblas(threads):
            server = run.openblas(threads)
            server.prepare(transposes, (m, n, k))
            participants[server.label] = server
        times = turns.take_turns(participants, budget)
    mine = times.pop("ours")
    return Row(work, threads, mine, times, goal or (0.9 if kind == "f32" else 1.0), expected,
               figures={"gflops": 2e-9 * m * n * k / mine.median})
