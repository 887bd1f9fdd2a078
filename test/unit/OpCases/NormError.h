// How far a normalization in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As a number of roundings and the size of what is rounded, at most, as sums have them. A mean of n terms errs by n
// roundings of the mean magnitude M; each difference from it errs by the same. The variance is larger by the square of
// that error and no more, since differences from the exact mean add up to 0.

#ifndef MP_TEST_OPCASES_NORMERROR_H
#define MP_TEST_OPCASES_NORMERROR_H

#include <cstdint>
#include <span>

namespace mp {

/// One row and its statistics.
class NormError {
public:
  NormError(std::span<const double> row, double epsilon);

  /// Of every result of the row.
  uint64_t roundings() const { return row.size() + kRest; }
  /// The size of a mean.
  double ofMean() const { return magnitude; }
  /// The size of one over the root of a variance.
  double ofInvStdDev() const { return invStdDev * (1 + square); }
  /// The size of element `j` of mp.layer_norm.
  double ofResult(uint64_t j, double scale, double offset) const;

  /// The size of element `j` of mp.layer_norm_grad, whose statistics are operands and exact.
  static double ofGradient(std::span<const double> row, std::span<const double> scale, double mean, double invStdDev,
                           std::span<const double> gradient, uint64_t j);

private:
  /// Quotients, the root, the factors that follow, and halves of what the variance errs by.
  static constexpr uint64_t kRest = 12;

  std::span<const double> row;
  double mean = 0, magnitude = 0, invStdDev = 0;
  double square = 0; ///< what the square of the mean's error adds, for each rounding
};

} // namespace mp

#endif // MP_TEST_OPCASES_NORMERROR_H
