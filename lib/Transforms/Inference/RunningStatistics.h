// What batches were like in training, where one is not looked at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_INFERENCE_RUNNINGSTATISTICS_H
#define MP_LIB_TRANSFORMS_INFERENCE_RUNNINGSTATISTICS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mp {

/// Replaces each mp.batch_norm whose statistics a state keeps by mp.batch_norm_inference of that state. One that no
/// state keeps stays, one of which half is kept is an error.
llvm::LogicalResult useRunningStatistics(mlir::func::FuncOp program);

/// Refuses an mp.batch_norm of one value of each channel, which is its own mean: the variance is 0, and the unbiased
/// one nothing. torch.nn.functional.batch_norm refuses it in training.
llvm::LogicalResult verifyBatchStatistics(mlir::func::FuncOp program);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_INFERENCE_RUNNINGSTATISTICS_H
