// Attention out of products, rows and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSEATTENTION_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSEATTENTION_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Replaces mp.attention and its gradient, but for those that a kernel computes without scores in memory: where
/// `onCPU`, what is neither f64 nor draws random numbers. A remark tells the bytes of the scores. Makes mp.dropout.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns, bool onCPU);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSEATTENTION_H
