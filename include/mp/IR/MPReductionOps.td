// Many values to one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_REDUCTION_OPS_TD
#define MP_REDUCTION_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

class MP_ReduceOp<string mnemonic, I32EnumCase category, list<Trait> traits = []>
    : MP_Op<mnemonic, category, MP_Differentiable, MP_RoleRow,
        traits # [Pure, SameOperandsAndResultElementType, MP_InferredTypes,
                  DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Term];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getReducedDimensions() { return ::llvm::to_vector(getDimensions()); }
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_Dimensions:$dimensions, UnitAttr:$keep_dims);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `dimensions` $dimensions (`keep_dims` $keep_dims^)? attr-dict `:` type($input) `->` type($result)
  }];
}

// A mean or a sum over rows of a batch that was filled up is written in ops that weigh them.
defvar MP_WeighedByOps = DeclareOpInterfaceMethods<MP_RowWeightsOpInterface, ["getRowWeights", "setRowWeights"]>;

def MP_ReduceSumOp : MP_ReduceOp<"reduce_sum", MP_Deny, [MP_WeighedByOps]> {
  let listedAs = "sum";
  let summary = "sum over dimensions";
  let description = [{
    Summed in f32 (f64 for f64) and rounded once to the result type. The sum over no element is 0.

    Constraints:
    - (C1) Operand and result have one float element type.
    - (C2) `dimensions` are distinct, ascending and inside the operand's rank.
    - (C3) The result lacks `dimensions`, or has them with size 1 if `keep_dims`.

    Example:

    ```mlir
    %s = mp.reduce_sum %x dimensions [0] : tensor<4x8xf32> -> tensor<8xf32>
    ```
  }];
}
def MP_ReduceMeanOp : MP_ReduceOp<"reduce_mean", MP_Deny, [MP_WeighedByOps]> {
  let listedAs = "mean";
  let summary = "arithmetic mean over dimensions";
  let description = [{
    The sum as in `mp.reduce_sum`, kept in f32 (f64 for f64), divided by the number of elements there and rounded once.
    The mean over no element is NaN. Constraints as `mp.reduce_sum`.

    Example:

    ```mlir
    %m = mp.reduce_mean %x dimensions [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
    ```
  }];
}
def MP_ReduceMaxOp : MP_ReduceOp<"reduce_max", MP_Clear> {
  let listedAs = "max / min reduce, argmax";
  let summary = "largest element over dimensions";
  let description = [{
    NaN if any element is NaN. Over no element it is -inf. Elements that are equal to the maximum share its gradient
    equally, as in PyTorch's `amax`. Constraints as `mp.reduce_sum`.

    Example:

    ```mlir
    %m = mp.reduce_max %x dimensions [1] : tensor<4x8xf16> -> tensor<4xf16>
    ```
  }];
}

def MP_ReduceMinOp : MP_ReduceOp<"reduce_min", MP_Clear> {
  let listedAs = "max / min reduce, argmax";
  let summary = "smallest element over dimensions";
  let description = [{
    NaN if any element is NaN; -0 is smaller than +0. Over no element it is +inf. Elements that are equal to the minimum
    share its gradient equally, as in PyTorch's `amin`. Constraints as `mp.reduce_sum`.

    Example:

    ```mlir
    %m = mp.reduce_min %x dimensions [1] : tensor<4x8xf16> -> tensor<4xf16>
    ```
  }];
}

def MP_ReduceProdOp : MP_ReduceOp<"reduce_prod", MP_Deny> {
  let scaling = [MP_Nonlinear];
  let listedAs = "prod";
  let summary = "product over dimensions";
  let description = [{
    Multiplied in f32 (f64 for f64) and rounded once to the result type. The product over no element is 1. The gradient of an
    element is the product of the others, where one or more are 0, too. Constraints as `mp.reduce_sum`.

    Example:

    ```mlir
    %p = mp.reduce_prod %x dimensions [1] : tensor<4x8xf32> -> tensor<4xf32>
    ```
  }];
}

class MP_ArgExtremeOp<string mnemonic, I32EnumCase role> : MP_Op<mnemonic, MP_Clear, MP_Constant, role,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Independent];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "max / min reduce, argmax";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getReducedDimensions() { return {static_cast<int64_t>(getDimension())}; }
  }];
  let arguments = (ins MP_NumberTensor:$input, MP_Dimension:$dimension);
  let results = (outs MP_IntegerTensor:$result);
  let assemblyFormat = "$input `dimension` $dimension attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def MP_ArgmaxOp : MP_ArgExtremeOp<"argmax", MP_RoleRow> {
  let summary = "index of the first largest element along a dimension";
  let description = [{
    The first NaN wins over every number, as in NumPy.

    Constraints:
    - (C1) `dimension` is inside the operand's rank and its size is not 0.
    - (C2) The result is i32 or i64 and lacks `dimension`.

    Example:

    ```mlir
    %i = mp.argmax %x dimension 1 : tensor<4x10xf16> -> tensor<4xi32>
    ```
  }];
}

// Of the other side of 0, or of all ones, the largest.
def MP_ArgminOp : MP_ArgExtremeOp<"argmin", MP_RoleComposite> {
  let summary = "index of the first smallest element along a dimension";
  let description = [{
    The first NaN wins over every number, as in NumPy.

    Constraints:
    - (C1) `dimension` is inside the operand's rank and its size is not 0.
    - (C2) The result is i32 or i64 and lacks `dimension`.

    Example:

    ```mlir
    %i = mp.argmin %x dimension 1 : tensor<4x10xf16> -> tensor<4xi32>
    ```
  }];
}

def MP_SoftmaxOp : MP_Op<"softmax", MP_Deny, MP_Differentiable, MP_RoleRow,
    [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "softmax";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 28; } }];
  let summary = "softmax over the last dimension";
  let description = [{
    `exp(x - max(x)) / sum(exp(x - max(x)))` over the last dimension, all in f32 (f64 for f64), rounded once.

    Constraints:
    - (C1) The operand has at least rank 1.

    Example:

    ```mlir
    %p = mp.softmax %x : tensor<4x10xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def MP_LogSoftmaxOp : MP_Op<"log_softmax", MP_Deny, MP_Differentiable, MP_RoleRow,
    [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "log_softmax";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 28; } }];
  let summary = "logarithm of softmax over the last dimension";
  let description = [{
    `x - max(x) - log(sum(exp(x - max(x))))` over the last dimension, all in f32 (f64 for f64), rounded once: finite where a
    probability of `mp.softmax` would be 0.

    Constraints:
    - (C1) The operand has at least rank 1.

    Example:

    ```mlir
    %p = mp.log_softmax %x : tensor<4x10xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def MP_SoftmaxGradOp : MP_Op<"softmax_grad", MP_Deny, MP_NotDifferentiable, MP_RoleRow,
    [Pure, SameOperandsAndResultType]> {
  let scaling = [MP_Nonlinear, MP_Term];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "softmax";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 4; } }];
  let summary = "gradient of mp.softmax";
  let description = [{
    `y * (g - sum(g * y))` over the last dimension, with y the result of `mp.softmax`; in f32 (f64 for f64), rounded once.

    Example:

    ```mlir
    %gx = mp.softmax_grad %y, %gy : tensor<4x10xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$output, MP_FloatTensor:$gradient);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$output `,` $gradient attr-dict `:` type($output)";
}

def MP_SoftmaxCrossEntropyOp : MP_Op<"softmax_cross_entropy", MP_Deny, MP_Differentiable, MP_RoleComposite,
    [Pure, MP_InferredTypes, DeclareOpInterfaceMethods<MP_RowWeightsOpInterface>,
     DeclareOpInterfaceMethods<MP_ExpansionOpInterface>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"]>, MP_LabelsOpInterface]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_AllRows;
  // PyTorch composes it of log_softmax and nll_loss, which both are fp32; TensorFlow's is fp32 as ours.
  let listedAs = "";
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 28; }
    int64_t getClassCount();
  }];
  let summary = "mean cross entropy of softmax over the last dimension against labels or probabilities";
  let description = [{
    For each row r: `loss[r] = log(sum_j exp(logits[r, j] - m)) + m - logits[r, labels[r]]`, m the row's maximum; the
    result is the mean over rows, with `weights` `sum_r w[r] * loss[r] / sum_r w[r]`. All in f32 (f64 for f64). A label
    outside [0, classes) gives NaN. With `label_smoothing` s the target is 1 - s of the label's class and s of all classes alike:
    `(1 - s) * logits[r, labels[r]] + s * mean_j logits[r, j]` stands in the place of the label's logit. Rows whose label is
    `ignore_label`, which may be no class, count as rows of weight 0; where all are, the loss is NaN, as in PyTorch.

    Labels that are floats in the shape of the logits are probabilities of classes, as one-hot rows are:
    `loss[r] = -sum_j labels[r, j] * log_softmax(logits)[r, j]`, of labels that smoothing makes `(1 - s) * labels + s / classes`.
    A number for each class, PyTorch's `weight`, is gathered by the labels: see `mp.nll_loss`.

    Constraints:
    - (C1) `labels` and `weights` have the shape of `logits` without its last dimension, whose size is not 0; labels that are
      floats have that of `logits`.
    - (C2) The result is f32, or f64 for f64 logits; `weights` have the result's type.
    - (C3) `labels` are integers or floats.
    - (C4) `label_smoothing` is at least 0 and less than 1.
    - (C5) `ignore_label` is a number that the labels' type has; labels that are floats have none.

    Example:

    ```mlir
    %l = mp.softmax_cross_entropy %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
    %s = mp.softmax_cross_entropy %z, %i {ignore_label = -100 : i64, label_smoothing = 0.1 : f64} : tensor<4x10xf16>, tensor<4xi32> -> tensor<f32>
    %w = mp.softmax_cross_entropy %z, %y weights %rows : tensor<4xf32> : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
    %p = mp.softmax_cross_entropy %z, %t : tensor<4x10xf16>, tensor<4x10xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logits, MP_NumberTensor:$labels, Optional<MP_FloatTensor>:$weights,
                       DefaultValuedAttr<MP_WideAttr, "0.0">:$label_smoothing, OptionalAttr<I64Attr>:$ignore_label);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($logits) `,` type($labels) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MP_SoftmaxCrossEntropyGradOp : MP_Op<"softmax_cross_entropy_grad", MP_Deny, MP_NotDifferentiable, MP_RoleRow,
    [Pure, AllTypesMatch<["logits", "result"]>]> {
  let scaling = [MP_Nonlinear, MP_Independent, MP_Term, MP_Independent];
  let rows = MP_AllRows;
  let listedAs = ""; // as the op that it is the gradient of
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 30; } }];
  let summary = "gradient of mp.softmax_cross_entropy in its logits";
  let description = [{
    `(softmax(logits)[r, j] - target[r, j]) * w[r] / sum(w) * gradient`, with w = 1 for every row without `weights`, 0 for one
    whose label is `ignore_label`, and `target[r, j] = (1 - s) * (labels[r] == j) + s / classes`, s being `label_smoothing`;
    all in f32 (f64 for f64), rounded once. `gradient` is the gradient of the mean loss and may carry a loss scale.
    Constraints as `mp.softmax_cross_entropy`, and:
    - (C6) `gradient` has the type of the loss.

    Example:

    ```mlir
    %gz = mp.softmax_cross_entropy_grad %z, %y, %seed : tensor<4x10xf16>, tensor<4xui8>, tensor<f32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logits, MP_IntegerTensor:$labels, MP_FloatTensor:$gradient,
                       Optional<MP_FloatTensor>:$weights, DefaultValuedAttr<MP_WideAttr, "0.0">:$label_smoothing,
                       OptionalAttr<I64Attr>:$ignore_label);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels `,` $gradient (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($logits) `,` type($labels) `,` type($gradient)
  }];
  let hasVerifier = 1;
}

// Normalization

def MP_LayerNormOp : MP_Op<"layer_norm", MP_Deny, MP_Differentiable, MP_RoleRow,
    [Pure, AllTypesMatch<["input", "result"]>, AllTypesMatch<["scale", "offset"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows"]>, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear, MP_Factor, MP_Term];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "layer_norm";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 9; } }];
  let summary = "normalization of each row to mean 0 and variance 1, scaled and shifted";
  let description = [{
    `(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale + offset`, means over the last dimension; all in f32
    (f64 for f64), rounded once. The statistics are recomputed where a gradient needs them. Source: Ba, Kiros and Hinton 2016,
    in the form of `torch.nn.functional.layer_norm`; to normalize over several dimensions, reshape them to one.

    Constraints:
    - (C1) The operand has at least rank 1, and its last dimension is not 0.
    - (C2) `scale` and `offset` have one element for each element of a row, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.

    Example:

    ```mlir
    %y = mp.layer_norm %x, %scale, %offset {epsilon = 1.0e-5 : f64} : tensor<4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$offset,
                       DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input `,` $scale `,` $offset attr-dict `:` type($input) `,` type($scale)";
  let hasVerifier = 1;
}

def MP_LayerNormStatisticsOp : MP_Op<"layer_norm_statistics", MP_Deny, MP_NotDifferentiable, MP_RoleRow,
    [Pure, MP_InferredTypes, DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["resultFollows"]>]> {
  let scaling = [MP_Nonlinear];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "layer_norm";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 5; } }];
  let summary = "what mp.layer_norm subtracts from each row and multiplies it by";
  let description = [{
    `mean(x)` and `1 / sqrt(mean((x - mean(x))^2) + epsilon)` over the last dimension, in f32 (f64 for f64): what gradients of
    `mp.layer_norm` read.

    Constraints:
    - (C1) The operand has at least rank 1, and its last dimension is not 0.
    - (C2) The results have the operand's shape with a last dimension of 1, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.

    Example:

    ```mlir
    %mean, %inv = mp.layer_norm_statistics %x {epsilon = 1.0e-5 : f64} : tensor<4x8xf16> -> tensor<4x1xf32>, tensor<4x1xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$mean, MP_FloatTensor:$inv_std_dev);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($mean) `,` type($inv_std_dev)";
  let hasVerifier = 1;
}

def MP_LayerNormGradOp : MP_Op<"layer_norm_grad", MP_Deny, MP_NotDifferentiable, MP_RoleRow,
    [Pure, AllTypesMatch<["input", "gradient", "result"]>, AllTypesMatch<["mean", "inv_std_dev"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows"]>]> {
  let scaling = [MP_Nonlinear, MP_Factor, MP_Nonlinear, MP_Nonlinear, MP_Factor];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "layer_norm";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 10; } }];
  let summary = "gradient of mp.layer_norm in its input";
  let description = [{
    `inv_std_dev * (d - mean(d) - n * mean(d * n))` with `d = gradient * scale` and `n = (x - mean) * inv_std_dev`, means over
    the last dimension; all in f32 (f64 for f64), rounded once. The gradients of scale and offset are sums of
    `gradient * n` and of `gradient` over the rows, which `mp-autodiff` writes out.

    Constraints:
    - (C1) The operand has at least rank 1, and its last dimension is not 0.
    - (C2) `scale` has one element for each element of a row; `mean` and `inv_std_dev` have one for each row, in a last
      dimension of 1. All are f32, or f64 for an f64 operand.

    Example:

    ```mlir
    %gx = mp.layer_norm_grad %x, %scale, %mean, %inv, %gy : tensor<4x8xf16>, tensor<8xf32>, tensor<4x1xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$mean, MP_FloatTensor:$inv_std_dev,
                       MP_FloatTensor:$gradient);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $mean `,` $inv_std_dev `,` $gradient attr-dict
    `:` type($input) `,` type($scale) `,` type($mean)
  }];
  let hasVerifier = 1;
}

def MP_RMSNormOp : MP_Op<"rms_norm", MP_Deny, MP_Differentiable, MP_RoleRow,
    [Pure, AllTypesMatch<["input", "result"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows"]>, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear, MP_Factor];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "rms_norm";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 6; } }];
  let summary = "each row divided by the root of the mean of its squares, scaled";
  let description = [{
    `x / sqrt(mean(x^2) + epsilon) * scale`, the mean over the last dimension; all in f32 (f64 for f64), rounded once. Source: Zhang
    and Sennrich 2019, in the form of `torch.nn.functional.rms_norm`.

    Constraints:
    - (C1) The operand has at least rank 1, and its last dimension is not 0.
    - (C2) `scale` has one element for each element of a row, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.

    Example:

    ```mlir
    %y = mp.rms_norm %x, %scale {epsilon = 1.0e-6 : f64} : tensor<4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, DefaultValuedAttr<MP_WideAttr, "1e-6">:$epsilon);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input `,` $scale attr-dict `:` type($input) `,` type($scale)";
  let hasVerifier = 1;
}

def MP_L2NormalizeOp : MP_Op<"l2_normalize", MP_Deny, MP_Differentiable, MP_RoleRow,
    [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let listedAs = "LRN / L2Normalization / normalize";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 4; } }];
  let summary = "each row divided by its length";
  let description = [{
    `x / max(sqrt(sum(x^2)), epsilon)`, the sum over the last dimension; all in f32 (f64 for f64), rounded once. A row of zeros stays
    that. In the form of `torch.nn.functional.normalize`.

    Constraints:
    - (C1) The operand has at least rank 1, and its last dimension is not 0.
    - (C2) `epsilon` is finite and greater than 0, in f32 (f64 for f64), too.

    Example:

    ```mlir
    %y = mp.l2_normalize %x {epsilon = 1.0e-12 : f64} : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, DefaultValuedAttr<MP_WideAttr, "1e-12">:$epsilon);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def MP_L2NormOp : MP_Op<"l2_norm", MP_Deny, MP_ByExpansion, MP_RoleComposite,
    [Pure, SameOperandsAndResultElementType, MP_InferredTypes, DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Term];
  let rows = MP_RowsAlong<"::llvm::to_vector(getDimensions())">;
  let listedAs = "norm (p / vector / matrix / nuc / fro)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 2; } }];
  let summary = "length of vectors over dimensions";
  let description = [{
    `sqrt(sum(x^2))` over `dimensions`; all in f32 (f64 for f64), rounded once. Over no element it is 0. Of a vector of zeros the gradient
    is 0, as in PyTorch, and not the infinite one of a root of 0. Constraints as `mp.reduce_sum`.

    Example:

    ```mlir
    %n = mp.l2_norm %x dimensions [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_Dimensions:$dimensions, UnitAttr:$keep_dims);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `dimensions` $dimensions (`keep_dims` $keep_dims^)? attr-dict `:` type($input) `->` type($result)
  }];
}

def MP_CosineSimilarityOp : MP_Op<"cosine_similarity", MP_Deny, MP_ByExpansion, MP_RoleComposite,
    [Pure, MP_InferredTypes]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear];
  let rows = MP_RowsAlong<"::mp::detail::lastDimension(*this)">;
  let listedAs = "cosine_similarity";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 8; } }];
  let summary = "cosine of the angle between two vectors along the last dimension";
  let description = [{
    `sum(a * b) / (max(|a|, epsilon) * max(|b|, epsilon))` of rows along the last dimension, which the result does not have; all in
    f32 (f64 for f64), rounded once. PyTorch's `cosine_similarity` with `dim=-1`.

    Constraints:
    - (C1) Both operands have one type, of at least rank 1, and its last dimension is not 0. Shapes do not broadcast.
    - (C2) `epsilon` is finite and greater than 0, in f32 (f64 for f64), too.

    Example:

    ```mlir
    %c = mp.cosine_similarity %a, %b : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$lhs, MP_FloatTensor:$rhs, DefaultValuedAttr<MP_WideAttr, "1e-8">:$epsilon);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

#endif // MP_REDUCTION_OPS_TD
