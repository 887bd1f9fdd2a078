// What a user says about training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_TRAINOPTIONS_H
#define MP_TRAINING_TRAINOPTIONS_H

#include "mp/Base/Status.h"
#include "mp/Runtime/Core/SIMTOptions.h"
#include "mp/Training/Data/Augmentation.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mp {

/// What happens to the rows of an epoch that do not fill a batch.
enum class LastBatch : uint8_t { Drop, Pad };

struct StepRecord;
struct StepInputs;
struct GivenBatch;
struct EpochRecord;

/// How a compiled training job is run. What changes the job itself (policy, optimizer, loss scale)
/// is the compiler's; batch size and accumulation are both: here they choose among what the
/// executable holds.
struct TrainOptions {
  std::string data;                 // folder or file, as readDataset takes them
  std::string testData;             // the same, of which the test data are taken; empty: `data`
  std::optional<Dataset> given;     // instead of `data`
  std::optional<Dataset> givenTest; // instead of `testData`
  /// Instead of `data`: the batches of the next step, none where an epoch is over. Nothing goes on within such an
  /// epoch.
  std::function<ErrorOr<std::vector<GivenBatch>>()> nextStep;
  std::optional<uint64_t> stepsPerEpoch; // of nextStep, where that is known; for people
  Augmentation augment;                  // of the training images
  std::optional<uint64_t> epochs;        // 1 where neither is said
  std::optional<uint64_t> steps;         // in all, those before a resume among them
  std::optional<int64_t> batchSize;      // rows of one micro-batch; else the largest that there is code for
  std::optional<double> learningRate;    // else what the executable has
  std::optional<uint64_t> accumulate;    // micro-batches of a step; else what the executable was compiled for
  LastBatch lastBatch = LastBatch::Drop;
  bool fromScratch = false;     // from first values, whatever values the executable holds
  uint64_t seed = 0;            // of initializers, dropout and the order of rows
  std::string checkpoint;       // folder; empty: none is written
  uint64_t checkpointEvery = 0; // steps; 0: after every epoch. Always at the end
  bool resume = false;          // from the folder's checkpoint, if there is one
  bool changePolicy = false;    // resume from a checkpoint of another policy, too
  std::string log;              // JSON lines; empty: none
  uint64_t logKernels = 0;      // the log has the times of the kernels of every so many-th step; 0: of none
  bool quiet = false;           // no progress
  bool progressBar = false;     // drawn over where standard error is no terminal, too
  std::string device = "cpu";
  unsigned threads = 0; // 0: all that the process may use
  bool pinThreads = false;
  SIMTOptions simulation; // of device simt

  /// From the state that the session has, instead of first values: so many steps and epochs are behind it, and count.
  bool goOn = false;
  uint64_t stepsBehind = 0;
  uint64_t epochsBehind = 0;

  /// Told of each step and epoch, in order, by the thread that trains; a step is told when its results are read, when
  /// others may be under way unless steps run `oneByOne`. Whether to go on.
  std::function<bool(const StepRecord &)> onStep;
  std::function<bool(const EpochRecord &)> onEpoch;

  bool oneByOne = false;

  /// Told what each step was given and left, behind onStep, as long as it says true. Until then steps run one by one,
  /// and the state is copied after each.
  std::function<ErrorOr<bool>(const StepRecord &, const StepInputs &)> onInputs;

  /// Asked after each step: whether to end here, with a checkpoint where one is asked for. Null: never.
  std::function<bool()> shouldStop;
};

/// One flag of the command lines, of the C API and of a variant of `compare`.
struct TrainFlag {
  const char *name;  // without dashes
  const char *value; // what its value is called; null for a flag that is said or not
  const char *help;
  Status (*set)(TrainOptions &options, std::string_view value);
};

/// All flags, in the order in which help shows them.
std::span<const TrainFlag> trainFlags();

/// Sets the flag of that name; an unknown name and a value that does not fit are errors that name
/// the flag. A flag without value takes "" and "true", and "false".
Status setTrainFlag(TrainOptions &options, std::string_view name, std::string_view value);

/// Checks what flags ask of each other: data is there, not both epochs and steps, resume has a
/// checkpoint folder.
Status checkTrainOptions(const TrainOptions &options);

} // namespace mp

#endif // MP_TRAINING_TRAINOPTIONS_H
