// From programs to an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Analysis/Tuning.h"
#include "mp/Base/Names.h"
#include "mp/Pipeline/Settings.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mp {

/// The programs a job runs, without the model that they were made from. `apply` has no rows: that of one batch is that
/// of every other.
static SmallVector<func::FuncOp> programsToEmit(ModuleOp module) {
  const SmallVector<func::FuncOp> applies = getPrograms(module, ProgramKind::Apply);
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(), [&](func::FuncOp func) {
    std::optional<ProgramKind> kind = getProgramKind(func);
    const bool isRepeated = kind == ProgramKind::Apply && func != applies.front() &&
                            func->getAttr(names::batch) != applies.front()->getAttr(names::batch);
    return kind && *kind != ProgramKind::Model && !isRepeated;
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

/// Which rates types depend on, where those are no row of the table.
static LogicalResult addTuning(ModuleOp module, const CompileOptions &options, JobBuilder &builder) {
  if (options.autocast.tuning.empty())
    return success();
  ErrorOr<Tuning> tuning = readTuning(options.autocast.tuning, machineOfTypes(options));
  if (!tuning)
    return emitError(UnknownLoc::get(module.getContext())) << tuning.message();
  builder.addMetadata(metadata::tuning, tuning->hash);
  return success();
}

LogicalResult emitPrograms(ModuleOp module, const CompileOptions &options, std::optional<JobBuilder> &builder,
                           Compilation &result) {
  SmallVector<func::FuncOp> programs = programsToEmit(module);
  if (programs.empty())
    return module.emitError("nothing to compile: the module holds no program but a model");
  if (!builder) {
    AutocastPassOptions policy = options.autocast;
    if (auto chosen = module->getAttrOfType<TypeAttr>(names::lowType)) {
      policy.lowType.clear();
      llvm::raw_string_ostream(policy.lowType) << chosen.getValue();
    }
    builder.emplace(module, describePolicy(policy));
    addMetadata(programs, *builder);
    if (failed(addTuning(module, options, *builder)))
      return failure();
  }
  return targetOf(options).emit(programs, options, *builder, result);
}

// Targets with code

/// What a launch runs: one kernel of the code in `blob`.
static void setCode(executable::LaunchT &launch, uint32_t blob, const CompiledKernel &compiled) {
  launch.symbol = compiled.symbol;
  launch.blob = blob;
  launch.grid = compiled.grid;
  launch.scratch_bytes = compiled.scratchBytes;
  launch.threads = compiled.threads;
  launch.shared_bytes = compiled.sharedBytes;
  launch.buffers_in_memory = compiled.buffersInMemory;
}

static CodegenOptions codegenOptionsOf(const CompileOptions &options) {
  CodegenOptions codegen;
  codegen.keepText =
      options.compileTo == Stage::LLVM || options.compileTo == Stage::Assembly || !options.dumpDirectory.empty();
  codegen.reportAccesses = options.reportAccesses;
  codegen.cacheDirectory = options.cacheDirectory;
  if (options.onProgress)
    codegen.onProgress = [&options](size_t done, size_t count) { options.onProgress("kernels", done, count); };
  return codegen;
}

LogicalResult CodeTarget::emit(ArrayRef<func::FuncOp> programs, const CompileOptions &options, JobBuilder &builder,
                               Compilation &result) const {
  std::vector<std::pair<executable::VariantT *, LaunchPlan>> variants;
  SmallVector<KernelOp> kernels;
  for (func::FuncOp func : programs) {
    FailureOr<executable::VariantT *> variant = builder.addVariant(func, getName());
    if (failed(variant))
      return failure();
    FailureOr<LaunchPlan> plan = buildLaunchPlan(func, [&](StringRef state) { return builder.stateIndex(state); });
    if (failed(plan))
      return failure();
    llvm::append_range(kernels, plan->kernels);
    variants.emplace_back(*variant, std::move(*plan));
  }
  FailureOr<CompiledCode> code = compile(kernels, options, codegenOptionsOf(options));
  if (failed(code))
    return failure();
  result.llvm += code->llvm;
  result.assembly += code->assembly;
  const uint32_t blob = builder.addBlob(getCodeKind(), std::move(code->library));
  const CompiledKernel *next = code->kernels.data();
  for (auto &[variant, plan] : variants) {
    const KernelOp *kernel = plan.kernels.data();
    for (const auto &command : plan.commands)
      if (executable::LaunchT *launch = command->what.AsLaunch()) {
        setCode(*launch, blob, *next++);
        launch->modelled_seconds = modelSeconds(*kernel++, options);
      }
    variant->commands = std::move(plan.commands);
    variant->features = getFeatures(options);
    variant->arena_bytes = plan.arenaBytes;
    if (!plan.constants.empty())
      variant->constants = builder.addBlob(executable::BlobKind::Constants, std::move(plan.constants));
    variant->statistics->kernels = plan.kernels.size();
    variant->statistics->peak_bytes = plan.peakBytes;
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

std::string machineOfTypes(const CompileOptions &options) {
  const Target &target = targetOf(options);
  return (target.isGPU() ? target : cpuTarget()).getMachine(options);
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
