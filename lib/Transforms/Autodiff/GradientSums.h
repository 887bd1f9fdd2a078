// What a value's gradient is, of the contributions of all its users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTODIFF_GRADIENTSUMS_H
#define MP_LIB_TRANSFORMS_AUTODIFF_GRADIENTSUMS_H

#include "mp/IR/MP.h"

namespace mp {

/// The sum of `contributions`, of one type, in their order where nothing is to be had by another. Those that are one op
/// over more are one: pieces of a tensor, slices that a scatter adds, products with one result of many rows. What is in
/// front of `seed` is of the forward.
mlir::Value sumContributions(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> contributions,
                             mlir::Operation *seed);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTODIFF_GRADIENTSUMS_H
