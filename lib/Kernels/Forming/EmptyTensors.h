// What ops make of no elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_EMPTYTENSORS_H
#define MP_LIB_KERNELS_FORMING_EMPTYTENSORS_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Patterns after which no op reads a tensor of no elements, and only constants have that type: kernels and launches
/// are of sizes that are at least 1.
void populateEmptyTensorPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_EMPTYTENSORS_H
