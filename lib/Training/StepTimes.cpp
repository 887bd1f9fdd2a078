// What steps of training take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/StepTimes.h"

#include <algorithm>

using namespace mp;

void StepTimes::summarize(TrainResult &result) {
  std::vector<double> &seconds = ofUpdates.empty() ? ofSkips : ofUpdates;
  std::ranges::sort(seconds);
  const size_t count = result.timedSteps = seconds.size();
  if (count == 0)
    return;
  result.secondsPerStep = seconds[count / 2];
  result.fastSeconds = seconds[count / 4];
  result.slowSeconds = seconds[count * 3 / 4];
}
