//===- Training.cpp - the passes that make a model train ------------------===//

#include "mp/Transforms/Training.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mp;

namespace {
/// The passes of the pipeline in their order; each may be missing.
struct TrainingPasses {
  std::unique_ptr<Pass> specialize, autocast, lossScaling, optimizer;

  void addTo(OpPassManager &manager) {
    if (specialize)
      manager.addPass(std::move(specialize));
    manager.addPass(std::move(autocast));
    manager.addPass(createInferencePass());
    manager.addPass(createAutodiffPass());
    manager.addPass(std::move(lossScaling));
    manager.addPass(std::move(optimizer));
    manager.addNestedPass<func::FuncOp>(createVerifyScalednessPass());
  }
};

/// The text of the options; what a section in braces holds is the pass's to read.
struct TrainingPipelineOptions : PassPipelineOptions<TrainingPipelineOptions> {
  Option<int64_t> batch{*this, "batch", llvm::cl::desc("The number of rows; 0: every size is stated in the model"),
                        llvm::cl::init(0)};
  Option<bool> pad{*this, "pad", llvm::cl::desc("Weigh rows, so that a batch may hold rows that only fill it up"),
                   llvm::cl::init(false)};
  Option<std::string> policy{*this, "policy", llvm::cl::desc("The policy of mp-autocast"),
                             llvm::cl::init("mixed_float16")};
  Option<std::string> autocast{*this, "autocast", llvm::cl::desc("Further options of mp-autocast, in braces")};
  Option<std::string> lossScaling{*this, "loss-scaling", llvm::cl::desc("Options of mp-loss-scaling, in braces")};
  Option<std::string> optimizer{*this, "optimizer", llvm::cl::desc("Options of mp-optimizer, in braces")};
};
} // namespace

void mp::buildTrainingPipeline(OpPassManager &manager, const TrainingOptions &options) {
  TrainingPasses passes;
  if (options.specialize.batch != 0)
    passes.specialize = createSpecializePass(options.specialize);
  passes.autocast = createAutocastPass(options.autocast);
  passes.lossScaling = createLossScalingPass(options.lossScaling);
  passes.optimizer = createOptimizerPass(options.optimizer);
  passes.addTo(manager);
}

static LogicalResult parseTrainingPipeline(OpPassManager &manager, StringRef text,
                                           llvm::function_ref<LogicalResult(const Twine &)> error) {
  TrainingPipelineOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  AutocastPassOptions autocast;
  autocast.policy = options.policy;
  TrainingPasses passes;
  if (options.batch != 0)
    passes.specialize = createSpecializePass({options.batch, options.pad});
  passes.autocast = createAutocastPass(autocast);
  passes.lossScaling = createLossScalingPass();
  passes.optimizer = createOptimizerPass();
  if (failed(passes.autocast->initializeOptions(options.autocast, error)) ||
      failed(passes.lossScaling->initializeOptions(options.lossScaling, error)) ||
      failed(passes.optimizer->initializeOptions(options.optimizer, error)))
    return failure();
  passes.addTo(manager);
  return success();
}

void mp::registerTrainingPipeline() {
  registerPassPipeline(
      "mp-training", "from a model to the programs that train, evaluate and run it", parseTrainingPipeline,
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) { handle(TrainingPipelineOptions()); });
}
