// Steps skipped one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/SkipWatch.h"
#include "Training/Metadata.h"
#include "mp/Base/Names.h"
#include "mp/Numerics/LossScale.h"

using namespace mp;

/// A count that programs keep in the state; 0 where they keep none.
static ErrorOr<uint64_t> countIn(Session &session, const char *name) {
  if (!session.hasState(name))
    return uint64_t(0);
  ErrorOr<HostTensor> value = session.state(name);
  if (!value)
    return value.status();
  return static_cast<uint64_t>(value->count() ? elementAt(*value, 0) : 0);
}

ErrorOr<SkipWatch> SkipWatch::create(Session &session) {
  ErrorOr<std::optional<uint64_t>> limit = metadataNumber<uint64_t>(session, metadata::skipLimit);
  ErrorOr<std::optional<float>> minScale = metadataNumber<float>(session, metadata::raiseErrorAtMinScale);
  if (!limit || !minScale)
    return limit ? minScale.status() : limit.status();
  SkipWatch watch;
  watch.limit = limit->value_or(watch.limit);
  watch.minScale = *minScale;
  ErrorOr<uint64_t> total = countIn(session, states::skippedSteps);
  ErrorOr<uint64_t> consecutive = countIn(session, states::consecutiveSkips);
  if (!total || !consecutive)
    return total ? consecutive.status() : total.status();
  watch.totalCount = *total;
  watch.consecutive = *consecutive;
  return watch;
}

/// Whether this overflow would have made the scale smaller but for its floor. A program that reports no hysteresis
/// backs off at every overflow.
static bool isAtFloor(float minScale, const StepRecord &record) {
  LossScaleRule rule;
  rule.floor = minScale;
  return record.lossScale && isAtLossScaleFloor(rule, {static_cast<float>(*record.lossScale), 0,
                                                       static_cast<int32_t>(record.hysteresis.value_or(1))});
}

/// Neighbours of one name are one entry: "dense.kernel (steps 3 to 51)".
std::string SkipWatch::describeRun() const {
  std::string names;
  for (size_t first = 0, last; first < run.size(); first = last + 1) {
    for (last = first; last + 1 < run.size() && run[last + 1].gradient == run[first].gradient;)
      ++last;
    names += (names.empty() ? "" : ", ") + run[first].gradient;
    names += last == first ? " (step " : " (steps " + std::to_string(run[first].step) + " to ";
    names += std::to_string(run[last].step) + ")";
  }
  return names;
}

Status SkipWatch::note(const StepRecord &record, const std::string *gradient) {
  if (!gradient) {
    consecutive = 0;
    run.clear();
    return Status::success();
  }
  totalCount += 1;
  consecutive += 1;
  if (limit != 0)
    run.push_back({record.step, *gradient});
  if (minScale && isAtFloor(*minScale, record))
    return makeError("step ", record.step, " overflowed at loss scale ", *record.lossScale, ", and its floor is ",
                     *minScale, "; first gradient that was not finite: ", *gradient);
  if (limit == 0 || consecutive < limit)
    return Status::success();
  return makeError(consecutive, " consecutive steps were skipped, the last is step ", record.step,
                   "; first gradient that was not finite at each: ", describeRun());
}
