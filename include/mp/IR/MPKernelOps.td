// Programs as kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNEL_OPS_TD
#define MP_KERNEL_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPSchedules.td"

// Buffers

def MP_ArenaBufferAttr : MP_Attr<"ArenaBuffer", "arena"> {
  let summary = "bytes of the program's arena from this offset";
  let description = [{
    Constraints:
    - (C1) The offset is a multiple of 64 and not negative.

    Example: `#mp.arena<4096>`
  }];
  let parameters = (ins "int64_t":$offset);
  let assemblyFormat = "`<` $offset `>`";
  let genVerifyDecl = 1;
}
def MP_StateBufferAttr : MP_Attr<"StateBuffer", "state"> {
  let summary = "the bytes of a parameter or state, by name";
  let description = "Example: `#mp.state<\"dense.kernel\">`";
  let parameters = (ins "::mlir::StringAttr":$state);
  let assemblyFormat = "`<` $state `>`";
}
def MP_ResultBufferAttr : MP_Attr<"ResultBuffer", "result"> {
  let summary = "the bytes of a result of the program, by its number";
  let description = [{
    Constraints:
    - (C1) The number is not negative.

    Example: `#mp.result<0>`
  }];
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
  let genVerifyDecl = 1;
}

def MP_AnyBuffer : AnyAttrOf<[MP_ArenaBufferAttr, MP_StateBufferAttr, MP_ResultBufferAttr], "a buffer">;
def MP_BufferArray : TypedArrayAttrBase<MP_AnyBuffer, "array of buffers">;

// Programs as kernels

def MP_KernelOp : MP_Op<"kernel", MP_Fixed, MP_NotDifferentiable, MP_RoleNone,
    [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let scaling = [MP_Nonlinear];
  let rows = MP_AllRows;
  let summary = "ops that one launch computes";
  let description = [{
    The body sees nothing but its block arguments, one for each input. Its values are those of the same ops outside: each
    intermediate is rounded to its type. `schedule` says how the blocks of its grid divide the work, `buffers` where each
    result lies; both are absent until their passes ran. `guard` names an i32 input: where it is at least 0 every result
    has the bits that its buffer already has, so that blocks may return at once.

    Constraints:
    - (C1) Block arguments have the types of the inputs, one each.
    - (C2) The yielded values have the types of the results, one each.
    - (C3) Every type in the body is a tensor of static shape.
    - (C4) `buffers` has one buffer for each result.
    - (C5) The body holds no composite op and none of role none, such as another kernel.
    - (C6) `guard` is an input of type tensor<i32>, of a kernel with buffers.

    Example:

    ```mlir
    %z = mp.kernel "dense.forward" (%a = %x, %k = %w) schedule(#mp.contraction<block_m = 96, block_n = 256,
        block_k = 256, tile_m = 6, tile_n = 16, vector = 8>) buffers([#mp.arena<4096>])
        : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16> {
      %0 = mp.matmul %a, %k acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
      mp.yield %0 : tensor<4x2xf16>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel_name, Variadic<MP_Tensor>:$inputs, OptionalAttr<MP_ScheduleInterface>:$schedule,
                       OptionalAttr<MP_BufferArray>:$buffers, OptionalAttr<I64Attr>:$guard);
  let results = (outs Variadic<MP_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel_name custom<Kernel>($inputs, type($inputs), $schedule, $buffers, $guard, type($results), $body) attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def MP_CopyOp : MP_Op<"copy", MP_Fixed, MP_NotDifferentiable, MP_RoleNone, [Pure, SameOperandsAndResultType]> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
  let summary = "the same value in another buffer";
  let description = [{
    Stands in planned programs only, as a copy command: a result that is an argument or a constant, or a new state that
    could not be written in place. A copy of a splat constant fills its buffer.

    Example:

    ```mlir
    %r = mp.copy %x buffer(#mp.result<1>) : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_AnyBuffer:$buffer);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input `buffer` `(` $buffer `)` attr-dict `:` type($input)";
}

// What composite ops become

// Made by mp-decompose, after every pass that asks about precision or derivatives.
class MP_KernelLevelOp<string mnemonic, I32EnumCase role, list<Trait> traits = [MP_InferredTypes]>
    : MP_Op<mnemonic, MP_Fixed, MP_NotDifferentiable, role, [Pure] # traits>;

def MP_SoftmaxCrossEntropyRowsOp : MP_KernelLevelOp<"softmax_cross_entropy_rows", MP_RoleRow> {
  let scaling = [MP_Nonlinear, MP_Independent];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 28; } }];
  let summary = "cross entropy of softmax over the last dimension against integer labels, per row";
  let description = [{
    `loss[r]` of `mp.softmax_cross_entropy`: `log(sum_j exp(logits[r, j] - m)) + m - logits[r, labels[r]]`, m the row's
    maximum; in f32 (f64 for f64). A label outside [0, classes) gives NaN. `label_smoothing` as there.

    Constraints:
    - (C1) `labels` and the result have the shape of `logits` without its last dimension, whose size is not 0.
    - (C2) The result is f32, or f64 for f64 logits.

    Example:

    ```mlir
    %r = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logits, MP_IntegerTensor:$labels,
                       DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` type($logits) `,` type($labels) `->` type($result)";
  let hasVerifier = 1;
}

def MP_SoftmaxCrossEntropyGradRowsOp : MP_KernelLevelOp<"softmax_cross_entropy_grad_rows", MP_RoleRow> {
  let scaling = [MP_Nonlinear, MP_Independent, MP_Term];
  let rows = MP_RowsAlong<"getReducedDimensions()">;
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 30; } }];
  let summary = "gradient of weighted cross entropy in its logits, a factor for each row";
  let description = [{
    `(softmax(logits)[r, j] - (labels[r] == j)) * factor[r]`, in f32 (f64 for f64), rounded once:
    `mp.softmax_cross_entropy_grad` once weight, sum of weights and gradient are one factor. `label_smoothing` as there.

    Constraints:
    - (C1) `labels` and `factor` have the shape of `logits` without its last dimension, whose size is not 0.
    - (C2) `factor` is f32, or f64 for f64 logits; the result has the type of `logits`.

    Example:

    ```mlir
    %g = mp.softmax_cross_entropy_grad_rows %z, %y, %f : tensor<4x10xf16>, tensor<4xui8>, tensor<4xf32> -> tensor<4x10xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logits, MP_IntegerTensor:$labels, MP_FloatTensor:$factor,
                       DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels `,` $factor attr-dict `:` type($logits) `,` type($labels) `,` type($factor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MP_DropoutMaskOp : MP_KernelLevelOp<"dropout_mask", MP_RoleMap, []> {
  let scaling = [MP_Independent];
  let rows = MP_AllRows;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 640; }
    bool readsWhole(::mlir::OpOperand &) { return true; }
  }];
  let summary = "which elements a dropout keeps, a bit for each";
  let description = [{
    Bit i % 64 of word i / 64 says whether `mp.dropout` of this `rng`, `rate` and `stream` keeps element i.

    Constraints:
    - (C1) `rate` and `stream` are those of an `mp.dropout`.
    - (C2) The result has one dimension.

    Example:

    ```mlir
    %m = mp.dropout_mask %rng {rate = 0.2, stream = 1} : tensor<2xi64>
    ```
  }];
  let arguments = (ins MP_Rng:$rng, F64Attr:$rate, I64Attr:$stream);
  let results = (outs RankedTensorOf<[I64]>:$mask);
  let assemblyFormat = "$rng attr-dict `:` type($mask)";
  let hasVerifier = 1;
}

def MP_MaskedDropoutOp : MP_KernelLevelOp<"masked_dropout", MP_RoleMap, [AllTypesMatch<["input", "result"]>]> {
  let scaling = [MP_Term, MP_Independent];
  let rows = MP_AllRows;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 3; }
    bool readsWhole(::mlir::OpOperand &operand) { return operand.getOperandNumber() == 1; }
    /// The words of a mask for so many elements: one more than have bits, so that whole words may be read anywhere.
    static int64_t countWords(int64_t elements) { return (elements + 63) / 64 + 1; }
  }];
  let summary = "sets elements to 0 whose bit of a mask is 0 and scales the others";
  let description = [{
    `mp.dropout` with the mask that `mp.dropout_mask` makes: an element whose bit is 1 is multiplied by
    `f32(1 / (1 - rate))`, in f32, with one rounding; else it is 0.

    Constraints:
    - (C1) `rate` is that of an `mp.dropout`.
    - (C2) `mask` has at least ceil(elements / 64) + 1 words.

    Example:

    ```mlir
    %y = mp.masked_dropout %x, %m {rate = 0.2} : tensor<4x8xf16>, tensor<2xi64>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, RankedTensorOf<[I64]>:$mask, F64Attr:$rate);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$input `,` $mask attr-dict `:` type($input) `,` type($mask)";
  let hasVerifier = 1;
}

class MP_BlocksOp<string mnemonic> : MP_KernelLevelOp<mnemonic, MP_RolePartial> {
  let rows = MP_AllRows;
  let extraClassDeclaration = [{ int64_t getPartialBlock() { return getBlock(); } }];
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}
def MP_NonfiniteBlocksOp : MP_BlocksOp<"nonfinite_blocks"> {
  let scaling = [MP_Independent];
  let summary = "for each block of elements 1 if one of them is not finite, else 0";
  let description = [{
    Blocks are `block` consecutive elements in row-major order; the last may be shorter.

    Constraints:
    - (C1) `block` is at least 1.
    - (C2) The result has ceil(elements / block) elements.

    Example:

    ```mlir
    %f = mp.nonfinite_blocks %g {block = 4 : i64} : tensor<3x3xf32> -> tensor<3xi32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, I64Attr:$block);
  let results = (outs RankedTensorOf<[I32]>:$result);
}
def MP_SumSquaresBlocksOp : MP_BlocksOp<"sum_squares_blocks"> {
  let scaling = [MP_Nonlinear];
  let summary = "for each block of elements the sum of their squares";
  let description = [{
    Squares and sums in f32, rounded each. Blocks as in `mp.nonfinite_blocks`. Constraints as `mp.nonfinite_blocks`.

    Example:

    ```mlir
    %s = mp.sum_squares_blocks %g {block = 4 : i64} : tensor<3x3xf32> -> tensor<3xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$input, I64Attr:$block);
  let results = (outs MP_F32Tensor:$result);
}

def MP_FirstBadOp : MP_KernelLevelOp<"first_bad", MP_RoleSerial, []> {
  let scaling = [MP_Independent];
  let rows = MP_AllRows;
  let summary = "the number of the first operand that holds a flag";
  let description = [{
    The index in the list of the first operand with an element other than 0, or -1.

    Example:

    ```mlir
    %bad = mp.first_bad %f0, %f1 : tensor<3xi32>, tensor<1xi32>
    ```
  }];
  let arguments = (ins Variadic<RankedTensorOf<[I32]>>:$flags);
  let results = (outs MP_I32Scalar:$bad);
  let assemblyFormat = "$flags attr-dict `:` type($flags)";
}

#endif // MP_KERNEL_OPS_TD
