// Attention and its gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Score by score, as the definitions have it. The interior of these ops is f64 here whatever the options say, as that
// of softmax, and without the roundings of p and gs, which depend on the order of the keys. Scores alone have their
// type: a mask of -1e9 leaves nothing of them in f32.

#include "Reference/Accumulator.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"
#include "mp/Numerics/Philox.h"

#include <cmath>
#include <limits>
#include <span>

using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {

/// What both ops read.
class Attention {
public:
  template <typename Op>
  Attention(Op op, const Frame &frame)
      : sizes(op.getSizes()), q(frame[op.getQuery()].reals()), k(frame[op.getKey()].reals()),
        v(frame[op.getValue()].reals()), factor(op.getFactor()),
        ofScores(formatOf(accumulatorOf(frame[op.getQuery()].type.element))), isCausal(op.getCausal()) {
    const Shape scores{sizes.batch, sizes.heads, sizes.queries, sizes.keys};
    if (op.getMask()) {
      const Tensor &mask = frame[op.getMask()];
      const std::vector<int64_t> sources = broadcastSources(mask.type.shape, scores);
      if (isFloat(mask.type.element))
        added = gather(mask.reals(), sources);
      else
        kept = gather(mask.integers(), sources);
    }
    if (!op.getRng())
      return;
    const std::vector<int64_t> rng = frame[op.getRng()].integers();
    const double rate = op.getRate().convertToDouble();
    const double scale = static_cast<float>(1 / (1 - rate));
    for (int64_t i = 0; i < elementsOf(scores); ++i)
      dropped.push_back(uniformFloat(randomBits(rng[0], rng[1], op.getStream(), i)) >= rate ? scale : 0.0);
  }

  const AttentionSizes sizes;

  /// Calls `visit(row, first)` for each query: its number among all, and that of the first key of its head.
  template <typename Visit> void forEachQuery(Visit visit) const {
    for (int64_t row = 0; row < sizes.batch * sizes.heads * sizes.queries; ++row) {
      const int64_t head = row / sizes.queries, batch = head / sizes.heads;
      visit(row, (batch * sizes.groups + head % sizes.heads / sizes.shared()) * sizes.keys);
    }
  }

  std::span<const double> query(int64_t row) const { return {&q[row * sizes.depth], size_t(sizes.depth)}; }
  std::span<const double> key(int64_t number) const { return {&k[number * sizes.depth], size_t(sizes.depth)}; }
  std::span<const double> value(int64_t number) const { return {&v[number * sizes.columns], size_t(sizes.columns)}; }

  static double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  }

  /// The scaled and masked scores of a query.
  std::vector<double> scores(int64_t row, int64_t first) const {
    std::vector<double> result(sizes.keys);
    for (int64_t j = 0; j < sizes.keys; ++j) {
      const int64_t score = row * sizes.keys + j;
      const bool isSeen = (kept.empty() || kept[score] != 0) && (!isCausal || j <= row % sizes.queries);
      result[j] = isSeen ? factor * dot(query(row), key(first + j)) : -kInfinity;
      if (!added.empty())
        result[j] += added[score];
      result[j] = roundTo(result[j], ofScores);
    }
    return result;
  }

  /// What dropout multiplies by.
  double keep(int64_t row, int64_t j) const { return dropped.empty() ? 1.0 : dropped[row * sizes.keys + j]; }

  const std::vector<double> q, k, v;
  const double factor;

private:
  FloatFormat ofScores;
  bool isCausal;
  std::vector<double> added, dropped;
  std::vector<int64_t> kept;
};

} // namespace

/// NaN where an element is NaN, -inf of no elements.
static double largestOf(const std::vector<double> &values) {
  double largest = -kInfinity;
  for (double value : values)
    if (std::isnan(value) || value > largest)
      largest = value;
  return largest;
}

static void addTo(std::span<double> sum, double factor, std::span<const double> values) {
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] += factor * values[i];
}

rules::Tensors rules::evaluate(AttentionOp op, const Frame &frame) {
  const Attention attention(op, frame);
  const size_t columns = attention.sizes.columns;
  const TensorTypeT type = runtimeTypeOf(op.getResult()), lseType = runtimeTypeOf(op.getLse());
  std::vector<double> result(elementsOf(type.shape)), lse(elementsOf(lseType.shape), -kInfinity);
  attention.forEachQuery([&](int64_t row, int64_t first) {
    const std::vector<double> scores = attention.scores(row, first);
    const double largest = largestOf(scores);
    if (largest == -kInfinity)
      return;
    const std::span<double> own(&result[row * columns], columns);
    double sum = 0;
    for (int64_t j = 0; j < attention.sizes.keys; ++j) {
      const double p = std::exp(scores[j] - largest);
      sum += p;
      addTo(own, p * attention.keep(row, j), attention.value(first + j));
    }
    for (double &element : own)
      element /= sum;
    lse[row] = std::log(sum) + largest;
  });
  return {Tensor::ofReals(type, result), Tensor::ofReals(lseType, lse)};
}

rules::Tensors rules::evaluate(AttentionGradOp op, const Frame &frame) {
  const Attention attention(op, frame);
  const size_t depth = attention.sizes.depth, columns = attention.sizes.columns;
  const std::vector<double> lse = frame[op.getLse()].reals(), delta = frame[op.getDelta()].reals();
  const std::vector<double> gradients = frame[op.getGradient()].reals();
  std::vector<double> ofQuery(attention.q.size()), ofKey(attention.k.size()), ofValue(attention.v.size());
  attention.forEachQuery([&](int64_t row, int64_t first) {
    const std::vector<double> scores = attention.scores(row, first);
    const std::span<const double> gradient(&gradients[row * columns], columns);
    for (int64_t j = 0; j < attention.sizes.keys; ++j) {
      const double p = lse[row] == -kInfinity ? 0 : std::exp(scores[j] - lse[row]);
      const double keep = attention.keep(row, j);
      addTo({&ofValue[(first + j) * columns], columns}, p * keep, gradient);
      const double ofP = keep * Attention::dot(gradient, attention.value(first + j));
      const double ofScore = attention.factor * p * (ofP - delta[row]);
      addTo({&ofQuery[row * depth], depth}, ofScore, attention.key(first + j));
      addTo({&ofKey[(first + j) * depth], depth}, ofScore, attention.query(row));
    }
  });
  return {Tensor::ofReals(runtimeTypeOf(op.getQueryGradient()), ofQuery),
          Tensor::ofReals(runtimeTypeOf(op.getKeyGradient()), ofKey),
          Tensor::ofReals(runtimeTypeOf(op.getValueGradient()), ofValue)};
}
