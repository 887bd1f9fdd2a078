// Programs as kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNEL_OPS_TD
#define MP_KERNEL_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPAttributes.td"

// Schedules

// The schedule of one kind of kernel. One with a parameter `threads` answers the interface's getThreads with it.
class MP_ScheduleAttr<string name, string attrMnemonic, I32EnumCase kind>
    : MP_Attr<name # "Schedule", attrMnemonic, [MP_ScheduleInterface]> {
  let genVerifyDecl = 1;
  string getKind = "::mp::KernelKind getKind() const { return ::mp::KernelKind::" # kind.symbol # "; }\n";
  let extraClassDeclaration = getKind;
}

// On a CPU `vector` is the number of f32 lanes of a vector register: 4, 8 or 16. On a GPU it is the number of elements
// that a thread takes at once, and `threads` the threads of a block; on a CPU a block is one thread.
class MP_OneOrMore<string what> : DefaultValuedParameter<"int64_t", "1", what>;

// What multiplies on a CPU: a fused multiply-add for each product, or dot products of pairs of bf16.
def MP_TileInstruction : I32Enum<"TileInstruction", "what multiplies the register tiles of a CPU", [
    I32EnumCase<"Fma", 0, "fma">, I32EnumCase<"Dot", 1, "dot">]> {
  let cppNamespace = "::mp";
}

def MP_ContractionScheduleAttr : MP_ScheduleAttr<"Contraction", "contraction", MP_KindContraction> {
  let summary = "a matrix product with a map prologue and a map epilogue";
  let description = [{
    One block computes `block_m` x `block_n` elements of the result and walks k in steps of `block_k`, packing both
    operands; inside, register tiles of `tile_m` x `tile_n`. Grid: batch * ceil(M / block_m) * ceil(N / block_n).
    `instruction` is what multiplies: `fma`, or `dot`, of bf16 with sums in f32. An operand for which `pack_lhs` or
    `pack_rhs` is said is packed by a kernel of its own, once for all blocks, and read through `mp.unpack`. With
    `stream_rhs` rhs is read where it lies, along its rows, and packed by nobody: few rows of lhs read it once.

    Constraints:
    - (C1) Every parameter is positive; tiles divide blocks, `vector` divides `tile_n`.
    - (C2) `vector` of a `dot` is 4, 8 or 16.
    - (C3) `pack_rhs` and `stream_rhs` are not both said.

    Example: `#mp.contraction<block_m = 96, block_n = 256, block_k = 256, tile_m = 12, tile_n = 32, vector = 16>`
  }];
  let parameters = (ins "int64_t":$block_m, "int64_t":$block_n, "int64_t":$block_k, "int64_t":$tile_m,
                        "int64_t":$tile_n, "int64_t":$vector,
                        DefaultValuedParameter<"::mp::TileInstruction", "::mp::TileInstruction::Fma">:$instruction,
                        DefaultValuedParameter<"bool", "false">:$pack_lhs,
                        DefaultValuedParameter<"bool", "false">:$pack_rhs,
                        DefaultValuedParameter<"bool", "false">:$stream_rhs);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_PackScheduleAttr : MP_ScheduleAttr<"Pack", "pack", MP_KindPack> {
  let summary = "an operand of a product, packed";
  let description = [{
    One block packs `panels` panels of one chunk of k. Grid: batch * chunks * ceil(panels of the operand / `panels`).

    Constraints:
    - (C1) Every parameter is positive.

    Example: `#mp.pack<panels = 4, vector = 16>`
  }];
  let parameters = (ins "int64_t":$panels, "int64_t":$vector);
  let assemblyFormat = "`<` struct(params) `>`";
}

// What multiplies on a GPU. Which chip has it, and what it multiplies, is in mp/Analysis/MatrixTiles.h.
def MP_MatrixInstruction : I32Enum<"MatrixInstruction", "what multiplies the tiles of a warp", [
    I32EnumCase<"Wmma16x16x16", 0, "wmma.m16n16k16">, I32EnumCase<"Mma16x8x8", 1, "mma.m16n8k8">,
    I32EnumCase<"Mma16x8x16", 2, "mma.m16n8k16">, I32EnumCase<"Mma16x8x8TF32", 3, "mma.m16n8k8.tf32">,
    I32EnumCase<"Fma", 4, "fma">]> {
  let cppNamespace = "::mp";
}

def MP_MmaScheduleAttr : MP_ScheduleAttr<"Mma", "mma", MP_KindContraction> {
  let summary = "a matrix product with a map prologue and a map epilogue, on a GPU";
  let description = [{
    One block, of `warps_m` x `warps_n` warps, computes `block_m` x `block_n` elements of the result, each warp an equal
    tile of them. It walks k in steps of `block_k`, `stages` of which are in shared memory at once: computed with, or on
    their way. `split_k` is the number of parts of `mp.matmul_parts`. Grid: split_k * batch * ceil(M / block_m) *
    ceil(N / block_n).

    Constraints:
    - (C1) Every parameter is positive; `stages` is at least 2.
    - (C2) Blocks and warps are powers of two; warps divide blocks into tiles of at least 16 x 16 (16 x 32 of `fma`).
    - (C3) `block_k` is a power of two and at least 16 (8 of `fma` and of `mma.m16n8k8.tf32`).
    - (C4) A block has at most 32 warps.

    Example: `#mp.mma<block_m = 128, block_n = 128, block_k = 32, warps_m = 2, warps_n = 4, stages = 4, instruction = mma.m16n8k16>`
  }];
  let parameters = (ins "int64_t":$block_m, "int64_t":$block_n, "int64_t":$block_k, "int64_t":$warps_m,
                        "int64_t":$warps_n, "int64_t":$stages, MP_OneOrMore<"parts of k">:$split_k,
                        EnumParameter<MP_MatrixInstruction>:$instruction);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = getKind # [{
    int64_t getThreads() const { return 32 * getWarpsM() * getWarpsN(); }
    int64_t getWarpM() const { return getBlockM() / getWarpsM(); }
    int64_t getWarpN() const { return getBlockN() / getWarpsN(); }
  }];
}

def MP_MapScheduleAttr : MP_ScheduleAttr<"Map", "map", MP_KindMap> {
  let summary = "elements that depend on no other element of the kernel";
  let description = [{
    The results of one shape are one loop nest, in the order in which the shapes first appear among the results; one
    block computes `block` elements of one nest, in row-major order. Grid: the sum over nests of ceil(elements / block).

    With a `tile`, nests that are matrices that some transpose exchanges have blocks of `tile` rows and `tile`
    columns, batch * ceil(rows / tile) * ceil(columns / tile) of them; what is transposed passes through shared memory.

    Constraints:
    - (C1) Every parameter is positive; `vector` divides `block`.
    - (C2) With a `tile`, `block` is tile * tile and `vector` divides `tile`.

    Example: `#mp.map<block = 65536, vector = 8>`, `#mp.map<block = 4096, vector = 4, threads = 256>`,
    `#mp.map<block = 4096, vector = 2, threads = 256, tile = 64>`
  }];
  let parameters = (ins "int64_t":$block, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads,
                        MP_OneOrMore<"rows and columns of a tile">:$tile);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_RowScheduleAttr : MP_ScheduleAttr<"Row", "row", MP_KindRow> {
  let summary = "rows over the last dimension, each on its own";
  let description = [{
    One block computes `rows` rows, `threads_per_row` threads each, threads / threads_per_row rows at once. Grid: ceil(R / rows), R the product
    of all but the last dimension.

    Constraints:
    - (C1) Every parameter is positive; `threads_per_row` divides `threads`.

    Example: `#mp.row<rows = 32, vector = 8>`, `#mp.row<rows = 16, vector = 4, threads = 128, threads_per_row = 32>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads,
                        MP_OneOrMore<"threads of a row">:$threads_per_row);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_ColumnScheduleAttr : MP_ScheduleAttr<"Column", "column", MP_KindColumn> {
  let summary = "reductions over leading dimensions, rows in order";
  let description = [{
    One block reduces `columns` columns of one root. Grid: the sum over roots of ceil(columns of the root / `columns`).

    Constraints:
    - (C1) Every parameter is positive; `vector` divides `columns`.

    Example: `#mp.column<columns = 64, vector = 16>`
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_PartialScheduleAttr : MP_ScheduleAttr<"Partial", "partial", MP_KindPartial> {
  let summary = "one value for each block of the elements of a tensor";
  let description = [{
    `block` is the `block` of every root, `mp.nonfinite_blocks` or `mp.sum_squares_blocks`. Grid: the sum over roots of
    ceil(elements / block).

    Constraints:
    - (C1) Every parameter is positive.

    Example: `#mp.partial<block = 65536, vector = 16>`
  }];
  let parameters = (ins "int64_t":$block, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_SerialScheduleAttr : MP_ScheduleAttr<"Serial", "serial", MP_KindSerial> {
  let summary = "one block that runs op after op";
  let description = [{
    Intermediates lie in the kernel's scratch memory. Grid: 1.

    Constraints:
    - (C1) Every parameter is positive.

    Example: `#mp.serial<vector = 8>`
  }];
  let parameters = (ins "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

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
    maximum; in f32 (f64 for f64). A label outside [0, classes) gives NaN.

    Constraints:
    - (C1) `labels` and the result have the shape of `logits` without its last dimension, whose size is not 0.
    - (C2) The result is f32, or f64 for f64 logits.

    Example:

    ```mlir
    %r = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logits, MP_IntegerTensor:$labels);
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
    `mp.softmax_cross_entropy_grad` once weight, sum of weights and gradient are one factor.

    Constraints:
    - (C1) `labels` and `factor` have the shape of `logits` without its last dimension, whose size is not 0.
    - (C2) `factor` is f32, or f64 for f64 logits; the result has the type of `logits`.

    Example:

    ```mlir
    %g = mp.softmax_cross_entropy_grad_rows %z, %y, %f : tensor<4x10xf16>, tensor<4xui8>, tensor<4xf32> -> tensor<4x10xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$logits, MP_IntegerTensor:$labels, MP_FloatTensor:$factor);
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

// What scheduling makes

def MP_MatmulPartsOp : MP_KernelLevelOp<"matmul_parts", MP_RoleContraction,
    [DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_ContractionOpInterface>]> {
  let scaling = [MP_Factor, MP_Factor];
  let rows = MP_RowsAlong<"{getContractionDimension()}">;
  let extraClassDeclaration = [{
    /// The dimension of `lhs` that is k.
    int64_t getContractionDimension() { return getLhs().getType().getRank() - (getTransposeLhs() ? 2 : 1); }
    /// The size of k, -1 while it is open.
    int64_t getContractionSize();
    int64_t getOperationsPerElement() { return 2 * ::std::min<int64_t>(getDepth(), getContractionSize()); }
  }];
  let summary = "a matrix product as sums over parts of k";
  let description = [{
    `result[p, ..., i, j]` is the sum of `lhs[..., i, k] * rhs[..., k, j]` over k in [p * depth, (p + 1) * depth), as far
    as there are k: `mp.matmul` is the sum of the parts. Products and sums are kept in `acc`; each sum is rounded to the
    result's type, to nearest even.

    Constraints:
    - (C1) `lhs` and `rhs` have the same float element type, the result that type or `acc`; `acc` is one that `mp.matmul`
      takes.
    - (C2) `lhs` and `rhs` have shapes that `mp.matmul` takes.
    - (C3) `depth` is at least 1; the first dimension of the result is ceil(k / depth), at least 1.

    Example:

    ```mlir
    %p = mp.matmul_parts %a, %b depth 32 acc f32 : tensor<4x64xf16>, tensor<64x2xf16> -> tensor<2x4x2xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$lhs, MP_FloatTensor:$rhs, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       I64Attr:$depth, TypeAttr:$acc);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? `depth` $depth `acc` $acc attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MP_PanelsAttr : MP_Attr<"Panels", "panels"> {
  let summary = "how an operand of a product lies packed";
  let description = [{
    k is cut into chunks of `depth`, rows into panels of `rows`; `unit` neighbours in k are one word. A panel of a chunk
    is words [depth / unit][rows], with `depth_inner` [rows][depth / unit]. What is beyond the operand is 0.

    Constraints:
    - (C1) Every number is positive, and at most 2^20; `unit` divides `depth`.

    Example: `#mp.panels<rows = 14, depth = 262, unit = 2, depth_inner = true>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$depth, "int64_t":$unit, "bool":$depth_inner);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

class MP_PackingOp<string mnemonic, I32EnumCase role> : MP_KernelLevelOp<mnemonic, role, []> {
  let scaling = [MP_Term];
  let rows = MP_AllRows;
  let assemblyFormat = [{
    $input `batches` $batches (`transposed` $transposed^)? `panels` $panels attr-dict `:` type($input) `->` type($result)
  }];
  let arguments = (ins MP_FloatTensor:$input, I64Attr:$batches, UnitAttr:$transposed, MP_PanelsAttr:$panels);
  let results = (outs MP_FloatTensor:$result);
  let hasVerifier = 1;
}
def MP_PackOp : MP_PackingOp<"pack", MP_RolePack> {
  let summary = "an operand of a product in the order in which register tiles read it";
  let extraClassDeclaration = [{ ::mp::PackedMatrix getMatrix(); }];
  let description = [{
    The operand is `batches` matrices [rows x k], or [k x rows] where they lie `transposed`; further leading dimensions
    count as rows. The result is [batches][chunks][panels][elements of a panel], see `#mp.panels`. Its elements may be of a
    wider type, which holds them exactly.

    Constraints:
    - (C1) The operand has two dimensions or more, and `batches` divides its leading ones.
    - (C2) The result has the shape that follows; its element type holds all values of the operand's.
    - (C3) Panels of `transposed` matrices have no `depth_inner`: rows of k would be put together element by element.

    Example:

    ```mlir
    %p = mp.pack %x batches 1 panels <rows = 4, depth = 8, unit = 2, depth_inner = true> : tensor<5x15xbf16> -> tensor<1x2x2x32xbf16>
    ```
  }];
}
def MP_UnpackOp : MP_PackingOp<"unpack", MP_RoleUnpack> {
  let summary = "an operand of a product as it was before it was packed";
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 0; }
    ::mp::PackedMatrix getMatrix();
  }];
  let description = [{
    The inverse of `mp.pack`. Stands in the kernel of the product that reads the result, which finds there how the operand
    lies; nothing is unpacked.

    Constraints:
    - (C1) The result has two dimensions or more, and `batches` divides its leading ones.
    - (C2) The operand has the shape that follows, and an element type that holds all values of the result's.
    - (C3) Panels of `transposed` matrices have no `depth_inner`.

    Example:

    ```mlir
    %x = mp.unpack %p batches 1 panels <rows = 4, depth = 8, unit = 2, depth_inner = true> : tensor<1x2x2x32xbf16> -> tensor<5x15xbf16>
    ```
  }];
}

def MP_SumRowBlocksOp : MP_KernelLevelOp<"sum_row_blocks", MP_RoleTile> {
  let scaling = [MP_Term];
  let rows = MP_AllRows;
  let summary = "for each block of rows the sum over its rows";
  let description = [{
    `result[b, j]` is the sum of `input[i, j]` over i in [b * block, (b + 1) * block), as far as there are rows, in f32: the
    gradient of a bias, as far as the blocks of the product that makes `input` know it.

    Constraints:
    - (C1) `input` is a matrix of f16, bf16 or f32; the result is f32.
    - (C2) `block` is at least 1; the result has ceil(rows / block) rows.

    Example:

    ```mlir
    %s = mp.sum_row_blocks %g block 64 : tensor<100x8xf16> -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, I64Attr:$block);
  let results = (outs MP_F32Tensor:$result);
  let assemblyFormat = "$input `block` $block attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def MP_NonfiniteTilesOp : MP_KernelLevelOp<"nonfinite_tiles", MP_RoleTile> {
  let scaling = [MP_Independent];
  let rows = MP_AllRows;
  let summary = "for each tile of a matrix 1 if an element is not finite, else 0";
  let description = [{
    Tiles of `rows` x `columns` elements of the last two dimensions, in row-major order; those at the end may be smaller.

    Constraints:
    - (C1) `input` has two dimensions or more.
    - (C2) `rows` and `columns` are at least 1; the result has one element for each tile.

    Example:

    ```mlir
    %f = mp.nonfinite_tiles %g tile 64 x 32 : tensor<100x40xf32> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, I64Attr:$rows, I64Attr:$columns);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$input `tile` $rows `x` $columns attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // MP_KERNEL_OPS_TD
