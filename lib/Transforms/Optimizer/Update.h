// Gradients to next values of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_OPTIMIZER_UPDATE_H
#define MP_LIB_TRANSFORMS_OPTIMIZER_UPDATE_H

#include "mlir/IR/SymbolTable.h"
#include "mp/IR/Program.h"
#include "mp/Transforms/Passes.h"

namespace mp {

/// Replaces each result {mp.gradient} of `program` by next values of the parameter and of its optimizer's slots, all
/// under the guard of the log result "bad" where there is one, and guards every other next value, too. Gradients are
/// divided by `microBatches` first. Fails with a diagnostic at a parameter that is not f32.
llvm::LogicalResult addUpdates(mlir::func::FuncOp program, const OptimizerPassOptions &options, int64_t microBatches);

/// The two programs that make one step out of several micro-batches, from a training step that has gradients and loss
/// scaling: `accumulate` adds up gradients that are still scaled, `apply` finishes the step. All three get the states
/// in which new values of the model's own wait.
llvm::LogicalResult addAccumulation(mlir::func::FuncOp step, mlir::SymbolTable &symbols,
                                    const OptimizerPassOptions &options);

/// At the end of a step, whether or not it was skipped: what waits is what was committed, and sums start again at 0.
void endAccumulation(mlir::func::FuncOp program);

/// The log result "bad" of a program, or null: then nothing is guarded.
mlir::Value findGuard(mlir::func::FuncOp program);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_OPTIMIZER_UPDATE_H
