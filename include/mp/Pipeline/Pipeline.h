// The compiler from a model to an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PIPELINE_PIPELINE_H
#define MP_PIPELINE_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "mp/Analysis/PrecisionReport.h"
#include "mp/Executable/Executable.h"
#include "mp/Executable/Targets.h"
#include "mp/Transforms/Passes.h"

#include <functional>
#include <string>
#include <vector>

namespace mp {

/// The stages of the compiler, in order. `--compile-to` names them as `stageName` spells them.
enum class Stage {
  Specialize,
  Autocast,
  Inference,
  Autodiff,
  LossScaling,
  Optimizer,
  Kernels,
  LLVM,
  Assembly,
  Executable
};

/// "specialize", "autocast", ..., "kernels", "llvm", "asm", "executable".
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// All names, separated by ", ": for help and errors.
std::string stageNames();

/// What a compilation is asked for. The passes' own option structures hold the passes' options, so that no name or
/// default is said twice.
struct CompileOptions {
  /// A batch of 0 leaves the stage out: every size is stated in the model.
  SpecializePassOptions specialize{/*batch=*/64, /*pad=*/false, /*otherBatches=*/{}};
  AutocastPassOptions autocast;
  LossScalingPassOptions lossScaling;
  OptimizerPassOptions optimizer;
  /// Whether ops come in the order of dimensions that leaves the fewest transposes.
  bool cancelTransposes = true;
  /// Whether weights are kept in the low type, too, as derived state, so that no step casts them.
  bool derivedWeights = true;
  /// Whether the training programs are made; without, only the forward ones.
  bool training = true;
  /// The name of a target, as Target.h lists them.
  std::string target = targets::cpu;
  /// Further targets, which get variants in the same executable.
  std::vector<std::string> otherTargets;
  /// The levels of CPU features to make code for, as CPULevels.h names them, a variant each; empty for this machine's.
  std::vector<std::string> cpus;
  /// The chips to make variants for, as the chip table names them; of nvptx and simt.
  std::vector<std::string> chips;
  /// The policy for chips that have no units for a type that the policy uses; empty makes that an error.
  std::string fallback;
  /// Whether matrix products of f32 may round their operands to tf32; of nvptx and simt.
  bool allowTF32 = false;
  /// Whether matrix products of f16 or bf16 whose k is cut into parts may store the sum of each part in their own type;
  /// of nvptx and simt. Without a value, what the policy says.
  std::optional<bool> allowFP16ReducedPrecisionReduction, allowBF16ReducedPrecisionReduction;
  /// Whether matrix products of f32 may be sums of 3, 6 or 9 products of bf16 parts; of cpu, levels with tiles of bf16.
  /// At most one of them.
  bool allowBF16x3 = false, allowBF16x6 = false, allowBF16x9 = false;
  /// Whether vectors of this machine compute what the tiles (AMX) of the level in `cpus` would, of which the schedules
  /// are.
  bool emulateTiles = false;
  /// Whether code for simt reports every access, for the checks of its device.
  bool reportAccesses = false;
  /// The last stage to run.
  Stage compileTo = Stage::Executable;
  /// Where each stage's text goes as one numbered file, if not empty.
  std::string dumpDirectory;
  /// Told the module's text behind each stage that is passes, of each variant; null for nobody.
  std::function<void(llvm::StringRef stage, llvm::StringRef text)> onStage;
  /// Told of each stage that is passes as it begins, without numbers, and how many of how many kernels are made, from
  /// any thread, one call at a time. Null for nobody.
  std::function<void(llvm::StringRef stage, size_t done, size_t count)> onProgress;
  /// The folder of kernels compiled before; empty for none.
  std::string cacheDirectory;
  /// The settings that were given by name, as NAME=VALUE in that order, so that one without effect can be refused.
  std::vector<std::string> given;
};

/// Adds the stages up to `options.compileTo` that are passes.
void buildPipeline(mlir::OpPassManager &manager, const CompileOptions &options);
/// Registers two pipelines for mp-opt, both from the same table. `mp-pipeline` is the table as far as it is passes,
/// with the settings of mp-run. `mp-training` is its stages up to the optimizer, with the options of their passes:
/// `batch`, `pad`, `policy` and `derived-weights`; `autocast`, `loss-scaling` and `optimizer` take any that their pass
/// has, in braces:
///   --mp-training="batch=64 policy=mixed_float16 loss-scaling={mode=dynamic floor=2} optimizer={kind=sgd}"
void registerPipelines();

/// The text of a stage before `executable`, or the executable with its blobs.
struct Compilation {
  std::string text;
  std::string llvm, assembly; // of all kernels; only where they are asked for
  executable::ExecutableT table;
  std::vector<std::vector<std::byte>> blobs;
};

/// Compiles the module's programs. The module is rewritten. Fails with a diagnostic through the module's context.
mlir::FailureOr<Compilation> compile(mlir::ModuleOp module, const CompileOptions &options);

/// What autocast decides for each model and function of the module, and why: specialized first where `options` have a
/// batch. The module is rewritten. Fails with a diagnostic through the module's context.
mlir::FailureOr<PrecisionReport> explainPrecision(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles into an executable in memory, as if written to a file and read back.
mlir::FailureOr<std::shared_ptr<const LoadedExecutable>> compileAndLoad(mlir::ModuleOp module,
                                                                        const CompileOptions &options);

} // namespace mp

#endif // MP_PIPELINE_PIPELINE_H
