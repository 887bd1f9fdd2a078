// Programs of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/StepRunner.h"
#include "Training/Data/Feed.h"
#include "Training/Metadata.h"
#include "mp/Base/Names.h"

using namespace mp;
using namespace mp::executable;

ErrorOr<uint64_t> StepRunner::microBatchesFor(const Session &session, const TrainOptions &options) {
  ErrorOr<std::optional<uint64_t>> compiled = metadataNumber<uint64_t>(session, metadata::microBatches);
  if (!compiled)
    return compiled.status();
  uint64_t count = options.accumulate.value_or(compiled->value_or(1));
  if (count > 1 && !session.hasProgram(programs::accumulate))
    return makeError("the executable does not have program accumulate; compile it with ", FlagName{"accumulate"});
  // Program apply divides by the number that it was compiled for.
  if (count > 1 && *compiled && count != **compiled)
    return makeError(FlagName{"accumulate"}, " is ", count, ", the executable was compiled for ", **compiled);
  if (count <= 1 && !session.hasProgram(programs::trainStep) && session.hasProgram(programs::accumulate))
    return makeError(FlagName{"accumulate"},
                     " is 1, the executable was compiled for more; give the number that it was compiled for");
  return count;
}

Status StepRunner::prepare(Session &session, const TrainOptions &options) {
  microBatches = static_cast<unsigned>(*options.accumulate);
  bool accumulates = microBatches > 1;
  ErrorOr<std::unique_ptr<ProgramRunner>> loaded =
      session.load(accumulates ? programs::accumulate : programs::trainStep, options.batchSize, kSlots * microBatches);
  if (!loaded)
    return options.batchSize
               ? loaded.status().in(marked(FlagName{"batch-size"}) + "=" + std::to_string(*options.batchSize))
               : loaded.status();
  forward = std::move(*loaded);
  if (!accumulates)
    return Status::success();
  loaded = session.load(programs::apply, std::nullopt, kSlots);
  if (!loaded)
    return loaded.status();
  apply = std::move(*loaded);
  return Status::success();
}

static Status enqueue(ProgramRunner &program, unsigned slot, std::vector<KernelSeconds> *times) {
  if (!times)
    return program.enqueue(slot);
  ErrorOr<std::vector<double>> seconds = program.timeCommands(slot);
  if (!seconds)
    return seconds.status().in(marked(FlagName{"log-kernels"}));
  for (size_t i = 0; i < seconds->size(); ++i)
    if (const LaunchT *launch = program.variant().commands[i]->what.AsLaunch())
      times->push_back({launch->kernel, (*seconds)[i]});
  return Status::success();
}

Status StepRunner::enqueueMicroBatch(unsigned slot, unsigned index, const DataBinding &binding, const Batch &batch,
                                     std::vector<KernelSeconds> *times) {
  unsigned memorySet = slot * microBatches + index;
  if (Status set = setBatch(*forward, memorySet, binding, batch); !set.ok())
    return set;
  return enqueue(*forward, memorySet, times);
}

Status StepRunner::finishStep(unsigned slot, std::vector<KernelSeconds> *times) {
  return apply ? enqueue(*apply, slot, times) : Status::success();
}

ErrorOr<std::optional<double>> StepRunner::readLog(unsigned slot, const char *name) {
  ProgramRunner &last = apply ? *apply : *forward;
  std::optional<size_t> index = last.result(name);
  if (!index || last.variant().results[*index]->kind != ResultKind::Log)
    return std::optional<double>();
  ErrorOr<HostTensor> value = last.read(slot, *index);
  if (!value)
    return value.status();
  return value->count() ? std::optional(elementAt(*value, 0)) : std::nullopt;
}

Status StepRunner::read(unsigned slot, const std::vector<uint64_t> &rows, Scores &scores, StepRecord &record,
                        std::optional<std::string> &gradient) {
  record.loss = 0;
  for (unsigned i = 0; i < rows.size(); ++i) {
    ErrorOr<std::vector<Score>> added = scores.add(*forward, slot * microBatches + i, rows[i]);
    if (!added)
      return added.status();
    if (!added->empty() && added->front().name == results::loss)
      record.loss += added->front().value / double(rows.size());
  }
  ErrorOr<std::optional<double>> bad = readLog(slot, logs::bad);
  ErrorOr<std::optional<double>> scale = readLog(slot, logs::lossScale);
  ErrorOr<std::optional<double>> hysteresis = readLog(slot, logs::hysteresisTracker);
  ErrorOr<std::optional<double>> norm = readLog(slot, logs::gradientNorm);
  for (const ErrorOr<std::optional<double>> *part : {&bad, &scale, &hysteresis, &norm})
    if (!*part)
      return part->status();
  record.lossScale = *scale;
  record.hysteresis = *hysteresis;
  record.gradientNorm = *norm;
  record.bad = static_cast<int64_t>(bad->value_or(-1));
  if (record.bad < 0)
    return Status::success();
  ProgramRunner &last = apply ? *apply : *forward;
  const std::vector<std::string> &names = last.variant().results[*last.result(logs::bad)]->names;
  gradient = record.bad < static_cast<int64_t>(names.size()) ? names[static_cast<size_t>(record.bad)]
                                                             : "gradient " + std::to_string(record.bad);
  return Status::success();
}
