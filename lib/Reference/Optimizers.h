// What rules of optimizers share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REFERENCE_OPTIMIZERS_H
#define MP_LIB_REFERENCE_OPTIMIZERS_H

#include "Reference/Rules.h"

namespace mp::rules {

/// The one element of an f32 scalar.
inline float scalarOf(mlir::Value value, const Frame &frame) { return frame[value].floats().front(); }

/// On a step that is skipped an optimizer's results are its operands, bit for bit.
bool isSkipped(mlir::Value guard, const Frame &frame);

/// The Euclidean norm of all tensors as one vector.
float normOf(llvm::ArrayRef<Tensor> tensors, const EvaluatorOptions &options);

} // namespace mp::rules

#endif // MP_LIB_REFERENCE_OPTIMIZERS_H
