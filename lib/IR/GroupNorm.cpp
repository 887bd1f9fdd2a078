// Normalization of groups of channels: the types of results and the constraints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

#include "IR/ChannelNorms.h"

using namespace mlir;
using namespace mp;

LogicalResult GroupNormGradOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor op,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(op.getInput().getType());
  types.append(2, op.getScale().getType());
  return success();
}

static LogicalResult verifyGroups(Operation *op, int64_t groups) {
  RankedTensorType input = typeOf(op->getOperand(0));
  if (llvm::is_contained(input.getShape().drop_front(), 0))
    return violates(op, 1) << "operand is " << input << ", expected channels and places";
  if (const int64_t channels = input.getShape().back(); groups < 1 || channels % groups != 0)
    return violates(op, 4) << "groups is " << groups << ", expected a divisor of the " << channels << " channels";
  return success();
}

LogicalResult GroupNormOp::verify() {
  if (failed(verifyNormOfChannels(*this, getEpsilon(), {{getScale(), "scale"}, {getOffset(), "offset"}})))
    return failure();
  return verifyGroups(*this, static_cast<int64_t>(getGroups()));
}

LogicalResult GroupNormGradOp::verify() {
  if (failed(verifyNormOfChannels(*this, getEpsilon(), {{getScale(), "scale"}})))
    return failure();
  return verifyGroups(*this, static_cast<int64_t>(getGroups()));
}
