"""Inference of multi-layer perceptrons beside ONNX Runtime and PyTorch."""

import models
import ours
import turns
from report import Row

WORKS = [models.Mlp((784, 4096, 4096, 10)), models.Mlp((784, 128, 10))]
BATCHES = [1, 32, 256]
POLICIES = {"float32": "f32", "mixed_bfloat16": "bf16"}
TOLERANCES = {"f32": 1e-3, "bf16": 5e-2}


def compare(run):
    run.report.section("Inference", 1.0)
    works = WORKS[1:] if run.is_quick else WORKS
    for threads in run.thread_counts():
        for model in works:
            for batch in BATCHES:
                for policy, kind in POLICIES.items():
                    work = f"infer {kind} {model.name} batch {batch}"
                    if run.wants(work):
                        run.report.add(row(run, model, batch, policy, kind, threads, work))
    run.report.finish()


def row(run, model, batch, policy, kind, threads, work):
    executable, _ = run.halfstep.compile(model.text(), f"--policy={policy}", "--training=false", f"--batch-size={batch}")
    with run.halfstep.open(executable, "infer", threads) as program:
        participants = {"ours": ours.participant(program, threads)}
        program.sample(1)
        if run.pytorch:
            run.pytorch.forget_compiled()
            for execution in run.executions():
                action = pytorch_action(run.pytorch, model, kind, program, execution)
                participants[f"PyTorch {execution}"] = turns.calls(action, threads)
        if run.onnxruntime:
            action = run.onnxruntime.inference(program, model.sizes, batch, threads, TOLERANCES[kind])
            participants["ONNX Runtime" if kind == "f32" else "ONNX Runtime, f32"] = turns.calls(action, threads)
        times = turns.take_turns(participants, run.budget(threads))
    return Row(work, threads, times.pop("ours"), times, 1.0)


def pytorch_action(pytorch, model, kind, program, execution):
    torch, dtype = pytorch.torch, pytorch.TYPES[kind]
    made = pytorch.network(model, program).eval().to(dtype)
    x = torch.from_dlpack(program.tensor("x")).to(dtype)
    if execution != "eager":
        torch._inductor.config.freezing = True
    made = pytorch.executed(made, execution)

    @torch.inference_mode()
    def run_once():
        return made(x)

    pytorch.compare("the logits", torch.from_dlpack(program.tensor("logits")), run_once(), TOLERANCES[kind])
    return run_once
