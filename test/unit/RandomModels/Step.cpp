// A model's programs, ready for devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Step.h"

#include "mp/IR/Program.h"
#include "mp/Pipeline/Settings.h"

using namespace mp;

std::set<std::string> mp::opsIn(mlir::ModuleOp module) {
  std::set<std::string> ops;
  module.walk([&](mlir::Operation *op) { ops.insert(op->getName().getStringRef().str()); });
  return ops;
}

ErrorOr<CompileOptions> mp::optionsFor(const RandomModel &model, const std::string &target, const std::string &chip) {
  CompileOptions options;
  for (const auto &[name, value] : model.settings)
    if (Status status = applySetting(options, name, value); !status.ok())
      return status;
  options.target = target;
  if (!chip.empty())
    options.chips = {chip};
  options.reportAccesses = target == "simt";
  // Sums in a narrow type are the user's wish, with errors of their own.
  options.allowFP16ReducedPrecisionReduction = options.allowBF16ReducedPrecisionReduction = false;
  return options;
}

/// Makes every value that the step computes a result of it.
static void returnEverything(mlir::func::FuncOp step) {
  SignatureEdit edit(step);
  unsigned number = 0;
  for (mlir::Operation &op : step.getBody().front().without_terminator())
    for (mlir::Value result : op.getResults())
      edit.addResult(result, ResultRole::Output, "p" + std::to_string(number++));
  edit.commit();
}

ErrorOr<std::unique_ptr<TrainingStep>> TrainingStep::create(const RandomModel &model, std::set<std::string> &seen) {
  ErrorOr<CompileOptions> options = optionsFor(model, "reference", "");
  if (!options)
    return options.status();
  options->compileTo = Stage::Optimizer;
  ProgramText source(model.text());
  if (!source.get())
    return Status::error(source.errors);
  seen.merge(opsIn(source.get()));
  if (failed(source.compile(*options)))
    return Status::error(source.errors);
  mlir::ModuleOp module = source.get();
  for (mlir::func::FuncOp func : llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
    if (const auto kind = getProgramKind(func); kind != ProgramKind::TrainStep && kind != ProgramKind::Derive)
      func.erase();
  seen.merge(opsIn(module));
  if (model.probesAll)
    for (mlir::func::FuncOp step : getPrograms(module, ProgramKind::TrainStep))
      returnEverything(step);
  auto step = std::make_unique<TrainingStep>();
  llvm::raw_string_ostream(step->stepText) << module << '\n';
  step->parsed = std::make_unique<ProgramText>(step->stepText);
  if (!step->parsed->get() || !step->program())
    return makeError("the step does not parse: ", step->parsed->errors, step->stepText);
  return step;
}

mlir::func::FuncOp TrainingStep::program() {
  llvm::SmallVector<mlir::func::FuncOp> steps = getPrograms(parsed->get(), ProgramKind::TrainStep);
  return steps.empty() ? mlir::func::FuncOp() : steps.front();
}
