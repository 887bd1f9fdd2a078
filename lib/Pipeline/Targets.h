// What each target makes of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_TARGETS_H
#define MP_LIB_PIPELINE_TARGETS_H

#include "Pipeline/JobBuilder.h"

#include "mp/Codegen/Build/Codegen.h"
#include "mp/Kernels/Memory/LaunchPlan.h"
#include "mp/Pipeline/Target.h"

namespace mp {

/// The stage after the passes: from the module's programs to variants of the executable that `builder` makes; a module
/// that comes first makes the builder.
mlir::LogicalResult emitPrograms(mlir::ModuleOp module, const CompileOptions &options,
                                 std::optional<JobBuilder> &builder, Compilation &result);

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
  /// What a kernel takes on one core by the cost model, 0 where the target has none.
  virtual double modelSeconds(KernelOp, const CompileOptions &) const { return 0; }
};

/// Each stands in a file of its name.
const Target &cpuTarget();
const Target &nvptxTarget();
const Target &simtTarget();
const Target &referenceTarget();

/// Refuses targets that lack a chip, or a stage that is asked for; the message starts with the setting.
Status checkTargets(const CompileOptions &options);

/// `options` with the fallback's policy, if its chip needs it for that module.
mlir::FailureOr<CompileOptions> applyFallback(mlir::ModuleOp module, const CompileOptions &options);

} // namespace mp

#endif // MP_LIB_PIPELINE_TARGETS_H
