// A JSON line per step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_TRAINLOG_H
#define MP_LIB_TRAINING_TRAINLOG_H

#include "mp/Training/Trainer.h"

#include <fstream>

namespace mp {

/// Writes steps and evaluations as JSON lines. What is not finite, or not reported, is null.
class TrainLog {
public:
  /// What the run is of, for who reads the log alone; texts may be empty.
  struct Run {
    std::string model, policy, device, data;
    uint64_t seed = 0, rows = 0, testRows = 0;
  };

  /// Opens the file, to be written anew or, to go on after step `resumedAt`, behind its lines up to that step.
  Status open(const std::string &path, std::optional<uint64_t> resumedAt, const Run &run);

  /// {"step":1,"epoch":1,"loss":..,"loss_scale":..,"found_inf":..,"skipped":..,"grad_norm":..,
  ///  "samples_per_second":..}; skipped counts steps so far. Of a skipped step "gradient" is the first that was not
  /// finite. The first line has what the run is of, too:
  /// "run":{"model":..,"policy":..,"device":..,"data":..,"seed":..,"rows":..,"test_rows":..}, named as a comparison
  /// names them. Where a step's kernels were timed a line more:
  /// {"step":1,"epoch":1,"kernels":[{"kernel":"matmul_0","microseconds":..},..]}.
  void step(const StepRecord &record);

  /// {"step":468,"epoch":1,"test_loss":..,"test_accuracy":..}.
  void evaluation(uint64_t step, uint64_t epoch, const std::vector<Score> &scores);

  /// Hands lines to the system; fails if any write did.
  Status flush();

private:
  std::string path;
  std::ofstream file;
  std::optional<Run> unwritten; ///< until the first line
};

} // namespace mp

#endif // MP_LIB_TRAINING_TRAINLOG_H
