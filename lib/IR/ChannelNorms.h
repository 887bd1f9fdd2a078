// What norms of channels have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_CHANNELNORMS_H
#define MP_LIB_IR_CHANNELNORMS_H

#include "mlir/IR/Operation.h"

namespace mp {

/// An operand with one value for each channel, and what errors call it.
struct ChannelOperand {
  mlir::Value value;
  llvm::StringRef name;
};

/// The first operand of `op` is [N, spatial..., C], each of `operands` has one element for each channel, and `epsilon`
/// is a number that may be added to a variance.
llvm::LogicalResult verifyNormOfChannels(mlir::Operation *op, const llvm::APFloat &epsilon,
                                         llvm::ArrayRef<ChannelOperand> operands);

} // namespace mp

#endif // MP_LIB_IR_CHANNELNORMS_H
