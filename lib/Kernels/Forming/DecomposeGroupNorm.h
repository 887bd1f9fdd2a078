// Group normalization out of rows, reductions and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSEGROUPNORM_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSEGROUPNORM_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// mp.group_norm and its gradient in what rows are normalized by.
void populateGroupNormPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSEGROUPNORM_H
