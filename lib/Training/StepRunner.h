// Programs of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_STEPRUNNER_H
#define MP_LIB_TRAINING_STEPRUNNER_H

#include "Training/Scores.h"
#include "mp/Runtime/Core/Session.h"
#include "mp/Training/Data/BatchLoader.h"

namespace mp {

/// Programs of a step, and what they report.
class StepRunner {
public:
  /// How many micro-batches a step has: what `options` say, if the executable can, else what it was compiled for.
  static ErrorOr<uint64_t> microBatchesFor(const Session &session, const TrainOptions &options);

  /// Needs `options.accumulate`.
  Status prepare(Session &session, const TrainOptions &options);

  /// The program that sees data.
  const executable::VariantT &dataVariant() const { return forward->variant(); }

  /// Slots: steps that may be in the device's queue at once.
  static constexpr unsigned kSlots = 3;

  /// Where `times` is not null the program is run at once, and how long its kernels took is appended.
  Status enqueueMicroBatch(unsigned slot, unsigned index, const DataBinding &binding, const Batch &batch,
                           std::vector<KernelSeconds> *times);
  Status finishStep(unsigned slot, std::vector<KernelSeconds> *times);

  /// Waits for a slot's step; adds its scores and fills the record's values. `gradient` receives the
  /// name of the first gradient that was not finite.
  Status read(unsigned slot, const std::vector<uint64_t> &rows, Scores &scores, StepRecord &record,
              std::optional<std::string> &gradient);

  uint64_t residentBytes() const { return forward->residentBytes() + (apply ? apply->residentBytes() : 0); }

private:
  ErrorOr<std::optional<double>> readLog(unsigned slot, const char *name);

  unsigned microBatches = 1;
  std::unique_ptr<ProgramRunner> forward; // train_step or accumulate
  std::unique_ptr<ProgramRunner> apply;   // or null
};

} // namespace mp

#endif // MP_LIB_TRAINING_STEPRUNNER_H
