// A training job, run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_TRAINER_H
#define MP_TRAINING_TRAINER_H

#include "mp/Runtime/Core/Session.h"
#include "mp/Training/TrainOptions.h"

#include <string>
#include <vector>

namespace mp {

/// How long one kernel of a step took.
struct KernelSeconds {
  std::string kernel;
  double seconds = 0;
};

/// One step as the log has it. What a program does not report is absent.
struct StepRecord {
  uint64_t step = 0;  // from 1
  uint64_t epoch = 0; // from 1
  double loss = 0;
  std::optional<double> lossScale;    // that the step used
  std::optional<double> hysteresis;   // overflows that were left until the scale backs off
  std::optional<double> gradientNorm; // after unscaling
  int64_t bad = -1;                   // index of the first gradient that was not finite, or -1
  std::string gradient;               // its name
  uint64_t skipped = 0;               // steps skipped so far
  double samplesPerSecond = 0;
  std::vector<KernelSeconds> kernels; // in order, of the steps that --log-kernels names
};

/// What a program reports, averaged over rows.
struct Score {
  std::string name; // "loss" or the metric's name
  double value = 0;
};

/// One epoch, or what there was of the last.
struct EpochRecord {
  uint64_t epoch = 0; // from 1
  uint64_t step = 0;  // after which it ended
  std::vector<Score> trainScores;
  std::vector<Score> testScores; // empty without test data
};

struct TrainResult {
  uint64_t steps = 0;              // in all, those before a resume among them
  bool stopped = false;            // before its end, because shouldStop said so
  uint64_t rows = 0;               // of the data, those that are dropped among them
  uint64_t testRows = 0;           // of the test data
  uint64_t droppedRows = 0;        // of each epoch
  std::vector<StepRecord> history; // the steps of this run
  std::vector<Score> trainScores;  // loss and metrics over the last epoch, as far as it got
  std::vector<Score> testScores;   // of the last evaluation; empty without test data
  uint64_t skipped = 0;
  std::optional<double> lossScale; // after the last step
  double secondsPerStep = 0;       // median over steps that update, without evaluation and checkpoints
  double fastSeconds = 0;          // a quarter of these steps took less
  double slowSeconds = 0;          // a quarter of these steps took more
  uint64_t timedSteps = 0;
  uint64_t residentBytes = 0; // device memory: state, arenas, arguments and results

  /// The score of that name, or nothing.
  static std::optional<double> find(const std::vector<Score> &scores, std::string_view name);
};

/// Runs the training programs of the session's executable as `options` say: `train_step`, or
/// `accumulate` and `apply` where steps have several micro-batches.
///
/// State is initialized from the seed or resumed, the learning rate set. After each epoch (and at the
/// end) `eval` runs over the test data, where there are any. Bits depend on seed, data, augmentation, batch size and
/// accumulation; not on threads or device, where its kernels do not. A run that was resumed ends with
/// the bits of one that was not interrupted.
///
/// After metadata `skip_limit` consecutive skipped steps (default 50) it ends with an error that names
/// the first gradient that was not finite at each of them; where metadata `raise_error_at_min_scale` has the
/// loss scale's floor, so it does at the first overflow that would back off below it. Every other error is a line as
/// well.
ErrorOr<TrainResult> train(Session &session, const TrainOptions &options);

/// Runs `eval` over all rows of a data set, in order; the last batch is padded.
ErrorOr<std::vector<Score>> evaluate(Session &session, Dataset data, std::optional<int64_t> batchSize = {});

/// Runs `eval` over all rows of the test data of a source, in order; the last batch is padded.
ErrorOr<std::vector<Score>> evaluate(Session &session, const std::string &source,
                                     std::optional<int64_t> batchSize = {});

} // namespace mp

#endif // MP_TRAINING_TRAINER_H
