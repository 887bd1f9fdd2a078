// What programs are compiled for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PIPELINE_TARGET_H
#define MP_PIPELINE_TARGET_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "mp/Executable/Targets.h"
#include "mp/Pipeline/Pipeline.h"

namespace mp {

class JobBuilder;

/// What programs are compiled for: one object for each target, which alone knows what is its own. What a file says of
/// it is in its row of executable targets.
class Target {
public:
  explicit Target(llvm::StringRef name) : format(targetFormat(name)) {}
  virtual ~Target() = default;

  /// As `--target` says it, and a variant.
  llvm::StringRef getName() const { return format.name; }
  /// Whether code is made for a chip.
  bool isGPU() const { return format.isGPU; }
  /// What its code is in an executable.
  executable::BlobKind getCodeKind() const { return format.code.front(); }

  /// The last stage of passes that programs go through.
  virtual Stage getLastPasses() const { return Stage::Kernels; }
  /// Whether there is text of the stages after those.
  virtual bool makesText() const { return true; }
  /// Whether its code can report every access to its device.
  virtual bool reportsAccesses() const { return false; }
  /// The chip to make code for where a device runs that of any; empty where the device says which.
  virtual llvm::StringRef getDefaultChip() const { return ""; }
  /// The level of CPU features, or the chip, that `options` ask for: what schedules are chosen for.
  virtual std::string getMachine(const CompileOptions &options) const { return ""; }
  /// Emits an error where the machine has no units for a type that the module computes in, and a remark where it has
  /// units that this process may not use.
  virtual llvm::LogicalResult checkUnits(mlir::ModuleOp module, const CompileOptions &options) const {
    return llvm::success();
  }
  /// Adds a variant of each program to `builder`, and the texts that are asked for to `result`.
  virtual llvm::LogicalResult emit(llvm::ArrayRef<mlir::func::FuncOp> programs, const CompileOptions &options,
                                   JobBuilder &builder, Compilation &result) const = 0;

private:
  const TargetFormat &format;
};

/// All targets, in the order in which errors name them.
llvm::ArrayRef<const Target *> allTargets();

/// The target of that name, or null.
const Target *findTarget(llvm::StringRef name);

/// The target that `options` name first; they were checked.
const Target &targetOf(const CompileOptions &options);

/// What types by cost are the fastest on: the target's machine; the evaluator's programs have the types of the CPU's.
std::string machineOfTypes(const CompileOptions &options);

/// The names of the targets that `is` holds for: "cpu, nvptx or simt".
std::string targetNames(llvm::function_ref<bool(const Target &)> is);

} // namespace mp

#endif // MP_PIPELINE_TARGET_H
