// The largest elements of each row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOP_K_OPS_TD
#define MP_TOP_K_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_TopKOp : MP_Op<"top_k", MP_Clear, MP_Differentiable, MP_RoleMap,
    [Pure, MP_InferredTypes, DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Term];
  let rows = MP_RowsAlong<"::mp::detail::lastDimension(*this)">;
  let listedAs = "topk / sort / argsort";
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &) { return true; }
    int64_t getOperationsPerElement();
  }];
  let summary = "the largest elements of each row and where they are";
  let description = [{
    The `k` largest elements along the last dimension, the largest first, and their indices there; of equal ones the first comes first.
    NaN is larger than every number, as in PyTorch. With k the size of the dimension rows are sorted. Each element of a result looks
    at its row once for each place up to its own: the time is that of k^2 / 2 walks along a row.

    Constraints:
    - (C1) The operand has at least rank 1, and its last dimension is not open and less than 2^31.
    - (C2) `k` is at least 1 and at most the size of that dimension.

    Example:

    ```mlir
    %v, %i = mp.top_k %x k 3 : tensor<4x10xf16> -> tensor<4x3xf16>, tensor<4x3xi32>
    ```
  }];
  let arguments = (ins MP_NumberTensor:$input, I64Attr:$k);
  let results = (outs MP_NumberTensor:$values, RankedTensorOf<[I32]>:$indices);
  let assemblyFormat = "$input `k` $k attr-dict `:` type($input) `->` type($values) `,` type($indices)";
}

def MP_TopKGradOp : MP_Op<"top_k_grad", MP_Clear, MP_NotDifferentiable, MP_RoleMap,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>]> {
  let scaling = [MP_Independent, MP_Term];
  let rows = MP_RowsAlong<"::mp::detail::lastDimension(*this)">;
  let listedAs = "topk / sort / argsort";
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &) { return true; }
    int64_t getOperationsPerElement();
  }];
  let summary = "gradient of mp.top_k";
  let description = [{
    `result[..., j]` is the sum of `gradient[..., i]` over all i with `indices[..., i] == j`, in f32 (f64 for f64) in the order of
    i, rounded once: 0 where no index is j. An index that is none of the result's adds nothing.

    Constraints:
    - (C1) `indices` and `gradient` have one shape, of at least rank 1.
    - (C2) The result has that shape but for its last dimension, whose size is not open, and the element type of `gradient`.

    Example:

    ```mlir
    %gx = mp.top_k_grad %i, %gv : tensor<4x3xi32>, tensor<4x3xf16> -> tensor<4x10xf16>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$indices, MP_FloatTensor:$gradient);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = "$indices `,` $gradient attr-dict `:` type($indices) `,` type($gradient) `->` type($result)";
  let hasVerifier = 1;
}

#endif // MP_TOP_K_OPS_TD
