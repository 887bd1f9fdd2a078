// How far a loss in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_LOSSERROR_H
#define MP_TEST_OPCASES_LOSSERROR_H

#include "mp/Reference/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mp {

/// A loss that is a mean of a term of each element. `weights` is empty where every row counts the same; `delta` is that
/// of mp.huber_loss.
struct LossError {
  std::string op;
  double delta;
  uint64_t rows;
  std::vector<double> prediction, target, weights;

  /// Sums of a row's terms and of rows, quotients, and the functions and sums that a term is made of.
  uint64_t roundings() const { return prediction.size() / rows + rows + 2 * weights.size() + 24; }
  /// What is rounded: the mean of the absolute parts that terms are sums of.
  double size() const;
};

/// A loss that is a mean over rows of classes: mp.cross_entropy, mp.nll_loss, mp.kl_div, and mp.softmax_cross_entropy
/// of probabilities.
struct ClassLossError {
  /// Operands of the op of that name: labels may be integers or probabilities, weights may be missing.
  ClassLossError(std::string op, const std::vector<Tensor> &operands, double smoothing, std::optional<int64_t> ignored);

  /// Sums of a row's terms and of rows, quotients, and the functions that a term is made of.
  uint64_t roundings() const { return columns + 2 * weights.size() + 24; }
  /// What is rounded: the mean of the absolute parts that terms are sums of.
  double size() const;

private:
  double partsOf(uint64_t element) const;

  std::string op;
  uint64_t columns;
  std::vector<double> values, target, weights;
};

} // namespace mp

#endif // MP_TEST_OPCASES_LOSSERROR_H
