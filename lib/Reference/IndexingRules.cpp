// Rules of MPIndexingOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <cstring>
#include <limits>

using namespace mp;

/// Sizes before, in and behind a dimension: a tensor is [outer, size, inner].
struct Sides {
  int64_t outer = 1, size = 1, inner = 1;

  Sides(const Shape &shape, uint64_t dimension) : size(shape[dimension]) {
    for (size_t i = 0; i < shape.size(); ++i)
      (i < dimension ? outer : inner) *= i == dimension ? 1 : shape[i];
  }
};

static void copyElements(Tensor &to, int64_t target, const Tensor &from, int64_t source, int64_t count) {
  const uint64_t width = elementBytes(from.type.element);
  if (count != 0)
    std::memcpy(&to.bytes[target * width], &from.bytes[source * width], count * width);
}

Tensor rules::evaluate(SliceOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const Shape own = rowMajorStrides(input.type.shape);
  Shape strides;
  int64_t first = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    first += op.getStarts()[i] * own[i];
    strides.push_back(op.getStrides()[i] * own[i]);
  }
  TensorTypeT type = runtimeTypeOf(op.getResult());
  std::vector<int64_t> sources = locate(type.shape, strides);
  for (int64_t &source : sources)
    source += first;
  return gather(input, sources, std::move(type));
}

Tensor rules::evaluate(PadOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const Shape own = rowMajorStrides(type.shape);
  Tensor result = Tensor::ofReals(type, std::vector<double>(elementsOf(type.shape), op.getValue().convertToDouble()));
  Shape strides;
  int64_t first = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    first += op.getLow()[i] * own[i];
    strides.push_back((op.getBetween(i) + 1) * own[i]);
  }
  for (auto [source, target] : llvm::enumerate(locate(input.type.shape, strides)))
    copyElements(result, first + target, input, static_cast<int64_t>(source), 1);
  return result;
}

Tensor rules::evaluate(ConcatOp op, const Frame &frame) {
  Tensor result = Tensor::zeros(runtimeTypeOf(op.getResult()));
  const Sides whole(result.type.shape, op.getDimension());
  int64_t before = 0;
  for (mlir::Value operand : op.getInputs()) {
    const Tensor &input = frame[operand];
    const Sides own(input.type.shape, op.getDimension());
    const int64_t count = own.size * own.inner;
    for (int64_t i = 0; i < own.outer; ++i)
      copyElements(result, (i * whole.size + before) * own.inner, input, i * count, count);
    before += own.size;
  }
  return result;
}

Tensor rules::evaluate(FlipOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  Shape strides = rowMajorStrides(input.type.shape);
  int64_t first = 0;
  for (int64_t dimension : op.getDimensions()) {
    first += (input.type.shape[dimension] - 1) * strides[dimension];
    strides[dimension] = -strides[dimension];
  }
  std::vector<int64_t> sources = locate(input.type.shape, strides);
  for (int64_t &source : sources)
    source += first;
  return gather(input, sources, runtimeTypeOf(op.getResult()));
}

Tensor rules::evaluate(GatherOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<int64_t> indices = frame[op.getIndices()].integers();
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const auto count = static_cast<int64_t>(elementsOf(type.shape));
  Tensor result = isFloat(type.element)
                      ? Tensor::ofReals(type, std::vector<double>(count, std::numeric_limits<double>::quiet_NaN()))
                      : Tensor::zeros(type);
  const Sides of(input.type.shape, op.getDimension());
  int64_t target = 0;
  for (int64_t i = 0; i < of.outer; ++i)
    for (int64_t index : indices) {
      if (index >= 0 && index < of.size)
        copyElements(result, target, input, (i * of.size + index) * of.inner, of.inner);
      target += of.inner;
    }
  return result;
}

Tensor rules::evaluate(ScatterAddOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<int64_t> indices = frame[op.getIndices()].integers();
  const std::vector<double> updates = frame[op.getUpdates()].reals();
  std::vector<double> sums = input.reals();
  const FloatFormat acc = frame.options.exactAccumulator ? formatOf(accumulatorOf(input.type.element)) : kF64;
  const Sides of(input.type.shape, op.getDimension());
  int64_t source = 0;
  for (int64_t i = 0; i < of.outer; ++i)
    for (int64_t index : indices) {
      if (index >= 0 && index < of.size)
        for (int64_t k = 0; k < of.inner; ++k) {
          double &sum = sums[(i * of.size + index) * of.inner + k];
          sum = roundTo(sum + updates[source + k], acc);
        }
      source += of.inner;
    }
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), sums);
}

/// For each of the indices the element of the operand that is at its place but in `dimension`, or -1.
static std::vector<int64_t> placesOf(const Tensor &input, const Tensor &indices, uint64_t dimension) {
  Shape strides = rowMajorStrides(input.type.shape);
  const int64_t own = strides[dimension], size = input.type.shape[dimension];
  strides[dimension] = 0;
  std::vector<int64_t> places = locate(indices.type.shape, strides);
  for (auto [place, index] : llvm::zip_equal(places, indices.integers()))
    place = index >= 0 && index < size ? place + index * own : -1;
  return places;
}

Tensor rules::evaluate(GatherElementsOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const std::vector<double> none(elementsOf(type.shape), std::numeric_limits<double>::quiet_NaN());
  Tensor result = isFloat(type.element) ? Tensor::ofReals(type, none) : Tensor::zeros(type);
  for (auto [target, place] : llvm::enumerate(placesOf(input, frame[op.getIndices()], op.getDimension())))
    if (place >= 0)
      copyElements(result, static_cast<int64_t>(target), input, place, 1);
  return result;
}

Tensor rules::evaluate(ScatterAddElementsOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> updates = frame[op.getUpdates()].reals();
  std::vector<double> sums = input.reals();
  const FloatFormat acc = frame.options.exactAccumulator ? formatOf(accumulatorOf(input.type.element)) : kF64;
  for (auto [source, place] : llvm::enumerate(placesOf(input, frame[op.getIndices()], op.getDimension())))
    if (place >= 0)
      sums[place] = roundTo(sums[place] + updates[source], acc);
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), sums);
}

Tensor rules::evaluate(ScatterElementsOp op, const Frame &frame) {
  Tensor result = frame[op.getInput()];
  const Tensor &updates = frame[op.getUpdates()];
  for (auto [source, place] : llvm::enumerate(placesOf(result, frame[op.getIndices()], op.getDimension())))
    if (place >= 0)
      copyElements(result, place, updates, static_cast<int64_t>(source), 1);
  return result;
}

Tensor rules::evaluate(OneHotOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const int64_t classes = type.shape.back();
  std::vector<int64_t> hits(elementsOf(type.shape), 0);
  for (auto [row, label] : llvm::enumerate(frame[op.getLabels()].integers()))
    if (label >= 0 && label < classes)
      hits[row * classes + label] = 1;
  if (!isFloat(type.element))
    return Tensor::ofIntegers(std::move(type), hits);
  return Tensor::ofReals(std::move(type), std::vector<double>(hits.begin(), hits.end()));
}

rules::Tensors rules::evaluate(SplitOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  const Sides whole(input.type.shape, op.getDimension());
  Tensors parts;
  int64_t before = 0;
  for (mlir::Value result : op.getParts()) {
    Tensor &part = parts.emplace_back(Tensor::zeros(runtimeTypeOf(result)));
    const Sides own(part.type.shape, op.getDimension());
    for (int64_t i = 0; i < own.outer; ++i)
      copyElements(part, i * own.size * own.inner, input, (i * whole.size + before) * own.inner, own.size * own.inner);
    before += own.size;
  }
  return parts;
}

Tensor rules::evaluate(TileOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  Tensor result = Tensor::zeros(runtimeTypeOf(op.getResult()));
  const Shape &of = input.type.shape, own = rowMajorStrides(of);
  const std::vector<int64_t> targets = locate(result.type.shape, rowMajorStrides(result.type.shape));
  for (int64_t target : targets) {
    int64_t source = 0, left = target;
    for (size_t i = of.size(); i-- > 0;) {
      source += left % result.type.shape[i] % of[i] * own[i];
      left /= result.type.shape[i];
    }
    copyElements(result, target, input, source, 1);
  }
  return result;
}

/// The elements whose column is `keeps` of their row.
template <typename Op, typename Keeps> static Tensor triangleOf(Op op, const Frame &frame, Keeps keeps) {
  const Tensor &input = frame[op.getInput()];
  Tensor result = Tensor::zeros(input.type);
  const Shape &shape = input.type.shape;
  const int64_t columns = shape.back(), rows = shape[shape.size() - 2];
  for (int64_t i = 0; i < input.size(); ++i)
    if (keeps(i % columns, i / columns % rows))
      copyElements(result, i, input, i, 1);
  return result;
}

Tensor rules::evaluate(TrilOp op, const Frame &frame) {
  const auto diagonal = static_cast<int64_t>(op.getDiagonal());
  return triangleOf(op, frame, [&](int64_t column, int64_t row) { return column - row <= diagonal; });
}

Tensor rules::evaluate(TriuOp op, const Frame &frame) {
  const auto diagonal = static_cast<int64_t>(op.getDiagonal());
  return triangleOf(op, frame, [&](int64_t column, int64_t row) { return column - row >= diagonal; });
}
