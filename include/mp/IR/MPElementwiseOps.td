// One value per element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ELEMENTWISE_OPS_TD
#define MP_ELEMENTWISE_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

class MP_UnaryOp<string mnemonic, I32EnumCase category>
    : MP_Op<mnemonic, category, MP_Differentiable, MP_RoleMap,
        [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let rows = MP_EachRow;
  let arguments = (ins MP_FloatTensor:$input);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class MP_BinaryOp<string mnemonic, I32EnumCase category, I32EnumCase derivative, list<Trait> traits = []>
    : MP_Op<mnemonic, category, derivative, MP_RoleMap, traits #
        [Pure, SameOperandsAndResultElementType, MP_InferredTypes, MP_OrderOpInterface]> {
  let rows = MP_EachRow;
  let arguments = (ins MP_NumberTensor:$lhs, MP_NumberTensor:$rhs);
  let results = (outs MP_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def MP_AddOp : MP_BinaryOp<"add", MP_Infer, MP_Differentiable, [Commutative]> {
  let scaling = [MP_Term, MP_Term];
  let listedAs = "add / sub / mul / div";
  let summary = "sum, with NumPy broadcasting";
  let description = [{
    One rounding to the result type; integers wrap. Operands broadcast as in NumPy.

    Constraints:
    - (C1) Operands and result have one element type.
    - (C2) The operands' shapes broadcast to the result's.

    Example:

    ```mlir
    %c = mp.add %a, %b : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
    ```
  }];
}
def MP_SubOp : MP_BinaryOp<"sub", MP_Infer, MP_Differentiable> {
  let scaling = [MP_Term, MP_Term];
  let listedAs = "add / sub / mul / div";
  let summary = "difference, with NumPy broadcasting";
  let description = [{
    One rounding to the result type; integers wrap. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.sub %a, %b : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    ```
  }];
}
def MP_MulOp : MP_BinaryOp<"mul", MP_Infer, MP_Differentiable, [Commutative]> {
  let scaling = [MP_Factor, MP_Factor];
  let listedAs = "add / sub / mul / div";
  let summary = "product, with NumPy broadcasting";
  let description = [{
    One rounding to the result type; integers wrap. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.mul %a, %b : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
    ```
  }];
}
def MP_DivOp : MP_BinaryOp<"div", MP_Infer, MP_Differentiable> {
  let scaling = [MP_Factor, MP_Divisor];
  let listedAs = "add / sub / mul / div";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 4; } }];
  let summary = "quotient of floats, with NumPy broadcasting";
  let description = [{
    IEEE 754 division, one rounding to the result type. Constraints as `mp.add`, and:
    - (C3) The element type is a float.

    Example:

    ```mlir
    %c = mp.div %a, %b : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x8xbf16>
    ```
  }];
  let hasVerifier = 1;
}
def MP_MaxOp : MP_BinaryOp<"max", MP_Clear, MP_Differentiable, [Commutative]> {
  let scaling = [MP_Term, MP_Term];
  let listedAs = "elementwise min / max";
  let summary = "the larger of two, with NumPy broadcasting";
  let description = [{
    NaN if either operand is NaN (IEEE 754-2019 maximum, as NumPy and PyTorch); +0 is larger than -0. Where the operands
    are equal each gets half of the gradient, as in PyTorch. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.max %a, %b : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    ```
  }];
}

def MP_MinOp : MP_BinaryOp<"min", MP_Clear, MP_Differentiable, [Commutative]> {
  let scaling = [MP_Term, MP_Term];
  let listedAs = "elementwise min / max";
  let summary = "the smaller of two, with NumPy broadcasting";
  let description = [{
    NaN if either operand is NaN (IEEE 754-2019 minimum, as NumPy and PyTorch); -0 is smaller than +0. Where the operands
    are equal each gets half of the gradient, as in PyTorch. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.min %a, %b : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    ```
  }];
}

def MP_ExpOp : MP_UnaryOp<"exp", MP_Deny> {
  let scaling = [MP_Nonlinear];
  let listedAs = "exp";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 24; } }];
  let summary = "e to the power of each element";
  let description = [{
    At most 2 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Special values as C99 Annex F.

    Example:

    ```mlir
    %y = mp.exp %x : tensor<4x8xf32>
    ```
  }];
}
def MP_LogOp : MP_UnaryOp<"log", MP_Deny> {
  let scaling = [MP_Nonlinear];
  let listedAs = "log";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 24; } }];
  let summary = "natural logarithm of each element";
  let description = [{
    At most 2 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Special values as C99 Annex F.

    Example:

    ```mlir
    %y = mp.log %x : tensor<4x8xf32>
    ```
  }];
}
def MP_SqrtOp : MP_UnaryOp<"sqrt", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "sqrt";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 6; } }];
  let summary = "square root of each element";
  let description = [{
    IEEE 754 squareRoot, one rounding to the result type.

    Example:

    ```mlir
    %y = mp.sqrt %x : tensor<4x8xf16>
    ```
  }];
}
def MP_TanhOp : MP_UnaryOp<"tanh", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "tanh (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 44; } }];
  let summary = "hyperbolic tangent of each element";
  let description = [{
    At most 2 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Special values as C99 Annex F.

    Example:

    ```mlir
    %y = mp.tanh %x : tensor<4x8xf16>
    ```
  }];
}

def MP_GeluApproximation : I32Enum<"GeluApproximation", "the approximation of mp.gelu, none or tanh", [
    I32EnumCase<"none", 0>, I32EnumCase<"tanh", 1>]> {
  let cppNamespace = "::mp";
}
def MP_GeluApproximationAttr : EnumAttr<MP_Dialect, MP_GeluApproximation, "gelu_approximation">;

def MP_GeluOp : MP_UnaryOp<"gelu", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "gelu";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 64; } }];
  let summary = "Gaussian error linear unit of each element";
  let description = [{
    `x / 2 * erfc(-x / sqrt(2))`: x times the probability that a standard normal variable is less than x. With
    `approximate tanh` it is `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, as PyTorch's `approximate`. At most 8 ulp
    in f32, also where the result is small; f16 and bf16 are computed in f32 and rounded once. -0 of -inf, the limit.

    Example:

    ```mlir
    %y = mp.gelu %x : tensor<4x8xf16>
    %z = mp.gelu %x approximate tanh : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input,
                       DefaultValuedAttr<MP_GeluApproximationAttr, "::mp::GeluApproximation::none">:$approximate);
  let assemblyFormat = "$input (`approximate` $approximate^)? attr-dict `:` type($input)";
}
def MP_ReluOp : MP_UnaryOp<"relu", MP_Clear> {
  let scaling = [MP_Term];
  let listedAs = "relu / relu6 (+grad)";
  let summary = "each element, or 0 if it is negative";
  let description = [{
    NaN stays NaN. The gradient at 0 is 0.

    Example:

    ```mlir
    %y = mp.relu %x : tensor<4x8xf16>
    ```
  }];
}

class MP_GradOfOutputOp<string mnemonic, I32EnumCase category>
    : MP_Op<mnemonic, category, MP_NotDifferentiable, MP_RoleMap, [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let rows = MP_EachRow;
  let arguments = (ins MP_FloatTensor:$output, MP_FloatTensor:$gradient);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$output `,` $gradient attr-dict `:` type($output)";
}

def MP_ReluGradOp : MP_GradOfOutputOp<"relu_grad", MP_Clear> {
  let scaling = [MP_Independent, MP_Term];
  let listedAs = "relu / relu6 (+grad)";
  let summary = "gradient of mp.relu";
  let description = [{
    0 where `output`, the result of `mp.relu`, is at most 0, else `gradient` (also where `output` is NaN, as in PyTorch's
    `threshold_backward`). No rounding.

    Example:

    ```mlir
    %gx = mp.relu_grad %y, %gy : tensor<4x8xf16>
    ```
  }];
}
def MP_TanhGradOp : MP_GradOfOutputOp<"tanh_grad", MP_Infer> {
  let scaling = [MP_Nonlinear, MP_Term];
  let listedAs = "tanh (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 4; } }];
  let summary = "gradient of mp.tanh";
  let description = [{
    `(1 - output) * (1 + output) * gradient`, with `output` the result of `mp.tanh`; in f32 (f64 for f64), at most 4 ulp
    there, rounded once.

    Example:

    ```mlir
    %gx = mp.tanh_grad %y, %gy : tensor<4x8xf16>
    ```
  }];
}

def MP_GeluGradOp : MP_Op<"gelu_grad", MP_Infer, MP_NotDifferentiable, MP_RoleMap,
    [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear, MP_Term];
  let rows = MP_EachRow;
  let listedAs = "gelu";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 66; } }];
  let summary = "gradient of mp.gelu";
  let description = [{
    `gradient` times the derivative of `mp.gelu` at `input`; in f32 (f64 for f64), rounded once. At most 16 ulp in f32, and where
    `input` is between -1.5 and -0.25, with the derivative's zero, off by at most 2^-22 of `gradient`.

    Example:

    ```mlir
    %gx = mp.gelu_grad %x, %gy approximate tanh : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_FloatTensor:$gradient,
                       DefaultValuedAttr<MP_GeluApproximationAttr, "::mp::GeluApproximation::none">:$approximate);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input `,` $gradient (`approximate` $approximate^)? attr-dict `:` type($input)";
}

def MP_ComparePredicate : I32Enum<"ComparePredicate", "how two values are compared", [
    I32EnumCase<"eq", 0>, I32EnumCase<"ne", 1>, I32EnumCase<"lt", 2>, I32EnumCase<"le", 3>, I32EnumCase<"gt", 4>,
    I32EnumCase<"ge", 5>]> {
  let cppNamespace = "::mp";
}
def MP_ComparePredicateAttr : EnumAttr<MP_Dialect, MP_ComparePredicate, "predicate">;

def MP_CompareOp : MP_Op<"compare", MP_Promote, MP_Constant, MP_RoleMap,
    [Pure, MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let listedAs = "comparisons";
  let summary = "comparison, with NumPy broadcasting";
  let description = [{
    Each comparison with a NaN is false, but `ne` is true (IEEE 754). Integers compare by their type's sign.

    Constraints:
    - (C1) Operands have one element type, a float or an integer; the result is i1.
    - (C2) The operands' shapes broadcast to the result's.

    Example:

    ```mlir
    %c = mp.compare gt %a, %b : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins MP_ComparePredicateAttr:$predicate, MP_Tensor:$lhs, MP_Tensor:$rhs);
  let results = (outs MP_I1Tensor:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def MP_IsFiniteOp : MP_Op<"is_finite", MP_Clear, MP_Constant, MP_RoleMap,
    [Pure, MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Independent];
  let rows = MP_EachRow;
  let listedAs = "isfinite / isinf / isnan / check_numerics";
  let summary = "whether an element is neither infinite nor NaN";
  let description = [{
    Example:

    ```mlir
    %f = mp.is_finite %x : tensor<4x8xf16> -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input);
  let results = (outs MP_I1Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

class MP_LogicalOp<string mnemonic>
    : MP_Op<mnemonic, MP_Clear, MP_Constant, MP_RoleMap, [Pure, MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let listedAs = "logical";
  let arguments = (ins MP_I1Tensor:$lhs, MP_I1Tensor:$rhs);
  let results = (outs MP_I1Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def MP_LogicalAndOp : MP_LogicalOp<"logical_and"> {
  let summary = "whether both are true, with NumPy broadcasting";
  let description = [{
    Constraints:
    - (C1) The operands' shapes broadcast to the result's.

    Example:

    ```mlir
    %c = mp.logical_and %a, %b : tensor<4x8xi1>, tensor<8xi1> -> tensor<4x8xi1>
    ```
  }];
}
def MP_LogicalOrOp : MP_LogicalOp<"logical_or"> {
  let summary = "whether one of two is true, with NumPy broadcasting";
  let description = [{
    Constraints as `mp.logical_and`.

    Example:

    ```mlir
    %c = mp.logical_or %a, %b : tensor<4x8xi1>, tensor<8xi1> -> tensor<4x8xi1>
    ```
  }];
}
def MP_LogicalNotOp : MP_Op<"logical_not", MP_Clear, MP_Constant, MP_RoleMap,
    [Pure, AllTypesMatch<["input", "result"]>, MP_OrderOpInterface]> {
  let scaling = [MP_Independent];
  let rows = MP_EachRow;
  let listedAs = "logical";
  let summary = "true where an element is false";
  let description = [{
    Example:

    ```mlir
    %c = mp.logical_not %a : tensor<4x8xi1>
    ```
  }];
  let arguments = (ins MP_I1Tensor:$input);
  let results = (outs MP_I1Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def MP_SelectOp : MP_Op<"select", MP_Clear, MP_Differentiable, MP_RoleMap,
    [Pure, MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Independent, MP_Term, MP_Term];
  let rows = MP_EachRow;
  let listedAs = "where / select";
  let summary = "elements of one of two tensors by a condition, with NumPy broadcasting";
  let description = [{
    Constraints:
    - (C1) Both values and the result have one element type.
    - (C2) The operands' shapes broadcast to the result's.

    Example:

    ```mlir
    %r = mp.select %c, %a, %b : tensor<4x8xi1>, tensor<4x8xf16>, tensor<f16> -> tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_I1Tensor:$condition, MP_Tensor:$true_value, MP_Tensor:$false_value);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $true_value `,` $false_value attr-dict
    `:` type($condition) `,` type($true_value) `,` type($false_value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MP_CastOp : MP_Op<"cast", MP_Fixed, MP_Differentiable, MP_RoleMap,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface>, MP_OrderOpInterface]> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
  let summary = "conversion of the element type";
  let description = [{
    Float to float: one rounding, to nearest even, also from f64 to f16 and bf16; subnormals are kept, values beyond the
    range become infinite. Integer to float: one rounding. Float to integer: toward zero, saturating at the type's ends,
    NaN to 0. Integer to integer: modulo 2^n; ui8 is zero-extended. i1 is 0 or 1; to i1 is `!= 0`.
    `autocast` marks a cast that mp-autocast inserted: passes may move and merge those, never one the user wrote.

    Constraints:
    - (C1) Operand and result have one shape.

    Example:

    ```mlir
    %h = mp.cast %x : tensor<4x8xf32> -> tensor<4x8xf16>
    %m = mp.cast %x {autocast} : tensor<4x8xf32> -> tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, UnitAttr:$autocast);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def MP_DropoutOp : MP_Op<"dropout", MP_Clear, MP_Differentiable, MP_RoleComposite,
    [Pure, AllTypesMatch<["input", "result"]>, DeclareOpInterfaceMethods<MP_RandomOpInterface>]> {
  let scaling = [MP_Term, MP_Independent];
  let rows = MP_EachRow;
  let listedAs = "dropout";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 12; } }];
  let summary = "sets elements to 0 at random and scales the others";
  let description = [{
    An element is kept with probability `1 - rate` and then multiplied by `f32(1 / (1 - rate))`, in f32, with one
    rounding; else it is 0. Whether element i (row-major) is kept is a pure function of (seed, step, stream, i), with
    `rng` = (seed, step): see Numerics/Philox.h. The same op with the same `rng` and `stream` on the gradient is its derivative.

    Elements that differ in the dimensions `shared` alone are kept or dropped together: i counts the others. With the
    spatial dimensions of images [N, H, W, C] shared, whole channels are dropped, as by `torch.nn.Dropout2d` and Keras'
    `SpatialDropout2D`.

    Constraints:
    - (C1) `rate` is at least 0 and less than 1.
    - (C2) `stream` is at least 0.
    - (C3) `shared` are dimensions of the operand, in ascending order.

    Example:

    ```mlir
    %y = mp.dropout %x, %rng {rate = 0.2, stream = 1} : tensor<4x8xf16>
    %d = mp.dropout %image, %rng {rate = 0.2, shared = array<i64: 1, 2>, stream = 2} : tensor<2x4x4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_Rng:$rng, MP_WideAttr:$rate, I64Attr:$stream,
                       DefaultValuedAttr<MP_Dimensions, "{}">:$shared);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input `,` $rng attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // MP_ELEMENTWISE_OPS_TD
