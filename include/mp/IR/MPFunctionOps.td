// Elementary functions of one element: angles, hyperbolic functions, exponentials and logarithms near 1, and inverses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_FUNCTION_OPS_TD
#define MP_FUNCTION_OPS_TD

include "mp/IR/MPElementwiseOps.td"

class MP_FunctionOp<string mnemonic, I32EnumCase category, string row, int operations> : MP_UnaryOp<mnemonic, category> {
  let scaling = [MP_Nonlinear];
  let listedAs = row;
  let extraClassDeclaration = "int64_t getOperationsPerElement() { return " # operations # "; }";
}

// Angles

def MP_TanOp : MP_FunctionOp<"tan", MP_Deny, "tan", 90> {
  let summary = "tangent of each element, an angle in radians";
  let description = [{
    At most 1 ulp in f32, of angles of any size; f16 and bf16 are computed in f32 and rounded once. NaN of an infinity.

    Example:

    ```mlir
    %y = mp.tan %x : tensor<4x8xf32>
    ```
  }];
}
def MP_AsinOp : MP_FunctionOp<"asin", MP_Deny, "asin / acos", 70> {
  let summary = "the angle from -pi/2 to pi/2 whose sine each element is";
  let description = [{
    At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. NaN where the magnitude is above 1.

    Example:

    ```mlir
    %y = mp.asin %x : tensor<4x8xf32>
    ```
  }];
}
def MP_AcosOp : MP_FunctionOp<"acos", MP_Deny, "asin / acos", 70> {
  let summary = "the angle from 0 to pi whose cosine each element is";
  let description = [{
    At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. NaN where the magnitude is above 1.

    Example:

    ```mlir
    %y = mp.acos %x : tensor<4x8xf32>
    ```
  }];
}
def MP_AtanOp : MP_FunctionOp<"atan", MP_Infer, "atan", 50> {
  let summary = "the angle from -pi/2 to pi/2 whose tangent each element is";
  let description = [{
    At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. pi/2 of an infinity, with its sign.

    Example:

    ```mlir
    %y = mp.atan %x : tensor<4x8xf16>
    ```
  }];
}
def MP_Atan2Op : MP_BinaryOp<"atan2", MP_Promote, MP_Differentiable> {
  let scaling = [MP_Nonlinear, MP_Nonlinear];
  let listedAs = "atan2";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 55; } }];
  let summary = "angle of the point with abscissa rhs and ordinate lhs, with NumPy broadcasting";
  let description = [{
    From -pi to pi. At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Special values as `atan2` of C99
    Annex F: of two zeros 0 or pi, of two infinities odd multiples of pi/4, by their signs. The gradients, `rhs / (lhs^2 + rhs^2)` and
    `-lhs / (lhs^2 + rhs^2)` times that of the result, are NaN at the origin, where PyTorch's are 0.

    Constraints:
    - (C1) Operands and result have one element type.
    - (C2) The operands' shapes broadcast to the result's.
    - (C3) The element type is a float.

    Example:

    ```mlir
    %y = mp.atan2 %a, %b : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
    ```
  }];
  let hasVerifier = 1;
}

// Hyperbolic functions

def MP_SinhOp : MP_FunctionOp<"sinh", MP_Deny, "sinh / cosh", 50> {
  let summary = "hyperbolic sine of each element";
  let description = [{
    `(e^x - e^-x) / 2`. At most 1 ulp in f32, also where x is small; f16 and bf16 are computed in f32 and rounded once.

    Example:

    ```mlir
    %y = mp.sinh %x : tensor<4x8xf32>
    ```
  }];
}
def MP_CoshOp : MP_FunctionOp<"cosh", MP_Deny, "sinh / cosh", 50> {
  let summary = "hyperbolic cosine of each element";
  let description = [{
    `(e^x + e^-x) / 2`. At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once.

    Example:

    ```mlir
    %y = mp.cosh %x : tensor<4x8xf32>
    ```
  }];
}

// Exponentials and logarithms

def MP_Expm1Op : MP_FunctionOp<"expm1", MP_Deny, "expm1", 40> {
  let summary = "e to the power of each element, minus 1";
  let description = [{
    At most 1 ulp in f32, also where x is small; f16 and bf16 are computed in f32 and rounded once. Special values as C99 Annex F.

    Example:

    ```mlir
    %y = mp.expm1 %x : tensor<4x8xf32>
    ```
  }];
}
def MP_Log1pOp : MP_FunctionOp<"log1p", MP_Deny, "log1p", 45> {
  let summary = "natural logarithm of 1 plus each element";
  let description = [{
    At most 1 ulp in f32, also where x is small; f16 and bf16 are computed in f32 and rounded once. -inf of -1, NaN below it.

    Example:

    ```mlir
    %y = mp.log1p %x : tensor<4x8xf32>
    ```
  }];
}
def MP_Log2Op : MP_FunctionOp<"log2", MP_Deny, "log2 / log10", 40> {
  let summary = "logarithm of each element to the base 2";
  let description = [{
    At most 1 ulp in f32, and exact of powers of two; f16 and bf16 are computed in f32 and rounded once. -inf of 0, NaN of negative
    numbers.

    Example:

    ```mlir
    %y = mp.log2 %x : tensor<4x8xf32>
    ```
  }];
}
def MP_Log10Op : MP_FunctionOp<"log10", MP_Deny, "log2 / log10", 41> {
  let summary = "logarithm of each element to the base 10";
  let description = [{
    At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. -inf of 0, NaN of negative numbers.

    Example:

    ```mlir
    %y = mp.log10 %x : tensor<4x8xf32>
    ```
  }];
}
def MP_ErfinvOp : MP_FunctionOp<"erfinv", MP_Deny, "erfinv", 110> {
  let summary = "the number whose error function each element is";
  let description = [{
    At most 1 ulp in f32; f16 and bf16 are computed in f32 and rounded once. Infinite of 1 and -1, with their sign, NaN where the
    magnitude is above 1.

    Example:

    ```mlir
    %y = mp.erfinv %x : tensor<4x8xf32>
    ```
  }];
}

// An activation with a parameter

def MP_PReluOp : MP_BinaryOp<"prelu", MP_Infer, MP_Differentiable> {
  let scaling = [MP_Term, MP_Nonlinear];
  let listedAs = "prelu";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 2; } }];
  let summary = "each element, or its slope's multiple if it is not above 0, with NumPy broadcasting";
  let description = [{
    `lhs` where lhs > 0, else `rhs * lhs`, rounded once: `rhs` has the slopes, of each channel, say (He et al. 2015). The gradient of
    `lhs` at 0 is the slope, as in PyTorch.

    Constraints:
    - (C1) Operands and result have one element type.
    - (C2) The operands' shapes broadcast to the result's.
    - (C3) The element type is a float.

    Example:

    ```mlir
    %y = mp.prelu %x, %slope : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
    ```
  }];
  let hasVerifier = 1;
}

#endif // MP_FUNCTION_OPS_TD
