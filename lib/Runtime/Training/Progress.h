//===- Progress.h - how far training is, for people -------------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_TRAINING_PROGRESS_H
#define MP_LIB_RUNTIME_TRAINING_PROGRESS_H

#include "mp/Runtime/Training/Trainer.h"

#include <chrono>

namespace mp {

/// Shows progress on standard error: a bar on a terminal, elsewhere a line every few seconds.
class Progress {
public:
  explicit Progress(bool quiet);

  /// After a step, the `index`-th of the epoch's `count`.
  void step(const StepRecord &record, uint64_t index, uint64_t count, std::optional<uint64_t> epochs);

  /// A line that stays: an evaluation, rows that are dropped, a checkpoint that was resumed.
  void note(const std::string &line);

private:
  using Clock = std::chrono::steady_clock;

  void clearBar();

  bool quiet;
  bool terminal;
  bool barShown = false;
  Clock::time_point last;
};

/// "loss 0.3512, accuracy 0.8731".
std::string formatScores(const std::vector<Score> &scores);

} // namespace mp

#endif // MP_LIB_RUNTIME_TRAINING_PROGRESS_H
