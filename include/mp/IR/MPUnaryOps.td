// Arithmetic and activations of one element, and powers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_UNARY_OPS_TD
#define MP_UNARY_OPS_TD

include "mp/IR/MPElementwiseOps.td"

// Arithmetic

def MP_NegOp : MP_UnaryOp<"neg", MP_Clear> {
  let scaling = [MP_Term];
  let listedAs = "neg / abs / sign";
  let summary = "each element with the other sign";
  let description = [{
    Exact; NaN stays NaN.

    Example:

    ```mlir
    %y = mp.neg %x : tensor<4x8xf16>
    ```
  }];
}
def MP_AbsOp : MP_UnaryOp<"abs", MP_Clear> {
  let scaling = [MP_Term];
  let listedAs = "neg / abs / sign";
  let summary = "magnitude of each element";
  let description = [{
    Exact; NaN stays NaN. The gradient at 0 is 0, as in PyTorch.

    Example:

    ```mlir
    %y = mp.abs %x : tensor<4x8xf16>
    ```
  }];
}

class MP_RoundingOp<string mnemonic>
    : MP_Op<mnemonic, MP_Clear, MP_Constant, MP_RoleMap, [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let scaling = [MP_Nonlinear];
  let rows = MP_EachRow;
  let listedAs = "ceil / floor / round";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 7; } }];
  let arguments = (ins MP_FloatTensor:$input);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
def MP_FloorOp : MP_RoundingOp<"floor"> {
  let summary = "the largest whole number that is no larger, of each element";
  let description = [{
    Exact, with the sign of zero kept. No gradient flows through it: it is constant between whole numbers.

    Example:

    ```mlir
    %y = mp.floor %x : tensor<4x8xf32>
    ```
  }];
}
def MP_RoundOp : MP_RoundingOp<"round"> {
  let summary = "the nearest whole number of each element, the even one of two";
  let description = [{
    IEEE 754 roundToIntegralTiesToEven, as NumPy and PyTorch; exact, with the sign of zero kept. No gradient flows through it.

    Example:

    ```mlir
    %y = mp.round %x : tensor<4x8xf32>
    ```
  }];
}

def MP_ReciprocalOp : MP_UnaryOp<"reciprocal", MP_Deny> {
  let scaling = [MP_Divisor];
  let listedAs = "reciprocal";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 5; } }];
  let summary = "1 divided by each element";
  let description = [{
    IEEE 754 division, one rounding to the result type.

    Example:

    ```mlir
    %y = mp.reciprocal %x : tensor<4x8xf32>
    ```
  }];
}
def MP_RsqrtOp : MP_UnaryOp<"rsqrt", MP_Deny> {
  let scaling = [MP_Nonlinear];
  let listedAs = "rsqrt / rcbrt";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 10; } }];
  let summary = "1 divided by the square root of each element";
  let description = [{
    At most 2 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Infinite of 0, with its sign; NaN of negative
    numbers.

    Example:

    ```mlir
    %y = mp.rsqrt %x : tensor<4x8xf32>
    ```
  }];
}
def MP_ErfOp : MP_UnaryOp<"erf", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "erf / erfc";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 44; } }];
  let summary = "error function of each element";
  let description = [{
    `2 / sqrt(pi)` times the integral of `e^(-t^2)` from 0 to x. At most 2 ulp in f32; f16 and bf16 are computed in f32 and
    rounded once.

    Example:

    ```mlir
    %y = mp.erf %x : tensor<4x8xf16>
    ```
  }];
}
def MP_ClampOp : MP_UnaryOp<"clamp", MP_Clear> {
  let scaling = [MP_Nonlinear];
  let listedAs = "clip";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 2; } }];
  let summary = "each element, or the bound that it is beyond";
  let description = [{
    `min` below it and `max` above it, both rounded to the element type; NaN stays NaN. The gradient is that of the result
    where `min <= x <= max`, else 0; PyTorch's is 0 at a bound, too. With `min = 0` and `max = 6` this is relu6.

    Constraints:
    - (C1) `min` and `max` are numbers, and `min` is no larger than `max`.

    Example:

    ```mlir
    %y = mp.clamp %x {min = 0.0 : f64, max = 6.0 : f64} : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_ElementAttr:$min, MP_ElementAttr:$max);
  let hasVerifier = 1;
}
class MP_TrigonometricOp<string mnemonic> : MP_UnaryOp<mnemonic, MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "sin / cos";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 80; } }];
}
def MP_SinOp : MP_TrigonometricOp<"sin"> {
  let summary = "sine of each element, an angle in radians";
  let description = [{
    At most 1 ulp in f32, of angles of any size; f16 and bf16 are computed in f32 and rounded once. NaN of an infinity.

    Example:

    ```mlir
    %y = mp.sin %x : tensor<4x8xf32>
    ```
  }];
}
def MP_CosOp : MP_TrigonometricOp<"cos"> {
  let summary = "cosine of each element, an angle in radians";
  let description = [{
    At most 1 ulp in f32, of angles of any size; f16 and bf16 are computed in f32 and rounded once. NaN of an infinity.

    Example:

    ```mlir
    %y = mp.cos %x : tensor<4x8xf32>
    ```
  }];
}
def MP_PowOp : MP_BinaryOp<"pow", MP_Deny, MP_Differentiable> {
  let scaling = [MP_Nonlinear, MP_Nonlinear];
  let listedAs = "pow";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 90; } }];
  let summary = "lhs to the power of rhs, with NumPy broadcasting";
  let description = [{
    At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Special values as `pow` of C99 Annex F: 1 to any
    power and any number to the power of 0 are 1, of NaN, too; a negative number has only whole powers, others are NaN. The gradient of
    rhs is 0 where lhs is 0 and rhs at least 0, that of lhs 0 where rhs is 0, as in PyTorch.

    Constraints:
    - (C1) Operands and result have one element type.
    - (C2) The operands' shapes broadcast to the result's.
    - (C3) The element type is a float.

    Example:

    ```mlir
    %y = mp.pow %x, %e : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    ```
  }];
  let hasVerifier = 1;
}

// Activations

def MP_SigmoidOp : MP_UnaryOp<"sigmoid", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "sigmoid (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 32; } }];
  let summary = "logistic function of each element";
  let description = [{
    `1 / (1 + e^-x)`. At most 4 ulp in f32, also where the result is subnormal; f16 and bf16 are computed in f32 and rounded
    once.

    Example:

    ```mlir
    %y = mp.sigmoid %x : tensor<4x8xf16>
    ```
  }];
}
def MP_SiluOp : MP_UnaryOp<"silu", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "silu";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 34; } }];
  let summary = "each element times its logistic function";
  let description = [{
    `x / (1 + e^-x)`, also called swish. At most 4 ulp in f32; f16 and bf16 are computed in f32 and rounded once. -0 of -inf,
    the limit.

    Example:

    ```mlir
    %y = mp.silu %x : tensor<4x8xf16>
    ```
  }];
}
def MP_SoftplusOp : MP_UnaryOp<"softplus", MP_Deny> {
  let scaling = [MP_Nonlinear];
  let listedAs = "softplus (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 64; } }];
  let summary = "logarithm of 1 plus e to the power of each element";
  let description = [{
    `log(1 + e^x)`. At most 4 ulp in f32, also where the result is subnormal; f16 and bf16 are computed in f32 and rounded once.

    Example:

    ```mlir
    %y = mp.softplus %x : tensor<4x8xf32>
    ```
  }];
}
def MP_LeakyReluOp : MP_UnaryOp<"leaky_relu", MP_Infer> {
  let scaling = [MP_Term];
  let listedAs = "leaky_relu (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 2; } }];
  let summary = "each element, or a part of it if it is negative";
  let description = [{
    `negative_slope * x` where x < 0, else x. The product is in f32 (f64 for f64), as the slope is, and rounded once. The gradient at
    0 is the slope, as in PyTorch.

    Constraints:
    - (C1) `negative_slope` is finite.

    Example:

    ```mlir
    %y = mp.leaky_relu %x {negative_slope = 0.2 : f64} : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, DefaultValuedAttr<MP_WideAttr, "0.01">:$negative_slope);
  let hasVerifier = 1;
}
def MP_EluOp : MP_UnaryOp<"elu", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "elu / selu (+grad)";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 50; } }];
  let summary = "each element, or an exponential that levels off if it is negative";
  let description = [{
    `alpha * (e^x - 1)` where x < 0, else x. At most 6 ulp in f32, also where x is small; f16 and bf16 are computed in f32 and
    rounded once. The gradient at 0 is `alpha`, as in PyTorch.

    Constraints:
    - (C1) `alpha` is finite.

    Example:

    ```mlir
    %y = mp.elu %x {alpha = 1.0 : f64} : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, DefaultValuedAttr<MP_WideAttr, "1.0">:$alpha);
  let hasVerifier = 1;
}
def MP_SeluOp : MP_UnaryOp<"selu", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "elu / selu (+grad)";
  let extraClassDeclaration = [{
    static constexpr double kAlpha = 1.6732632423543772, kScale = 1.0507009873554805;
    int64_t getOperationsPerElement() { return 50; }
  }];
  let summary = "exponential linear unit that keeps mean 0 and variance 1";
  let description = [{
    `s * a * (e^x - 1)` where x < 0, else `s * x`, with a = 1.6732632423543772 and s = 1.0507009873554805 (Klambauer et al. 2017). At
    most 8 ulp in f32; f16 and bf16 are computed in f32 and rounded once. The gradient at 0 is `s * a`, as in PyTorch.

    Example:

    ```mlir
    %y = mp.selu %x : tensor<4x8xf16>
    ```
  }];
}
def MP_HardSigmoidOp : MP_UnaryOp<"hard_sigmoid", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "";  // no list names it
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 8; } }];
  let summary = "three straight lines instead of a logistic function";
  let description = [{
    `min(max(x + 3, 0), 6) / 6`, as in PyTorch and Keras. At most 2 ulp in f32 (f64 for f64); f16 and bf16 are computed in f32 and
    rounded once. The gradient is 1/6 where -3 < x < 3, else 0.

    Example:

    ```mlir
    %y = mp.hard_sigmoid %x : tensor<4x8xf16>
    ```
  }];
}
def MP_HardSwishOp : MP_UnaryOp<"hard_swish", MP_Infer> {
  let scaling = [MP_Nonlinear];
  let listedAs = "";  // no list names it
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 9; } }];
  let summary = "each element times its hard sigmoid";
  let description = [{
    `x * min(max(x + 3, 0), 6) / 6`, as PyTorch's and Keras' `hardswish` and `hard_silu`. At most 3 ulp in f32 (f64 for f64); f16 and bf16 are
    computed in f32 and rounded once. The gradient is 0 to -3, `x / 3 + 1/2` between and 1 from 3 on, as in PyTorch. -0 of -inf.

    Example:

    ```mlir
    %y = mp.hard_swish %x : tensor<4x8xf16>
    ```
  }];
}

#endif // MP_UNARY_OPS_TD
