// Poolings that keep who won.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSEPOOLING_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSEPOOLING_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// mp.max_pool with its gradient -> mp.max_pool_with_indices and mp.max_unpool, where windows are apart.
void populatePoolingPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSEPOOLING_H
