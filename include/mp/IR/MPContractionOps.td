// Matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CONTRACTION_OPS_TD
#define MP_CONTRACTION_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_MatmulOp : MP_Op<"matmul", MP_Allow, MP_Differentiable, MP_RoleContraction,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_ContractionOpInterface, ["cloneAsParts", "readTransposed"]>,
     DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Factor, MP_Factor, MP_Term];
  let rows = MP_RowsAlong<"{getContractionDimension()}">;
  let listedAs = "matmul";
  let extraClassDeclaration = [{
    /// The dimension of `lhs` that is k.
    int64_t getContractionDimension() { return getLhs().getType().getRank() - (getTransposeLhs() ? 2 : 1); }
    /// The size of k, -1 while it is open.
    int64_t getContractionSize();
    int64_t getOperationsPerElement() { return 2 * getContractionSize(); }
    bool takesTransposes() { return true; }
  }];
  let summary = "matrix product with a stated accumulator";
  let description = [{
    Computes `result[..., i, j] = sum_k lhs[..., i, k] * rhs[..., k, j] + bias[j]`. Products and sums are kept in `acc`,
    to which `bias` is added; the result is rounded once, at the end, to nearest even. `transpose_lhs` reads `lhs` as
    `[..., k, i]`, `transpose_rhs` reads `rhs` as `[..., j, k]`.

    Constraints:
    - (C1) `lhs` and `rhs` have the same float element type, `result` that type or `acc`.
    - (C2) `lhs` and `rhs` have at least rank 2 and agree in k.
    - (C3) Leading (batch) dimensions of `lhs` and `rhs` are the same, or `rhs` has rank 2 and serves every batch.
    - (C4) `bias` has rank 1, size j, and the element type of `lhs` or `acc`.
    - (C5) `acc` is f32 for f16, bf16 and f32 operands (f16 operands may state f16), f64 for f64 operands.
    - (C6) The result has the batch dimensions of `lhs`, then i and j.

    Example:

    ```mlir
    %c = mp.matmul %a, %b acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
    %d = mp.matmul %a, %e transpose_rhs bias %f : tensor<2xf16> acc f32 : tensor<4x8xf16>, tensor<2x8xf16> -> tensor<4x2xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$lhs, MP_FloatTensor:$rhs, Optional<MP_FloatTensor>:$bias,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs, TypeAttr:$acc);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)?
    (`bias` $bias^ `:` type($bias))? `acc` $acc attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // MP_CONTRACTION_OPS_TD
