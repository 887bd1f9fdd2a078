// Losses of rows of classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/ClassLosses.h"

#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include "mp/Numerics/Float.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mp;

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double mp::weightedMean(const std::vector<double> &rows, const std::vector<double> &weights) {
  double sum = 0, count = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    sum += weights.empty() ? rows[r] : weights[r] * rows[r];
    count += weights.empty() ? 1 : weights[r];
  }
  return sum / count;
}

double mp::crossEntropy(std::vector<double> logs, const Tensor &rows, const Tensor &labels, std::vector<double> weights,
                        double smoothing, std::optional<int64_t> ignored) {
  const bool isSoft = isFloat(labels.type.element);
  const std::vector<double> probabilities = isSoft ? labels.reals() : std::vector<double>();
  const std::vector<int64_t> classes = isSoft ? std::vector<int64_t>() : labels.integers();
  std::vector<double> losses, counted;
  forEachRow(logs, rows, [&](int64_t r, std::span<double> row) {
    if (!isSoft && ignored && classes[r] == *ignored)
      return;
    const auto count = static_cast<int64_t>(row.size());
    double loss = isSoft || (classes[r] >= 0 && classes[r] < count) ? 0 : kNaN;
    for (int64_t j = 0; j < count; ++j) {
      const double hit = isSoft ? probabilities[r * count + j] : classes[r] == j ? 1.0 : 0.0;
      const double target = (1 - smoothing) * hit + smoothing / static_cast<double>(count);
      // What a label does not ask for is not looked at, not even if it is infinite.
      loss -= isSoft || target != 0 ? target * row[j] : 0;
    }
    losses.push_back(loss);
    if (!weights.empty())
      counted.push_back(weights[r]);
  });
  return losses.empty() ? kNaN : weightedMean(losses, counted);
}

static std::vector<double> weightsOf(mlir::Value weights, const Frame &frame) {
  return weights ? frame[weights].reals() : std::vector<double>();
}

Tensor rules::evaluate(CrossEntropyOp op, const Frame &frame) {
  const Tensor &rows = frame[op.getProbabilities()];
  const bool isWide = rows.type.element == ElementType::F64;
  const double least = isWide ? 1e-7 : toF32(1e-7), most = isWide ? 1 - 1e-7 : toF32(1 - 1e-7);
  std::vector<double> logs = rows.reals();
  for (double &value : logs)
    value = std::isnan(value) ? value : std::log(std::clamp(value, least, most));
  return Tensor::ofReals(runtimeTypeOf(op.getResult()),
                         {crossEntropy(std::move(logs), rows, frame[op.getLabels()], weightsOf(op.getWeights(), frame),
                                       op.getLabelSmoothing().convertToDouble(), op.getIgnoreLabel())});
}

Tensor rules::evaluate(NLLLossOp op, const Frame &frame) {
  const Tensor &rows = frame[op.getLogs()];
  return Tensor::ofReals(runtimeTypeOf(op.getResult()),
                         {crossEntropy(rows.reals(), rows, frame[op.getLabels()], weightsOf(op.getWeights(), frame), 0,
                                       op.getIgnoreLabel())});
}

Tensor rules::evaluate(KLDivOp op, const Frame &frame) {
  const Tensor &rows = frame[op.getLogs()];
  std::vector<double> logs = rows.reals(), sums;
  const std::vector<double> targets = frame[op.getTarget()].reals();
  forEachRow(logs, rows, [&](int64_t r, std::span<double> row) {
    double sum = 0;
    for (size_t j = 0; j < row.size(); ++j)
      if (const double target = targets[r * row.size() + j]; target > 0)
        sum += target * (std::log(target) - row[j]);
    sums.push_back(sum);
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()),
                         {sums.empty() ? kNaN : weightedMean(sums, weightsOf(op.getWeights(), frame))});
}
