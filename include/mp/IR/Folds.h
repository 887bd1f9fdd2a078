// Folds that passes ask for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_FOLDS_H
#define MP_IR_FOLDS_H

#include "mp/IR/MP.h"

namespace mp {

/// Makes each slice of a slice inside of `root` one of what the first is taken of. The first stays, perhaps without a
/// use.
void foldSlices(mlir::Operation *root);

/// Puts the operand in the place of each op inside of `root` that is about gradients alone (mp.stop_gradient): where
/// they have been built, or are not asked for.
void dropGradientRules(mlir::Operation *root);

} // namespace mp

#endif // MP_IR_FOLDS_H
