// A training job, run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Trainer.h"
#include "Training/Data/BatchSource.h"
#include "Training/Data/Feed.h"
#include "Training/Evaluator.h"
#include "Training/Progress.h"
#include "Training/Resume.h"
#include "Training/RunHeader.h"
#include "Training/Scores.h"
#include "Training/SkipWatch.h"
#include "Training/StepRunner.h"
#include "Training/StepTimes.h"
#include "Training/TrainLog.h"
#include "mp/Base/Names.h"
#include "mp/Training/Checkpoint.h"
#include "mp/Training/StepInputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <ranges>
#include <utility>

using namespace mp;
using namespace mp::executable;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

namespace {

/// One call of train().
class Trainer {
public:
  Trainer(Session &session, const TrainOptions &options)
      : session(session), options(options), progress(options.quiet, options.progressBar) {}

  Status prepare();
  Status run();
  TrainResult result;

private:
  struct Pending {
    unsigned slot;
    StepRecord record;
    std::vector<uint64_t> rows;
    uint64_t index; // within the epoch
    double secondsToEnqueue = 0;
  };

  Status prepareState();
  Status prepareData();
  Status prepareTrainData();
  Status prepareTestData();
  /// The number of the epoch that the last step was in.
  uint64_t lastEpoch() const;
  Status runEpochs();
  std::unique_ptr<BatchSource> makeBatches() const;
  Status runEpoch(BatchSource &batches);
  Status enqueueStep(BatchSource &batches, uint64_t epoch, uint64_t index);
  Status startInputs();
  /// Tells options.onInputs of the step that was enqueued last.
  Status tellInputs();
  ErrorOr<NamedTensors> copyState();
  Status readOldest();
  Status drain();
  Status evaluateNow(uint64_t epoch);
  Status saveNow();
  /// ", 3 of 468 steps skipped", of those of an epoch, from 1, that this run has made; empty where it made none.
  std::string describeSkips(uint64_t epoch) const;
  bool isDone() const { return options.steps && position.step >= *options.steps; }
  /// Whether the epoch's steps are made, and its evaluation may be left.
  bool isEpochRun() const {
    return options.nextStep ? hasNoMore : position.batch == stepsPerEpoch * *options.accumulate;
  }
  bool isOver() const { return position.epoch >= epochLimit() || isDone(); }
  bool isStopped() {
    return result.stopped = result.stopped || isToldToStop || (options.shouldStop && options.shouldStop());
  }
  TrainLog::Run describeForLog() const;
  ProgressPosition positionOf(const Pending &step) const;
  uint64_t scoredRows() const;
  uint64_t epochLimit() const { return options.steps ? UINT64_MAX : options.epochs.value_or(1); }

  Session &session;
  TrainOptions options; // with the number of micro-batches, once prepared
  Progress progress;
  TrainLog log;
  StepRunner steps;
  Dataset data;
  DataBinding binding;
  BatchOrder order;
  std::optional<Evaluator> evaluator;
  std::optional<SkipWatch> skips;
  std::optional<Scores> scores;
  TrainPosition position;
  std::optional<uint64_t> resumedAt;
  std::string unnamedCheckpoint;                        ///< a file in the folder of checkpoints that no manifest names
  std::optional<std::pair<uint64_t, uint64_t>> savedAt; ///< step and epoch of the last checkpoint
  uint64_t evaluatedAt = UINT64_MAX;
  uint64_t stepsPerEpoch = 0; ///< 0 where the batches say when an epoch is over
  bool hasNoMore = false;     ///< such batches, of the epoch
  bool isToldToStop = false;  ///< by who is told of steps and epochs
  bool isTimingDue = false;   ///< of the kernels of the next step
  std::deque<Pending> pending;
  StepInputs inputs; ///< of the last step, where options.onInputs is told
  Clock::time_point lastRead;
  StepTimes stepTimes;
};

} // namespace

Status Trainer::prepareTrainData() {
  const VariantT &variant = steps.dataVariant();
  if (options.nextStep) {
    binding = bindInputs(variant);
    return Status::success();
  }
  ErrorOr<Dataset> train = options.given ? *options.given : readDataset(options.data, DataPart::Train);
  if (!train)
    return train.status();
  data = std::move(*train);
  if (Status fits = checkAugmentation(options.augment, data); !fits.ok())
    return fits.in(marked(FlagName{"augment"}));
  ErrorOr<DataBinding> bound = bindDataset(data, variant, classesOf(session, variant));
  if (!bound)
    return bound.status();
  binding = *bound;

  order.seed = options.seed;
  order.pad = options.lastBatch == LastBatch::Pad;
  order.multipleOf = *options.accumulate;
  if (order.pad && !binding.weightArgument)
    return makeError(FlagName{"last-batch"}, "=pad: program train_step does not have row weights; compile with ",
                     FlagName{"pad"});
  uint64_t batch = static_cast<uint64_t>(variant.batch);
  uint64_t batches = BatchLoader::batchesPerEpoch(data.rows(), batch, order);
  stepsPerEpoch = batches / *options.accumulate;
  if (batches == 0)
    return makeError(data.rows(), " rows, expected at least the ", *options.accumulate * batch,
                     " of a step; take a smaller batch")
        .in(data.name);
  result.rows = data.rows();
  result.droppedRows = data.rows() - std::min(data.rows(), batches * batch);
  return Status::success();
}

Status Trainer::prepareTestData() {
  const std::string &source = options.testData.empty() ? options.data : options.testData;
  const bool isGiven = options.given || options.nextStep;
  bool hasTest = options.givenTest || !options.testData.empty() || (!isGiven && hasDataset(source, DataPart::Test));
  if (!hasTest || !session.hasProgram(programs::eval))
    return Status::success();
  ErrorOr<Dataset> test = options.givenTest ? *options.givenTest : readDataset(source, DataPart::Test);
  if (!test)
    return test.status();
  result.testRows = test->rows();
  evaluator.emplace();
  return evaluator->prepare(session, std::move(*test), steps.dataVariant().batch);
}

Status Trainer::prepareData() {
  Status ready = prepareTrainData();
  return ready.ok() ? prepareTestData() : ready;
}

static Status hasCheckpointError(const std::string &folder) {
  Fault fault;
  fault.code = FaultCode::HasCheckpoint;
  fault.detail = folder;
  return makeError("has a checkpoint; go on from it with ", FlagName{"resume"}, ", or remove it")
      .in(folder)
      .about(std::move(fault));
}

Status Trainer::prepareState() {
  position.seed = options.seed;
  position.rows = data.rows();
  position.batchSize = static_cast<uint64_t>(steps.dataVariant().batch);
  position.accumulate = *options.accumulate;
  position.stepsPerEpoch = stepsPerEpoch;
  position.augment = formatAugmentation(options.augment);
  position.step = options.stepsBehind;
  position.epoch = options.epochsBehind;
  const FirstValues from = options.fromScratch ? FirstValues::Initializers : FirstValues::Stored;
  if (Status initialized = options.goOn ? Status::success() : session.initialize(options.seed, from); !initialized.ok())
    return initialized;
  const bool hasSaved = !options.checkpoint.empty() && hasCheckpoint(options.checkpoint);
  if (hasSaved && !options.resume)
    return hasCheckpointError(options.checkpoint);
  if (hasSaved) {
    ErrorOr<TrainPosition> loaded = resume(session, options, position);
    if (!loaded)
      return loaded.status();
    position = std::move(*loaded);
    savedAt = {position.step, position.epoch};
    resumedAt = position.step;
  } else if (!options.checkpoint.empty())
    unnamedCheckpoint = findUnnamedCheckpoint(options.checkpoint);
  if (!options.checkpoint.empty()) // before hours of training, not after them
    if (Status made = makeCheckpointFolder(options.checkpoint); !made.ok())
      return made;
  if (options.learningRate) {
    if (!session.hasState(states::learningRate))
      return makeError(FlagName{"learning-rate"}, ": the executable has no state 'learning_rate'");
    ErrorOr<HostTensor> rate = session.state(states::learningRate);
    if (!rate)
      return rate.status();
    HostTensor value = scalarTensor(rate->type.element, *options.learningRate);
    value.type = rate->type;
    if (Status set = session.setState(states::learningRate, value); !set.ok())
      return set;
  }
  ErrorOr<SkipWatch> watch = SkipWatch::create(session);
  if (!watch)
    return watch.status();
  skips = std::move(*watch);
  return Status::success();
}

Status Trainer::prepare() {
  ErrorOr<uint64_t> microBatches = StepRunner::microBatchesFor(session, options);
  if (!microBatches)
    return microBatches.status();
  options.accumulate = *microBatches;
  if (Status checked = checkTrainOptions(options); !checked.ok())
    return checked;
  if (Status ready = steps.prepare(session, options); !ready.ok())
    return ready;
  if (Status ready = prepareData(); !ready.ok())
    return ready;
  if (Status ready = prepareState(); !ready.ok())
    return ready;
  scores.emplace(steps.dataVariant());
  if (resumedAt)
    if (Status restored = scores->restore(position.scoreSums, scoredRows()); !restored.ok())
      return restored.in(options.checkpoint);
  // A run that is refused, or over already, leaves its log as it is.
  if (!options.log.empty() && !isOver())
    if (Status opened = log.open(options.log, resumedAt, describeForLog()); !opened.ok())
      return opened;
  progress.note(describeRun(session, steps.dataVariant(), *options.accumulate, options.augment));
  if (resumedAt && isOver())
    progress.note(
        "the checkpoint stands after step " + std::to_string(position.step) + ", " +
        (options.steps ? "--steps=" + std::to_string(*options.steps) : "--epochs=" + std::to_string(epochLimit())) +
        " ends there or before: nothing is trained or written");
  else if (resumedAt)
    progress.note("resumed after step " + std::to_string(*resumedAt));
  else if (!unnamedCheckpoint.empty())
    progress.note(options.checkpoint +
                  ": has no manifest.json, which says what to go on from: starts anew, and leaves " +
                  unnamedCheckpoint + " as it is");
  else if (options.resume)
    progress.note(options.checkpoint + ": has no checkpoint: starts anew");
  if (const size_t stored = session.storedStates(); stored && !options.goOn && !options.fromScratch && !resumedAt)
    progress.note("starts from the weights in the executable, " + std::to_string(stored) +
                  (stored == 1 ? " state" : " states") + "; --from-scratch starts without them");
  if (result.droppedRows)
    progress.note(std::to_string(result.droppedRows) + " of " + std::to_string(data.rows()) +
                  " rows do not fill a step and are dropped in each epoch");
  return Status::success();
}

TrainLog::Run Trainer::describeForLog() const {
  return {.model = session.table().model,
          .policy = session.table().policy,
          .device = session.device().description().name,
          .data = options.data,
          .seed = options.seed,
          .rows = result.rows,
          .testRows = result.testRows};
}

/// Where a step is in the run, as far as that is known.
ProgressPosition Trainer::positionOf(const Pending &step) const {
  const std::optional<uint64_t> count = stepsPerEpoch ? std::optional(stepsPerEpoch) : options.stepsPerEpoch;
  ProgressPosition at;
  at.index = step.index + 1;
  at.count = count;
  if (options.steps) {
    at.left = *options.steps - std::min(*options.steps, step.record.step);
    return at;
  }
  at.epochs = epochLimit();
  if (!count)
    return at;
  uint64_t all = 0;
  if (__builtin_mul_overflow(epochLimit() - std::min(epochLimit(), step.record.epoch), *count, &all))
    all = UINT64_MAX - *count;
  at.left = all + *count - std::min(*count, at.index);
  return at;
}

/// The rows that the scores of a resumed run are sums over.
uint64_t Trainer::scoredRows() const {
  const uint64_t ofEpoch = data.rows() - result.droppedRows;
  if (position.batch > 0)
    return std::min(position.batch * position.batchSize, ofEpoch);
  return position.epoch > 0 ? ofEpoch : 0;
}

Status Trainer::enqueueStep(BatchSource &batches, uint64_t epoch, uint64_t index) {
  if (pending.size() == StepRunner::kSlots)
    if (Status read = readOldest(); !read.ok())
      return read;
  if (options.onInputs)
    if (Status ready = startInputs(); !ready.ok())
      return ready;
  const Clock::time_point start = Clock::now();
  Pending step;
  step.slot = static_cast<unsigned>(position.step % StepRunner::kSlots);
  step.index = index;
  step.record.step = position.step + 1;
  step.record.epoch = epoch + 1;
  isTimingDue |= options.logKernels && step.record.step % options.logKernels == 0;
  std::vector<KernelSeconds> *times = std::exchange(isTimingDue, false) ? &step.record.kernels : nullptr;
  for (unsigned i = 0; i < *options.accumulate; ++i) {
    const Batch &batch = batches.next();
    if (Status queued = steps.enqueueMicroBatch(step.slot, i, binding, batch, times); !queued.ok())
      return queued;
    step.rows.push_back(batch.rows);
    if (options.onInputs)
      inputs.batches.push_back(nameBatch(steps.dataVariant(), binding, batch));
  }
  if (Status queued = steps.finishStep(step.slot, times); !queued.ok())
    return queued;
  position.step += 1;
  step.secondsToEnqueue = secondsSince(start);
  pending.push_back(std::move(step));
  if (options.onInputs)
    return tellInputs();
  return options.oneByOne ? readOldest() : Status::success();
}

ErrorOr<NamedTensors> Trainer::copyState() {
  NamedTensors copies;
  for (const auto &entry : session.table().state) {
    if (entry->role == StateRole::Derived)
      continue;
    ErrorOr<HostTensor> value = session.state(entry->name);
    if (!value)
      return value.status();
    copies.push_back({entry->name, std::move(*value)});
  }
  return copies;
}

Status Trainer::startInputs() {
  inputs.batches.clear();
  inputs.before = std::move(inputs.after);
  if (!inputs.before.empty())
    return Status::success();
  ErrorOr<NamedTensors> state = copyState();
  if (state)
    inputs.before = std::move(*state);
  return state.status();
}

Status Trainer::tellInputs() {
  const Status read = readOldest();
  ErrorOr<NamedTensors> state = copyState();
  if (!state)
    return state.status();
  inputs.after = std::move(*state);
  // A step that ends the run by an error is one to look into, too.
  ErrorOr<bool> goesOn = options.onInputs(result.history.back(), inputs);
  if (!goesOn)
    return goesOn.status();
  if (!*goesOn)
    options.onInputs = nullptr;
  return read;
}

Status Trainer::readOldest() {
  Pending step = std::move(pending.front());
  pending.pop_front();
  std::optional<std::string> gradient;
  if (Status read = steps.read(step.slot, step.rows, *scores, step.record, gradient); !read.ok())
    return read;
  const bool isSkipped = step.record.bad >= 0; // then it lacks its updates
  if (isSkipped && !step.record.kernels.empty()) {
    step.record.kernels.clear();
    isTimingDue = true;
  }
  // Between two reads, or in the queue where the device computes at once and the last steps are read together.
  const double seconds = std::max(secondsSince(lastRead), step.secondsToEnqueue);
  stepTimes.add(seconds, isSkipped);
  lastRead = Clock::now();
  uint64_t rows = 0;
  for (uint64_t count : step.rows)
    rows += count;
  step.record.samplesPerSecond = double(rows) / std::max(seconds, 1e-9);

  step.record.gradient = gradient.value_or("");
  Status noted = skips->note(step.record, gradient ? &*gradient : nullptr);
  step.record.skipped = skips->total();
  log.step(step.record);
  progress.step(step.record, positionOf(step));
  result.history.push_back(step.record);
  if (options.onStep && !options.onStep(step.record))
    isToldToStop = true;
  return noted;
}

Status Trainer::drain() {
  while (!pending.empty())
    if (Status read = readOldest(); !read.ok())
      return read;
  return log.flush();
}

Status Trainer::evaluateNow(uint64_t epoch) {
  if (Status drained = drain(); !drained.ok())
    return drained;
  result.trainScores = scores->averages();
  std::string line = "epoch " + std::to_string(epoch + 1) + ": " + formatScores(result.trainScores);
  if (const std::optional<double> loss = TrainResult::find(result.trainScores, results::loss);
      loss && !std::isfinite(*loss))
    line += describeSkips(epoch + 1);
  if (evaluator && evaluatedAt != position.step) {
    ErrorOr<std::vector<Score>> tested = evaluator->run([this] { return isStopped(); });
    if (!tested)
      return tested.status();
    if (result.stopped)
      return Status::success();
    result.testScores = std::move(*tested);
    log.evaluation(position.step, epoch + 1, result.testScores);
    line += "; test " + formatScores(result.testScores);
  }
  evaluatedAt = position.step;
  progress.note(line);
  if (options.onEpoch && !options.onEpoch({epoch + 1, position.step, result.trainScores, result.testScores}))
    isToldToStop = true;
  lastRead = Clock::now();
  return log.flush();
}

std::string Trainer::describeSkips(uint64_t epoch) const {
  uint64_t steps = 0, skipped = 0;
  for (const StepRecord &record : std::views::reverse(result.history)) {
    if (record.epoch != epoch)
      break;
    steps += 1;
    skipped += record.bad >= 0;
  }
  if (steps == 0)
    return "";
  return ", " + std::to_string(skipped) + " of " + std::to_string(steps) + " steps skipped" +
         (skipped == steps ? ": nothing was trained" : "");
}

Status Trainer::saveNow() {
  const std::pair now(position.step, position.epoch);
  const bool isWithin = options.nextStep && position.batch != 0; // an epoch that nothing could go on in
  if (options.checkpoint.empty() || savedAt == now || isWithin)
    return Status::success();
  if (Status drained = drain(); !drained.ok())
    return drained;
  savedAt = now;
  position.scoreSums = scores->sums();
  Status saved = saveCheckpoint(options.checkpoint, session, position);
  lastRead = Clock::now();
  return saved;
}

Status Trainer::runEpoch(BatchSource &batches) {
  while (!isEpochRun() && !isDone() && !isStopped()) {
    ErrorOr<bool> hasStep = batches.startStep();
    if (!hasStep)
      return hasStep.status();
    if (isStopped())
      break;
    hasNoMore = !*hasStep;
    if (hasNoMore)
      break;
    if (Status queued = enqueueStep(batches, position.epoch, position.batch / *options.accumulate); !queued.ok())
      return queued;
    position.batch += *options.accumulate;
    if (!isEpochRun() && options.checkpointEvery && position.step % options.checkpointEvery == 0)
      if (Status saved = saveNow(); !saved.ok())
        return saved;
  }
  return Status::success();
}

std::unique_ptr<BatchSource> Trainer::makeBatches() const {
  if (!options.nextStep)
    return std::make_unique<LoadedBatches>(data, binding, order, options.augment);
  const VariantT &variant = steps.dataVariant();
  return std::make_unique<GivenBatches>(variant, binding, classesOf(session, variant), options.nextStep,
                                        *options.accumulate);
}

Status Trainer::runEpochs() {
  const std::unique_ptr<BatchSource> batches = makeBatches();
  while (!isOver() && !isStopped()) {
    if (position.batch == 0)
      scores->clear();
    if (Status trained = runEpoch(*batches); !trained.ok() || result.stopped)
      return trained;
    if (Status evaluated = evaluateNow(position.epoch); !evaluated.ok() || result.stopped)
      return evaluated;
    if (isEpochRun()) {
      position.epoch += 1;
      position.batch = 0;
      hasNoMore = false;
    }
    if (isOver() || !options.checkpointEvery || position.step % options.checkpointEvery == 0)
      if (Status saved = saveNow(); !saved.ok())
        return saved;
  }
  return Status::success();
}

uint64_t Trainer::lastEpoch() const {
  return position.epoch != 0 && position.batch == 0 ? position.epoch - 1 : position.epoch;
}

Status Trainer::run() {
  order.firstEpoch = position.epoch;
  order.firstBatch = position.batch;
  lastRead = Clock::now();
  progress.start();
  Status trained = isOver() ? evaluateNow(lastEpoch()) : runEpochs();
  if (!trained.ok())
    return trained;
  if (result.stopped) {
    if (Status drained = drain(); !drained.ok())
      return drained;
    result.trainScores = scores->averages();
    if (Status saved = saveNow(); !saved.ok())
      return saved;
  }

  result.steps = position.step;
  result.skipped = skips->total();
  if (session.hasState(states::lossScale)) {
    ErrorOr<HostTensor> scale = session.state(states::lossScale);
    if (!scale)
      return scale.status();
    result.lossScale = elementAt(*scale, 0);
  }
  stepTimes.summarize(result);
  result.residentBytes = session.residentBytes() + steps.residentBytes() + (evaluator ? evaluator->residentBytes() : 0);
  return Status::success();
}

ErrorOr<TrainResult> mp::train(Session &session, const TrainOptions &options) {
  Trainer trainer(session, options);
  if (Status prepared = trainer.prepare(); !prepared.ok())
    return prepared;
  if (Status trained = trainer.run(); !trained.ok())
    return trained;
  return std::move(trainer.result);
}
