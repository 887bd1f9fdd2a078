// How far a normalization of groups of channels in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/GroupNormError.h"

#include <cmath>

using namespace mp;

GroupNormError::GroupNormError(const std::vector<double> &values, uint64_t count, uint64_t channels, uint64_t groups,
                               double epsilon)
    : values(values), channels(channels), groups(groups), elements(values.size() / count), rows(count * groups),
      members(count * groups) {
  for (uint64_t i = 0; i < values.size(); ++i) {
    std::vector<double> &row = rows[groupOf(i)];
    places.push_back(row.size());
    row.push_back(values[i]);
    members[groupOf(i)].push_back(i);
  }
  for (const std::vector<double> &row : rows)
    errors.emplace_back(row, epsilon);
}

uint64_t GroupNormError::groupOf(uint64_t element) const {
  return element / elements * groups + element % channels / (channels / groups);
}

double GroupNormError::ofResult(uint64_t element, const std::vector<double> &scale,
                                const std::vector<double> &offset) const {
  const uint64_t c = element % channels;
  return errors[groupOf(element)].ofResult(places[element], scale[c], offset[c]);
}

double GroupNormError::ofInput(uint64_t element, const std::vector<double> &scale,
                               const std::vector<double> &gradient) const {
  const uint64_t group = groupOf(element);
  auto scaled = [&](uint64_t i) { return std::abs(gradient[i] * scale[i % channels]); };
  const auto size = static_cast<double>(members[group].size());
  double sum = 0, along = 0;
  for (uint64_t i : members[group]) {
    sum += scaled(i) / size;
    along += scaled(i) * normalized(i) / size;
  }
  return errors[group].ofInvStdDev() * (scaled(element) + sum + normalized(element) * along);
}

double GroupNormError::ofScale(uint64_t channel, const std::vector<double> &gradient) const {
  double sum = 0;
  for (uint64_t i = channel; i < values.size(); i += channels)
    sum += std::abs(gradient[i]) * normalized(i);
  return sum;
}

double GroupNormError::ofOffset(uint64_t channel, const std::vector<double> &gradient) const {
  double sum = 0;
  for (uint64_t i = channel; i < values.size(); i += channels)
    sum += std::abs(gradient[i]);
  return sum;
}
