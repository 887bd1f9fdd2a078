// What batches were like in training, where one is not looked at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Inference/RunningStatistics.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

/// The state that `statistic` of a batch goes into, as it was before the step, or null.
static Value findRunning(Value statistic) {
  for (Operation *user : statistic.getUsers()) {
    auto update = dyn_cast<UpdateRunningOp>(user);
    if (!update || update.getBatch() != statistic)
      continue;
    // A layer that is used twice updates its state twice.
    Value state = update.getOld();
    while (auto before = state.getDefiningOp<UpdateRunningOp>())
      state = before.getOld();
    return state;
  }
  return {};
}

LogicalResult mp::verifyBatchStatistics(func::FuncOp program) {
  WalkResult walked = program.walk([](BatchNormOp norm) {
    auto input = cast<RankedTensorType>(norm.getInput().getType());
    if (!input.hasStaticShape() || input.getNumElements() / input.getShape().back() > 1)
      return WalkResult::advance();
    norm.emitOpError("operand is ") << input
                                    << ", which has 1 value of each channel; expected at least 2 where a batch is "
                                       "normalized by its own statistics, as in training: take a larger batch";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult mp::useRunningStatistics(func::FuncOp program) {
  WalkResult walked = program.walk([](BatchNormOp norm) {
    Value mean = findRunning(norm.getMean()), variance = findRunning(norm.getVariance());
    if (!mean && !variance)
      return WalkResult::advance();
    if (!mean || !variance) {
      norm.emitOpError("has a running ") << (mean ? "mean" : "variance") << " and no running "
                                         << (mean ? "variance" : "mean")
                                         << ", so that nothing says what eval and infer normalize by; keep both by "
                                            "mp.update_running, or neither";
      return WalkResult::interrupt();
    }
    OpBuilder builder(norm);
    Value result =
        BatchNormInferenceOp::create(builder, norm.getLoc(), norm.getInput().getType(), norm.getInput(),
                                     norm.getScale(), norm.getOffset(), mean, variance, norm.getEpsilonAttr());
    norm.getResult().replaceAllUsesWith(result);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
