// What saved numbers of a job can be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/SavedScalars.h"

#include "mp/Base/Names.h"

#include <cmath>

using namespace mp;
using namespace mp::executable;

namespace {

enum class Rule : uint8_t {
  Positive, // a finite float greater than 0
  Rate,     // a finite float of at least 0
  Count,    // from 0 to the steps done
  Tracker,  // at least 0
};

struct Scalar {
  const char *name;
  Rule rule;
  bool scaler;
};

} // namespace

static constexpr Scalar kScalars[] = {
    {states::lossScale, Rule::Positive, true},
    {states::growthTracker, Rule::Count, true},
    {states::hysteresisTracker, Rule::Tracker, true},
    {states::skippedSteps, Rule::Count, true},
    {states::consecutiveSkips, Rule::Count, true},
    {states::learningRate, Rule::Rate, false},
    {"adam.step", Rule::Count, false},
    {"adamw.step", Rule::Count, false},
    {"adagrad.step", Rule::Count, false},
    {"lamb.step", Rule::Count, false},
    {"nadam.step", Rule::Count, false},
    {"nadam.momentum_product", Rule::Rate, false},
};

static const Scalar *findScalar(std::string_view name) {
  for (const Scalar &scalar : kScalars)
    if (scalar.name == name)
      return &scalar;
  return nullptr;
}

bool mp::isScalerState(std::string_view name) {
  const Scalar *scalar = findScalar(name);
  return scalar && scalar->scaler;
}

bool mp::isWeight(const StateEntryT &entry) {
  return entry.role == StateRole::Parameter || (entry.role == StateRole::State && entry.initializer && !entry.training);
}

static bool isInteger(ElementType element) { return element == ElementType::I32 || element == ElementType::I64; }

/// An element of an integer tensor; a double would round counts beyond 2^53.
static int64_t integerAt(const HostTensor &tensor, size_t index) {
  return tensor.type.element == ElementType::I32 ? tensor.values<int32_t>()[index] : tensor.values<int64_t>()[index];
}

/// Fails if a count is negative or more than `most`.
static Status checkCount(const std::string &name, int64_t count, std::optional<uint64_t> most) {
  if (count < 0)
    return makeError("state '", name, "' is ", count, ", expected a count of at least 0");
  if (most && static_cast<uint64_t>(count) > *most)
    return makeError("state '", name, "' is ", count, ", expected at most ", *most, " after that many steps");
  return Status::success();
}

static Status checkScalar(const Scalar &scalar, const HostTensor &value, std::optional<uint64_t> steps) {
  if (value.count() != 1)
    return Status::success();
  if (isInteger(value.type.element))
    return checkCount(scalar.name, integerAt(value, 0), scalar.rule == Rule::Count ? steps : std::nullopt);
  double number = elementAt(value, 0);
  bool isLegal = std::isfinite(number) && (scalar.rule == Rule::Positive ? number > 0 : number >= 0);
  if (isLegal)
    return Status::success();
  return makeError("state '", scalar.name, "' is ", number, ", expected a finite number ",
                   scalar.rule == Rule::Positive ? "greater than 0" : "of at least 0");
}

/// A generator starts as (the run's seed, 0) and advances once for each micro-batch.
static Status checkGenerator(const std::string &name, const HostTensor &value, const TrainPosition *position) {
  int64_t seed = integerAt(value, 0), step = integerAt(value, 1);
  if (position && static_cast<uint64_t>(seed) != position->seed)
    return makeError("state '", name, "' has seed ", static_cast<uint64_t>(seed), ", the run has ", position->seed);
  uint64_t most = 0;
  if (!position || __builtin_mul_overflow(position->step, position->accumulate, &most))
    return checkCount(name, step, std::nullopt);
  return checkCount(name, step, most);
}

Status mp::checkSavedScalars(const Session &session, const NamedTensors &tensors, const TrainPosition *position) {
  std::optional<uint64_t> steps = position ? std::optional(position->step) : std::nullopt;
  for (const auto &entry : session.table().state) {
    const HostTensor *value = findTensor(tensors, entry->name);
    if (!value || entry->role != StateRole::State)
      continue;
    const Scalar *scalar = findScalar(entry->name);
    Status legal;
    if (scalar)
      legal = checkScalar(*scalar, *value, steps);
    else if (!entry->initializer)
      legal = checkGenerator(entry->name, *value, position);
    if (!legal.ok())
      return legal;
  }
  return Status::success();
}
