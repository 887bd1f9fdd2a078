"""Mixed-precision training, compiled ahead of time.

    executable = halfstep.compile("model.mlir", policy="mixed_float16", batch_size=64)
    with halfstep.Session(executable) as session:
        session.initialize(seed=0)
        logits = session.run("infer", x=images)["logits"]

Models in Python are made of halfstep.nn and halfstep.ops; docs/python.md tells it all.
"""

import importlib
import types
from typing import TYPE_CHECKING

from halfstep._version import __version__

try:
    import halfstep_runtime
except ModuleNotFoundError as error:
    if error.name != "halfstep_runtime":
        raise
    raise ImportError(f"halfstep {__version__} needs the package halfstep-runtime {__version__}, which is not here: "
                      f"pip install halfstep-runtime=={__version__}") from error
if halfstep_runtime.__version__ != __version__:
    raise ImportError(f"halfstep {__version__} needs halfstep-runtime {__version__}, and {halfstep_runtime.__version__} is here: "
                      f"pip install halfstep-runtime=={__version__}")

from halfstep.compiler.compile import compile
from halfstep_runtime import _errors, _keywords, devices
from halfstep_runtime._errors import CompileError, Diagnostic, Error, MissingFile, UnknownArgument, UnknownName
from halfstep_runtime._executable import Executable, Program, Value
from halfstep_runtime._session import Session

if TYPE_CHECKING:
    from halfstep import callbacks, losses, nn, ops
    from halfstep.callbacks import History
    from halfstep.compiler.policy import Policy, global_policy, set_global_policy
    from halfstep.graph.graph import autocast
    from halfstep.graph.tensor import Tensor
    from halfstep.importers.onnx.importer import from_onnx
    from halfstep.importers.torch.importer import from_torch
    from halfstep.report.comparison import Comparison
    from halfstep.report.nonfinite import Nonfinite
    from halfstep.training.comparison import compare
    from halfstep.training.optimizers import LAMB, SGD, Adagrad, Adam, AdamW, Lion, LossScaler, NAdam, RMSprop
    from halfstep.training.trainer import Trainer

# Who runs what is compiled needs none of these: each is loaded when it is asked for.
_LAZY = {name: module for module, names in {
    "": ("callbacks", "losses", "nn", "ops"),
    "callbacks": ("History",),
    "compiler.policy": ("Policy", "global_policy", "set_global_policy"),
    "graph.graph": ("autocast",),
    "graph.tensor": ("Tensor",),
    "importers.onnx.importer": ("from_onnx",),
    "importers.torch.importer": ("from_torch",),
    "report.comparison": ("Comparison",),
    "report.nonfinite": ("Nonfinite",),
    "training.comparison": ("compare",),
    "training.optimizers": ("Adagrad", "Adam", "AdamW", "LAMB", "Lion", "LossScaler", "NAdam", "RMSprop", "SGD"),
    "training.trainer": ("Trainer",),
}.items() for name in names}

__all__ = [
    "Adagrad", "Adam", "AdamW", "Comparison", "CompileError", "Diagnostic", "Error", "Executable", "History", "LAMB", "Lion", "LossScaler", "MissingFile",
    "NAdam", "Nonfinite", "Policy", "Program", "RMSprop", "SGD", "Session", "Tensor", "Trainer", "UnknownArgument", "UnknownName", "Value", "autocast",
    "callbacks", "compare", "compile", "devices", "from_onnx", "from_torch", "global_policy", "losses", "nn", "ops", "set_global_policy",
]


if not TYPE_CHECKING:  # which knows what there is
    compile = _keywords.told(compile, compile.__module__)

    def __getattr__(name: str):
        if name in _LAZY:
            module = importlib.import_module(f"halfstep.{_LAZY[name] or name}")
            if not _LAZY[name]:
                return module
            value = getattr(module, name)
            if isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__"):
                value = _keywords.told(value, module.__name__)
                setattr(module, name, value)
            return value
        said = ""
        if not name.startswith("_"):
            from halfstep.hints import elsewhere

            layers = importlib.import_module("halfstep.nn").__all__
            near = _errors.nearest(name, __all__)
            said = (f"; here it is halfstep.nn.{name}" if name in layers else f"; {elsewhere.PACKAGE[name]}" if name in elsewhere.PACKAGE else
                    f"; did you mean halfstep.{near}?" if near else "")
        raise AttributeError(f"module 'halfstep' has no attribute '{name}'{said}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
