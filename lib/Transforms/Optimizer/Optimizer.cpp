// A training step that updates its parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Optimizer/Update.h"

#include "mlir/IR/BuiltinOps.h"
#include "mp/Transforms/Options.h"

namespace mp {
#define GEN_PASS_DEF_OPTIMIZERPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// A step with gradients has been through mp-loss-scaling, whatever mode that chose.
static LogicalResult verifyScaled(ModuleOp module) {
  for (func::FuncOp model : getPrograms(module, ProgramKind::Model))
    return model.emitError(
        "has no gradients to update parameters by; run mp-autodiff and mp-loss-scaling before mp-optimizer");
  for (func::FuncOp step : getPrograms(module, ProgramKind::TrainStep))
    if (findResult(step, ResultRole::Gradient) && !step->hasAttr(names::lossScaling))
      return step.emitError("has gradients that nothing has unscaled or checked; run mp-loss-scaling "
                            "before mp-optimizer (mode=none leaves them unscaled)");
  return success();
}

namespace {
struct OptimizerPass : mp::impl::OptimizerPassBase<OptimizerPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OptimizerPassOptions options = getOptions();
    setOfKind(options);
    if (Status checked = checkOptions(options); !checked.ok()) {
      emitError(UnknownLoc::get(&getContext())) << "mp-optimizer: " << checked.message();
      return signalPassFailure();
    }
    if (failed(verifyScaled(module)))
      return signalPassFailure();
    SymbolTable symbols(module);
    for (func::FuncOp step : getPrograms(module, ProgramKind::TrainStep)) {
      if (!findResult(step, ResultRole::Gradient))
        continue;
      if (options.accumulate > 1 && failed(addAccumulation(step, symbols, options)))
        return signalPassFailure();
      if (failed(addUpdates(step, options, /*microBatches=*/1)))
        return signalPassFailure();
      if (options.accumulate > 1)
        endAccumulation(step);
    }
  }

private:
  OptimizerPassOptions getOptions() {
    OptimizerPassOptions options;
    options.kind = kind;
    options.learningRate = learningRate;
    options.momentum = momentum;
    options.nesterov = nesterov;
    options.weightDecay = weightDecay;
    options.beta1 = beta1;
    options.beta2 = beta2;
    options.epsilon = epsilon;
    options.alpha = alpha;
    options.centered = centered;
    options.learningRateDecay = learningRateDecay;
    options.initialAccumulatorValue = initialAccumulatorValue;
    options.momentumDecay = momentumDecay;
    options.clipNorm = clipNorm;
    options.clipParameterNorm = clipParameterNorm;
    options.clipValue = clipValue;
    options.logGradientNorm = logGradientNorm;
    options.accumulate = accumulate;
    return options;
  }
};
} // namespace
