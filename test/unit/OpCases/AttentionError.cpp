// How far attention in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/AttentionError.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Elementary functions, factors and quotients, and one rescaling for each block of keys.
static constexpr uint64_t kRest = 40;

namespace {

/// The scores, and the largest sum of absolute terms that one has.
class Scores {
public:
  explicit Scores(const AttentionValues &of) : of(of), rows(of.sizes.batch * of.sizes.heads * of.sizes.queries) {
    const AttentionSizes &sizes = of.sizes;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t j = 0; j < sizes.keys; ++j) {
        double sum = 0, absolute = 0;
        for (int64_t c = 0; c < sizes.depth; ++c) {
          const double term = of.factor * of.query[row * sizes.depth + c] * of.key[keyOf(row, j) * sizes.depth + c];
          sum += term;
          absolute += std::abs(term);
        }
        const double added = of.mask.empty() ? 0 : of.mask[row * sizes.keys + j];
        const bool isKey = !(of.isCausal && j > row % sizes.queries) && added != -kInfinity;
        values.push_back(isKey ? sum + added : -kInfinity);
        if (isKey && std::isfinite(absolute)) // others have a weight of 0, or a sum that is no number
          most = std::max(most, absolute + std::abs(added));
      }
  }

  double at(int64_t row, int64_t j) const { return values[row * of.sizes.keys + j]; }
  /// The number of a key among all.
  int64_t keyOf(int64_t row, int64_t j) const {
    const int64_t head = row / of.sizes.queries;
    return head / of.sizes.shared() * of.sizes.keys + j;
  }

  /// Roundings of what `terms` products with exponentials of scores less numbers of at most `shift` add up to.
  uint64_t countRoundings(uint64_t terms, double shift) const {
    const double depth = static_cast<double>(of.sizes.depth) + 4;
    double count = 2 * (depth * most + most + shift) + static_cast<double>(terms + kRest);
    if (of.splitsF16) // 2^-16 of each product is left out
      count += 0x1p8 * (2 * most + 2);
    return std::isfinite(count) && count < 0x1p22 ? static_cast<uint64_t>(count) : 0;
  }

  /// The same where the operands' type is narrow: the device rounds the exponentials to it, the evaluator their
  /// quotients, and each its result, which are four roundings.
  uint64_t countNarrow(uint64_t terms, double shift) const {
    const uint64_t count = countRoundings(terms, shift), narrow = uint64_t(4)
                                                                  << (kF32.fractionBits - of.format.fractionBits);
    return count != 0 && of.format.fractionBits < kF32.fractionBits ? count + narrow : count;
  }

  /// What the size of a sum has besides: narrow factors of less than the smallest normal number err absolutely.
  double tiny(double absolute) const { return of.format.fractionBits == kF16.fractionBits ? 0x1p-14 * absolute : 0; }

  const AttentionValues &of;
  const int64_t rows;
  double most = 0;

private:
  std::vector<double> values;
};

} // namespace

/// Nothing can be said where there would be more roundings than numbers have bits: one of infinite sizes, as none would
/// be exact.
static void dropIfUnknown(uint64_t &roundings, llvm::MutableArrayRef<std::vector<double>> sizes) {
  if (roundings != 0)
    return;
  roundings = 1;
  for (std::vector<double> &each : sizes)
    std::fill(each.begin(), each.end(), kInfinity);
}

AttentionError::AttentionError(const AttentionValues &values) {
  const Scores scores(values);
  const AttentionSizes &of = values.sizes;
  roundings = scores.countNarrow(2 * of.keys, 2 * scores.most);
  roundingsOfLse = scores.countRoundings(2 * of.keys, 2 * scores.most);
  sizes.assign(scores.rows * of.columns, 0);
  for (int64_t row = 0; row < scores.rows; ++row) {
    double largest = -kInfinity, sum = 0;
    for (int64_t j = 0; j < of.keys; ++j)
      largest = std::max(largest, scores.at(row, j));
    for (int64_t j = 0; j < of.keys && largest != -kInfinity; ++j)
      sum += std::exp(scores.at(row, j) - largest);
    lse.push_back(largest == -kInfinity ? 0 : std::abs(largest) + std::log(sum));
    for (int64_t j = 0; j < of.keys && largest != -kInfinity; ++j)
      for (int64_t c = 0; c < of.columns; ++c) {
        const double value = std::abs(values.value[scores.keyOf(row, j) * of.columns + c]) * values.mostKept;
        sizes[row * of.columns + c] += std::exp(scores.at(row, j) - largest) * value / sum + scores.tiny(value);
      }
  }
  dropIfUnknown(roundings, sizes);
  dropIfUnknown(roundingsOfLse, lse);
}

AttentionGradError::AttentionGradError(const AttentionValues &values, const std::vector<double> &lse,
                                       const std::vector<double> &gradient, const std::vector<double> &delta) {
  const Scores scores(values);
  const AttentionSizes &of = values.sizes;
  double shift = 0;
  for (double each : lse)
    if (std::isfinite(each))
      shift = std::max(shift, std::abs(each));
  const int64_t terms = of.depth + of.columns + std::max(of.keys, of.queries * of.shared());
  roundings = scores.countNarrow(2 * terms, shift);
  sizes[0].assign(values.query.size(), 0);
  sizes[1].assign(values.key.size(), 0);
  sizes[2].assign(values.value.size(), 0);
  for (int64_t row = 0; row < scores.rows; ++row)
    for (int64_t j = 0; j < of.keys; ++j) {
      const int64_t key = scores.keyOf(row, j);
      const double p =
          scores.at(row, j) == -kInfinity || lse[row] == -kInfinity ? 0 : std::exp(scores.at(row, j) - lse[row]);
      double ofP = std::abs(delta[row]);
      for (int64_t c = 0; c < of.columns; ++c) {
        const double g = values.mostKept * std::abs(gradient[row * of.columns + c]);
        ofP += g * std::abs(values.value[key * of.columns + c]);
        sizes[2][key * of.columns + c] += p * g + scores.tiny(g);
      }
      const double ofScore = std::abs(values.factor) * p * ofP;
      for (int64_t c = 0; c < of.depth; ++c) {
        const double k = std::abs(values.key[key * of.depth + c]), q = std::abs(values.query[row * of.depth + c]);
        sizes[0][row * of.depth + c] += ofScore * k + scores.tiny(k);
        sizes[1][key * of.depth + c] += ofScore * q + scores.tiny(q);
      }
    }
  dropIfUnknown(roundings, sizes);
}
