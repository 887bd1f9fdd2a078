// How far training is, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_PROGRESS_H
#define MP_LIB_TRAINING_PROGRESS_H

#include "mp/Training/Trainer.h"

#include <chrono>

namespace mp {

/// Where a step lies in the run.
struct ProgressPosition {
  uint64_t index = 0;             // within the epoch, from 1
  std::optional<uint64_t> count;  // steps of the epoch, where that is known
  std::optional<uint64_t> epochs; // of the run, where that is what ends it
  std::optional<uint64_t> left;   // steps of the run after this one, where that is known
};

/// Writes progress to standard error: a line that is drawn over on a terminal, as wide as the terminal is at that
/// moment, and a line every few seconds elsewhere; `isBar` says that what shows it draws over lines all the same, as a
/// notebook does, which knows the return to a line's start alone.
class Progress {
public:
  explicit Progress(bool quiet, bool isBar = false);
  /// What comes next has a line of its own.
  ~Progress() { clearBar(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// The clock of what is left starts.
  void start() { begin = Clock::now(); }

  /// After a step.
  void step(const StepRecord &record, const ProgressPosition &position);

  /// A line that stays: an evaluation, rows that are dropped, a checkpoint that was resumed.
  void note(const std::string &line);

private:
  using Clock = std::chrono::steady_clock;

  void clearBar();
  /// Draws over the bar that is shown, if any is.
  void draw(const std::string &line);

  bool quiet;
  bool terminal, isBar;
  std::optional<size_t> shown; ///< characters of the bar, where one is shown
  uint64_t done = 0;           // steps since start
  Clock::time_point begin;
  Clock::time_point last;
};

/// "loss 0.4310, accuracy 0.8432".
std::string formatScores(const std::vector<Score> &scores);

} // namespace mp

#endif // MP_LIB_TRAINING_PROGRESS_H
