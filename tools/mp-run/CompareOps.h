// mp-run compare --ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_COMPAREOPS_H
#define MP_TOOLS_MP_RUN_COMPAREOPS_H

#include "mp/Pipeline/Pipeline.h"
#include "mp/Training/TrainOptions.h"

namespace mp {

/// A difference of ops relative to the largest value that is more than rounding to a low type, as a rule: a few times
/// bf16's 2^-8.
inline constexpr double kDefaultOpTolerance = 0.05;

/// A variant and what it is compiled with.
struct NamedOptions {
  std::string variant;
  CompileOptions options;
};

/// Prints for each variant behind the first which op of the first training step is the first that differs from the
/// first variant's by more than `tolerance`, and the ops that differ most; `json` is as of `mp-run compare --json`, of
/// all ops.
void compareOpsOf(const std::string &model, llvm::ArrayRef<NamedOptions> variants, const TrainOptions &training,
                  double tolerance, const std::string &json);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_COMPAREOPS_H
