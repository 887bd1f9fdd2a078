// Remainders, whole quotients and bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INTEGER_OPS_TD
#define MP_INTEGER_OPS_TD

include "mp/IR/MPElementwiseOps.td"

def MP_RemainderOp : MP_BinaryOp<"remainder", MP_Infer, MP_Differentiable> {
  let scaling = [MP_Nonlinear, MP_Nonlinear];
  let listedAs = "floor_div / mod";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 60; } }];
  let summary = "what a division leaves, with the sign of the divisor, with NumPy broadcasting";
  let description = [{
    `lhs - floor(lhs / rhs) * rhs`, Python's `%`, NumPy's and PyTorch's `remainder`. Of floats what C99's `fmod` leaves, which is exact, plus rhs where it is not 0 and has
    another sign; the sum is rounded once, and a zero has the sign of lhs. NaN of an infinity by anything and of anything by 0; a finite number by an infinity of its
    sign is itself. Of integers by 0 it is 0.

    The gradient of lhs is that of the result; of rhs it is that times `-floor(lhs / rhs)`. Constraints as `mp.add`.

    Example:

    ```mlir
    %r = mp.remainder %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}

// Integers, of which none has a gradient and none another precision.
class MP_IntegerOp<string mnemonic, list<Trait> traits = []>
    : MP_Op<mnemonic, MP_Fixed, MP_Constant, MP_RoleMap, traits #
        [Pure, SameOperandsAndResultElementType, MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let arguments = (ins MP_IntegerTensor:$lhs, MP_IntegerTensor:$rhs);
  let results = (outs MP_IntegerTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def MP_FloorDivideOp : MP_IntegerOp<"floor_divide"> {
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 30; } }];
  let summary = "quotient of integers, rounded down, with NumPy broadcasting";
  let description = [{
    Python's `//`: `lhs` is the result times `rhs` plus `mp.remainder`. 0 where rhs is 0. The least number by -1 wraps to itself. Constraints as `mp.add`.

    Example:

    ```mlir
    %q = mp.floor_divide %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}
def MP_BitwiseAndOp : MP_IntegerOp<"bitwise_and", [Commutative]> {
  let summary = "the bits that both have, with NumPy broadcasting";
  let description = [{
    Of i1 there is `mp.logical_and`. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.bitwise_and %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}
def MP_BitwiseOrOp : MP_IntegerOp<"bitwise_or", [Commutative]> {
  let summary = "the bits that one of two has, with NumPy broadcasting";
  let description = [{
    Of i1 there is `mp.logical_or`. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.bitwise_or %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}
def MP_BitwiseXorOp : MP_IntegerOp<"bitwise_xor", [Commutative]> {
  let summary = "the bits in which two differ, with NumPy broadcasting";
  let description = [{
    With a number of all bits it is the complement. Of i1 there is `mp.compare ne`. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.bitwise_xor %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}
def MP_ShiftLeftOp : MP_IntegerOp<"shift_left"> {
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 3; } }];
  let summary = "bits moved up, with NumPy broadcasting";
  let description = [{
    `lhs` times 2 to the power of `rhs`, modulo 2^n for n bits. By n and more, and by a negative number, it is 0. Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.shift_left %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}
def MP_ShiftRightOp : MP_IntegerOp<"shift_right"> {
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 3; } }];
  let summary = "bits moved down, with NumPy broadcasting";
  let description = [{
    `floor(lhs / 2^rhs)`, which keeps the sign. By as many bits as there are and more, and by a negative number, it is -1 of a negative lhs and 0 of others.
    Constraints as `mp.add`.

    Example:

    ```mlir
    %c = mp.shift_right %a, %b : tensor<4x8xi32>, tensor<i32> -> tensor<4x8xi32>
    ```
  }];
}

#endif // MP_INTEGER_OPS_TD
