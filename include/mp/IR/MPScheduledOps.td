// What scheduling makes of the ops of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_SCHEDULED_OPS_TD
#define MP_SCHEDULED_OPS_TD

include "mp/IR/MPKernelOps.td"

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

def MP_ConvFilterGradPartsOp : MP_KernelLevelOp<"conv_filter_grad_parts", MP_RoleContraction,
    [DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_ContractionOpInterface, ["getLhs", "getRhs"]>]> {
  let scaling = [MP_Factor, MP_Factor];
  let rows = MP_AllRows;
  let extraClassDeclaration = [{
    /// The convolution that this is a gradient of.
    ::mp::Convolution getConvolution();
    /// How many products an element of mp.conv_filter_grad is the sum of; -1 while it is open.
    int64_t getContractionSize();
    int64_t getOperationsPerElement() { return 2 * ::std::min<int64_t>(getDepth(), getContractionSize()); }
  }];
  let summary = "the gradient of mp.conv in its filter, as sums over parts of the batch's pixels";
  let description = [{
    `result[p, k, r, s, c]` is what `mp.conv_filter_grad` sums of the pixels [p * depth, (p + 1) * depth) of `gradient`,
    counted over rows of the batch and the pixels of each, as far as there are any: `mp.conv_filter_grad` is the sum of the
    parts. Products and sums are kept in `acc`; each sum is rounded to the result's type, to nearest even.

    Constraints:
    - (C1) Types are those that `mp.conv_filter_grad` takes.
    - (C2) Shapes and attributes are, with the result's dimensions behind the first.
    - (C3) `depth` is at least 1; the first dimension of the result is ceil(pixels / depth), at least 1.

    Example:

    ```mlir
    %p = mp.conv_filter_grad_parts %x, %g depth 512 acc f32 {strides = [2, 2], padding = same} : tensor<4x32x32x4xf16>, tensor<4x16x16x8xf16> -> tensor<2x8x3x3x4xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$image, MP_FloatTensor:$gradient, I64Attr:$depth, TypeAttr:$acc,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations,
                       I64Attr:$groups);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $image `,` $gradient `depth` $depth `acc` $acc
    custom<ConvFilterGradParts>(attr-dict, type($image), type($gradient), type($result))
  }];
  let hasVerifier = 1;
}

class MP_PackingOp<string mnemonic, I32EnumCase role> : MP_KernelLevelOp<mnemonic, role, []> {
  let scaling = [MP_Term];
  let rows = MP_AllRows;
  let assemblyFormat = [{
    $input `batches` $batches (`filters` $filters^)? (`transposed` $transposed^)? `panels` $panels
    attr-dict `:` type($input) `->` type($result)
  }];
  let arguments = (ins MP_FloatTensor:$input, I64Attr:$batches, UnitAttr:$filters, UnitAttr:$transposed,
                       MP_PanelsAttr:$panels);
  let results = (outs MP_FloatTensor:$result);
  let hasVerifier = 1;
}
def MP_PackOp : MP_PackingOp<"pack", MP_RolePack> {
  let summary = "an operand of a product in the order in which register tiles read it";
  let extraClassDeclaration = [{
    ::mp::PackedMatrix getMatrix();
    /// Where the operand has the matrices' elements.
    ::mp::IndexMap getMap();
  }];
  let description = [{
    The operand is `batches` matrices [rows x k], or [k x rows] where they lie `transposed`; further leading dimensions
    count as rows. `filters` [K, taps..., C] are one matrix with a row for each filter, [K x taps * C], as `mp.conv` reads
    them, or `transposed` one with a row for each channel, [taps * K x C] with the last tap first, as `mp.conv_transpose`
    does. The result is [batches][chunks][panels][elements of a panel], see `#mp.panels`. Its elements may be of a
    wider type, which holds them exactly, or bf16 in parts: two of f16 or three of f32 hold it exactly, two of f32 have
    its 16 leading bits.

    Constraints:
    - (C1) The operand has two dimensions or more, and `batches` divides its leading ones; of `filters` it has three or
      more, and `batches` is 1.
    - (C2) The result has the shape that follows; its element type holds all values of the operand's, or is bf16 for
      parts of f16 or f32.

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
    /// Where the result has the matrices' elements.
    ::mp::IndexMap getMap();
  }];
  let description = [{
    The inverse of `mp.pack`. Stands in the kernel of the product that reads the result, which finds there how the operand
    lies; nothing is unpacked.

    Constraints:
    - (C1) The result has two dimensions or more, and `batches` divides its leading ones; of `filters` it has three or
      more, and `batches` is 1.
    - (C2) The operand has the shape that follows, and an element type that holds all values of the result's, or bf16 for
      parts of f16 or f32.

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

def MP_RowBlockMomentsOp : MP_KernelLevelOp<"row_block_moments", MP_RoleTile> {
  let scaling = [MP_Nonlinear];
  let rows = MP_AllRows;
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 4; } }];
  let summary = "for each block of rows the sum of each column, and of squares without its mean";
  let description = [{
    Dimensions of `input` but the last count as rows. Of rows [b * block, (b + 1) * block), as far as there are rows, in f32:
    `sums[b, j]` is the sum of `input[i, j]`; `shifts[b, j]` is the first of them, 0 where that is not finite, and
    `differences[b, j]` the sum of `input[i, j] - shifts[b, j]`, which has digits where `sums` has none left; `squares[b, j]`
    is the sum of `(input[i, j] - m)^2`, where m is their mean. They are what a batch norm needs of its input, as far as the
    blocks of the product that makes it know it.

    Constraints:
    - (C1) `input` has two dimensions or more, of f16, bf16 or f32.
    - (C2) `block` is at least 1; the results have ceil(rows / block) rows.

    Example:

    ```mlir
    %s, %f, %d, %q = mp.row_block_moments %z block 64 : tensor<4x5x5x8xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, I64Attr:$block);
  let results = (outs MP_F32Tensor:$sums, MP_F32Tensor:$shifts, MP_F32Tensor:$differences, MP_F32Tensor:$squares);
  let assemblyFormat = "$input `block` $block attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def MP_RecenterSquaresOp : MP_KernelLevelOp<"recenter_squares", MP_RoleMap,
    [AllTypesMatch<["shifts", "differences", "squares", "result"]>]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Nonlinear];
  let rows = MP_AllRows;
  let extraClassDeclaration = [{ int64_t getOperationsPerElement() { return 6; } }];
  let summary = "the squares of mp.row_block_moments about a center that all blocks share";
  let description = [{
    The sum of `(x - center[j])^2` over the elements of each block whose moments the operands are:
    `squares[b, j] + n * ((shifts[b, j] - center[j]) + differences[b, j] / n)^2`, n being the rows of block b of `rows` in
    all (Chan, Golub and LeVeque 1979). In f32, each operation rounded.

    Constraints:
    - (C1) `shifts` is a matrix with a row for each block, `center` has an element for each of its columns.
    - (C2) `block` is at least 1.

    Example:

    ```mlir
    %r = mp.recenter_squares %f, %d, %q, %mean rows 100 block 64 : tensor<2x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$shifts, MP_F32Tensor:$differences, MP_F32Tensor:$squares, MP_F32Tensor:$center,
                       I64Attr:$rows, I64Attr:$block);
  let results = (outs MP_F32Tensor:$result);
  let assemblyFormat = [{
    $shifts `,` $differences `,` $squares `,` $center `rows` $rows `block` $block attr-dict
    `:` type($shifts) `,` type($center)
  }];
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

#endif // MP_SCHEDULED_OPS_TD
