// Movements where kernels can take them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_PREPARE_H
#define MP_LIB_KERNELS_FORMING_PREPARE_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Adds the patterns that move data movement out of the way of kernels, none of which changes a value:
/// a transpose of the last two dimensions in front of a contraction becomes its transpose_lhs or transpose_rhs, and a
/// reshape moves in front of the elementwise chain that it follows, so that it is a view of something in memory.
void populatePreparePatterns(mlir::RewritePatternSet &patterns);

/// The one tensor operand of an op that computes each element from the same element of it and from scalars, or null.
mlir::Value getElementwiseSource(mlir::Operation *op);

/// A copy of elementwise `op` that reads `source` instead and has its shape.
mlir::Value cloneOn(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value source);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_PREPARE_H
