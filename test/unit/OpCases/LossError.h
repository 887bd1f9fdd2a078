// How far a loss in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_LOSSERROR_H
#define MP_TEST_OPCASES_LOSSERROR_H

#include <cstdint>
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

} // namespace mp

#endif // MP_TEST_OPCASES_LOSSERROR_H
