// The scalar forms that have a file of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_FORMS_H
#define MP_LIB_CODEGEN_FORMS_FORMS_H

#include "Codegen/Forms/Scalars.h"

namespace mp {

using FormResult = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;

/// Words of Philox that all elements share: both of the key, both of the step.
ScalarParts buildDropoutParts(LaneBuilder &b, mlir::Value seed, mlir::Value step);
FormResult buildDropout(LaneBuilder &b, DropoutOp op, const ScalarOperands &in);

FormResult buildSGD(LaneBuilder &b, SGDOp op, const ScalarOperands &in);

/// learning_rate / c1, sqrt(c2) and, for weight decay apart, 1 - learning_rate * weight_decay.
ScalarParts buildAdamParts(LaneBuilder &b, AdamOp op, mlir::Value learningRate, mlir::Value step);
ScalarParts buildAdamParts(LaneBuilder &b, AdamWOp op, mlir::Value learningRate, mlir::Value step);
FormResult buildAdam(LaneBuilder &b, AdamOp op, const ScalarOperands &in);
FormResult buildAdam(LaneBuilder &b, AdamWOp op, const ScalarOperands &in);

FormResult buildLossScaling(LaneBuilder &b, UpdateLossScaleOp op, const ScalarOperands &in);
FormResult buildLossScaling(LaneBuilder &b, CountSkipsOp op, const ScalarOperands &in);
FormResult buildLossScaling(LaneBuilder &b, AdvanceOp op, const ScalarOperands &in);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_FORMS_H
