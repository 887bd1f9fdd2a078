// How far a normalization of channels in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As NormError.h has it of rows: a number of roundings and the size of what is rounded. What is a row there is a
// channel here, whose values may have weights.

#ifndef MP_TEST_OPCASES_BATCHNORMERROR_H
#define MP_TEST_OPCASES_BATCHNORMERROR_H

#include <cstdint>
#include <vector>

namespace mp {

/// Images [.., C], one weight for each row where `weights` are not empty.
struct WeightedImages {
  std::vector<double> values, weights;
  uint64_t channels;

  uint64_t pixels() const { return values.size() / channels; }
  double weightOf(uint64_t pixel) const { return weights.empty() ? 1 : weights[pixel * weights.size() / pixels()]; }
};

class BatchNormError {
public:
  BatchNormError(const WeightedImages &images, double epsilon);

  /// Of every result.
  uint64_t roundings() const { return 2 * images.pixels() + kRest; }
  double ofCount() const { return count; }
  double ofMean(uint64_t channel) const { return statistics[channel].magnitude; }
  double ofVariance(uint64_t channel) const;
  double ofResult(uint64_t element, double scale, double offset) const;

private:
  /// Quotients, the root, the factors that follow, and halves of what the variance errs by.
  static constexpr uint64_t kRest = 16;
  struct Statistics {
    double mean = 0, magnitude = 0, variance = 0;
  };

  const WeightedImages &images;
  double epsilon, count = 0;
  std::vector<Statistics> statistics;
};

/// The sizes of the results of mp.batch_norm_grad, whose statistics are operands and exact.
class BatchNormGradError {
public:
  BatchNormGradError(const WeightedImages &images, const std::vector<double> &scale, const std::vector<double> &mean,
                     const std::vector<double> &variance, const std::vector<double> &gradient, double epsilon);

  uint64_t roundings() const { return 2 * images.pixels() + 16; }
  double ofInput(uint64_t element) const;
  double ofScale(uint64_t channel) const { return alongScale[channel]; }
  double ofOffset(uint64_t channel) const { return alongOffset[channel]; }

private:
  double inverse(uint64_t channel) const;
  double normalized(uint64_t element) const;

  const WeightedImages &images;
  const std::vector<double> &scale, &mean, &variance, &gradient;
  double epsilon, count = 0;
  std::vector<double> alongScale, alongOffset;
};

} // namespace mp

#endif // MP_TEST_OPCASES_BATCHNORMERROR_H
