// Depthwise convolutions out of maps and sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSEDEPTHWISE_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSEDEPTHWISE_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Replaces a convolution whose groups have one channel and one filter each, and its gradients, by maps along channels
/// and sums of those: as a product of matrices each group would have one column.
void populateDepthwisePatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSEDEPTHWISE_H
