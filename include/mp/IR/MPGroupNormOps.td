// Normalization of groups of channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_GROUP_NORM_OPS_TD
#define MP_GROUP_NORM_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_GroupNormOp : MP_Op<"group_norm", MP_Deny, MP_Differentiable, MP_RoleComposite,
    [Pure, AllTypesMatch<["input", "result"]>, AllTypesMatch<["scale", "offset"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows"]>]> {
  let scaling = [MP_Nonlinear, MP_Factor, MP_Term];
  let rows = MP_EachRow;
  let listedAs = "group_norm";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 9; } }];
  let summary = "normalization of each group of channels of each row to mean 0 and variance 1, scaled and shifted";
  let description = [{
    `(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale + offset`, means over the places and the channels of a group, of which
    each has C / `groups` neighbours; all in f32 (f64 for f64), rounded once. With as many groups as channels it is instance norm.
    Source: Wu and He 2018, in the form of `torch.nn.functional.group_norm` on [N, spatial..., C].

    Constraints:
    - (C1) The operand has rank 2 to 5, [N, spatial..., C], with no open size but the first, and no other that is 0.
    - (C2) `scale` and `offset` have one element for each channel, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.
    - (C4) `groups` is at least 1 and divides the number of channels.

    Example:

    ```mlir
    %y = mp.group_norm %x, %scale, %offset groups 4 {epsilon = 1.0e-5 : f64} : tensor<2x4x4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$offset, I64Attr:$groups,
                       DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input `,` $scale `,` $offset `groups` $groups attr-dict `:` type($input) `,` type($scale)";
  let hasVerifier = 1;
}

def MP_GroupNormGradOp : MP_Op<"group_norm_grad", MP_Deny, MP_NotDifferentiable, MP_RoleComposite,
    [Pure, MP_InferredTypes, AllTypesMatch<["input", "gradient"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"]>]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Factor];
  let rows = MP_AllRows;
  let listedAs = "group_norm";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 14; } }];
  let summary = "gradients of mp.group_norm in its input, scale and offset";
  let description = [{
    With `inv = 1 / sqrt(mean((x - mean(x))^2) + epsilon)`, `n = (x - mean(x)) * inv` and `d = gradient * scale`,
    `input_gradient = inv * (d - mean(d) - n * mean(d * n))`, means over a group; `scale_gradient` and `offset_gradient` are sums of
    `gradient * n` and of `gradient` over all but the channels. All in f32 (f64 for f64); `input_gradient` is rounded once to the type of x.

    Constraints:
    - (C1) The operand has rank 2 to 5, [N, spatial..., C], with no open size but the first, and no other that is 0.
    - (C2) `scale` has one element for each channel, f32, or f64 for an f64 operand.
    - (C3) `epsilon` is finite and at least 0.
    - (C4) `groups` is at least 1 and divides the number of channels.

    Example:

    ```mlir
    %gx, %gscale, %goffset = mp.group_norm_grad %x, %scale, %gy groups 4 {epsilon = 1.0e-5 : f64} : tensor<2x4x4x8xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$scale, MP_FloatTensor:$gradient, I64Attr:$groups,
                       DefaultValuedAttr<MP_WideAttr, "1e-5">:$epsilon);
  let results = (outs MP_FloatTensor:$input_gradient, MP_FloatTensor:$scale_gradient, MP_FloatTensor:$offset_gradient);
  let assemblyFormat = "$input `,` $scale `,` $gradient `groups` $groups attr-dict `:` type($input) `,` type($scale)";
  let hasVerifier = 1;
}

#endif // MP_GROUP_NORM_OPS_TD
