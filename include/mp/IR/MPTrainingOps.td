// What a training step adds to a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_OPS_TD
#define MP_TRAINING_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

class MP_TrainingOp<string mnemonic, I32EnumCase role, list<Trait> traits = []>
    : MP_Op<mnemonic, MP_Fixed, MP_NotDifferentiable, role, traits # [Pure]>;

def MP_GradientSeedOp : MP_TrainingOp<"gradient_seed", MP_RoleConstant> {
  let scaling = [];
  let rows = MP_EachRow;
  let summary = "the gradient of the loss in itself: 1";
  let description = [{
    Loss scaling puts `mp.scale_loss` behind it. One per loss.

    Constraints:
    - (C1) The result is tensor<f32> or tensor<f64>.

    Example:

    ```mlir
    %one = mp.gradient_seed : tensor<f32>
    ```
  }];
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def MP_ScaleLossOp : MP_TrainingOp<"scale_loss", MP_RoleMap> {
  let scaling = [MP_Term, MP_PutsScale];
  let rows = MP_EachRow;
  let summary = "the gradient seed times the loss scale";
  let description = [{
    `gradient * scale`, in f32. It stands in the place of the seed: scaling the seed scales every gradient.
    Source: PyTorch `GradScaler.scale`.

    Example:

    ```mlir
    %seed = mp.scale_loss %one, %scale
    ```
  }];
  let arguments = (ins MP_F32Scalar:$gradient, MP_F32Scalar:$scale);
  let results = (outs MP_F32Scalar:$result);
  let assemblyFormat = "$gradient `,` $scale attr-dict";
}

def MP_UnscaleOp : MP_TrainingOp<"unscale", MP_RoleComposite,
    [MP_InferredTypes]> {
  let scaling = [MP_OwnTerm, MP_TakesScale];
  let rows = MP_AllRows;
  let summary = "gradients divided by the loss scale, and whether all are finite";
  let description = [{
    With `inv = f32(1 / scale)` each result is `gradient * inv`, in f32 with one rounding. `bad` is the index in the
    list of the first gradient that holds an element which is not finite, before or after the multiplication, or -1.
    Source: PyTorch `GradScaler.unscale_`, whose check before the multiplication alone lets a finite gradient become
    infinite where `inv` is.

    Constraints:
    - (C1) Gradients and results are f32, of the same shapes, one result for each gradient.
    - (C2) `names` has one name for each gradient.

    Example:

    ```mlir
    %u:2, %bad = mp.unscale %gw, %gb by %scale {names = ["kernel", "bias"]} : tensor<8x2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<MP_F32Tensor>:$gradients, MP_F32Scalar:$scale, StrArrayAttr:$names);
  let results = (outs Variadic<MP_F32Tensor>:$unscaled, MP_I32Scalar:$bad);
  let assemblyFormat = "$gradients `by` $scale attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def MP_CheckFiniteOp : MP_TrainingOp<"check_finite", MP_RoleComposite> {
  let scaling = [MP_Independent];
  let rows = MP_AllRows;
  let summary = "index of the first gradient that is not finite";
  let description = [{
    The index in the list of the first operand that holds an element which is not finite, or -1: the check of
    `mp.unscale` for a step without loss scale.

    Constraints:
    - (C1) `names` has one name for each gradient.

    Example:

    ```mlir
    %bad = mp.check_finite %gw, %gb {names = ["kernel", "bias"]} : tensor<8x2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<MP_FloatTensor>:$gradients, StrArrayAttr:$names);
  let results = (outs MP_I32Scalar:$bad);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def MP_Hysteresis_Consecutive : I32EnumCase<"consecutive", 0>;
def MP_Hysteresis_Cumulative : I32EnumCase<"cumulative", 1>;
def MP_HysteresisKind : I32Enum<"HysteresisKind", "which overflows count towards a backoff",
    [MP_Hysteresis_Consecutive, MP_Hysteresis_Cumulative]> {
  let cppNamespace = "::mp";
}
def MP_HysteresisKindAttr : EnumAttr<MP_Dialect, MP_HysteresisKind, "hysteresis_kind">;

def MP_UpdateLossScaleOp : MP_TrainingOp<"update_loss_scale", MP_RoleSerial> {
  let scaling = [MP_Independent, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let summary = "the state machine of dynamic loss scaling";
  let description = [{
    Exactly `updateLossScale` of Numerics/LossScale.h, in f32:

    - `bad` >= 0: the growth tracker becomes 0. If the hysteresis tracker is greater than 1 it goes down by 1 and the
      scale stays; else the scale becomes `max(scale * backoff_factor, floor)` and the hysteresis tracker `hysteresis`
      (`consecutive`) or 1 (`cumulative`: until the scale grows every further overflow backs off).
    - else: the growth tracker goes up by 1. At `growth_interval` it becomes 0, the hysteresis tracker `hysteresis`, and
      with `n = scale * growth_factor` the scale becomes `min(n, ceiling)`, or stays if n is infinite and `ceiling` is not.
      Below `growth_interval` the hysteresis tracker becomes `hysteresis` (`consecutive`) or stays (`cumulative`).

    docs/loss-scaling.md has the settings that are PyTorch's, Keras's, Apex's, jmp's, Paddle's, DeepSpeed's and
    Megatron's.

    Constraints:
    - (C1) `growth_factor` is at least 1, `backoff_factor` is in (0, 1], `growth_interval` and `hysteresis` are at least 1.
    - (C2) 0 <= `floor` <= `ceiling`.

    Example:

    ```mlir
    %s, %t, %h = mp.update_loss_scale %scale, %tracker, %left, %bad
        {growth_factor = 2.0 : f32, growth_interval = 2000 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32,
         floor = 1.0 : f32, ceiling = 3.0e+38 : f32}
    ```
  }];
  let arguments = (ins MP_F32Scalar:$scale, MP_I32Scalar:$growth_tracker, MP_I32Scalar:$hysteresis_tracker,
                       MP_I32Scalar:$bad, F32Attr:$growth_factor, I32Attr:$growth_interval, F32Attr:$backoff_factor,
                       I32Attr:$hysteresis,
                       DefaultValuedAttr<MP_HysteresisKindAttr, "::mp::HysteresisKind::consecutive">:$hysteresis_kind,
                       F32Attr:$floor, F32Attr:$ceiling);
  let results = (outs MP_F32Scalar:$new_scale, MP_I32Scalar:$new_growth_tracker, MP_I32Scalar:$new_hysteresis_tracker);
  let assemblyFormat = "$scale `,` $growth_tracker `,` $hysteresis_tracker `,` $bad attr-dict";
  let hasVerifier = 1;
}

def MP_CountSkipsOp : MP_TrainingOp<"count_skips", MP_RoleSerial> {
  let scaling = [MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let summary = "how many steps were skipped, in all and in a row";
  let description = [{
    Where `bad` >= 0 both counts go up by one; else `consecutive` becomes 0.

    Example:

    ```mlir
    %t, %c = mp.count_skips %total, %consecutive, %bad
    ```
  }];
  let arguments = (ins MP_I64Scalar:$total, MP_I32Scalar:$consecutive, MP_I32Scalar:$bad);
  let results = (outs MP_I64Scalar:$new_total, MP_I32Scalar:$new_consecutive);
  let assemblyFormat = "$total `,` $consecutive `,` $bad attr-dict";
}

def MP_AdvanceOp : MP_TrainingOp<"advance", MP_RoleSerial,
    [AllTypesMatch<["input", "result"]>, MP_GuardedOpInterface]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{ ::mlir::Value getOldValue(unsigned) { return getInput(); } }];
  let summary = "a step count plus one, unless the step is skipped";
  let description = [{
    Adds 1 to the last element (the step of an `rng`, or the count itself); where `guard` is given and >= 0 the result
    is the operand.

    Constraints:
    - (C1) The operand has rank 0, or rank 1 and at least one element.

    Example:

    ```mlir
    %t1 = mp.advance %t guard %bad : tensor<i64>
    ```
  }];
  let arguments = (ins MP_I64Tensor:$input, Optional<MP_I32Scalar>:$guard);
  let results = (outs MP_I64Tensor:$result);
  let assemblyFormat = "$input (`guard` $guard^)? attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def MP_GlobalNormOp : MP_TrainingOp<"global_norm", MP_RoleComposite> {
  let scaling = [MP_Unscaled];
  let rows = MP_AllRows;
  let summary = "Euclidean norm of all gradients as one vector";
  let description = [{
    `sqrt(sum of all squares)`, squares and sums in f32.

    Example:

    ```mlir
    %n = mp.global_norm %u0, %u1 : tensor<8x2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<MP_F32Tensor>:$gradients);
  let results = (outs MP_F32Scalar:$norm);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
}

#endif // MP_TRAINING_OPS_TD
