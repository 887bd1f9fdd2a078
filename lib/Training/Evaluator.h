// A program over a whole data set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_EVALUATOR_H
#define MP_LIB_TRAINING_EVALUATOR_H

#include "mp/Runtime/Core/Session.h"
#include "mp/Training/Data/BatchLoader.h"
#include "mp/Training/Trainer.h"

#include <functional>

namespace mp {

/// `eval` over a whole data set.
class Evaluator {
public:
  Status prepare(Session &session, Dataset testData, std::optional<int64_t> batchSize);
  ErrorOr<std::vector<Score>> run(const std::function<bool()> &shouldStop = {});
  uint64_t residentBytes() const { return runner ? runner->residentBytes() : 0; }

private:
  /// Batches that may be in the device's queue at once.
  static constexpr unsigned kSlots = 3;

  Dataset data;
  DataBinding binding;
  std::unique_ptr<ProgramRunner> runner;
};

} // namespace mp

#endif // MP_LIB_TRAINING_EVALUATOR_H
