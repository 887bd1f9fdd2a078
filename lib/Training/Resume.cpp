// Going on from a checkpoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Resume.h"

#include "mp/Base/Text.h"

using namespace mp;

/// "--augment=flip", or that there is none.
static std::string describeAugment(const std::string &augment) {
  return augment.empty() ? "no " + marked(FlagName{"augment"}) : marked(FlagName{"augment"}) + "=" + printable(augment);
}

/// Of batches that a caller gives nobody knows how many there are.
static bool isOfGivenBatches(const TrainPosition &position) {
  return position.rows == 0 && position.stepsPerEpoch == 0;
}

/// Fails at the first number that differs from the run's.
static Status checkSameRun(const TrainPosition &saved, const TrainPosition &wanted) {
  struct Row {
    const char *name;
    uint64_t TrainPosition::*member;
  };
  static constexpr Row kRows[] = {{"seed", &TrainPosition::seed},
                                  {"rows of data", &TrainPosition::rows},
                                  {"batch size", &TrainPosition::batchSize},
                                  {"accumulate", &TrainPosition::accumulate},
                                  {"steps per epoch", &TrainPosition::stepsPerEpoch}};
  const bool wasGiven = isOfGivenBatches(saved);
  if (wasGiven && !isOfGivenBatches(wanted))
    return makeError("was made with batches that a caller gave, this run has data of ", wanted.rows, " rows");
  if (!wasGiven && isOfGivenBatches(wanted))
    return makeError("was made with data of ", saved.rows, " rows, this run has batches that a caller gives");
  for (const Row &row : kRows)
    if (saved.*row.member != wanted.*row.member)
      return makeError("was made with ", row.name, " ", saved.*row.member, ", this run has ", wanted.*row.member);
  if (saved.augment != wanted.augment)
    return makeError("was made with ", describeAugment(saved.augment), ", this run has ",
                     describeAugment(wanted.augment));
  return Status::success();
}

/// Every step is one position of its epoch, so that epoch and batch follow from the step. Behind the last step of an
/// epoch that epoch stays until it is evaluated. Where epochs have as many steps as batches are given, a checkpoint is
/// at the end of one, and each has a step at least.
static Status checkPosition(const TrainPosition &position) {
  if (position.stepsPerEpoch == 0)
    return position.batch == 0 && position.epoch <= position.step
               ? Status::success()
               : makeError("is at step ", position.step, ", epoch ", position.epoch, ", batch ", position.batch,
                           "; expected the end of an epoch");
  uint64_t epoch = position.step / position.stepsPerEpoch;
  uint64_t batch = position.step % position.stepsPerEpoch * position.accumulate;
  const bool isLeft = batch == 0 && epoch > 0 && position.epoch == epoch - 1 &&
                      position.batch == position.stepsPerEpoch * position.accumulate;
  if (isLeft || (position.epoch == epoch && position.batch == batch))
    return Status::success();
  return makeError("is at step ", position.step, ", epoch ", position.epoch, ", batch ", position.batch,
                   "; expected epoch ", epoch, ", batch ", batch, " after that many steps of ", position.stepsPerEpoch,
                   " in an epoch");
}

static Status otherPolicyError(const std::string &folder, const std::string &saved, const std::string &policy) {
  Fault fault;
  fault.code = FaultCode::OtherPolicy;
  fault.name = saved;
  fault.value = policy;
  fault.detail = folder;
  return makeError("was made with policy '", saved, "', this run has '", policy, "'; go on with the other one by ",
                   FlagName{"change-policy"})
      .in(folder)
      .about(std::move(fault));
}

ErrorOr<TrainPosition> mp::resume(Session &session, const TrainOptions &options, const TrainPosition &start) {
  const std::string &folder = options.checkpoint;
  ErrorOr<Checkpoint> saved = readCheckpoint(folder);
  if (!saved)
    return saved.status();
  const std::string &policy = session.table().policy;
  bool otherPolicy = saved->policy != policy;
  if (otherPolicy && !options.changePolicy)
    return otherPolicyError(folder, saved->policy, policy);
  if (Status same = checkSameRun(saved->position, start); !same.ok())
    return same.in(folder);
  if (Status legal = checkPosition(saved->position); !legal.ok())
    return legal.in(folder);
  if (Status restored = restoreCheckpoint(*saved, session, otherPolicy); !restored.ok())
    return restored.in(folder);
  return std::move(saved->position);
}
