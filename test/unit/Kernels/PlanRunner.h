// Programs compiled to kernels, and run by the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_KERNELS_PLANRUNNER_H
#define MP_TEST_KERNELS_PLANRUNNER_H

#include "mp/Kernels/Memory/LaunchPlan.h"
#include "mp/Reference/Tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mp::test {

/// A module in a context of its own, with the dialects and passes of kernels.
class CompiledProgram {
public:
  /// Errors are test failures with the text.
  explicit CompiledProgram(const std::string &text);

  mlir::func::FuncOp func() { return *module->getOps<mlir::func::FuncOp>().begin(); }
  /// Runs passes of func::FuncOp by their text: "mp-decompose,cse".
  bool run(const std::string &passes);
  /// The text of the function.
  std::string print();

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The plan of a function, in which rows of the state table are numbers of arguments.
llvm::FailureOr<LaunchPlan> planOf(mlir::func::FuncOp func);

/// Values for the function's arguments, the same for the same seed: from -2 to 2, small integers.
std::vector<Tensor> randomArguments(mlir::func::FuncOp func, unsigned seed);

/// Runs a plan as a device does: one memory for the arena, one for each state, argument and result; each launch reads
/// its inputs' bytes, the evaluator computes its kernel, and its results' bytes are written. Memory starts filled with
/// 0xCD. Returns the bytes of each result of the function, of a next value those of the state.
std::vector<std::vector<std::byte>> runPlan(const LaunchPlan &plan, mlir::func::FuncOp func,
                                            const std::vector<Tensor> &arguments);

} // namespace mp::test

#endif // MP_TEST_KERNELS_PLANRUNNER_H
