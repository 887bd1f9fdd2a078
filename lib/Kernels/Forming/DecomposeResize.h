// Resized images by tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_DECOMPOSERESIZE_H
#define MP_LIB_KERNELS_FORMING_DECOMPOSERESIZE_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// mp.resize and its gradient -> mp.resample.
void populateResizePatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_DECOMPOSERESIZE_H
