"""A model as a file that trains and predicts without Python: what `export` of it does."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from halfstep.compiler.compile import compile_traced
from halfstep.compiler.settings import for_device
from halfstep.training.data import is_fixed
from halfstep.training.predictions import BATCH, source_of_predictions
from halfstep_runtime._errors import CompileError, Error, FaultCode, check_folder, integer, several, shown, truth
from halfstep_runtime._executable import Executable

if TYPE_CHECKING:
    from halfstep.layers.module import Module
    from halfstep.training.trainer import Trainer

# What code is made for. Any other word is a chip.
_TARGETS = ("cpu", "nvptx", "simt", "reference")
_GPUS = ("nvptx", "simt")
# This machine's level, and the one that every processor of x86-64 has.
_EVERYWHERE = "cpu:native+sse2"


def _batch_sizes(given: Iterable[int] | int | None, trainer: Trainer) -> list[int]:
    """Rows of a step, of each that there is to be code for."""
    if given is None:
        return [trainer._batch_size or BATCH]
    sizes = [integer("export: batch_sizes", one, 1) for one in several("export: batch_sizes", given)]
    if not sizes:
        raise Error("export: batch_sizes has none, expected some, as [1, 32]; left out it is the batch of training")
    if twice := [one for i, one in enumerate(sizes) if one in sizes[:i]]:
        raise Error(f"export: batch_sizes has {twice[0]} twice")
    if is_fixed(trainer.model):
        raise Error("export: the rows of the model's inputs are fixed, so that there is one batch: leave batch_sizes out")
    return sizes


def _split_targets(given: Any) -> dict[str, str]:
    """Targets and chips as the compiler's settings: ["cpu:avx2", "sm_80"]."""
    if not isinstance(given, (str, list, tuple)) or not all(isinstance(one, str) for one in given):
        raise Error(f"export: targets is {shown(given)}, expected words as mp-run compile has them behind --target and --chip, as ['cpu:avx2+sse2', 'sm_80']")
    words = [word for one in ([given] if isinstance(given, str) else given) for word in one.split(",")]
    if not words:
        raise Error("export: targets has none, expected some, as ['cpu:avx2+sse2', 'sm_80']; left out they are this machine's processor, and every one of "
                    "x86-64")
    targets = [word for word in words if word.partition(":")[0] in _TARGETS]
    chips = [word for word in words if word not in targets]
    if chips and not any(one in targets for one in _GPUS):
        targets.append("nvptx")
    return {"target": ",".join(targets), **({"chip": ",".join(chips)} if chips else {})}


def _default_targets(settings: dict[str, Any], device: str) -> dict[str, Any]:
    """Settings with what there is code for where nobody says it: the device, and any processor."""
    own = for_device(device, settings)
    # Types by cost are those of one level.
    if "target" in settings or settings.get("policy") == "auto" or settings.get("rule") == "cost":
        return own
    return {**own, "target": _EVERYWHERE if own["target"] == "cpu" else f"{own['target']},{_EVERYWHERE}"}


def export(model: Module, path: str | os.PathLike[str], weights: bool, batch_sizes: Iterable[int] | int | None, targets: Any,
           training: bool | None) -> Executable:
    path, trainer, job = check_folder(path), model.trainer, model.trainer._job
    if os.path.splitext(path)[1] != ".mpx":
        raise Error(f"export: {path}: a compiled model is called by .mpx, which mp-run and mp-exec know it by; expected {path}.mpx")
    trains = job is not None if training is None else truth("export: training", training)
    if not model._inputs:
        raise Error("export: the model does not know its inputs yet: train it, begin a Sequential with nn.Input(shape, dtype), or tell it by "
                    "specify(x=nn.Input(shape, dtype))")
    sizes = _batch_sizes(batch_sizes, trainer)
    if model.fixed_rows is not None and len(sizes) > 1:
        raise Error(f"export: the model is made anew for each size of the batch, and a file is of one: give batch_sizes={sizes[0]}")
    if trains:
        if trainer._compiled().takes_targets and trainer.targets_type() is None:
            raise Error("export: the model has not seen targets yet: train it, say what they are, as model.specify(x=nn.Input(shape, dtype), "
                        "y=nn.Input((), 'int32')), or export it with training=False")
        traced, name, settings = trainer.source_of_step(sizes[0], trainer._pads)
    else:
        traced, name, settings = source_of_predictions(trainer, sizes[0])
        settings["training"] = False
    settings["batch_size"] = sizes
    if targets is None:
        settings = _default_targets(settings, job.device if job else "cpu")
    else:
        settings = {**{name: value for name, value in settings.items() if name not in ("target", "chip")}, **_split_targets(targets)}
    try:
        executable = compile_traced(traced, name, **settings)
    except CompileError as error:
        if error.fault.code == FaultCode.SETTING_VALUE and error.fault.name in ("target", "chip"):
            error.args = (f"export: targets: {error.fault.value}: {error.fault.detail}; code for processors is cpu:LEVEL, as 'cpu:avx512+avx2'; for GPUs the chip, as "
                          "'sm_80', or 'nvptx'",)
        raise
    if weights:
        trained = model._trained
        executable = executable._with_values(model._present_values() if trained is None else {
            name: trained.state[name] for name, _ in model.named_leaves() if name in trained.state})
    executable.save(path)
    return executable
