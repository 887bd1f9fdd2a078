// How far attention in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As NormError.h has it of rows: a number of roundings and the size of what is rounded. A score errs by the roundings
// of its sum times the sum of its absolute terms, and an exponential by that, relatively; what is multiplied in a
// narrow type is rounded to it once more, which counts as many roundings of f32.

#ifndef MP_TEST_OPCASES_ATTENTIONERROR_H
#define MP_TEST_OPCASES_ATTENTIONERROR_H

#include "mp/IR/Attention.h"
#include "mp/Numerics/Float.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mp {

/// What mp.attention and its gradient have in common.
struct AttentionValues {
  AttentionSizes sizes;
  std::vector<double> query, key, value;
  std::vector<double> mask; ///< what is added to each score; empty where nothing is
  bool isCausal;
  double factor;
  double mostKept;    ///< what dropout multiplies by
  FloatFormat format; ///< of the operands
  bool splitsF16;     ///< whether products of f16 are sums of products of two bf16 each
};

/// An element as a sum.
struct RoundedElement {
  uint64_t roundings;
  double size; ///< infinite where nothing can be said
};

class AttentionError {
public:
  explicit AttentionError(const AttentionValues &values);

  RoundedElement ofResult(uint64_t element) const { return {roundings, sizes[element]}; }
  RoundedElement ofLse(uint64_t row) const { return {roundingsOfLse, 1 + lse[row]}; }

private:
  uint64_t roundings, roundingsOfLse;
  std::vector<double> sizes, lse;
};

class AttentionGradError {
public:
  AttentionGradError(const AttentionValues &values, const std::vector<double> &lse, const std::vector<double> &gradient,
                     const std::vector<double> &delta);

  /// Element of the gradient of an operand: query, key or value.
  RoundedElement of(size_t operand, uint64_t element) const { return {roundings, sizes[operand][element]}; }

private:
  uint64_t roundings;
  std::vector<double> sizes[3];
};

} // namespace mp

#endif // MP_TEST_OPCASES_ATTENTIONERROR_H
