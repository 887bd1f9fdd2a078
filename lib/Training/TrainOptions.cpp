// What a user says about training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/TrainOptions.h"

#include "mp/Base/NearestName.h"
#include "mp/Runtime/Tensors/Files.h"

#include <charconv>
#include <cmath>
#include <vector>

using namespace mp;

template <typename T> static Status parseNumber(std::string_view text, T least, T &number) {
  T parsed{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return makeError("'", text, "' is not a number that fits");
  if (parsed < least)
    return makeError("expected at least ", least);
  number = parsed;
  return Status::success();
}

template <typename T, T least, auto Member> static Status setNumber(TrainOptions &options, std::string_view text) {
  T number{};
  Status parsed = parseNumber<T>(text, least, number);
  if (parsed.ok())
    options.*Member = number;
  return parsed;
}

template <auto Member> static Status setText(TrainOptions &options, std::string_view text) {
  if (text.empty())
    return makeError("needs a value");
  options.*Member = text;
  return Status::success();
}

template <auto Member> static Status setSwitch(TrainOptions &options, std::string_view text) {
  if (!text.empty() && text != "true" && text != "false")
    return makeError("'", text, "' is not true or false");
  options.*Member = text != "false";
  return Status::success();
}

static Status setLearningRate(TrainOptions &options, std::string_view text) {
  double rate = 0;
  if (Status parsed = parseNumber(text, 0.0, rate); !parsed.ok())
    return parsed;
  if (!std::isfinite(rate))
    return makeError("'", text, "' is not finite");
  options.learningRate = rate;
  return Status::success();
}

static Status setLastBatch(TrainOptions &options, std::string_view text) {
  if (text != "drop" && text != "pad")
    return makeError("'", text, "' is not drop or pad");
  options.lastBatch = text == "pad" ? LastBatch::Pad : LastBatch::Drop;
  return Status::success();
}

static Status setAugment(TrainOptions &options, std::string_view text) {
  ErrorOr<Augmentation> parsed = parseAugmentation(text);
  if (parsed)
    options.augment = *parsed;
  return parsed.status();
}

static Status setSimulation(TrainOptions &options, std::string_view text) {
  return setSIMTOptions(options.simulation, text);
}

using O = TrainOptions;

static constexpr TrainFlag kFlags[] = {
    {"data", "DIR|F.npz",
     "folder with train-images-idx3-ubyte[.gz] and so on or CIFAR's .bin files, or F.npz[:x=NAME,y=NAME]; required",
     setText<&O::data>},
    {"test-data", "DIR|F.npz",
     "the same, whose test data are taken: t10k-images-idx3-ubyte[.gz] and so on (default: --data)",
     setText<&O::testData>},
    {"augment", "WORDS", "changes of training images: flip, crop:PIXELS, cutout:PIXELS (default: none)", setAugment},
    {"epochs", "N", "passes over the data (default 1)", setNumber<uint64_t, 1, &O::epochs>},
    {"steps", "N", "steps in all, instead of --epochs (default: those of the epochs)",
     setNumber<uint64_t, 1, &O::steps>},
    {"batch-size", "N", "rows of a batch (default: as compiled, the largest of several; mp-run compiles for 64)",
     setNumber<int64_t, 1, &O::batchSize>},
    {"learning-rate", "R", "learning rate (default: as compiled)", setLearningRate},
    {"accumulate", "N", "batches of a step, whose gradients are averaged (default: as compiled)",
     setNumber<uint64_t, 1, &O::accumulate>},
    {"last-batch", "drop|pad", "what becomes of rows that do not fill a batch (default drop)", setLastBatch},
    {"from-scratch", nullptr, "start from first values, not from the weights that the executable holds",
     setSwitch<&O::fromScratch>},
    {"seed", "N", "seed of first values, dropout and order of rows (default 0)", setNumber<uint64_t, 0, &O::seed>},
    {"checkpoint", "DIR", "folder to write checkpoints to (default: none are written)", setText<&O::checkpoint>},
    {"checkpoint-every", "STEPS", "steps between checkpoints (default: one after every epoch)",
     setNumber<uint64_t, 1, &O::checkpointEvery>},
    {"resume", nullptr, "go on from the checkpoint, if there is one", setSwitch<&O::resume>},
    {"change-policy", nullptr, "go on from a checkpoint of another policy, too", setSwitch<&O::changePolicy>},
    {"log", "F.jsonl", "file for a JSON line per step (default: none is written)", setText<&O::log>},
    {"log-kernels", "N", "with every Nth step, a line in the log of how long each kernel took (default: none)",
     setNumber<uint64_t, 1, &O::logKernels>},
    {"quiet", nullptr, "show no progress", setSwitch<&O::quiet>},
    {"progress-bar", nullptr, "draw progress over itself where standard error is no terminal, too, as for a notebook",
     setSwitch<&O::progressBar>},
    {"device", "NAME", "device to run on (default cpu)", setText<&O::device>},
    {"threads", "N", "threads of the CPU, at most 1024 (default: all)", setNumber<unsigned, 0, &O::threads>},
    {"pin-threads", nullptr, "keep each thread of the CPU on one of its processors, in turn",
     setSwitch<&O::pinThreads>},
    {"simulate", "WORDS",
     "device simt: races, uninitialized, bounds, checks (all three), hardware-like, seed=N (default: none)",
     setSimulation},
};

std::span<const TrainFlag> mp::trainFlags() { return kFlags; }

Status mp::setTrainFlag(TrainOptions &options, std::string_view name, std::string_view value) {
  for (const TrainFlag &flag : kFlags)
    if (name == flag.name)
      return flag.set(options, value).in(marked(FlagName{name}) + (flag.value ? "=" + std::string(value) : ""));
  std::vector<std::string> names;
  for (const TrainFlag &flag : kFlags)
    names.emplace_back(flag.name);
  return makeError("unknown flag ", FlagName{name}, suggestName(name, names));
}

Status mp::checkTrainOptions(const TrainOptions &options) {
  if (options.data.empty() && !options.given && !options.nextStep)
    return makeError(FlagName{"data"}, " is missing; give the folder of the data set, as in ", FlagName{"data"},
                     "=DIR");
  const bool isGiven = options.given || options.nextStep;
  if (isGiven && options.augment.any())
    return makeError(FlagName{"augment"}, " changes the images of files, arrays are trained on as they are given");
  if (Status known = isGiven ? Status::success() : checkDataSource(options.data); !known.ok())
    return known.in(marked(FlagName{"data"}));
  if (Status known = checkDataSource(options.testData); !known.ok())
    return known.in(marked(FlagName{"test-data"}));
  if (options.epochs && options.steps)
    return makeError(FlagName{"epochs"}, " and ", FlagName{"steps"}, " exclude each other");
  if (options.resume && options.checkpoint.empty())
    return makeError(FlagName{"resume"}, " needs ", FlagName{"checkpoint"}, "=DIR");
  if (options.fromScratch && options.goOn)
    return makeError(FlagName{"from-scratch"},
                     " starts anew, and training is to go on from the state that the session has");
  if (options.changePolicy && !options.resume)
    return makeError(FlagName{"change-policy"}, " needs ", FlagName{"resume"});
  if (options.logKernels && options.log.empty())
    return makeError(FlagName{"log-kernels"}, " needs ", FlagName{"log"}, "=F.jsonl");
  if (options.checkpointEvery && options.checkpoint.empty())
    return makeError(FlagName{"checkpoint-every"}, " needs ", FlagName{"checkpoint"}, "=DIR");
  if (options.checkpointEvery && options.nextStep)
    return makeError(FlagName{"checkpoint-every"},
                     " is for data that can be gone on from within an epoch; batches of a caller have "
                     "a checkpoint after each epoch");
  // Each micro-batch of the steps in flight has memory of its own.
  constexpr uint64_t kMost = 4096;
  uint64_t accumulate = options.accumulate.value_or(1);
  if (accumulate == 0)
    return makeError(FlagName{"accumulate"}, " is 0, expected at least 1");
  if (accumulate > kMost)
    return makeError(FlagName{"accumulate"}, " is ", accumulate, ", expected at most ", kMost);
  if (options.lastBatch == LastBatch::Pad && accumulate > 1)
    return makeError(FlagName{"last-batch"}, "=pad and ", FlagName{"accumulate"}, " exclude each other");
  if (!options.log.empty())
    return checkFolderOf(options.log).in(marked(FlagName{"log"}));
  return Status::success();
}
