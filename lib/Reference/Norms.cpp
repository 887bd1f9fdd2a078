// Normalization of rows, and its gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interior of these ops is f64 here whatever the options say, as that of softmax.

#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <cmath>

using namespace mp;

namespace {
struct Statistics {
  double mean, invStdDev;
};
} // namespace

static Statistics statisticsOf(std::span<const double> row, double epsilon) {
  const auto columns = static_cast<double>(row.size());
  double sum = 0, squares = 0;
  for (double value : row)
    sum += value;
  const double mean = sum / columns;
  for (double value : row)
    squares += (value - mean) * (value - mean);
  return {mean, 1 / std::sqrt(squares / columns + epsilon)};
}

Tensor rules::evaluate(LayerNormOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> scale = frame[op.getScale()].reals(), offset = frame[op.getOffset()].reals();
  std::vector<double> values = input.reals();
  forEachRow(values, input, [&](int64_t, std::span<double> row) {
    const Statistics of = statisticsOf(row, op.getEpsilon().convertToDouble());
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = (row[j] - of.mean) * of.invStdDev * scale[j] + offset[j];
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(RMSNormOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> scale = frame[op.getScale()].reals();
  std::vector<double> values = input.reals();
  forEachRow(values, input, [&](int64_t, std::span<double> row) {
    double squares = 0;
    for (double value : row)
      squares += value * value;
    const double root = std::sqrt(squares / static_cast<double>(row.size()) + op.getEpsilon().convertToDouble());
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = row[j] / root * scale[j];
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(L2NormalizeOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  std::vector<double> values = input.reals();
  forEachRow(values, input, [&](int64_t, std::span<double> row) {
    double squares = 0;
    for (double value : row)
      squares += value * value;
    // A NaN stays NaN, which the larger of two would not say.
    const double length = std::sqrt(squares), epsilon = op.getEpsilon().convertToDouble();
    for (double &value : row)
      value /= length < epsilon ? epsilon : length;
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(CosineSimilarityOp op, const Frame &frame) {
  const Tensor &lhs = frame[op.getLhs()];
  std::vector<double> values = lhs.reals(), cosines;
  const std::vector<double> others = frame[op.getRhs()].reals();
  const double epsilon = op.getEpsilon().convertToDouble();
  auto length = [&](double squares) { return std::sqrt(squares) < epsilon ? epsilon : std::sqrt(squares); };
  forEachRow(values, lhs, [&](int64_t r, std::span<double> row) {
    double products = 0, ofOne = 0, ofOther = 0;
    for (size_t j = 0; j < row.size(); ++j) {
      const double other = others[r * row.size() + j];
      products += row[j] * other;
      ofOne += row[j] * row[j];
      ofOther += other * other;
    }
    cosines.push_back(products / length(ofOne) / length(ofOther));
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), cosines);
}

rules::Tensors rules::evaluate(LayerNormStatisticsOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  std::vector<double> values = input.reals(), means, inverses;
  forEachRow(values, input, [&](int64_t, std::span<double> row) {
    const Statistics of = statisticsOf(row, op.getEpsilon().convertToDouble());
    means.push_back(of.mean);
    inverses.push_back(of.invStdDev);
  });
  return {Tensor::ofReals(runtimeTypeOf(op.getMean()), means),
          Tensor::ofReals(runtimeTypeOf(op.getInvStdDev()), inverses)};
}

Tensor rules::evaluate(LayerNormGradOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> x = input.reals(), scale = frame[op.getScale()].reals();
  const std::vector<double> mean = frame[op.getMean()].reals(), inverse = frame[op.getInvStdDev()].reals();
  std::vector<double> gradient = frame[op.getGradient()].reals();
  forEachRow(gradient, input, [&](int64_t r, std::span<double> g) {
    const double *rowOfX = &x[r * g.size()];
    auto normalized = [&](size_t j) { return (rowOfX[j] - mean[r]) * inverse[r]; };
    double sum = 0, along = 0;
    for (size_t j = 0; j < g.size(); ++j) {
      g[j] *= scale[j];
      sum += g[j];
      along += g[j] * normalized(j);
    }
    const auto columns = static_cast<double>(g.size());
    for (size_t j = 0; j < g.size(); ++j)
      g[j] = inverse[r] * (g[j] - sum / columns - normalized(j) * (along / columns));
  });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), gradient);
}
