// Folds that passes ask for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_FOLDS_H
#define MP_IR_FOLDS_H

#include "mp/IR/MP.h"

namespace mp {

/// Makes each slice of a slice inside of `root` one of what the first is taken of. The first stays, perhaps without a
/// use.
void foldSlices(mlir::Operation *root);

} // namespace mp

#endif // MP_IR_FOLDS_H
