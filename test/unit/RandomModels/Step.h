// A model's programs, ready for devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_STEP_H
#define MP_TEST_RANDOMMODELS_STEP_H

#include "RandomModels/Model.h"

#include "Agreement/ProgramText.h"
#include "mp/Base/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <set>

namespace mp {

/// The names of the ops in a module.
std::set<std::string> opsIn(mlir::ModuleOp module);

/// The training step of a model as the optimizer stage leaves it, with `derive`; what devices and evaluator start from.
class TrainingStep {
public:
  /// Fails where the compiler does. The ops of the model and of the step are added to `seen`.
  static ErrorOr<std::unique_ptr<TrainingStep>> create(const RandomModel &model, std::set<std::string> &seen);

  mlir::func::FuncOp program();
  const std::string &text() const { return stepText; }

private:
  std::string stepText;
  std::unique_ptr<ProgramText> parsed;
};

/// What a model is compiled with, for `target` and `chip`.
ErrorOr<CompileOptions> optionsFor(const RandomModel &model, const std::string &target, const std::string &chip);

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_STEP_H
