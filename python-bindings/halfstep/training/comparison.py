"""Training of one model under several policies, side by side."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Iterable
from typing import Any

from halfstep.callbacks import Callback, is_accuracy
from halfstep.compiler.policy import Policy, policy_of
from halfstep.compiler.settings import spell_settings
from halfstep.layers.module import Module
from halfstep.report.comparison import Comparison
from halfstep.training.batches import rows_of
from halfstep.training.data import count_rows, name_inputs
from halfstep.training.job import Job, make_job
from halfstep.training.trainer import Trainer
from halfstep_runtime._errors import Error, begin, error_of, integer, shown
from halfstep_runtime._libraries import libraries

with libraries():
    from halfstep import _compiler


class _Steps(Callback):
    """What the curves show, and what steps take."""

    def __init__(self) -> None:
        self.seconds_per_sample: dict[bool, list[float]] = {False: [], True: []}  # of steps that update, and that are skipped
        self.loss: list[float | None] = []
        self.loss_scale: list[float | None] = []
        self.skipped: list[dict[str, Any]] = []

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        logs = logs or {}
        self.loss.append(_finite(logs["loss"]))
        self.loss_scale.append(1.0 if math.isnan(logs["loss_scale"]) else _finite(logs["loss_scale"]))
        self.seconds_per_sample[logs["skipped"]].append(1 / logs["samples_per_second"])
        if logs["skipped"]:
            self.skipped.append({"step": logs["step"], "gradient": logs["gradient"]})


def compare(model: Module, data: Any, policies: Any = ("float32", "mixed_float16", "mixed_bfloat16"), *, validation_data: Any = None,
            batch_size: int = 64, epochs: int = 1, seed: int = 0, last_batch: str = "drop", verbose: bool = False) -> Comparison:
    """Trains the model under each policy, each time from its first values, as it was compiled else (by Adam and cross entropy, where
    it was not). `data` and `validation_data` are inputs and targets as `fit` takes them; `policies` are names or Policy. What the model
    itself has trained stays as it is."""
    if not hasattr(model, "named_leaves") or isinstance(model, type):
        raise Error(f"compare: model is {shown(model)}, expected a module")
    integer("compare: epochs", epochs, 1)
    if not isinstance(policies, (str, Policy, Iterable)) or getattr(policies, "shape", None) == ():
        raise Error(f"compare: policies is {shown(policies)}, expected names, as 'mixed_bfloat16', or halfstep.Policy")
    try:
        named = [policy_of(one) for one in ([policies] if isinstance(policies, (str, Policy)) else policies)]
    except Error as error:
        raise begin(error, "compare: policies") from None
    if not named:
        raise Error("compare: policies are none: name at least one, as 'mixed_bfloat16'")
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise Error("compare: data are (inputs, targets)")
    job = model._job or make_job("adam", None, None, named[0], None, "cpu", 0, False, {}, model._of_classes)
    if validation_data is not None:
        validation_data = rows_of(model, validation_data, "validation_data")
    documents = []
    for policy in named:
        try:
            documents.append(_train(model, job.under(policy), policy, data, validation_data, batch_size, epochs, seed=seed, last_batch=last_batch, verbose=verbose))
        except Error as error:
            raise begin(error, f"compare: {_label(policy)}")
    rows, test_rows = (0 if own is None else count_rows(model, name_inputs(model, *own)) for own in (data, validation_data))
    return Comparison(json.dumps({"policies": documents, "device": job.device, "model": type(model).__name__, "seed": operator.index(seed), "rows": rows,
                                  "test_rows": test_rows}, allow_nan=False))


def _train(model: Module, job: Job, policy: Policy, data: Any, validation_data: Any, batch_size: int, epochs: int, **settings: Any) -> dict[str, Any]:
    (x, y), trainer, steps = data, Trainer(model), _Steps()
    trainer._job = job
    history = trainer.fit(x, y, batch_size, epochs, validation_data=validation_data, callbacks=[steps], **settings)
    with trainer._live() as session:
        executable = session.executable
        program = "train_step" if "train_step" in executable.programs else "accumulate"
        try:
            kernels = json.loads(session._handle.time_kernels(program, 1, 3))
        except Error:  # a device that runs a program as a whole
            kernels = []
        statistics = json.loads(session._handle.statistics(program, history.resident_bytes))
    # Steps that are skipped lack their updates.
    timed = sorted(steps.seconds_per_sample[False] or steps.seconds_per_sample[True])
    rows = batch_size * trainer._micro_batches()
    accuracies = [name for name in job.metrics if is_accuracy(name)] if validation_data is not None else []
    accuracy = next((_finite(history.history[f"val_{name}"][-1]) for name in accuracies), None)
    return {
        "policy": _label(policy),
        "compiled_policy": executable.policy,
        "by_cost": policy.name == "auto" or policy.settings().get("rule") == "cost",
        "test_accuracy": accuracy,
        "test_accuracies": [accuracy],
        "final_loss": _finite(history.history["loss"][-1]),
        "seconds_per_step": _finite(history.seconds_per_step),
        "fast_seconds": timed[len(timed) // 4] * rows if timed else None,
        "slow_seconds": timed[len(timed) * 3 // 4] * rows if timed else None,
        "timed_steps": len(timed),
        "peak_bytes": history.resident_bytes,
        "ops_by_type": statistics["ops_by_type"],
        "casts": statistics["casts"],
        "memory": statistics["memory"],
        "skipped_steps": history.skipped_steps,
        "loss_scale": steps.loss_scale[-1] if steps.loss_scale else None,
        "steps": {"first": 1, "loss": steps.loss, "loss_scale": steps.loss_scale, "skipped": steps.skipped},
        "kernels": [{"kernel": one["kernel"], "seconds": one["seconds"]} for one in kernels],
        **_described(trainer),
    }


def _described(trainer: Trainer) -> dict[str, Any]:
    """The type of each op, and the text behind each stage."""
    model, name, settings = trainer.source
    spelled = spell_settings(settings)
    _, fault, _, stages = _compiler.compile(model, name, spelled, "kernels", None, None, True)
    if fault is not None:
        raise error_of(fault, ())
    explained = json.loads(_compiler.explain(model.text(True), name, spelled))
    ops = [
        {"function": function["function"], "place": " ".join(filter(None, (op.get("name", ""), f"{op['line']}:{op['column']}" if "line" in op else ""))),
         "op": op["op"], "type": op["type"], "sums": op.get("sums", ""), "category": op["category"], "why": op["why"]}
        for function in explained["functions"] for op in function["ops"]
    ]
    return {"ops": ops, "stages": [{"stage": stage, "text": own} for stage, own in stages]}


def _label(policy: Policy) -> str:
    """A policy as `mp-run compare --variants` has it: each item of a list by itself."""
    own = {name: value for name, value in policy.settings().items() if name != "policy"}
    words = [(name, one) for name, value in own.items() for one in (value if isinstance(value, (tuple, list)) else [value])]
    return ":".join([policy.name, *(spell_settings({name: one})[0] for name, one in words if one is not None)])


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
