// What each target makes of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_TARGETS_H
#define MP_LIB_PIPELINE_TARGETS_H

#include "Pipeline/JobBuilder.h"

#include "mp/Codegen/Build/Codegen.h"
#include "mp/Kernels/Memory/LaunchPlan.h"
#include "mp/Pipeline/Pipeline.h"

namespace mp {

/// Makes the builder, if there is none and the module has programs: with what its ops say of labels, which kernels no
/// longer do.
void startExecutable(mlir::ModuleOp module, const CompileOptions &options, std::optional<JobBuilder> &builder);

/// The stages after the passes: from the module's programs to text, or to variants of the executable that `builder`
/// makes; a module that comes first makes the builder. `statistics` has what countOps said of each program before its
/// kernels were formed, by its function's name. The module lives as long as the builder.
mlir::LogicalResult emitTarget(mlir::ModuleOp module, const CompileOptions &options,
                               const llvm::StringMap<OpStatistics> &statistics, std::optional<JobBuilder> &builder,
                               Compilation &result);

/// The level of CPU features that `options` ask for: this machine's, where they name none.
const CPULevel *findCPU(const CompileOptions &options);

/// Adds `func` as text that the reference evaluator runs.
mlir::LogicalResult addReferenceVariant(mlir::func::FuncOp func, JobBuilder &builder);

/// The launch plan of each program, in order.
mlir::FailureOr<llvm::SmallVector<LaunchPlan>> planPrograms(llvm::ArrayRef<mlir::func::FuncOp> programs);

/// Every kernel that the plans launch, in that order.
llvm::SmallVector<KernelOp> kernelsOf(llvm::ArrayRef<LaunchPlan> plans);

/// What a variant says of whom its code is for.
struct VariantTarget {
  llvm::StringRef name;
  std::vector<std::string> features;
  executable::BlobKind codeKind;
};

/// Code of kernels for the target that `options` ask for, and what to say of it.
mlir::FailureOr<CompiledCode> compileForCPU(llvm::ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                            const CodegenOptions &codegen, VariantTarget &target);
mlir::FailureOr<CompiledCode> compileForGPU(llvm::ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                            const CodegenOptions &codegen, VariantTarget &target);

/// Adds each program with its plan; all share one blob of code.
mlir::LogicalResult addPlannedVariants(llvm::ArrayRef<mlir::func::FuncOp> programs, llvm::ArrayRef<LaunchPlan> plans,
                                       CompiledCode code, const VariantTarget &target, JobBuilder &builder);

/// Refuses targets that lack a chip, or a stage that is asked for; the message starts with the setting.
Status checkTargets(const CompileOptions &options);

/// Whether code for that target is for a chip.
bool isGPUTarget(llvm::StringRef target);

/// Emits an error where the module computes in a type that its chip has no units for.
mlir::LogicalResult checkChip(mlir::ModuleOp module, const CompileOptions &options);

/// `options` with the fallback's policy, if its chip needs it for that module.
mlir::FailureOr<CompileOptions> applyFallback(mlir::ModuleOp module, const CompileOptions &options);

} // namespace mp

#endif // MP_LIB_PIPELINE_TARGETS_H
