// Normalization of channels over a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BATCH_NORM_OPS_TD
#define MP_BATCH_NORM_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_BatchNormOp : MP_Op<"batch_norm", MP_Infer, MP_Differentiable, MP_RoleComposite,
    [Pure, MP_InferredTypes, AllTypesMatch<["scale", "offset"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"]>,
     DeclareOpInterfaceMethods<MP_RowWeightsOpInterface>]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_AllRows;
  let listedAs = "batch_norm (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 8; } }];
  let summary = "normalization of each channel to mean 0 and variance 1 over a batch, scaled and shifted";
  let description = [{
    `result = (x - mean) / sqrt(variance + epsilon) * scale + offset`, where `mean = mean(x)` and
    `variance = mean((x - mean)^2)`, which is biased, are over all dimensions but the last, the channels; all in f32 (f64
    for f64), `result` rounded once to the type of x. `count` is how many values of a channel there are. With `weights`
    each row, an element of the first dimension, counts as often as its weight says, in means and in `count`. Source: Ioffe
    and Szegedy 2015, in the form of `torch.nn.functional.batch_norm(training=True)`.

    What `mp.update_running` keeps of `mean` and `variance` is what `eval` and `infer` normalize by: they have
    `mp.batch_norm_inference` in this op's place. Where no state keeps them, these programs normalize by their own batch.

    Constraints:
    - (C1) The operand has rank 2 to 5, [N, spatial..., C], and no open size but the first.
    - (C2) `scale` and `offset` have one element for each channel, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.
    - (C4) There is at least 1 value of each channel. One alone is its own mean: what trains on it, or has no running
      statistics instead, `mp-autodiff` and `mp-inference` refuse, as PyTorch does.
    - (C5) `weights` has one element for each row, of the type of `scale`.

    Example:

    ```mlir
    %y, %mean, %variance, %count = mp.batch_norm %x, %scale, %offset {epsilon = 1.0e-5 : f64} : tensor<2x4x4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$offset,
                       Optional<MP_FloatTensor>:$weights, DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$result, MP_FloatTensor:$mean, MP_FloatTensor:$variance, MP_FloatTensor:$count);
  let assemblyFormat = [{
    $input `,` $scale `,` $offset (`weights` $weights^ `:` type($weights))? attr-dict `:` type($input) `,` type($scale)
  }];
  let hasVerifier = 1;
}

def MP_BatchNormGradOp : MP_Op<"batch_norm_grad", MP_Infer, MP_NotDifferentiable, MP_RoleComposite,
    [Pure, MP_InferredTypes, AllTypesMatch<["input", "gradient"]>, AllTypesMatch<["scale", "mean", "variance"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"]>]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Factor, MP_Nonlinear];
  let rows = MP_AllRows;
  let listedAs = "batch_norm (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 12; } }];
  let summary = "gradients of mp.batch_norm in its input, scale and offset";
  let description = [{
    With `inv = 1 / sqrt(variance + epsilon)`, `h = (x - mean) * inv` and sums over all dimensions but the last:
    `offset_gradient = sum(g)`, `scale_gradient = sum(g * h)` and
    `input_gradient = scale * inv * (g - w * (offset_gradient + h * scale_gradient) / count)`, where w is the weight of the row
    and `count` the sum of all weights, or w = 1 and `count` the values of a channel. All in f32 (f64 for f64);
    `input_gradient` is rounded once to the type of x.

    Constraints:
    - (C1) The operand has rank 2 to 5, [N, spatial..., C], and no open size but the first.
    - (C2) `scale`, `mean` and `variance` have one element for each channel, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.
    - (C4) There are at least 2 values of each channel.
    - (C5) `weights` has one element for each row, of the type of `scale`.

    Example:

    ```mlir
    %gx, %gscale, %goffset = mp.batch_norm_grad %x, %scale, %mean, %variance, %gy : tensor<2x4x4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$mean, MP_FloatTensor:$variance,
                       MP_FloatTensor:$gradient, Optional<MP_FloatTensor>:$weights,
                       DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$input_gradient, MP_FloatTensor:$scale_gradient, MP_FloatTensor:$offset_gradient);
  let assemblyFormat = [{
    $input `,` $scale `,` $mean `,` $variance `,` $gradient (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($input) `,` type($scale)
  }];
  let hasVerifier = 1;
}

def MP_BatchNormInferenceOp : MP_Op<"batch_norm_inference", MP_Infer, MP_Differentiable, MP_RoleComposite,
    [Pure, AllTypesMatch<["input", "result"]>, AllTypesMatch<["scale", "offset", "mean", "variance"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows"]>]> {
  let scaling = [MP_Nonlinear, MP_Factor, MP_Term, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_EachRow;
  let listedAs = "batch_norm (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 8; } }];
  let summary = "normalization of each channel by a mean and a variance that are given";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + offset`, in f32 (f64 for f64), rounded once: `mp.batch_norm` by
    statistics that do not follow from this batch. Source: `torch.nn.functional.batch_norm(training=False)`.

    Constraints:
    - (C1) The operand has rank 2 to 5, [N, spatial..., C], and no open size but the first.
    - (C2) `scale`, `offset`, `mean` and `variance` have one element for each channel, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.

    Example:

    ```mlir
    %y = mp.batch_norm_inference %x, %scale, %offset, %mean, %variance {epsilon = 1.0e-5 : f64} : tensor<2x4x4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$offset, MP_FloatTensor:$mean,
                       MP_FloatTensor:$variance, DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $offset `,` $mean `,` $variance attr-dict `:` type($input) `,` type($scale)
  }];
  let hasVerifier = 1;
}

def MP_UpdateRunningOp : MP_Op<"update_running", MP_Fixed, MP_Differentiable, MP_RoleComposite,
    [Pure, AllTypesMatch<["old", "batch", "result"]>,
     TypesMatchWith<"`count` is a scalar of the type of `old`", "old", "count",
                    "::mlir::RankedTensorType::get({}, ::llvm::cast<::mlir::ShapedType>($_self).getElementType())">]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 4; } }];
  let summary = "the next running mean or variance";
  let description = [{
    `(1 - momentum) * old + momentum * batch`: `momentum` weighs the value of this batch, as in PyTorch (Keras' `momentum` is
    1 less this one). With `unbiased`, `batch` is a biased variance of `count` values and is multiplied by
    `count / (count - 1)` first, as PyTorch does and Keras does not; a variance of 1 value or less stays as it is. In f32
    (f64 for f64), each product and sum rounded.

    Constraints:
    - (C1) `old` and `batch` are f32 or f64, and `count` is a scalar of that type.
    - (C2) `momentum` is from 0 to 1.

    Example:

    ```mlir
    %v1 = mp.update_running %v, %variance, %count {momentum = 0.1 : f64, unbiased} : tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$old, MP_FloatTensor:$batch, MP_FloatTensor:$count,
                       DefaultValuedAttr<F64Attr, "0.1">:$momentum, UnitAttr:$unbiased);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$old `,` $batch `,` $count attr-dict `:` type($old)";
  let hasVerifier = 1;
}

#endif // MP_BATCH_NORM_OPS_TD
