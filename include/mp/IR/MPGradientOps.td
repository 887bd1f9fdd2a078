// What a value's gradient is, where that is not the derivative.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_GRADIENT_OPS_TD
#define MP_GRADIENT_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

// Gives its first operand. Once gradients are built, and in programs that have none, that stands in its place.
class MP_GradientRuleOp<string mnemonic, I32EnumCase derivative>
    : MP_Op<mnemonic, MP_Clear, derivative, MP_RoleComposite, [Pure, SameOperandsAndResultType, MP_GivesFirstOperand,
                                              MP_OrderOpInterface]> {
  let rows = MP_EachRow;
  let listedAs = "identity / stop_gradient";
}

def MP_StopGradientOp : MP_GradientRuleOp<"stop_gradient", MP_Constant> {
  let scaling = [MP_Term];
  let summary = "the operand, through which no gradient flows";
  let description = [{
    JAX's and TensorFlow's `stop_gradient`, PyTorch's `detach`: to gradients the result is a constant. A parameter that a loss depends
    on through such ops alone gets no gradient and is not trained.

    Example:

    ```mlir
    %t = mp.stop_gradient %x : tensor<?x8xf16>
    ```
  }];
  let arguments = (ins MP_Tensor:$input);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def MP_StraightThroughOp : MP_GradientRuleOp<"straight_through", MP_Differentiable> {
  let scaling = [MP_Term, MP_Independent];
  let summary = "one value whose gradient goes to another: the straight-through estimator";
  let description = [{
    The result is `value`. Its whole gradient goes to `to`, and none to `value`: PyTorch's `to + (value - to).detach()`, without the
    roundings of that. With `value` what `to` is rounded to, it is how quantised networks are trained.

    Example:

    ```mlir
    %q = mp.round %x : tensor<?x8xf32>
    %y = mp.straight_through %q, %x : tensor<?x8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$value, MP_FloatTensor:$to);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$value `,` $to attr-dict `:` type($value)";
}

def MP_ReverseGradientOp : MP_GradientRuleOp<"reverse_gradient", MP_Differentiable> {
  let scaling = [MP_Term];
  let summary = "the operand, whose gradient changes its sign";
  let description = [{
    The gradient of the operand is that of the result times `-scale`, in f32 (f64 for f64) with one rounding: the gradient reversal
    of domain-adversarial networks. What is in front of it is trained to do the opposite of what is behind it.

    Constraints:
    - (C1) `scale` is finite.

    Example:

    ```mlir
    %y = mp.reverse_gradient %x {scale = 0.5 : f64} : tensor<?x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, DefaultValuedAttr<MP_WideAttr, "1.0">:$scale);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // MP_GRADIENT_OPS_TD
