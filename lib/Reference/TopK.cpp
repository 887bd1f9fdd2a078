// The largest elements of rows, and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mp;

/// The places in `values`, rows of `columns`, of the `k` first of each row: larger ones before smaller ones, NaN before
/// every number, and of equal ones the first.
template <typename T>
static std::vector<int64_t> largestOfRows(const std::vector<T> &values, int64_t columns, int64_t k) {
  auto comesFirst = [&](int64_t a, int64_t b) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(values[a]) || std::isnan(values[b]))
        return std::isnan(values[a]) && (!std::isnan(values[b]) || a < b);
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  std::vector<int64_t> places, row(columns);
  for (int64_t first = 0; first < static_cast<int64_t>(values.size()); first += columns) {
    std::iota(row.begin(), row.end(), first);
    std::sort(row.begin(), row.end(), comesFirst);
    places.insert(places.end(), row.begin(), row.begin() + k);
  }
  return places;
}

rules::Tensors rules::evaluate(TopKOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const int64_t columns = input.type.shape.back(), k = static_cast<int64_t>(op.getK());
  const std::vector<int64_t> places = isFloat(input.type.element) ? largestOfRows(input.reals(), columns, k)
                                                                  : largestOfRows(input.integers(), columns, k);
  std::vector<int64_t> indices;
  for (int64_t place : places)
    indices.push_back(place % columns);
  return {gather(input, places, runtimeTypeOf(op.getValues())),
          Tensor::ofIntegers(runtimeTypeOf(op.getIndices()), indices)};
}

Tensor rules::evaluate(TopKGradOp op, const Frame &frame) {
  const std::vector<int64_t> indices = frame[op.getIndices()].integers();
  const std::vector<double> gradient = frame[op.getGradient()].reals();
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const FloatFormat acc = frame.options.exactAccumulator ? formatOf(accumulatorOf(type.element)) : kF64;
  std::vector<double> sums(elementsOf(type.shape), 0.0);
  const int64_t columns = type.shape.back(), k = frame[op.getIndices()].type.shape.back();
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i] >= 0 && indices[i] < columns) {
      double &sum = sums[static_cast<int64_t>(i) / k * columns + indices[i]];
      sum = roundTo(sum + gradient[i], acc);
    }
  return Tensor::ofReals(std::move(type), sums);
}
