// Rows that only fill up a batch do not count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_SPECIALIZE_ROWWEIGHTS_H
#define MP_LIB_TRANSFORMS_SPECIALIZE_ROWWEIGHTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mp {

/// Gives a specialized program the argument mp.row_weights (tensor<Nxf32>, named "row_weights") and makes it the
/// weights of every op that combines rows (mp.combines_rows, set by mp-specialize); an op that has weights already gets
/// their product. Emits an error and fails where such an op takes no weights, naming it. A program that has row
/// weights, or no batched argument to pad, is left alone.
llvm::LogicalResult addRowWeights(mlir::func::FuncOp program);

/// Whether an op of a specialized program combines rows.
bool combinesRows(mlir::func::FuncOp program);

/// Whether every op of a specialized program that combines rows takes weights for them, so that `addRowWeights`
/// succeeds.
bool canWeighRows(mlir::func::FuncOp program);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_SPECIALIZE_ROWWEIGHTS_H
