// The compiler on one screen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

#include "mp/IR/Program.h"
#include "mp/Kernels/Passes.h"
#include "mp/Pipeline/Target.h"
#include "mp/Transforms/Explain.h"
#include "mp/Transforms/Options.h"

using namespace mlir;

namespace mp {

static void buildSpecialize(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createSpecializePass(options.specialize));
}
static AutocastPassOptions autocastOptions(const CompileOptions &options) {
  AutocastPassOptions own = options.autocast;
  own.features = machineOfTypes(options);
  own.training = options.training;
  return own;
}
static void buildCancelTransposes(OpPassManager &manager, const CompileOptions &options) {
  if (options.cancelTransposes)
    manager.addNestedPass<func::FuncOp>(createCancelTransposesPass());
}
static void buildAutocast(OpPassManager &manager, const CompileOptions &options) {
  buildCancelTransposes(manager, options);
  manager.addPass(createAutocastPass(autocastOptions(options)));
}
static void buildInference(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createInferencePass());
  // Where there is no training, nothing later adds them.
  if (!options.training && options.derivedWeights)
    manager.addPass(createDerivedWeightsPass());
}
static void buildAutodiff(OpPassManager &manager, const CompileOptions &) { manager.addPass(createAutodiffPass()); }
static void buildLossScaling(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createLossScalingPass(options.lossScaling));
}
static void buildOptimizer(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createOptimizerPass(options.optimizer));
  manager.addNestedPass<func::FuncOp>(createVerifyScalednessPass());
  if (options.derivedWeights)
    manager.addPass(createDerivedWeightsPass());
}

/// What the policy says, for the option that the user did not give. mp-autocast refuses a policy that cannot be read.
static bool allowsReducedPrecisionReduction(const CompileOptions &options) {
  const bool areGiven =
      options.allowFP16ReducedPrecisionReduction.has_value() && options.allowBF16ReducedPrecisionReduction.has_value();
  if (areGiven)
    return false;
  ErrorOr<PrecisionPolicy> policy = loadPolicy(options.autocast);
  return policy && policy->allowsReducedPrecisionReduction();
}

static void buildKernels(OpPassManager &manager, const CompileOptions &options) {
  OpPassManager &programs = manager.nest<func::FuncOp>();
  programs.addPass(createDecomposePass({.features = targetOf(options).getMachine(options)}));
  programs.addPass(createPadChannelsPass({.features = targetOf(options).getMachine(options)}));
  programs.addPass(createCSEPass());
  programs.addPass(createFormKernelsPass());
  // Cutting k asks the scheduler of kernels, so that both are given the same.
  const bool allowsReduction = allowsReducedPrecisionReduction(options);
  const auto forProducts = [&](auto own) {
    own.features = targetOf(options).getMachine(options);
    own.allowTF32 = options.allowTF32;
    own.allowFP16ReducedPrecisionReduction = options.allowFP16ReducedPrecisionReduction.value_or(allowsReduction);
    own.allowBF16ReducedPrecisionReduction = options.allowBF16ReducedPrecisionReduction.value_or(allowsReduction);
    own.allowBF16x3 = options.allowBF16x3;
    own.allowBF16x6 = options.allowBF16x6;
    own.allowBF16x9 = options.allowBF16x9;
    return own;
  };
  programs.addPass(createSplitContractionsPass(forProducts(SplitContractionsPassOptions())));
  programs.addPass(createScheduleKernelsPass(forProducts(ScheduleKernelsPassOptions())));
  programs.addPass(createPackOperandsPass());
  // Which weights lie packed is a matter of all programs.
  manager.addPass(createPackWeightsPass());
  OpPassManager &packed = manager.nest<func::FuncOp>();
  packed.addPass(createReduceInTilesPass({.features = targetOf(options).getMachine(options)}));
  packed.addPass(createPoolInBlocksPass());
  packed.addPass(createPlanBuffersPass());
  VerifyKernelsPassOptions verify;
  verify.scheduled = verify.planned = true;
  packed.addPass(createVerifyKernelsPass(verify));
}

// The compiler, top to bottom.
static constexpr StageInfo kStages[] = {
    {Stage::Specialize, "specialize", ".mlir", buildSpecialize},
    {Stage::Autocast, "autocast", ".mlir", buildAutocast},
    {Stage::Inference, "inference", ".mlir", buildInference},
    {Stage::Autodiff, "autodiff", ".mlir", buildAutodiff},
    {Stage::LossScaling, "loss-scaling", ".mlir", buildLossScaling},
    {Stage::Optimizer, "optimizer", ".mlir", buildOptimizer},
    {Stage::Kernels, "kernels", ".mlir", buildKernels},
    {Stage::LLVM, "llvm", ".ll", nullptr},
    {Stage::Assembly, "asm", ".s", nullptr},
    {Stage::Executable, "executable", ".mpx", nullptr},
};

ArrayRef<StageInfo> stageTable() { return kStages; }

StringRef stageName(Stage stage) { return kStages[static_cast<size_t>(stage)].name; }

std::optional<Stage> parseStage(StringRef name) {
  for (const StageInfo &info : kStages)
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}

std::string stageNames() {
  return llvm::join(llvm::map_range(kStages, [](const StageInfo &info) { return info.name.str(); }), ", ");
}

bool appliesTo(const StageInfo &stage, const CompileOptions &options) {
  if (stage.stage > options.compileTo)
    return false;
  switch (stage.stage) {
  case Stage::Specialize:
    return options.specialize.batch != 0;
  case Stage::Autodiff:
  case Stage::LossScaling:
  case Stage::Optimizer:
    return options.training;
  case Stage::Kernels:
    return stage.stage <= targetOf(options).getLastPasses();
  default:
    return true;
  }
}

FailureOr<PrecisionReport> explainPrecision(ModuleOp module, const CompileOptions &options) {
  PrecisionReport report;
  PassManager manager(module.getContext());
  if (options.specialize.batch != 0)
    buildSpecialize(manager, options);
  buildCancelTransposes(manager, options);
  manager.addPass(createAutocastPass(autocastOptions(options), report));
  if (failed(manager.run(module)))
    return failure();
  if (!report.empty())
    return report;
  for (auto func : module.getOps<func::FuncOp>())
    if (std::optional<ProgramKind> kind = getProgramKind(func))
      return func.emitError("is the program ")
             << stringifyProgramKind(*kind) << ", which a stage behind autocast made of a model; expected the model";
  return report;
}

void buildPipeline(OpPassManager &manager, const CompileOptions &options) {
  for (const StageInfo &stage : kStages)
    if (stage.build && appliesTo(stage, options))
      stage.build(manager, options);
}

} // namespace mp
