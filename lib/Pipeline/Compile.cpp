// The stage table and who walks it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Pipeline/Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "mp/Base/WholeFile.h"
#include "mp/Hardware/ChipTable.h"

#include "Pipeline/Stages.h"
#include "Pipeline/Targets.h"

using namespace mlir;

namespace mp {

static std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().enableDebugInfo(false));
  os << '\n';
  return text;
}

/// Writes `text` to DIR/NN-stage.EXT; the numbers sort the files as the stages run.
static LogicalResult dump(ModuleOp module, const CompileOptions &options, const StageInfo &stage, StringRef text) {
  if (options.dumpDirectory.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpDirectory))
    return module.emitError("cannot write to ") << options.dumpDirectory << ": " << error.message();
  llvm::SmallString<128> path(options.dumpDirectory);
  std::string number = std::to_string(static_cast<int>(stage.stage) + 1);
  llvm::sys::path::append(path, std::string(2 - std::min<size_t>(2, number.size()), '0') + number + "-" + stage.name +
                                    stage.extension);
  Status written = writeWholeFile(std::string(path), text);
  return written.ok() ? success() : LogicalResult(module.emitError(written.message()));
}

/// The text of the stages that a target makes, and their files.
static LogicalResult finishText(ModuleOp module, const CompileOptions &options, Compilation &result) {
  for (const StageInfo &stage : stageTable()) {
    const std::string *text = stage.stage == Stage::LLVM       ? &result.llvm
                              : stage.stage == Stage::Assembly ? &result.assembly
                                                               : nullptr;
    if (!text || !appliesTo(stage, options))
      continue;
    if (failed(dump(module, options, stage, *text)))
      return failure();
    if (stage.stage == options.compileTo)
      result.text = *text;
  }
  return success();
}

/// Runs the stages for one target, and one chip if it is a GPU. Texts are appended to `result`, variants to `builder`.
static LogicalResult compileVariant(ModuleOp module, const CompileOptions &options, std::optional<JobBuilder> &builder,
                                    Compilation &result) {
  bool wantsText = !options.dumpDirectory.empty() || options.onStage;
  for (const StageInfo &stage : stageTable()) {
    if (!stage.build || !appliesTo(stage, options))
      continue;
    if (stage.stage == Stage::Kernels && failed(targetOf(options).checkUnits(module, options)))
      return failure();
    if (options.onProgress)
      options.onProgress(stage.name, 0, 0);
    PassManager manager(module.getContext());
    stage.build(manager, options);
    if (failed(manager.run(module)))
      return failure();
    bool isLast = stage.stage == options.compileTo;
    if (!wantsText && !isLast)
      continue;
    std::string text = printModule(module);
    if (options.onStage)
      options.onStage(stage.name, text);
    if (failed(dump(module, options, stage, text)))
      return failure();
    if (isLast) {
      result.text += text;
      return success();
    }
  }
  Compilation own;
  if (failed(emitPrograms(module, options, builder, own)) || failed(finishText(module, options, own)))
    return failure();
  result.text += own.text;
  result.llvm += own.llvm;
  result.assembly += own.assembly;
  return success();
}

/// Where the setting has a target's machines: the chips of a GPU, the levels of a CPU; null where it has none.
static std::vector<std::string> *machinesOf(const std::string &target, CompileOptions &options) {
  if (findTarget(target)->isGPU())
    return &options.chips;
  return target == targets::cpu ? &options.cpus : nullptr;
}

/// One set of options for each target, and each of its machines; several dump into a folder each.
static FailureOr<std::vector<CompileOptions>> forEachVariant(ModuleOp module, CompileOptions options) {
  if (Status checked = checkTargets(options); !checked.ok())
    return emitError(UnknownLoc::get(module.getContext())) << checked.message();
  std::vector<CompileOptions> all;
  std::vector<std::string> targets = {options.target};
  llvm::append_range(targets, options.otherTargets);
  for (const std::string &target : targets) {
    const std::vector<std::string> *named = machinesOf(target, options);
    const bool hasMachines = named && !named->empty();
    for (const std::string &machine : hasMachines ? *named : std::vector<std::string>{""}) {
      CompileOptions &own = all.emplace_back(options);
      own.target = target;
      own.otherTargets.clear();
      if (!findTarget(target)->isGPU())
        own.chips.clear();
      if (hasMachines)
        *machinesOf(target, own) = {machine};
      if (!own.dumpDirectory.empty())
        own.dumpDirectory += "/" + (machine.empty() ? target : targets.size() > 1 ? target + "-" + machine : machine);
    }
  }
  if (all.size() == 1)
    all.front().dumpDirectory = options.dumpDirectory;
  bool samePolicy = true;
  for (CompileOptions &own : all) {
    FailureOr<CompileOptions> fitted = applyFallback(module, own);
    if (failed(fitted))
      return failure();
    own = std::move(*fitted);
    samePolicy &= own.autocast.policy == all.front().autocast.policy;
  }
  // Variants of a program read the same parameters, and a program that reads copies of them does not.
  for (CompileOptions &own : all)
    own.derivedWeights &= samePolicy;
  return all;
}

FailureOr<Compilation> compile(ModuleOp module, const CompileOptions &options) {
  Compilation result;
  std::optional<JobBuilder> builder;
  FailureOr<std::vector<CompileOptions>> all = forEachVariant(module, options);
  if (failed(all))
    return failure();
  SmallVector<OwningOpRef<ModuleOp>> copies;
  for (CompileOptions &own : *all) {
    if (options.onProgress && all->size() > 1) {
      std::string which = (Twine(copies.size() + 1) + " of " + Twine(all->size()) + " targets, ").str();
      own.onProgress = [&options, which](StringRef stage, size_t done, size_t count) {
        options.onProgress((which + stage).str(), done, count);
      };
    }
    const bool isLast = copies.size() + 1 == all->size();
    copies.push_back(isLast ? OwningOpRef<ModuleOp>() : OwningOpRef<ModuleOp>(module.clone()));
    if (failed(compileVariant(isLast ? module : *copies.back(), own, builder, result)))
      return failure();
  }
  if (builder) {
    result.table = std::move(builder->table);
    result.blobs = std::move(builder->blobs);
  }
  return result;
}

FailureOr<std::shared_ptr<const LoadedExecutable>> compileAndLoad(ModuleOp module, const CompileOptions &options) {
  FailureOr<Compilation> compilation = compile(module, options);
  if (failed(compilation))
    return failure();
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(compilation->table), compilation->blobs);
  if (!bytes)
    return module.emitError("cannot make the executable: ") << bytes.status().message();
  ErrorOr<LoadedExecutable> loaded = readExecutable(bytes->span());
  if (!loaded)
    return module.emitError("the executable that was made is not valid: ") << loaded.status().message();
  return std::make_shared<const LoadedExecutable>(std::move(*loaded));
}

} // namespace mp
