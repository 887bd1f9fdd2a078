"""The other frameworks, each loaded when something of it is first asked for: who looks at the importers' tables needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfstep_runtime._libraries import Lazy

if TYPE_CHECKING:
    import onnx as onnx
    import torch as torch
    from torch.fx import GraphModule as GraphModule, Node as Node
else:
    onnx, torch = Lazy("onnx"), Lazy("torch")
    GraphModule = Node = object  # which annotations alone name
