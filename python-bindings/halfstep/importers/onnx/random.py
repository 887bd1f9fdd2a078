"""ONNX's ops that draw random numbers, in ours. Their `seed` is not read: each op of a model draws from a stream of its own, which starts at the
seed that fit is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halfstep import ops
from halfstep.graph.tensor import Tensor
from halfstep.importers.onnx.node import Handler, Node, dtype_of


def _settings(node: Node, like: Tensor | None) -> dict[str, Any]:
    dtype = dtype_of(node, "dtype") if "dtype" in node.attributes else "float32" if like is None else like.dtype
    if "float" not in dtype:
        node.refuse(f"numbers of {dtype} are not drawn, only of floats")
    return {"dtype": dtype, **({"shape": node.get("shape")} if like is None else {"like": like})}


def _of(function: Callable[..., Tensor], **names: str) -> Handler:
    """Of the shape that an attribute says or an input has; `names` are its other attributes, by ours."""

    def handle(node: Node, like: Tensor | None = None) -> Tensor:
        return function(**_settings(node, like), **{own: node.attributes[name] for own, name in names.items() if name in node.attributes})

    return handle


def _bernoulli(node: Node, x: Tensor) -> Tensor:
    drawn = ops.random_bernoulli(x)
    return ops.cast(drawn, dtype_of(node, "dtype")) if "dtype" in node.attributes else drawn


RANDOM: dict[str, Handler] = {
    "Bernoulli": _bernoulli,
    **dict.fromkeys(["RandomNormal", "RandomNormalLike"], _of(ops.random_normal, mean="mean", std="scale")),
    **dict.fromkeys(["RandomUniform", "RandomUniformLike"], _of(ops.random_uniform, low="low", high="high")),
}
