// Training from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/SessionHandle.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"
#include "CAPI/Tensors.h"

#include "mp/Base/Names.h"
#include "mp/Training/Data/BatchLoader.h"
#include "mp/Training/StepInputs.h"
#include "mp/Training/Trainer.h"

#include <limits>

using namespace mp;

static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Views of the trainer's own copies.
struct MpStepInputs {
  explicit MpStepInputs(const StepInputs &inputs) : before{{}, &inputs.before}, after{{}, &inputs.after} {
    for (const NamedTensors &batch : inputs.batches)
      batches.push_back({{}, &batch});
  }

  MpTensors before, after;
  std::vector<MpTensors> batches;
};

const MpTensors *mpStepInputsBefore(const MpStepInputs *inputs) { return inputs ? &inputs->before : nullptr; }
const MpTensors *mpStepInputsAfter(const MpStepInputs *inputs) { return inputs ? &inputs->after : nullptr; }

int64_t mpStepInputsBatchCount(const MpStepInputs *inputs) {
  return inputs ? static_cast<int64_t>(inputs->batches.size()) : 0;
}

const MpTensors *mpStepInputsBatch(const MpStepInputs *inputs, int64_t index) {
  return index >= 0 && index < mpStepInputsBatchCount(inputs) ? &inputs->batches[static_cast<size_t>(index)] : nullptr;
}

static Status readFlags(const char *const *names, const char *const *values, size_t count, TrainOptions &options) {
  for (Status given :
       {needs(count && !names ? nullptr : &options, "names"), needs(count && !values ? nullptr : &options, "values")})
    if (!given.ok())
      return given;
  for (size_t i = 0; i < count; ++i) {
    if (Status given = needs(names[i] && values[i] ? names[i] : nullptr, "a flag"); !given.ok())
      return given;
    std::string_view name = names[i];
    if (name == "device" || name == "threads" || name == "pin-threads" || name == "simulate")
      return makeError("flag ", name, " is the session's");
    if (Status set = setTrainFlag(options, name, values[i]); !set.ok())
      return set;
  }
  return Status::success();
}

/// Arrays of a caller, or nothing where it gives none.
static Status readArrays(const char *const *names, const MpTensor *arrays, size_t count, const char *what,
                         std::optional<Dataset> &data) {
  if (count == 0)
    return Status::success();
  for (Status given : {needs(names, "names of arrays"), needs(arrays, "arrays")})
    if (!given.ok())
      return given;
  std::vector<DataArray> views;
  for (size_t i = 0; i < count; ++i) {
    if (Status given = needs(names[i], "an array's name"); !given.ok())
      return given;
    ErrorOr<DataArray> view = viewOfC(arrays[i], names[i]);
    if (!view)
      return view.status();
    views.push_back(std::move(*view));
  }
  ErrorOr<Dataset> made = makeDataset(what, std::move(views));
  if (made)
    data = std::move(*made);
  return made.status();
}

static MpStep toC(const StepRecord &record) {
  return {sizeof(MpStep),
          record.step,
          record.epoch,
          record.loss,
          record.lossScale.value_or(kNone),
          record.gradientNorm.value_or(kNone),
          record.bad,
          record.skipped,
          record.samplesPerSecond,
          record.gradient.c_str()};
}

/// Scores as tensors of f64.
static MpTensors toC(const std::vector<Score> &scores) {
  MpTensors tensors;
  for (const Score &score : scores)
    tensors.own.push_back({score.name, scalarTensor(ElementType::F64, score.value)});
  return tensors;
}

static void addCallbacks(const MpTraining &training, TrainOptions &options) {
  if (training.onStep)
    options.onStep = [&training](const StepRecord &record) {
      const MpStep step = toC(record);
      return training.onStep(&step, training.user) == 0;
    };
  if (training.onEpoch)
    options.onEpoch = [&training](const EpochRecord &record) {
      const MpTensors train = toC(record.trainScores), test = toC(record.testScores);
      const MpEpoch epoch = {sizeof(MpEpoch), record.epoch, record.step, &train, &test};
      return training.onEpoch(&epoch, training.user) == 0;
    };
  if (training.onInputs)
    options.onInputs = [&training](const StepRecord &record, const StepInputs &inputs) -> ErrorOr<bool> {
      const MpStep step = toC(record);
      const MpStepInputs given(inputs);
      return training.onInputs(&step, &given, training.user) == 0;
    };
}

/// Asks a caller for a step; the others of the options' answers are told by what it returns.
static ErrorOr<std::vector<GivenBatch>> nextStep(const MpTraining &training, bool &isOver) {
  std::vector<GivenBatch> batches;
  MpGivenStep step{};
  step.size = sizeof step;
  const int answer = training.nextStep(&step, training.user);
  isOver = answer == 2;
  if (answer != 0)
    return batches;
  for (Status given : {needs(step.names, "names of arrays"), needs(step.arrays, "arrays"), needs(step.rows, "rows")})
    if (!given.ok())
      return given;
  for (size_t i = 0; i < step.batches; ++i) {
    ErrorOr<NamedTensors> inputs = fromC(step.names, step.arrays + i * step.count, step.count, "an array's name");
    if (!inputs)
      return inputs.status();
    batches.push_back({std::move(*inputs), step.rows[i]});
  }
  return batches;
}

/// Batches of a caller, who may end training by them.
static void addSource(const MpTraining &training, TrainOptions &options) {
  if (!training.nextStep)
    return;
  auto isOver = std::make_shared<bool>(false);
  options.nextStep = [&training, isOver] { return nextStep(training, *isOver); };
  options.shouldStop = [isOver] { return *isOver; };
  if (training.stepsPerEpoch)
    options.stepsPerEpoch = training.stepsPerEpoch;
}

static MpTrainResult toC(const TrainResult &trained) {
  auto score = [&](const std::vector<Score> &scores, const char *name) {
    return TrainResult::find(scores, name).value_or(kNone);
  };
  return {trained.steps,
          trained.skipped,
          score(trained.trainScores, results::loss),
          score(trained.testScores, results::loss),
          score(trained.testScores, "accuracy"),
          trained.lossScale.value_or(kNone),
          trained.secondsPerStep,
          trained.residentBytes};
}

static Status trainAs(MpSession &session, const TrainOptions &options, MpTrainResult *result) {
  return alone(session, [&](Session &own) {
    if (Status there = options.goOn ? needsValues(session, programs::trainStep) : Status::success(); !there.ok())
      return there;
    session.hasValues = true; // training begins with first values; callbacks may run programs
    ErrorOr<TrainResult> trained = train(own, options);
    if (trained && result)
      *result = toC(*trained);
    return trained.status();
  });
}

MpStatus *mpSessionTrain(MpSession *session, const char *const *names, const char *const *values, size_t count,
                         MpTrainResult *result) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(result, "result")})
      if (!given.ok())
        return given;
    TrainOptions options;
    Status read = readFlags(names, values, count, options);
    return read.ok() ? trainAs(*session, options, result) : read;
  });
}

MpStatus *mpSessionTrainOn(MpSession *session, const MpTraining *training, MpTrainResult *result) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(training, "training")})
      if (!given.ok())
        return given;
    const MpTraining own = known(training);
    TrainOptions options;
    if (Status read = readFlags(own.flagNames, own.flagValues, own.flagCount, options); !read.ok())
      return read;
    if (Status read = readArrays(own.names, own.arrays, own.count, "training data", options.given); !read.ok())
      return read;
    if (Status read = readArrays(own.testNames, own.testArrays, own.testCount, "test data", options.givenTest);
        !read.ok())
      return read;
    options.goOn = own.goOn != 0;
    options.stepsBehind = own.stepsBehind;
    options.epochsBehind = own.epochsBehind;
    options.oneByOne = own.oneByOne != 0;
    addCallbacks(own, options);
    addSource(own, options);
    return trainAs(*session, options, result);
  });
}

MpStatus *mpSessionEvaluate(MpSession *session, const char *const *names, const MpTensor *arrays, size_t count,
                            MpTensors **scores) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(count ? arrays : nullptr, "arrays"), needs(scores, "scores")})
      if (!given.ok())
        return given;
    std::optional<Dataset> data;
    if (Status read = readArrays(names, arrays, count, "test data", data); !read.ok())
      return read;
    return alone(*session, [&](Session &own) -> Status {
      if (Status there = needsValues(*session, programs::eval); !there.ok())
        return there;
      ErrorOr<std::vector<Score>> evaluated = evaluate(own, std::move(*data));
      if (evaluated)
        *scores = new MpTensors(toC(*evaluated));
      return evaluated.status();
    });
  });
}
