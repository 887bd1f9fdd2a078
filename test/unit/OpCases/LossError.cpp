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
