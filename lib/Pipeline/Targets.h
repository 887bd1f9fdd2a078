// What each target makes of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_TARGETS_H
#define MP_LIB_PIPELINE_TARGETS_H

#include "Pipeline/JobBuilder.h"

#include "mp/Codegen/Build/Codegen.h"
#include "mp/Kernels/Memory/LaunchPlan.h"
#include "mp/Pipeline/Target.h"

namespace mp {

/// Makes the builder, if there is none and the module has programs: with what its ops say of labels, which kernels no
/// longer do.
void startExecutable(mlir::ModuleOp module, const CompileOptions &options, std::optional<JobBuilder> &builder);

/// The stage after the passes: from the module's programs to variants of the executable that `builder` makes; a module
/// that comes first makes the builder. `statistics` has what countOps said of each program before its kernels were
/// formed, by its function's name. The module lives as long as the builder.
mlir::LogicalResult emitPrograms(mlir::ModuleOp module, const CompileOptions &options,
                                 const llvm::StringMap<OpStatistics> &statistics, std::optional<JobBuilder> &builder,
                                 Compilation &result);

/// A target whose variants are launch plans, with code for the kernels.
class CodeTarget : public Target {
public:
  using Target::Target;

  mlir::LogicalResult emit(llvm::ArrayRef<mlir::func::FuncOp> programs, const CompileOptions &options,
                           JobBuilder &builder, Compilation &result) const final;

protected:
  /// What a machine must have to run the code.
  virtual std::vector<std::string> getFeatures(const CompileOptions &options) const = 0;
  virtual mlir::FailureOr<CompiledCode> compile(llvm::ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                                const CodegenOptions &codegen) const = 0;
};

/// Each stands in a file of its name.
const Target &cpuTarget();
const Target &nvptxTarget();
const Target &simtTarget();
const Target &referenceTarget();

/// The launch plan of each program, in order.
mlir::FailureOr<llvm::SmallVector<LaunchPlan>> planPrograms(llvm::ArrayRef<mlir::func::FuncOp> programs);

/// Every kernel that the plans launch, in that order.
llvm::SmallVector<KernelOp> kernelsOf(llvm::ArrayRef<LaunchPlan> plans);

/// The commands of `plan`, whose kernels are `code`, which lies in blob `blob`, as those of `variant`. Takes the
/// plan's kernels off the front of `code`.
void addCommands(const LaunchPlan &plan, uint32_t blob, llvm::ArrayRef<CompiledKernel> &code, JobBuilder &builder,
                 executable::VariantT &variant);

/// Refuses targets that lack a chip, or a stage that is asked for; the message starts with the setting.
Status checkTargets(const CompileOptions &options);

/// `options` with the fallback's policy, if its chip needs it for that module.
mlir::FailureOr<CompileOptions> applyFallback(mlir::ModuleOp module, const CompileOptions &options);

} // namespace mp

#endif // MP_LIB_PIPELINE_TARGETS_H
