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
    failed = {}
    with run.halfstep.open(executable, "infer", threads) as program:
        participants = {"ours": ours.participant(program, threads)}
        program.sample(1)
        makers = {}
        if run.pytorch:
            makers["PyTorch eager"] = lambda: pytorch_action(run, model, kind, program, False)
            if run.with_compile:
                makers["PyTorch compile"] = lambda: pytorch_action(run, model, kind, program, True)
        if run.onnxruntime:
            makers["ONNX Runtime"] = lambda: onnx_action(run, model, batch, kind, program, threads)
        for name, make in makers.items():
            try:
                participants[name] = turns.calls(make(), threads)
            except NotImplementedError as error:
                failed[name] = str(error)
        times = turns.take_turns(participants, run.budget(threads))
    return Row(work, threads, times.pop("ours"), times, 1.0, failed=failed)


def pytorch_action(run, model, kind, program, compiled):
    torch = run.pytorch.torch
    made = run.pytorch.network(model, program).eval().to(run.pytorch.TYPES[kind])
    x = torch.from_dlpack(program.tensor("x")).to(run.pytorch.TYPES[kind])
    if compiled:
        torch._inductor.config.freezing = True
        made = torch.compile(made)

    @torch.inference_mode()
    def run_once():
        return made(x)

    run.pytorch.compare("the logits", torch.from_dlpack(program.tensor("logits")), run_once(), TOLERANCES[kind])
    return run_once


def onnx_action(run, model, batch, kind, program, threads):
    import numpy
    if kind != "f32":
        raise NotImplementedError(f"its CPU provider has no {kind} Gemm")
    parameters = {}
    for i in range(len(model.sizes) - 1):
        for part in ("weight", "bias"):
            shape, data = program.state(f"layer{i}.{part}")
            parameters[f"layer{i}.{part}"] = numpy.frombuffer(data, numpy.float32).reshape(shape)
    x, logits = (numpy.from_dlpack(program.tensor(name)) for name in ("x", "logits"))
    action = run.onnxruntime.inference(model.sizes, batch, parameters, x, threads)
    _, result = action()
    difference, allowed = abs(result - logits).max(), TOLERANCES[kind] * abs(logits).max()
    if not difference <= allowed:
        raise ValueError(f"the logits differ by {difference:.3g} from ONNX Runtime's, allowed is {allowed:.3g}")
    return action
