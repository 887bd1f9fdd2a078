//===- Targets.h - what each target makes of a program ------------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_PIPELINE_TARGETS_H
#define MP_LIB_PIPELINE_TARGETS_H

#include "JobBuilder.h"

#include "mp/Codegen/Codegen.h"
#include "mp/Kernels/LaunchPlan.h"
#include "mp/Pipeline/Pipeline.h"

namespace mp {

/// The stages after the passes: from the module's programs to text or an executable, as `options` ask.
/// `statistics` has what countOps said of each program before its kernels were formed, by its function's name.
mlir::FailureOr<Compilation> emitTarget(mlir::ModuleOp module, const CompileOptions &options,
                                        const llvm::StringMap<OpStatistics> &statistics);

/// The level of CPU features that `options` ask for: this machine's, where they name none.
const TargetInfo *findCPU(const CompileOptions &options);

/// Adds `func` as text that the reference evaluator runs.
mlir::LogicalResult addReferenceVariant(mlir::func::FuncOp func, JobBuilder &builder);

/// The launch plan of each program, in order.
mlir::FailureOr<llvm::SmallVector<LaunchPlan>> planPrograms(llvm::ArrayRef<mlir::func::FuncOp> programs);

/// Native code of every kernel that the plans launch, in that order.
mlir::FailureOr<CompiledCode> compilePlans(llvm::ArrayRef<LaunchPlan> plans, const TargetInfo &target, bool keepText);

/// Adds each program with its plan; all share one blob of code.
mlir::LogicalResult addCPUVariants(llvm::ArrayRef<mlir::func::FuncOp> programs, llvm::ArrayRef<LaunchPlan> plans,
                                   CompiledCode code, const TargetInfo &target, JobBuilder &builder);

} // namespace mp

#endif // MP_LIB_PIPELINE_TARGETS_H
