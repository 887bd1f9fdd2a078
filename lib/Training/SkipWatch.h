// Steps skipped one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_SKIPWATCH_H
#define MP_LIB_TRAINING_SKIPWATCH_H

#include "mp/Training/Trainer.h"

namespace mp {

/// Counts skipped steps, and ends training when too many come one after another, or when the loss scale has no way
/// down.
class SkipWatch {
public:
  /// Takes the limit from metadata `skip_limit` (default 50), the floor at which to give up from
  /// `raise_error_at_min_scale` (default: never) and the counts so far from the state.
  static ErrorOr<SkipWatch> create(Session &session);

  /// Notes a step: the name of its first gradient that was not finite, or null. Fails at the limit,
  /// where the message names that gradient for each of the last skips, and at the floor.
  Status note(const StepRecord &record, const std::string *gradient);

  uint64_t total() const { return totalCount; }

private:
  struct Skip {
    uint64_t step;
    std::string gradient;
  };

  std::string describeRun() const;

  uint64_t limit = 50;
  std::optional<float> minScale;
  uint64_t totalCount = 0;
  uint64_t consecutive = 0;
  std::vector<Skip> run; // the consecutive skips that this process has seen
};

} // namespace mp

#endif // MP_LIB_TRAINING_SKIPWATCH_H
