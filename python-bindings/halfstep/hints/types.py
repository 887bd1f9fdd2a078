"""What public functions take, for editors and checkers of types: words by their lists, arrays, operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from halfstep_runtime._arrays import DTypeName

if TYPE_CHECKING:
    import os

    import numpy

    from halfstep.compiler.policy import Policy as _Policy
    from halfstep.graph.graph import TensorType
    from halfstep.graph.tensor import Tensor as _Tensor
    from halfstep.layers.initializers import Initializer as _Initializer
    from halfstep.layers.leaves import Leaf


class _HasArray(Protocol):
    def __array__(self, *given: Any, **named: Any) -> Any: ...


class _HasDLPack(Protocol):
    def __dlpack__(self, *given: Any, **named: Any) -> Any: ...


class _HasBuffer(Protocol):
    def __buffer__(self, flags: int, /) -> memoryview: ...


class _TorchType(Protocol):
    @property
    def is_floating_point(self) -> bool: ...


Tensor: TypeAlias = "_Tensor"
Path: TypeAlias = "str | os.PathLike[str]"
#: What is data: of any library that knows DLPack or the buffer protocol, or lists of numbers.
Array: TypeAlias = "_HasArray | _HasDLPack | _HasBuffer | list[Any] | tuple[Any, ...]"
#: What functions of tensors take.
Operand: TypeAlias = "Tensor | Leaf | Array | float"
Shape: TypeAlias = "tuple[int | None, ...]"
#: One whole number or several.
Sizes: TypeAlias = "int | Iterable[int]"
OpenSizes: TypeAlias = "int | Iterable[int | None] | None"

DType: TypeAlias = "DTypeName | Literal['i1', 'ui8', 'i32', 'i64', 'f16', 'bf16', 'f32', 'f64'] | type[numpy.generic] | numpy.dtype[Any] | _TorchType"
ResultType: TypeAlias = "DType | TensorType | str"
#: What a layer computes in.
ComputeDTypeName = Literal["mixed_float16", "mixed_bfloat16", "float16", "bfloat16", "float32"]
ComputeDType: TypeAlias = "ComputeDTypeName | _Policy | type[numpy.generic] | numpy.dtype[Any] | _TorchType | None"

PaddingWord = Literal["valid", "same"]
Padding: TypeAlias = "PaddingWord | Sizes"

ActivationName = Literal[
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "cumprod", "cumsum", "elu", "erf", "erfinv", "exp", "expm1", "floor",
    "gelu", "hard_sigmoid", "hard_swish", "l2_normalize", "leaky_relu", "linear", "log", "log10", "log1p", "log2", "log_softmax", "neg", "normalize",
    "reciprocal", "relu", "round", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "softmax", "softplus", "sqrt", "square", "tan", "tanh",
]
Activation: TypeAlias = "ActivationName | Callable[[Tensor], Tensor] | None"

InitializerName = Literal["zeros", "ones", "glorot_uniform", "glorot_normal", "he_uniform", "he_normal"]
Initializer: TypeAlias = "InitializerName | float | _Initializer"

PadMode = Literal["constant", "reflect", "replicate", "circular"]
Mean = Literal["mean", "sum", "none"]
LastBatch = Literal["drop", "pad"]

#: Other spellings of these are known, too, so that a checker takes any text.
LossName = Literal[
    "cross_entropy", "sparse_categorical_crossentropy", "categorical_crossentropy", "CrossEntropyLoss", "nll_loss", "NLLLoss", "kl_div", "KLDivLoss",
    "kl_divergence", "kullback_leibler_divergence", "poisson_nll_loss", "PoissonNLLLoss", "hinge_embedding_loss", "HingeEmbeddingLoss",
    "soft_margin_loss", "SoftMarginLoss", "multi_margin_loss", "MultiMarginLoss", "multilabel_margin_loss", "MultiLabelMarginLoss",
    "cosine_similarity", "mse", "mean_squared_error", "mse_loss", "MSELoss", "mae", "mean_absolute_error", "l1_loss", "L1Loss", "huber", "huber_loss",
    "HuberLoss", "binary_crossentropy", "binary_cross_entropy", "BCELoss", "sigmoid_cross_entropy", "binary_cross_entropy_with_logits",
    "BCEWithLogitsLoss",
]
MetricName = Literal[
    "accuracy", "sparse_categorical_accuracy", "categorical_accuracy", "binary_accuracy", "sigmoid_accuracy", "mae", "mean_absolute_error", "mse",
    "mean_squared_error",
]
OptimizerName = Literal["sgd", "rmsprop", "adagrad", "adam", "adamw", "nadam", "lamb", "lion"]
PolicyName = Literal["mixed_float16", "mixed_bfloat16", "float32", "auto", "pytorch"]
DeviceName = Literal["cpu", "cuda"]
Loss: TypeAlias = "LossName | str | Callable[..., Any]"
ClassWeights: TypeAlias = "Mapping[int, float] | Iterable[float] | Tensor | None"
Metric: TypeAlias = "MetricName | str | Callable[..., Any]"
Device: TypeAlias = "DeviceName | str"
