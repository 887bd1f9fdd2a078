// Running sums out of shifts and additions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSESCAN_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSESCAN_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// mp.cumsum in slices, pads and additions.
void populateScanPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSESCAN_H
