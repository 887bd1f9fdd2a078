// How far ops of a training step are apart under two policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INSPECT_OPDIFFERENCES_H
#define MP_INSPECT_OPDIFFERENCES_H

#include "mp/Inspect/StepPrograms.h"

#include <string>
#include <vector>

namespace mp {

/// A result of an op that both steps have.
struct OpDifference {
  mlir::Location location;
  std::string run;  ///< as describeRun has it
  std::string name; ///< of the op: "mp.matmul"
  StepPart part = StepPart::Forward;
  std::string type, otherType; ///< of its elements: "f32", "f16"
  double largest = 0;          ///< magnitude of the first step's elements, where finite
  /// The largest distance of two elements, divided by `largest`; infinite where one alone is not finite, 0 where both
  /// are equal.
  double relative = 0;
};

/// Every float result of the ops of `step`, in its order, that `other`, a step of the same model, has too; computed of
/// the same state and batches. Casts that autocast wrote are no op of the model.
ErrorOr<std::vector<OpDifference>> compareOps(const StepPrograms &step, const StepPrograms &other,
                                              const StepInputs &inputs);

} // namespace mp

#endif // MP_INSPECT_OPDIFFERENCES_H
