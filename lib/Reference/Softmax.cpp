// Softmax, its loss and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interior of these ops is f64 here whatever the options say: their sums are of exponentials,
// whose last bits no two implementations share.

#include "Reference/ClassLosses.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

using namespace mp;

/// log(sum of exp) of a row without overflow; NaN if an element is NaN or +inf.
static double logSumExp(std::span<const double> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double value : row)
    sum += std::exp(value - largest);
  return std::log(sum) + largest;
}

/// exp(x - max) / sum(exp(x - max)), in place.
static void softmax(std::span<double> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double &value : row)
    sum += value = std::exp(value - largest);
  for (double &value : row)
    value /= sum;
}

static void logSoftmax(std::span<double> row) {
  const double sum = logSumExp(row);
  for (double &value : row)
    value -= sum;
}

Tensor rules::evaluate(SoftmaxOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  std::vector<double> values = input.reals();
  forEachRow(values, input, [](int64_t, std::span<double> row) { softmax(row); });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(LogSoftmaxOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  std::vector<double> values = input.reals();
  forEachRow(values, input, [](int64_t, std::span<double> row) { logSoftmax(row); });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(SoftmaxGradOp op, const Frame &frame) {
  const Tensor &output = frame[op.getOutput()];
  const std::vector<double> y = output.reals();
  std::vector<double> gradient = frame[op.getGradient()].reals();
  forEachRow(gradient, output, [&](int64_t row, std::span<double> g) {
    const double *rowOfY = &y[row * g.size()];
    double sum = 0;
    for (size_t j = 0; j < g.size(); ++j)
      sum += g[j] * rowOfY[j];
    for (size_t j = 0; j < g.size(); ++j)
      g[j] = rowOfY[j] * (g[j] - sum);
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), gradient);
}

/// The weight of each row, divided by the sum of weights: 1 / rows without weights. A row that is ignored has 0.
template <typename LossOp> static std::vector<double> rowShares(LossOp op, const Frame &frame) {
  const std::vector<int64_t> labels = frame[op.getLabels()].integers();
  mlir::Value weights = op.getWeights();
  std::vector<double> shares = weights ? frame[weights].reals() : std::vector<double>(labels.size(), 1.0);
  for (size_t r = 0; r < labels.size(); ++r)
    if (op.getIgnoreLabel() && labels[r] == static_cast<int64_t>(*op.getIgnoreLabel()))
      shares[r] = 0;
  double sum = 0;
  for (double weight : shares)
    sum += weight;
  for (double &share : shares)
    share /= sum;
  return shares;
}

/// What of a row's logits the target asks for: the label's, and with smoothing a part of all.
template <typename LossOp> static double targetOf(LossOp op, std::span<const double> row, int64_t label) {
  const double smoothing = op.getLabelSmoothing().convertToDouble();
  if (smoothing == 0)
    return row[label];
  double sum = 0;
  for (double logit : row)
    sum += logit;
  return (1 - smoothing) * row[label] + smoothing * sum / static_cast<double>(row.size());
}

/// The cross entropy of each row; NaN where the label is no class.
template <typename LossOp> static std::vector<double> rowLosses(LossOp op, const Frame &frame) {
  const Tensor &logits = frame[op.getLogits()];
  std::vector<double> values = logits.reals();
  const std::vector<int64_t> labels = frame[op.getLabels()].integers();
  std::vector<double> losses(labels.size(), std::numeric_limits<double>::quiet_NaN());
  forEachRow(values, logits, [&](int64_t r, std::span<double> row) {
    if (labels[r] >= 0 && labels[r] < static_cast<int64_t>(row.size()))
      losses[r] = logSumExp(row) - targetOf(op, row, labels[r]);
  });
  return losses;
}

Tensor rules::evaluate(SoftmaxCrossEntropyRowsOp op, const Frame &frame) {
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), rowLosses(op, frame));
}

Tensor rules::evaluate(SoftmaxCrossEntropyOp op, const Frame &frame) {
  if (isFloat(frame[op.getLabels()].type.element)) {
    const Tensor &logits = frame[op.getLogits()];
    std::vector<double> logs = logits.reals();
    forEachRow(logs, logits, [](int64_t, std::span<double> row) { logSoftmax(row); });
    return Tensor::ofReals(runtimeTypeOf(op.getResult()),
                           {crossEntropy(std::move(logs), logits, frame[op.getLabels()],
                                         op.getWeights() ? frame[op.getWeights()].reals() : std::vector<double>(),
                                         op.getLabelSmoothing().convertToDouble(), std::nullopt)});
  }
  const std::vector<double> losses = rowLosses(op, frame);
  const std::vector<double> shares = rowShares(op, frame);
  const std::vector<int64_t> labels = frame[op.getLabels()].integers();
  // The mean over no row is 0 / 0.
  double mean = losses.empty() ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  for (size_t r = 0; r < losses.size(); ++r) {
    const bool isIgnored = op.getIgnoreLabel() && labels[r] == static_cast<int64_t>(*op.getIgnoreLabel());
    mean += isIgnored ? shares[r] : shares[r] * losses[r];
  }
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), {mean});
}

/// (softmax(logits)[r, j] - target[r, j]) * factors[r].
template <typename GradOp>
static Tensor rowGradients(GradOp op, const std::vector<double> &factors, const Frame &frame) {
  const Tensor &logits = frame[op.getLogits()];
  std::vector<double> values = logits.reals();
  const std::vector<int64_t> labels = frame[op.getLabels()].integers();
  forEachRow(values, logits, [&](int64_t r, std::span<double> row) {
    softmax(row);
    const double smoothing = op.getLabelSmoothing().convertToDouble();
    for (size_t j = 0; j < row.size(); ++j) {
      const double hit = labels[r] == static_cast<int64_t>(j) ? 1 - smoothing : 0;
      row[j] = (row[j] - hit - smoothing / static_cast<double>(row.size())) * factors[r];
    }
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(SoftmaxCrossEntropyGradOp op, const Frame &frame) {
  std::vector<double> factors = rowShares(op, frame);
  const double gradient = frame[op.getGradient()].reals().front();
  for (double &factor : factors)
    factor *= gradient;
  return rowGradients(op, factors, frame);
}

Tensor rules::evaluate(SoftmaxCrossEntropyGradRowsOp op, const Frame &frame) {
  return rowGradients(op, frame[op.getFactor()].reals(), frame);
}
