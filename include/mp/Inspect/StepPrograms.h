// The values inside a training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INSPECT_STEPPROGRAMS_H
#define MP_INSPECT_STEPPROGRAMS_H

#include "mp/Pipeline/Pipeline.h"
#include "mp/Training/StepInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace mp {

/// One run of a program of a step.
struct StepRun {
  mlir::func::FuncOp program;
  size_t microBatch = 0;               ///< whose batch it takes; of program `apply` the number of all
  NamedTensors before;                 ///< state that is not derived
  const NamedTensors *batch = nullptr; ///< or null
};

/// The programs of a model's training step as they are before kernels are formed, each op in the type that it has for
/// the target of `options`. Their values are computed on this machine's CPU, by the same code generation as a step.
class StepPrograms {
public:
  /// Of a copy of `model`. Fails with a diagnostic through the model's context.
  static mlir::FailureOr<StepPrograms> create(mlir::ModuleOp model, const CompileOptions &options);
  /// `train_step`, `accumulate` and `apply`, as far as there are such; a step is the first, or the others.
  llvm::ArrayRef<mlir::func::FuncOp> programs() const { return order; }

  /// Calls `see` for each run of the step, in order, until it says false.
  Status forEachRun(const StepInputs &inputs, llvm::function_ref<ErrorOr<bool>(const StepRun &)> see) const;

  /// Calls `see` with each of `values`, which are of the run's program and no constants, as the run computes them.
  Status compute(const StepRun &run, llvm::ArrayRef<mlir::Value> values,
                 llvm::function_ref<void(mlir::Value, const HostTensor &)> see) const;

private:
  /// The values, behind the program's own results; `state` becomes what it is behind the program.
  ErrorOr<std::vector<HostTensor>> runOnce(const StepRun &run, llvm::ArrayRef<mlir::Value> values,
                                           NamedTensors &state) const;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<mlir::func::FuncOp> order;
  CompileOptions forCPU;
};

/// What ops compute in floats, in the order of the program, without constants.
std::vector<mlir::Value> floatResults(mlir::func::FuncOp program);

/// The values in pieces of at most a gigabyte, of which each fits into memory.
std::vector<llvm::ArrayRef<mlir::Value>> inPieces(llvm::ArrayRef<mlir::Value> values);

/// "train_step", or of one with several micro-batches "accumulate, micro-batch 2".
std::string describeRun(const StepRun &run);
/// Whether both are runs of the same program of their steps, of the same micro-batch.
bool isSameRun(const StepRun &run, const StepRun &other);

/// `options` with the loss scaling that `step` has, where they leave it to the types of gradients.
CompileOptions withScalingOf(const StepPrograms &step, CompileOptions options);

/// Which part of a step an op belongs to: what the loss is computed of, what gradients are, what updates state with
/// them.
enum class StepPart { Forward, Backward, Optimizer };
llvm::StringRef stringifyStepPart(StepPart part);
StepPart partOf(mlir::Operation *op);

/// The op of a program whose results say which gradient is not finite, or null.
mlir::Operation *findGradientCheck(mlir::func::FuncOp program);

} // namespace mp

#endif // MP_INSPECT_STEPPROGRAMS_H
