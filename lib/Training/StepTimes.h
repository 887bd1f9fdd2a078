// What steps of training take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_STEPTIMES_H
#define MP_LIB_TRAINING_STEPTIMES_H

#include "mp/Training/Trainer.h"

namespace mp {

/// The seconds of a run's steps.
class StepTimes {
public:
  /// A step that is skipped lacks its updates.
  void add(double seconds, bool isSkipped) { (isSkipped ? ofSkips : ofUpdates).push_back(seconds); }

  /// Median and quartiles of the steps that updated, or of all where none did.
  void summarize(TrainResult &result);

private:
  std::vector<double> ofUpdates, ofSkips;
};

} // namespace mp

#endif // MP_LIB_TRAINING_STEPTIMES_H
