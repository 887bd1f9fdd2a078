//===- Optimizer.cpp - a training step that updates its parameters --------===//

#include "Update.h"

#include "mlir/IR/BuiltinOps.h"

#include <cmath>

namespace mp {
#define GEN_PASS_DEF_OPTIMIZERPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Refuses hyperparameters that no step could use, by the names of the options.
static LogicalResult verifyOptions(ModuleOp module, const OptimizerPassOptions &options) {
  auto error = [&]() -> InFlightDiagnostic { return module.emitError("mp-optimizer: "); };
  auto isRate = [](double value) { return value >= 0 && value < 1; };
  if (!std::isfinite(options.learningRate) || options.learningRate < 0)
    return error() << "learning-rate is finite and at least 0, found " << options.learningRate;
  if (!isRate(options.beta1) || !isRate(options.beta2))
    return error() << "beta1 and beta2 are at least 0 and less than 1, found " << options.beta1 << " and "
                   << options.beta2;
  if (!(options.epsilon >= 0) || !(options.weightDecay >= 0))
    return error() << "epsilon and weight-decay are at least 0, found " << options.epsilon << " and "
                   << options.weightDecay;
  if (!std::isfinite(options.momentum) || options.momentum < 0)
    return error() << "momentum is finite and at least 0, found " << options.momentum;
  if (options.nesterov && options.momentum == 0)
    return error() << "nesterov needs a momentum greater than 0";
  if (options.kind != OptimizerKind::SGD && options.momentum != 0)
    return error() << "momentum is for kind=sgd; Adam has beta1";
  if (!std::isfinite(options.clipNorm) || options.clipNorm < 0)
    return error() << "clip-norm is finite and at least 0, found " << options.clipNorm;
  if (options.accumulate < 1)
    return error() << "accumulate is at least 1, found " << options.accumulate;
  return success();
}

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
    if (failed(verifyOptions(module, options)) || failed(verifyScaled(module)))
      return signalPassFailure();
    SymbolTable symbols(module);
    for (func::FuncOp step : getPrograms(module, ProgramKind::TrainStep)) {
      if (!findResult(step, ResultRole::Gradient))
        continue;
      if (options.accumulate > 1 && failed(addAccumulation(step, symbols, options)))
        return signalPassFailure();
      if (failed(addUpdates(step, options, /*microBatches=*/1)))
        return signalPassFailure();
    }
  }

private:
  OptimizerPassOptions getOptions() {
    return {kind,  learningRate, momentum, nesterov,        weightDecay, beta1,
            beta2, epsilon,      clipNorm, logGradientNorm, accumulate};
  }
};
} // namespace
