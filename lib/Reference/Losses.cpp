// Losses that are means of a term of each element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Rules.h"

#include "mp/Numerics/Float.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mp;

/// `term(prediction, target)` of each element; the mean of each row, and of these the mean by their weights. In f64.
template <typename LossOp, typename Term> static Tensor meanOf(LossOp op, const Frame &frame, Term term) {
  const std::vector<double> x = frame[op.getPrediction()].reals(), t = frame[op.getTarget()].reals();
  const auto rows = static_cast<size_t>(frame[op.getPrediction()].type.shape.front());
  const std::vector<double> weights = op.getWeights() ? frame[op.getWeights()].reals() : std::vector<double>(rows, 1.0);
  const size_t columns = rows == 0 ? 0 : x.size() / rows;
  double sum = 0, count = 0;
  for (size_t r = 0; r < rows; ++r)
    for (size_t i = r * columns; i < (r + 1) * columns; ++i) {
      sum += weights[r] * term(x[i], t[i]);
      count += weights[r];
    }
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), {sum / count});
}

Tensor rules::evaluate(MSELossOp op, const Frame &frame) {
  return meanOf(op, frame, [](double x, double t) { return (x - t) * (x - t); });
}

Tensor rules::evaluate(L1LossOp op, const Frame &frame) {
  return meanOf(op, frame, [](double x, double t) { return std::abs(x - t); });
}

Tensor rules::evaluate(HuberLossOp op, const Frame &frame) {
  const double delta = op.getDelta().convertToDouble();
  return meanOf(op, frame, [&](double x, double t) {
    const double distance = std::abs(x - t);
    return distance <= delta ? distance * distance / 2 : delta * (distance - delta / 2);
  });
}

Tensor rules::evaluate(SigmoidCrossEntropyOp op, const Frame &frame) {
  // -(t log(sigmoid(x)) + (1 - t) log(sigmoid(-x))), where log(sigmoid(x)) = x - log(1 + e^x).
  auto logSigmoid = [](double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); };
  // What has no probability costs nothing, however far off it is: 0 times infinity is 0.
  auto times = [](double probability, double log) {
    return probability == 0 && !std::isnan(log) ? 0 : probability * log;
  };
  return meanOf(op, frame, [&](double x, double t) {
    // The terms of an infinite target are infinities of both signs; together they go as -x t, at x = 0 not at all.
    if (std::isinf(t) && x != 0)
      return -x * t;
    if (std::isinf(t))
      t = 0.5;
    return -(times(t, logSigmoid(x)) + times(1 - t, logSigmoid(-x)));
  });
}

Tensor rules::evaluate(BinaryCrossEntropyOp op, const Frame &frame) {
  // The bounds as what computes has them.
  const bool isWide = runtimeTypeOf(op.getPrediction()).element == ElementType::F64;
  const double least = isWide ? 1e-7 : toF32(1e-7), most = isWide ? 1 - 1e-7 : toF32(1 - 1e-7);
  return meanOf(op, frame, [&](double x, double t) {
    const double p = std::isnan(x) ? x : std::clamp(x, least, most);
    return -(t * std::log(p) + (1 - t) * std::log1p(-p));
  });
}
