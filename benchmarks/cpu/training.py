"""Training steps: ours beside PyTorch's, low precision beside float32, the time to compile them and the memory they take."""

import dataclasses
import pathlib
import sys
import time

import models
import ours
import peak_memory
import resnet
import turns
from report import Row

POLICIES = ["float32", "mixed_bfloat16", "mixed_float16"]
# The losses of the first step agree so far, relatively.
TOLERANCES = {"float32": 1e-3, "mixed_bfloat16": 3e-2, "mixed_float16": 1e-2}
KINDS = {"float32": "f32", "mixed_bfloat16": "bf16", "mixed_float16": "f16"}


@dataclasses.dataclass(frozen=True)
class Work:
    model: object
    batch: int
    optimizer: str
    rate: float

    @property
    def name(self):
        dropout = " dropout" if getattr(self.model, "dropout", 0) else ""
        return f"{self.model.name} batch {self.batch} {self.optimizer}{dropout}"

    def flags(self, policy):
        # PyTorch's AdamW decays by 0.01 where nothing else is said.
        decay = ["--weight-decay=0.01"] if self.optimizer == "adamw" else []
        return (f"--policy={policy}", f"--batch-size={self.batch}", f"--optimizer={self.optimizer}",
                f"--learning-rate={self.rate}", *decay)


WORKS = [
    Work(models.Mlp((784, 4096, 4096, 10)), 512, "sgd", 0.01),
    Work(models.Mlp((784, 512, 512, 10), 0.2), 128, "adam", 1e-3),
    Work(models.Mlp((784, 128, 10)), 128, "adam", 1e-3),
    Work(models.Mlp((64, 128, 10)), 64, "adam", 1e-3),
    Work(models.Transformer(), 8, "adamw", 1e-3),
    Work(models.Cnn(), 128, "adam", 1e-3),
    Work(models.Cnn(), 1024, "adam", 1e-3),
    Work(resnet.ResNet(), 128, "sgd", 1e-2),
]
QUICK, SMALLEST = WORKS[1:], WORKS[3]


def chosen(run):
    return QUICK if run.is_quick else WORKS


def compare(run):
    run.report.section("Training steps", 1.0)
    for threads in run.thread_counts():
        for work in chosen(run):
            for policy in POLICIES:
                if run.wants(f"step {policy} {work.name}"):
                    run.report.add(row(run, work, policy, threads))
    run.report.finish()


def row(run, work, policy, threads):
    executable, seconds = run.halfstep.compile(work.model.text(), *work.flags(policy))
    name, expected, failed, figures = f"step {policy} {work.name}", {}, {}, {"compile_seconds": seconds}
    with run.halfstep.open(executable, "train_step", threads) as program:
        participants = {"ours": ours.participant(program, threads)}
        if run.pytorch:
            run.pytorch.forget_compiled()
        for implementation, execution, layout in run.training_peers(work.model):
            peer = make_peer(run, work, policy, program, implementation, execution, layout)
            estimate = expected_seconds(run, work, policy, threads)
            if estimate > run.limit:
                expected[peer.label] = estimate
                continue
            try:
                begin = time.perf_counter()
                if execution != "eager":
                    peer.run()
                    figures.setdefault("peer_compile_seconds", {})[execution] = time.perf_counter() - begin
                participants[peer.label] = turns.calls(peer.run, threads)
            except Exception as error:  # torch.compile needs a compiler of C++, and has opinions
                failed[peer.label] = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        if run.pytorch:
            check_loss(run, work, policy, program)
        times = turns.take_turns(participants, run.budget(threads))
    return Row(name, threads, times.pop("ours"), times, 1.0, expected, failed, figures)


def make_peer(run, work, policy, program, implementation, execution="eager", layout=None):
    torch = run.pytorch.torch
    x, y = (torch.from_dlpack(program.tensor(name)).clone() for name in "xy")
    return run.pytorch.Training(work.model, policy, work.optimizer, work.rate, x, y, program, implementation, execution, layout)


def expected_seconds(run, work, policy, threads):
    """Of a step of PyTorch's, by what products of 512 cubed take."""
    rates = run.rates(KINDS[policy])
    return sum(2 * work.model.products(work.batch) / rate for rate in rates.values()) / threads


def check_loss(run, work, policy, program):
    """The first losses agree. With dropout they do not: each draws its own numbers."""
    if getattr(work.model, "dropout", 0):
        return
    torch = run.pytorch.torch
    peer = make_peer(run, work, "float32", program, "foreach")
    program.sample(1)
    ours_loss, theirs = torch.from_dlpack(program.tensor("loss")).item(), peer.forward().item()
    if not abs(ours_loss - theirs) <= TOLERANCES[policy] * abs(theirs):
        raise ValueError(f"step {policy} {work.name}: our first loss is {ours_loss:.6g}, PyTorch's {theirs:.6g}")


def compare_policies(run):
    """Our mixed precision beside our float32, in turns."""
    run.report.section("Our mixed precision beside our float32", 1.0)
    for threads in run.thread_counts():
        for work in chosen(run):
            wanted = [policy for policy in POLICIES[1:] if run.wants(f"{policy} {work.name}")]
            if not wanted:
                continue
            programs = {}
            try:
                for policy in ["float32", *wanted]:
                    executable, _ = run.halfstep.compile(work.model.text(), *work.flags(policy))
                    programs[policy] = run.halfstep.open(executable, "train_step", threads)
                times = turns.take_turns({policy: ours.participant(program, threads) for policy, program in programs.items()},
                                         run.budget(threads))
            finally:
                for program in programs.values():
                    program.close()
            for policy in wanted:
                run.report.add(Row(f"{policy} {work.name}", threads, times[policy], {"ours, float32": times["float32"]}, 1.0))
    run.report.finish()


def report_costs(run):
    """How long a step takes to compile, and the most memory that a process which takes steps holds."""
    run.report.section("Compile time and peak memory", 1.0,
                       ["work", "our compile", "torch.compile (default / max-autotune)", "our process", "PyTorch's process", "of it PyTorch itself"])
    rows = [row for section in run.report.sections for row in section["rows"] if isinstance(row, Row)]
    for work in chosen(run):
        for policy in POLICIES:
            name = f"step {policy} {work.name}"
            if not run.wants(name):
                continue
            executable, seconds = run.halfstep.compile(work.model.text(), *work.flags(policy))
            theirs = next((row.figures["peer_compile_seconds"] for row in rows
                           if row.work == name and "peer_compile_seconds" in row.figures), {})
            memory, _ = peak_memory.of([run.halfstep.tool("mp-exec"), "benchmark", executable, "--program=train_step", "--threads=1",
                                        "--warmup=1", "--repeat=1", "--runs=1"])
            peer = {}
            if run.pytorch and expected_seconds(run, work, policy, 1) < run.limit:
                script = pathlib.Path(__file__).with_name("pytorch_memory.py")
                total, before = peak_memory.of([sys.executable, script, WORKS.index(work), policy])
                peer = {"peak": total, "before": int(before)}
            run.report.values(name, f"{seconds:.2f} s", " / ".join(f"{each:.1f} s" for each in theirs.values()) or "-", megabytes(memory),
                              megabytes(peer.get("peak")), megabytes(peer.get("before")), work=name, compile_seconds=seconds,
                              peer_compile_seconds=theirs, memory=memory, peer_memory=peer)
    run.report.finish()


def megabytes(size):
    return f"{size / 1e6:.0f} MB" if size else "-"
