// Sums of long columns in two steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSESUMS_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSESUMS_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// mp.reduce_sum of few long columns, over pixels of images first.
void populateSumPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSESUMS_H
