// Loss scaling, clipping and LAMB out of reductions and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSETRAINING_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSETRAINING_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Replaces what scales the loss and unscales, checks, measures and clips gradients, and mp.lamb, which measures, too.
/// Partial results are of `partialBlock` elements each.
void populateTrainingPatterns(mlir::RewritePatternSet &patterns, int64_t partialBlock);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSETRAINING_H
