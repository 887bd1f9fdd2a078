// What saved numbers of a job can be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_SAVEDSCALARS_H
#define MP_LIB_TRAINING_SAVEDSCALARS_H

#include "mp/Training/Checkpoint.h"

namespace mp {

/// Checks the states that training itself knows (loss scale, learning rate, counters, random generators) for values
/// that no run could have left; the error names the state. Counters are compared with `position`, where there is one.
Status checkSavedScalars(const Session &session, const NamedTensors &tensors, const TrainPosition *position);

/// Whether an entry is a weight of the model: a parameter or a state of its own. Training's own states, generators and
/// what is derived are none.
bool isWeight(const executable::StateEntryT &entry);

/// Whether a state is the loss scaler's: what a policy that scales has, and one that does not lacks.
bool isScalerState(std::string_view name);

} // namespace mp

#endif // MP_LIB_TRAINING_SAVEDSCALARS_H
