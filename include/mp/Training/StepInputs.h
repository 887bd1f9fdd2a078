// What a training step was given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_STEPINPUTS_H
#define MP_TRAINING_STEPINPUTS_H

#include "mp/Runtime/Tensors/Tensor.h"

#include <vector>

namespace mp {

/// What a step started from and what it left, so that it can be run again: every state entry that is not derived, and
/// of each micro-batch the inputs by their names, row weights among them.
struct StepInputs {
  NamedTensors before, after;
  std::vector<NamedTensors> batches;
};

} // namespace mp

#endif // MP_TRAINING_STEPINPUTS_H
