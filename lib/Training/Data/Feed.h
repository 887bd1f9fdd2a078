// From data sets to programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_DATA_FEED_H
#define MP_LIB_TRAINING_DATA_FEED_H

#include "mp/Runtime/Core/Session.h"
#include "mp/Training/Data/BatchLoader.h"

namespace mp {

/// A batch's arguments by the names that they have in the variant.
NamedTensors nameBatch(const executable::VariantT &variant, const DataBinding &binding, const Batch &batch);

/// Copies a batch into a slot of the runner.
Status setBatch(ProgramRunner &runner, unsigned slot, const DataBinding &binding, const Batch &batch);

} // namespace mp

#endif // MP_LIB_TRAINING_DATA_FEED_H
