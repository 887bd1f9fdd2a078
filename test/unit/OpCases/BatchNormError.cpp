// How far a normalization of channels in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/BatchNormError.h"

#include <cmath>

using namespace mp;

BatchNormError::BatchNormError(const WeightedImages &images, double epsilon)
    : images(images), epsilon(epsilon), statistics(images.channels) {
  for (uint64_t pixel = 0; pixel < images.pixels(); ++pixel)
    count += images.weightOf(pixel);
  auto forEach = [&](auto visit) {
    for (uint64_t i = 0; i < images.values.size(); ++i)
      visit(statistics[i % images.channels], images.values[i], images.weightOf(i / images.channels) / count);
  };
  forEach([](Statistics &of, double value, double share) {
    of.mean += share * value;
    of.magnitude += share * std::abs(value);
  });
  forEach(
      [](Statistics &of, double value, double share) { of.variance += share * (value - of.mean) * (value - of.mean); });
}

// Differences from the exact mean add up to 0: what the mean errs by counts by its square alone.
double BatchNormError::ofVariance(uint64_t channel) const {
  const Statistics &of = statistics[channel];
  return of.variance + static_cast<double>(roundings()) * 0x1p-24 * of.magnitude * of.magnitude;
}

double BatchNormError::ofResult(uint64_t element, double scale, double offset) const {
  const Statistics &of = statistics[element % images.channels];
  const double inverse = 1 / std::sqrt(of.variance + epsilon), difference = std::abs(images.values[element] - of.mean);
  const double ofInverse = ofVariance(element % images.channels) * inverse * inverse;
  return std::abs(scale) * inverse * (of.magnitude + difference * (1 + ofInverse)) + std::abs(offset);
}

BatchNormGradError::BatchNormGradError(const WeightedImages &images, const std::vector<double> &scale,
                                       const std::vector<double> &mean, const std::vector<double> &variance,
                                       const std::vector<double> &gradient, double epsilon)
    : images(images), scale(scale), mean(mean), variance(variance), gradient(gradient), epsilon(epsilon),
      alongScale(images.channels), alongOffset(images.channels) {
  for (uint64_t pixel = 0; pixel < images.pixels(); ++pixel)
    count += images.weightOf(pixel);
  for (uint64_t i = 0; i < gradient.size(); ++i) {
    alongOffset[i % images.channels] += std::abs(gradient[i]);
    alongScale[i % images.channels] += std::abs(gradient[i]) * normalized(i);
  }
}

double BatchNormGradError::inverse(uint64_t channel) const { return 1 / std::sqrt(variance[channel] + epsilon); }

double BatchNormGradError::normalized(uint64_t element) const {
  const uint64_t channel = element % images.channels;
  return std::abs(images.values[element] - mean[channel]) * inverse(channel);
}

double BatchNormGradError::ofInput(uint64_t element) const {
  const uint64_t channel = element % images.channels;
  const double shared = (alongOffset[channel] + normalized(element) * alongScale[channel]) / count;
  return std::abs(scale[channel]) * inverse(channel) *
         (std::abs(gradient[element]) + images.weightOf(element / images.channels) * shared);
}
