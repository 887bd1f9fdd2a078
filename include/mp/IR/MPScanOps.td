// Running sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_SCAN_OPS_TD
#define MP_SCAN_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_CumsumOp : MP_Op<"cumsum", MP_Deny, MP_Differentiable, MP_RoleComposite, 
    [Pure, SameOperandsAndResultType, MP_OrderOpInterface]> {
  let scaling = [MP_Term];
  let rows = MP_RowsAlong<"{static_cast<int64_t>(getDimension())}">;
  let listedAs = "cumsum / cumprod";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement(); }];
  let summary = "sum of the elements up to each along a dimension";
  let description = [{
    NumPy's `cumsum`: of an element and all before it; with `exclusive` of those before it alone, with `reverse` of those
    behind it instead. Summed in f32 (f64 for f64), pairs of stretches of 1, 2, 4, ... elements, and rounded once. Its gradient
    is the sum in the other direction.

    Constraints:
    - (C1) `dimension` is inside the operand's rank.

    Example:

    ```mlir
    %s = mp.cumsum %x dimension 1 : tensor<4x8xf32>
    %t = mp.cumsum %x dimension 1 exclusive reverse : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_Dimension:$dimension, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `dimension` $dimension (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

#endif // MP_SCAN_OPS_TD
