// mp-run train --find-nonfinite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_FINDNONFINITE_H
#define MP_TOOLS_MP_RUN_FINDNONFINITE_H

#include "mp/Inspect/NonfiniteReport.h"
#include "mp/Training/StepInputs.h"

namespace mp {

/// Watches a run for the first step that is skipped, or that leaves a loss or state that is not finite, and says on
/// standard error which op it comes from.
class NonfiniteFinder {
public:
  NonfiniteFinder(std::string model, CompileOptions options) : model(std::move(model)), options(std::move(options)) {}

  /// As TrainOptions::onInputs.
  ErrorOr<bool> see(const StepRecord &record, const StepInputs &inputs);

private:
  std::string model;
  CompileOptions options;
  NonfiniteWatch watch;
};

} // namespace mp

#endif // MP_TOOLS_MP_RUN_FINDNONFINITE_H
