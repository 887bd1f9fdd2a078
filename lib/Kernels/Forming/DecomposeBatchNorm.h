// Batch normalization out of reductions and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSEBATCHNORM_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSEBATCHNORM_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Replaces mp.batch_norm, its gradient, its form for inference and mp.update_running. A mean comes before the squares
/// of what is left, so that no large mean hides a small variance. Both are what the kernel of a product says of its
/// rows, where one makes what is normalized.
void populateBatchNormPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSEBATCHNORM_H
