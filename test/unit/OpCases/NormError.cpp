// How far a normalization in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/NormError.h"

#include <cmath>

using namespace mp;

NormError::NormError(std::span<const double> row, double epsilon) : row(row) {
  const auto count = static_cast<double>(row.size());
  for (double value : row) {
    mean += value / count;
    magnitude += std::abs(value) / count;
  }
  double variance = 0;
  for (double value : row)
    variance += (value - mean) * (value - mean) / count;
  invStdDev = 1 / std::sqrt(variance + epsilon);
  square = static_cast<double>(roundings()) * 0x1p-24 * magnitude * magnitude * invStdDev * invStdDev;
}

double NormError::ofResult(uint64_t j, double scale, double offset) const {
  const double difference = std::abs(row[j] - mean);
  return std::abs(scale) * invStdDev * (magnitude + difference * (1 + square)) + std::abs(offset);
}

double NormError::ofGradient(std::span<const double> row, std::span<const double> scale, double mean, double invStdDev,
                             std::span<const double> gradient, uint64_t j) {
  auto normalized = [&](uint64_t i) { return std::abs((row[i] - mean) * invStdDev); };
  auto scaled = [&](uint64_t i) { return std::abs(gradient[i] * scale[i]); };
  double sum = 0, along = 0;
  for (uint64_t i = 0; i < row.size(); ++i) {
    sum += scaled(i) / static_cast<double>(row.size());
    along += scaled(i) * normalized(i) / static_cast<double>(row.size());
  }
  return invStdDev * (scaled(j) + sum + normalized(j) * along);
}
