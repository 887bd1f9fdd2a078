// Which inputs are labels, and of how many classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_INFERENCE_LABELS_H
#define MP_LIB_TRANSFORMS_INFERENCE_LABELS_H

#include "mlir/IR/BuiltinOps.h"

namespace mp {

/// Marks the inputs of the module's programs: `mp.label` where no output of a program needs them, `mp.classes` where an
/// op reads them as classes, `mp.ignored_label` where one of those that are none does not count. An input has both in
/// every program, whether or not that has the op or the output.
void markLabels(mlir::ModuleOp module);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_INFERENCE_LABELS_H
