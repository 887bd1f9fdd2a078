// Losses: one number that says how far predictions are from targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LOSS_OPS_TD
#define MP_LOSS_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

// The mean of a term of each element of a prediction and of its target. What a term is and how it changes is all that an
// op of this class says in lib/IR/Losses.cpp; the rest is made of that.
class MP_ElementLossOp<string mnemonic, I32EnumCase category = MP_Deny, list<string> ownMethods = [],
                       list<string> saferOp = []>
    : MP_Op<mnemonic, category, MP_Differentiable, MP_RoleComposite,
        [Pure, MP_InferredTypes, DeclareOpInterfaceMethods<MP_ElementLossOpInterface, ownMethods>,
         DeclareOpInterfaceMethods<MP_RowWeightsOpInterface>,
         DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"] # saferOp>]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_AllRows;
  let arguments = (ins MP_FloatTensor:$prediction, MP_FloatTensor:$target, Optional<MP_FloatTensor>:$weights);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $prediction `,` $target (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($prediction) `,` type($target) `->` type($result)
  }];
  let hasVerifier = 1;
  let definitions = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>, Adaptor op,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(::mp::detail::getLossType(op.getPrediction()));
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::verify() { return ::mp::detail::verifyElementLoss(*this); }
    ::llvm::LogicalResult $cppClass::differentiate(::mlir::OpBuilder &builder, ::llvm::ArrayRef<::mlir::Value> results,
                                                   ::llvm::SmallVectorImpl<::mlir::Value> &operands) {
      return ::mp::detail::differentiateElementLoss(*this, builder, results, operands);
    }
    ::mlir::RankedTensorType $cppClass::getRowWeightsType() { return ::mp::detail::getRowWeightsTypeOfLoss(*this); }
    bool $cppClass::operandFollows(::mlir::OpOperand &operand) { return ::mp::detail::followsInLoss(operand); }
    bool $cppClass::resultFollows(::mlir::OpResult) { return false; }
  }];
}

def MP_MSELossOp : MP_ElementLossOp<"mse_loss"> {
  let listedAs = "mse / l1 / smooth_l1 / huber";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 3; } }];
  let summary = "mean squared error";
  let description = [{
    The mean of `(prediction - target)^2` over all elements; with `weights`, one for each row (each index of the first
    dimension), `sum_r w[r] * mean_of_row[r] / sum_r w[r]`. All in f32 (f64 for f64). The mean over no element is NaN.

    Constraints:
    - (C1) `target` has the type of `prediction`, which has at least rank 1. Shapes do not broadcast.
    - (C2) `weights` are one for each row, f32, or f64 for f64 predictions; the result has their element type.

    Example:

    ```mlir
    %l = mp.mse_loss %p, %t : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
    %w = mp.mse_loss %p, %t weights %rows : tensor<4xf32> : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
    ```
  }];
}
def MP_L1LossOp : MP_ElementLossOp<"l1_loss"> {
  let listedAs = "mse / l1 / smooth_l1 / huber";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 3; } }];
  let summary = "mean absolute error";
  let description = [{
    As `mp.mse_loss`, of `|prediction - target|`. The gradient is 0 where they are equal, as in PyTorch.

    Example:

    ```mlir
    %l = mp.l1_loss %p, %t : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
    ```
  }];
}
def MP_HuberLossOp : MP_ElementLossOp<"huber_loss", MP_Deny, ["verifyTerm"]> {
  let listedAs = "mse / l1 / smooth_l1 / huber";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 7; } }];
  let summary = "mean error that is squared where it is small and absolute where it is not";
  let description = [{
    As `mp.mse_loss`, of `d^2 / 2` where `|d| <= delta` and `delta * (|d| - delta / 2)` elsewhere, with
    `d = prediction - target`, as in PyTorch and Keras. PyTorch's `smooth_l1_loss(beta)` is this with `delta = beta`, divided by `beta`.

    Constraints as `mp.mse_loss`, and:
    - (C3) `delta` is finite and greater than 0.

    Example:

    ```mlir
    %l = mp.huber_loss %p, %t {delta = 0.5 : f64} : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$prediction, MP_FloatTensor:$target, Optional<MP_FloatTensor>:$weights,
                       DefaultValuedAttr<MP_WideAttr, "1.0">:$delta);
}
def MP_SigmoidCrossEntropyOp : MP_ElementLossOp<"sigmoid_cross_entropy"> {
  let listedAs = "binary_cross_entropy_with_logits";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 70; } }];
  let summary = "mean cross entropy of sigmoid against probabilities";
  let description = [{
    As `mp.mse_loss`, of `|x| * wrong + log(1 + e^-|x|)`, where `wrong` is `1 - t` of a positive `x`, else `t`, and a
    product of 0 and infinity is 0: the cross entropy of `sigmoid(x)` and `t`, with logits `x` as prediction and
    probabilities `t` as target, without overflow. It is PyTorch's `binary_cross_entropy_with_logits`
    and TensorFlow's `sigmoid_cross_entropy_with_logits`.

    Example:

    ```mlir
    %l = mp.sigmoid_cross_entropy %z, %t : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
    ```
  }];
}
def MP_BinaryCrossEntropyOp : MP_ElementLossOp<"binary_cross_entropy", MP_Error, [], ["getSaferOp"]> {
  let listedAs = "binary_cross_entropy (prob input)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 60; } }];
  let summary = "mean cross entropy of probabilities";
  let description = [{
    As `mp.mse_loss`, of `-(t * log(p) + (1 - t) * log(1 - p))`, where p is the prediction, clipped to [1e-7, 1 - 1e-7] as in Keras,
    bounds rounded to f32; the gradient is 0 where it is clipped. f16 has no such numbers and rounds a probability near 1 to 1: where autocast
    lowers to f16 this op is an error, as in PyTorch. Prefer `mp.sigmoid_cross_entropy`, which takes logits.

    Example:

    ```mlir
    %l = mp.binary_cross_entropy %p, %t : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
    ```
  }];
}

// The mean over rows of what a row of classes is away from its target.
class MP_ClassLossOp<string mnemonic, I32EnumCase category, list<string> saferOp = [], list<Trait> traits = []>
    : MP_Op<mnemonic, category, MP_ByExpansion, MP_RoleComposite,
        [Pure, MP_InferredTypes, DeclareOpInterfaceMethods<MP_RowWeightsOpInterface>,
         DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"] # saferOp>] # traits> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_AllRows;
  let results = (outs MP_FloatTensor:$result);
  let hasVerifier = 1;
  let definitions = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>, Adaptor op,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(::mp::detail::getLossType(op.getOperands().front()));
      return ::mlir::success();
    }
    ::mlir::RankedTensorType $cppClass::getRowWeightsType() { return ::mp::detail::getWeightsTypeOfClasses(*this); }
    bool $cppClass::resultFollows(::mlir::OpResult) { return false; }
  }];
}

def MP_CrossEntropyOp : MP_ClassLossOp<"cross_entropy", MP_Error, ["getSaferOp"], [MP_LabelsOpInterface]> {
  let listedAs = ""; // of probabilities neither PyTorch nor TensorFlow have one
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 30; }
    int64_t getClassCount();
  }];
  let summary = "mean cross entropy of probabilities of classes";
  let description = [{
    The mean over rows of `-log(p[r, labels[r]])`, where p are probabilities, clipped to [1e-7, 1 - 1e-7] as in Keras, bounds
    rounded to f32; the gradient is 0 where it is clipped. All in f32 (f64 for f64). Labels, label smoothing, `ignore_label` and
    `weights` are as those of `mp.softmax_cross_entropy`: floats in the shape of the probabilities are probabilities themselves, and give
    `-sum_j labels[r, j] * log(p[r, j])`. Nothing is divided by the sum of a row, which is 1 of what `mp.softmax` makes. f16 rounds a
    probability near 1 to 1 and has nothing near 1e-7: where autocast lowers to f16 this op is an error, as
    `mp.binary_cross_entropy` is. Prefer `mp.softmax_cross_entropy`, which takes logits.

    Constraints as `mp.softmax_cross_entropy`.

    Example:

    ```mlir
    %l = mp.cross_entropy %p, %y : tensor<4x10xf32>, tensor<4xui8> -> tensor<f32>
    %s = mp.cross_entropy %p, %t {label_smoothing = 0.1 : f64} : tensor<4x10xf32>, tensor<4x10xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$probabilities, MP_NumberTensor:$labels, Optional<MP_FloatTensor>:$weights,
                       DefaultValuedAttr<MP_WideAttr, "0.0">:$label_smoothing, OptionalAttr<I64Attr>:$ignore_label);
  let assemblyFormat = [{
    $probabilities `,` $labels (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($probabilities) `,` type($labels) `->` type($result)
  }];
}

def MP_NLLLossOp : MP_ClassLossOp<"nll_loss", MP_Deny, [], [MP_LabelsOpInterface]> {
  let scaling = [MP_Term, MP_Nonlinear, MP_Nonlinear];
  let listedAs = "nll_loss";
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 4; }
    int64_t getClassCount();
  }];
  let summary = "mean negative logarithm of the label's probability";
  let description = [{
    The mean over rows of `-logs[r, labels[r]]`, where logs are logarithms of probabilities, as `mp.log_softmax` makes them: PyTorch's
    `nll_loss`. All in f32 (f64 for f64). Labels, `ignore_label` and `weights` are as those of `mp.softmax_cross_entropy`. A number for each
    class, PyTorch's `weight`, is gathered by the labels.

    Constraints as `mp.softmax_cross_entropy`, but labels are integers.

    Example:

    ```mlir
    %l = mp.nll_loss %logs, %y : tensor<4x10xf32>, tensor<4xui8> -> tensor<f32>
    %w = mp.gather %of_class, %y dimension 0 : tensor<10xf32>, tensor<4xui8> -> tensor<4xf32>
    %c = mp.nll_loss %logs, %y weights %w : tensor<4xf32> {ignore_label = 3 : i64} : tensor<4x10xf32>, tensor<4xui8> -> tensor<f32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logs, MP_IntegerTensor:$labels, Optional<MP_FloatTensor>:$weights,
                       OptionalAttr<I64Attr>:$ignore_label);
  let assemblyFormat = [{
    $logs `,` $labels (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($logs) `,` type($labels) `->` type($result)
  }];
}

def MP_KLDivOp : MP_ClassLossOp<"kl_div", MP_Deny> {
  let listedAs = "kl_div";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 35; } }];
  let summary = "mean Kullback-Leibler divergence of rows of probabilities";
  let description = [{
    The mean over rows of `sum_j target[r, j] * (log(target[r, j]) - logs[r, j])`, a term where the target is not above 0 being 0: of
    logarithms of probabilities, as `mp.log_softmax` makes them, from probabilities. It is PyTorch's `kl_div` with `reduction="batchmean"`
    of matrices; of more dimensions the last one is summed and all others are rows, as in Keras. All in f32 (f64 for f64), with `weights`
    `sum_r w[r] * row[r] / sum_r w[r]`.

    Constraints:
    - (C1) `target` has the type of `logs`, which have a last dimension that is not 0.
    - (C2) `weights` have the shape of `logs` without the last dimension, and the result's type: f32, or f64 for f64.

    Example:

    ```mlir
    %l = mp.kl_div %logs, %t : tensor<4x10xf32>, tensor<4x10xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logs, MP_FloatTensor:$target, Optional<MP_FloatTensor>:$weights);
  let assemblyFormat = [{
    $logs `,` $target (`weights` $weights^ `:` type($weights))? attr-dict
    `:` type($logs) `,` type($target) `->` type($result)
  }];
}

#endif // MP_LOSS_OPS_TD
