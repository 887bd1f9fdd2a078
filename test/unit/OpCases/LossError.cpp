// How far a loss in f32 may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/LossError.h"

#include <algorithm>
#include <cmath>

using namespace mp;

static double partsOf(const LossError &loss, double x, double t) {
  const double distance = std::abs(x - t);
  if (loss.op == "mp.mse_loss")
    return distance * distance;
  if (loss.op == "mp.l1_loss")
    return distance;
  if (loss.op == "mp.huber_loss")
    return distance <= loss.delta ? distance * distance / 2 : loss.delta * (distance + loss.delta / 2);
  if (loss.op == "mp.sigmoid_cross_entropy")
    return std::max(x, 0.0) + std::abs(x * t) + std::log1p(std::exp(-std::abs(x)));
  const double p = std::clamp(x, 1e-7, 1 - 1e-7);
  return std::abs(t * std::log(p)) + std::abs((1 - t) * std::log1p(-p));
}

double LossError::size() const {
  double sum = 0, count = 0;
  for (size_t i = 0; i < prediction.size(); ++i) {
    const double weight = weights.empty() ? 1 : std::abs(weights[i * weights.size() / prediction.size()]);
    sum += weight * partsOf(*this, prediction[i], target[i]);
    count += weight;
  }
  return sum / count;
}

ClassLossError::ClassLossError(std::string name, const std::vector<Tensor> &operands, double smoothing,
                               std::optional<int64_t> ignored)
    : op(std::move(name)), columns(static_cast<uint64_t>(operands[0].type.shape.back())), values(operands[0].reals()) {
  const uint64_t rows = values.size() / columns;
  weights = operands.size() > 2 ? operands[2].reals() : std::vector<double>(rows, 1.0);
  if (isFloat(operands[1].type.element)) {
    target = operands[1].reals();
  } else {
    const std::vector<int64_t> labels = operands[1].integers();
    for (uint64_t i = 0; i < values.size(); ++i)
      target.push_back(labels[i / columns] == static_cast<int64_t>(i % columns) ? 1 : 0);
    for (uint64_t r = 0; r < rows; ++r)
      if (ignored == labels[r])
        weights[r] = 0;
  }
  for (double &each : target)
    each = (1 - smoothing) * each + smoothing / static_cast<double>(columns);
  if (op != "mp.softmax_cross_entropy")
    return;
  for (uint64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (uint64_t j = 0; j < columns; ++j)
      sum += std::exp(values[r * columns + j]);
    for (uint64_t j = 0; j < columns; ++j)
      values[r * columns + j] -= std::log(sum);
  }
}

double ClassLossError::partsOf(uint64_t element) const {
  const double x = values[element], t = std::abs(target[element]);
  if (op == "mp.cross_entropy")
    return t * std::abs(std::log(std::clamp(x, 1e-7, 1 - 1e-7)));
  if (op == "mp.kl_div")
    return target[element] > 0 ? t * (std::abs(std::log(t)) + std::abs(x)) : 0;
  // A logarithm makes an absolute error of the relative one of a sum of exponentials.
  return t * (std::abs(x) + (op == "mp.nll_loss" ? 0 : 1));
}

double ClassLossError::size() const {
  double sum = 0, count = 0;
  for (uint64_t i = 0; i < values.size(); ++i)
    sum += std::abs(weights[i / columns]) * partsOf(i);
  for (double weight : weights)
    count += std::abs(weight);
  return sum / count;
}
