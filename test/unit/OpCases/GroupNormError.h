// How far a normalization of groups of channels in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As NormError.h has it of rows, each of which is a group of an image here. The gradient computes the statistics
// itself, so that what normalized elements err by counts in each product with them.

#ifndef MP_TEST_OPCASES_GROUPNORMERROR_H
#define MP_TEST_OPCASES_GROUPNORMERROR_H

#include "OpCases/NormError.h"

#include <vector>

namespace mp {

class GroupNormError {
public:
  /// Of images [`count`, ..., `channels`].
  GroupNormError(const std::vector<double> &values, uint64_t count, uint64_t channels, uint64_t groups, double epsilon);

  uint64_t roundings() const { return errors.front().roundings(); }
  double ofResult(uint64_t element, const std::vector<double> &scale, const std::vector<double> &offset) const;

  /// Of all three gradients.
  uint64_t roundingsOfGradients() const { return 3 * roundings() + values.size() / channels; }
  double ofInput(uint64_t element, const std::vector<double> &scale, const std::vector<double> &gradient) const;
  double ofScale(uint64_t channel, const std::vector<double> &gradient) const;
  double ofOffset(uint64_t channel, const std::vector<double> &gradient) const;

private:
  uint64_t groupOf(uint64_t element) const;
  /// The size of an element less the mean over the deviation.
  double normalized(uint64_t element) const { return errors[groupOf(element)].ofResult(places[element], 1, 0); }

  const std::vector<double> &values;
  uint64_t channels, groups, elements;        ///< of an image
  std::vector<std::vector<double>> rows;      ///< by group
  std::vector<std::vector<uint64_t>> members; ///< of each row, which elements they are
  std::vector<uint64_t> places;               ///< of each element in its group
  std::vector<NormError> errors;              ///< by group
};

} // namespace mp

#endif // MP_TEST_OPCASES_GROUPNORMERROR_H
