// What each target makes of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Pipeline/Settings.h"

using namespace mlir;

namespace mp {

/// The programs a job runs, without the model that they were made from.
static SmallVector<func::FuncOp> programsToEmit(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(), [](func::FuncOp func) {
    std::optional<ProgramKind> kind = getProgramKind(func);
    return kind && *kind != ProgramKind::Model;
  });
}

static std::string printNumber(Attribute number) {
  if (auto integer = dyn_cast<IntegerAttr>(number))
    return std::to_string(integer.getInt());
  SmallString<16> text;
  cast<FloatAttr>(number).getValue().toString(text);
  return text.str().str();
}

/// What the passes left for the trainer and for people.
static void addMetadata(ArrayRef<func::FuncOp> programs, JobBuilder &builder) {
  static constexpr std::pair<StringLiteral, StringLiteral> kKeys[] = {
      {names::skipLimit, "skip_limit"},
      {names::raiseErrorAtMinScale, "raise_error_at_min_scale"},
      {names::microBatches, "micro_batches"},
  };
  for (auto [name, key] : kKeys) {
    const auto *holder = llvm::find_if(programs, [&](func::FuncOp func) { return func->hasAttr(name); });
    if (holder != programs.end())
      builder.addMetadata(key, printNumber(func::FuncOp(*holder)->getAttr(name)));
  }
}

static void addStatistics(ArrayRef<func::FuncOp> programs, const llvm::StringMap<OpStatistics> &statistics,
                          JobBuilder &builder) {
  for (func::FuncOp func : programs) {
    auto found = statistics.find(func.getName());
    if (found == statistics.end())
      continue;
    executable::StatisticsT &row = builder.statisticsOf(func);
    row.casts = found->second.casts;
    for (const auto &[type, count] : found->second.opsByType) {
      auto &ops = row.ops_by_type.emplace_back(std::make_unique<executable::OpCountT>());
      ops->type = type;
      ops->count = count;
    }
  }
}

void startExecutable(ModuleOp module, const CompileOptions &options, std::optional<JobBuilder> &builder) {
  SmallVector<func::FuncOp> programs = programsToEmit(module);
  if (builder || programs.empty())
    return;
  builder.emplace(module, describePolicy(options.autocast));
  addMetadata(programs, *builder);
}

LogicalResult emitTarget(ModuleOp module, const CompileOptions &options,
                         const llvm::StringMap<OpStatistics> &statistics, std::optional<JobBuilder> &builder,
                         Compilation &result) {
  SmallVector<func::FuncOp> programs = programsToEmit(module);
  if (programs.empty())
    return module.emitError("nothing to compile: the module holds no program but a model");
  startExecutable(module, options, builder);
  if (options.target == "reference") {
    for (func::FuncOp func : programs)
      if (failed(addReferenceVariant(func, *builder)))
        return failure();
  } else {
    CodegenOptions codegen;
    codegen.keepText =
        options.compileTo == Stage::LLVM || options.compileTo == Stage::Assembly || !options.dumpDirectory.empty();
    codegen.reportAccesses = options.reportAccesses;
    codegen.cacheDirectory = options.cacheDirectory;
    FailureOr<SmallVector<LaunchPlan>> plans = planPrograms(programs);
    if (failed(plans))
      return failure();
    auto compileForTarget = isGPUTarget(options.target) ? compileForGPU : compileForCPU;
    VariantTarget target;
    FailureOr<CompiledCode> code = compileForTarget(kernelsOf(*plans), options, codegen, target);
    if (failed(code))
      return failure();
    result.llvm += code->llvm;
    result.assembly += code->assembly;
    if (failed(addPlannedVariants(programs, *plans, std::move(*code), target, *builder)))
      return failure();
  }
  addStatistics(programs, statistics, *builder);
  return success();
}

} // namespace mp
