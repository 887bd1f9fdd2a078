// Reductions of MPReductionOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <cmath>
#include <limits>

using namespace mp;

template <typename ReduceOp> static std::vector<double> sums(ReduceOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> values = input.reals();
  const std::vector<int64_t> targets = reductionTargets(input.type.shape, op.getDimensions());
  std::vector<Accumulator> accumulators(elementsOf(runtimeTypeOf(op.getResult()).shape),
                                        Accumulator(accumulatorOf(input.type.element), frame.options));
  for (size_t i = 0; i < values.size(); ++i)
    accumulators[targets[i]].add(values[i]);
  std::vector<double> result;
  for (const Accumulator &accumulator : accumulators)
    result.push_back(accumulator.get());
  return result;
}

Tensor rules::evaluate(ReduceSumOp op, const Frame &frame) {
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), sums(op, frame));
}

Tensor rules::evaluate(ReduceMeanOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  int64_t count = 1;
  for (int64_t dimension : op.getDimensions())
    count *= input.type.shape[dimension];
  std::vector<double> means = sums(op, frame);
  for (double &mean : means) {
    mean /= count;
    if (frame.options.exactAccumulator)
      mean = roundTo(mean, formatOf(accumulatorOf(input.type.element)));
  }
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), means);
}

Tensor rules::evaluate(L2NormOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> values = input.reals();
  const std::vector<int64_t> targets = reductionTargets(input.type.shape, op.getDimensions());
  std::vector<double> norms(elementsOf(runtimeTypeOf(op.getResult()).shape), 0.0);
  for (size_t i = 0; i < values.size(); ++i)
    norms[targets[i]] += values[i] * values[i];
  for (double &norm : norms)
    norm = std::sqrt(norm);
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), norms);
}

/// Whether `value` comes before `best` as the largest: a NaN before every number, +0 before -0.
static bool exceeds(double value, double best) {
  if (std::isnan(value) || std::isnan(best))
    return !std::isnan(best);
  return value > best || (value == best && std::signbit(best) && !std::signbit(value));
}

/// The first of all elements by an order, `least` where there is none.
template <typename Op, typename ComesBefore>
static Tensor extremes(Op op, const Frame &frame, double least, ComesBefore comesBefore) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> values = input.reals();
  const std::vector<int64_t> targets = reductionTargets(input.type.shape, op.getDimensions());
  TensorTypeT type = runtimeTypeOf(op.getResult());
  std::vector<double> result(elementsOf(type.shape), least);
  for (size_t i = 0; i < values.size(); ++i)
    if (comesBefore(values[i], result[targets[i]]))
      result[targets[i]] = values[i];
  return Tensor::ofReals(std::move(type), result);
}

Tensor rules::evaluate(ReduceMaxOp op, const Frame &frame) {
  return extremes(op, frame, -std::numeric_limits<double>::infinity(), exceeds);
}

Tensor rules::evaluate(ReduceMinOp op, const Frame &frame) {
  return extremes(op, frame, std::numeric_limits<double>::infinity(),
                  [](double value, double best) { return exceeds(-value, -best); });
}

Tensor rules::evaluate(ReduceProdOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> values = input.reals();
  const std::vector<int64_t> targets = reductionTargets(input.type.shape, op.getDimensions());
  const FloatFormat acc = frame.options.exactAccumulator ? formatOf(accumulatorOf(input.type.element)) : kF64;
  TensorTypeT type = runtimeTypeOf(op.getResult());
  std::vector<double> products(elementsOf(type.shape), 1.0);
  for (size_t i = 0; i < values.size(); ++i)
    products[targets[i]] = roundTo(products[targets[i]] * values[i], acc);
  return Tensor::ofReals(std::move(type), products);
}

/// In doublings: each element becomes the sum of it and the one as far before it as stretches are long so far.
Tensor rules::evaluate(CumsumOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  std::vector<double> sums = input.reals();
  const auto dimension = static_cast<size_t>(op.getDimension());
  const int64_t size = input.type.shape[dimension], stride = rowMajorStrides(input.type.shape)[dimension];
  const FloatFormat acc = frame.options.exactAccumulator ? formatOf(accumulatorOf(input.type.element)) : kF64;
  auto addFrom = [&](int64_t distance, bool keepsOwn) {
    const std::vector<double> before = sums;
    for (int64_t i = 0; i < static_cast<int64_t>(sums.size()); ++i) {
      const int64_t place = i / stride % size, other = op.getReverse() ? place + distance : place - distance;
      const bool isThere = other >= 0 && other < size;
      const double term = isThere ? before[i + (other - place) * stride] : 0.0;
      sums[i] = keepsOwn ? roundTo(before[i] + term, acc) : term;
    }
  };
  if (op.getExclusive())
    addFrom(1, /*keepsOwn=*/false);
  for (int64_t distance = 1; distance < size; distance *= 2)
    addFrom(distance, /*keepsOwn=*/true);
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), sums);
}

/// The first index along `dimension` whose element no other is larger than, or smaller with `isSmallest`; the first NaN
/// if there is one.
template <typename T>
static std::vector<int64_t> firstExtreme(const std::vector<T> &values, const Shape &shape, int64_t dimension,
                                         bool isSmallest) {
  const int64_t stride = rowMajorStrides(shape)[dimension];
  const std::vector<int64_t> targets = reductionTargets(shape, {dimension});
  std::vector<int64_t> winners(values.size() / shape[dimension], -1); // where in `values`
  auto wins = [&](T value, T best) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(value))
        return !std::isnan(best);
    return isSmallest ? value < best : value > best;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t &winner = winners[targets[i]];
    if (winner < 0 || wins(values[i], values[winner]))
      winner = i;
  }
  for (int64_t &winner : winners)
    winner = winner / stride % shape[dimension];
  return winners;
}

template <typename Op> static Tensor placesOf(Op op, const Frame &frame, bool isSmallest) {
  const Tensor &input = frame[op.getInput()];
  auto find = [&](const auto &values) {
    return firstExtreme(values, input.type.shape, static_cast<int64_t>(op.getDimension()), isSmallest);
  };
  return Tensor::ofIntegers(runtimeTypeOf(op.getResult()),
                            isFloat(input.type.element) ? find(input.reals()) : find(input.integers()));
}

Tensor rules::evaluate(ArgmaxOp op, const Frame &frame) { return placesOf(op, frame, /*isSmallest=*/false); }
Tensor rules::evaluate(ArgminOp op, const Frame &frame) { return placesOf(op, frame, /*isSmallest=*/true); }
