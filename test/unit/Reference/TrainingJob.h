// Programs run step after step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_REFERENCE_TRAININGJOB_H
#define MP_TEST_REFERENCE_TRAININGJOB_H

#include "Reference/Program.h"

#include <map>
#include <memory>
#include <string>

namespace mp {

/// A model after the passes of `pipeline`, its state, and the evaluator to run its programs.
class TrainingJob {
public:
  using Values = std::map<std::string, Tensor>;

  /// State starts as its initializer says: zeros, ones or a constant. "rng" starts as (5, 0).
  TrainingJob(const std::string &model, const std::string &pipeline);

  /// Whether parsing and every pass succeeded; else a test failure says why not.
  bool isReady() const { return ready; }

  /// Runs a program and takes over its next state. The results are its losses, logs and outputs by name.
  Values run(const std::string &program, const Values &inputs);

  /// Every state by name.
  Values state;

private:
  void initialize(mlir::func::FuncOp func);

  std::unique_ptr<Program> program;
  bool ready = false;
};

/// The number in a tensor of one element.
double numberIn(const Tensor &tensor);

} // namespace mp

#endif // MP_TEST_REFERENCE_TRAININGJOB_H
