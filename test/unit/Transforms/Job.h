// A training job run by the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_TRANSFORMS_JOB_H
#define MP_TEST_TRANSFORMS_JOB_H

#include "mp/IR/Program.h"
#include "mp/Pipeline/Pipeline.h"
#include "mp/Reference/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>

namespace mp {

using TensorMap = std::map<std::string, Tensor>;

/// A model made into the programs of its training job, with its state; each program is evaluated op by op and its next
/// values become the state.
class Job {
public:
  /// Compiles up to the optimizer. A test failure, and a job that cannot run, if the text does not parse or a pass
  /// fails.
  Job(const std::string &model, CompileOptions options);

  /// Runs the program of this kind on the inputs; returns its other results by name, the loss as "loss".
  TensorMap run(ProgramKind kind, const TensorMap &inputs);

  /// Makes derived state of the parameters, where the job has any.
  void derive();

  /// Parameters and state by name; states start as their initializers say (zeros, ones and constants; others are 0).
  TensorMap state;

private:
  void addInitialState(mlir::func::FuncOp program);

  mlir::MLIRContext context;
  std::string errors;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

Tensor floats(std::vector<int64_t> shape, const std::vector<double> &values);
Tensor integers(ElementType element, std::vector<int64_t> shape, const std::vector<int64_t> &values);

} // namespace mp

#endif // MP_TEST_TRANSFORMS_JOB_H
