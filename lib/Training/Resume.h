// Going on from a checkpoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_RESUME_H
#define MP_LIB_TRAINING_RESUME_H

#include "mp/Training/Checkpoint.h"
#include "mp/Training/TrainOptions.h"

namespace mp {

/// Puts the state of the checkpoint of `options` into the session and returns where it stands. Refuses a checkpoint
/// whose run was not that of `start` (seed, data, batch, micro-batches), whose position no such run has, and, unless
/// the options say that it may change, one of another policy.
ErrorOr<TrainPosition> resume(Session &session, const TrainOptions &options, const TrainPosition &start);

} // namespace mp

#endif // MP_LIB_TRAINING_RESUME_H
