// From programs to an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Pipeline/Settings.h"

#include "llvm/ADT/StringExtras.h"

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
  static constexpr std::pair<StringLiteral, const char *> kKeys[] = {
      {names::skipLimit, metadata::skipLimit},
      {names::raiseErrorAtMinScale, metadata::raiseErrorAtMinScale},
      {names::microBatches, metadata::microBatches},
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

LogicalResult emitPrograms(ModuleOp module, const CompileOptions &options,
                           const llvm::StringMap<OpStatistics> &statistics, std::optional<JobBuilder> &builder,
                           Compilation &result) {
  SmallVector<func::FuncOp> programs = programsToEmit(module);
  if (programs.empty())
    return module.emitError("nothing to compile: the module holds no program but a model");
  startExecutable(module, options, builder);
  if (failed(targetOf(options).emit(programs, options, *builder, result)))
    return failure();
  addStatistics(programs, statistics, *builder);
  return success();
}

// Targets with code

LogicalResult CodeTarget::emit(ArrayRef<func::FuncOp> programs, const CompileOptions &options, JobBuilder &builder,
                               Compilation &result) const {
  CodegenOptions codegen;
  codegen.keepText =
      options.compileTo == Stage::LLVM || options.compileTo == Stage::Assembly || !options.dumpDirectory.empty();
  codegen.reportAccesses = options.reportAccesses;
  codegen.cacheDirectory = options.cacheDirectory;
  FailureOr<SmallVector<LaunchPlan>> plans = planPrograms(programs);
  if (failed(plans))
    return failure();
  FailureOr<CompiledCode> code = compile(kernelsOf(*plans), options, codegen);
  if (failed(code))
    return failure();
  result.llvm += code->llvm;
  result.assembly += code->assembly;
  const uint32_t blob = builder.addBlob(getCodeKind(), std::move(code->library));
  ArrayRef<CompiledKernel> kernels = code->kernels;
  for (auto [func, plan] : llvm::zip_equal(programs, *plans)) {
    FailureOr<executable::VariantT *> variant = builder.addVariant(func, getName());
    if (failed(variant))
      return failure();
    (*variant)->features = getFeatures(options);
    (*variant)->arena_bytes = plan.arenaBytes;
    if (!plan.constants.empty())
      (*variant)->constants = builder.addBlob(executable::BlobKind::Constants, plan.constants);
    (*variant)->statistics->kernels = plan.kernels;
    (*variant)->statistics->peak_bytes = plan.peakBytes;
    addCommands(plan, blob, kernels, builder, **variant);
  }
  return success();
}

// The table

ArrayRef<const Target *> allTargets() {
  static const Target *const targets[] = {&cpuTarget(), &nvptxTarget(), &simtTarget(), &referenceTarget()};
  return targets;
}

const Target *findTarget(StringRef name) {
  const Target *const *found =
      llvm::find_if(allTargets(), [&](const Target *target) { return target->getName() == name; });
  return found == allTargets().end() ? nullptr : *found;
}

const Target &targetOf(const CompileOptions &options) {
  const Target *target = findTarget(options.target);
  assert(target && "checkTargets refuses any other name");
  return *target;
}

std::string targetNames(llvm::function_ref<bool(const Target &)> is) {
  SmallVector<StringRef> names;
  for (const Target *target : allTargets())
    if (is(*target))
      names.push_back(target->getName());
  const StringRef last = names.pop_back_val();
  return names.empty() ? last.str() : llvm::join(names, ", ") + " or " + last.str();
}

} // namespace mp
