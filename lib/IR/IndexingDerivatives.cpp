// The derivatives of what is chosen by where it is: each element's gradient goes back to where it came from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients are floats; what has no gradient is asked for none.

#include "IR/DerivativeParts.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

// Zeros before, behind and between what was taken.
LogicalResult SliceOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  SmallVector<int64_t> high, interior;
  for (auto [size, taken, start, stride] :
       llvm::zip_equal(shapeOf(getInput()), shapeOf(getResult()), getStarts(), getStrides())) {
    // Of nothing all is behind.
    high.push_back(taken == 0 ? size - start : size - start - (taken - 1) * stride - 1);
    interior.push_back(stride - 1);
  }
  operands[0] = PadOp::create(b, results[0], getStarts(), high, interior, APFloat(0.0));
  return success();
}

LogicalResult PadOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  SmallVector<int64_t> limits, strides;
  for (auto [dimension, size] : llvm::enumerate(shapeOf(getInput()))) {
    strides.push_back(getBetween(dimension) + 1);
    limits.push_back(size == 0 ? getLow()[dimension] : getLow()[dimension] + (size - 1) * strides.back() + 1);
  }
  operands[0] = SliceOp::create(b, results[0], getLow(), limits, strides);
  return success();
}

LogicalResult ConcatOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  const auto dimension = static_cast<size_t>(getDimension());
  const size_t rank = shapeOf(getResult()).size();
  SmallVector<int64_t> starts(rank, 0), limits(rank, SliceOp::kEnd);
  const SmallVector<int64_t> strides(rank, 1);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    limits[dimension] = starts[dimension] + shapeOf(input)[dimension];
    operands[i] = SliceOp::create(b, results[0], starts, limits, strides);
    starts[dimension] = limits[dimension];
  }
  return success();
}

LogicalResult FlipOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = FlipOp::create(b, results[0], getDimensions());
  return success();
}

/// The first of constant indices and the step from each to the next, where each is another one of a dimension's `size`.
static std::optional<std::pair<int64_t, int64_t>> findProgression(Value indices, int64_t size) {
  DenseIntElementsAttr constant;
  if (!matchPattern(indices, m_Constant(&constant)) || constant.empty())
    return std::nullopt;
  const bool isUnsigned = constant.getElementType().isUnsignedInteger();
  std::optional<int64_t> first, last, step;
  for (const APInt &index : constant.getValues<APInt>()) {
    const int64_t own = isUnsigned ? static_cast<int64_t>(index.getLimitedValue(size)) : index.getSExtValue();
    if (own < 0 || own >= size || (step && own - *last != *step) || (last && own == *last))
      return std::nullopt;
    if (last)
      step = own - *last;
    first = first.value_or(own);
    last = own;
  }
  return std::pair(*first, step.value_or(1));
}

// What is at evenly spaced places is a slice, backwards where the last comes first.
LogicalResult GatherOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  const auto dimension = static_cast<int64_t>(getDimension()), size = shapeOf(getInput())[dimension];
  if (auto progression = findProgression(getIndices(), size)) {
    auto [first, step] = *progression;
    const int64_t count = typeOf(getIndices()).getNumElements();
    SmallVector<int64_t> shape(shapeOf(getInput()));
    SmallVector<int64_t> low(shape.size(), 0), high(low), interior(low);
    shape[dimension] = count;
    Value taken = reshapeTo(b, results[0], shape);
    if (step < 0)
      taken = FlipOp::create(b, taken, ArrayRef(dimension));
    low[dimension] = std::min(first, first + (count - 1) * step);
    interior[dimension] = std::abs(step) - 1;
    high[dimension] = size - 1 - std::max(first, first + (count - 1) * step);
    operands[0] = PadOp::create(b, taken, low, high, interior, APFloat(0.0));
    return success();
  }
  Value zeros = BroadcastOp::create(b, typeOf(getInput()), scalar(b, getInput(), 0), Value());
  operands[0] = ScatterAddOp::create(b, zeros, getIndices(), results[0], getDimension());
  return success();
}

LogicalResult TopKOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  if (results[0])
    operands[0] = TopKGradOp::create(b, getInput().getType(), getIndices(), results[0]);
  return success();
}

/// `gathered` by indices of a dimension with `size` elements, which broadcast to it; 0 where an index is none of it:
/// what it was an index of was added nowhere.
static Value zeroBeside(LocBuilder &b, Value gathered, Value indices, int64_t size) {
  indices = castTo(b, indices, b.getI64Type());
  auto number = [&](int64_t value) -> Value {
    auto type = RankedTensorType::get({}, b.getI64Type());
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, value));
  };
  Value none = scalar(b, gathered, 0);
  Value isAbove = compare(b, ComparePredicate::ge, indices, number(0));
  Value isBelow = compare(b, ComparePredicate::lt, indices, number(size));
  return select(b, isAbove, select(b, isBelow, gathered, none), none);
}

LogicalResult ScatterAddOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = results[0];
  const auto dimension = static_cast<int64_t>(getDimension());
  SmallVector<int64_t> shape(shapeOf(getIndices()));
  shape.append(typeOf(getInput()).getRank() - dimension - 1, 1);
  Value indices = reshapeTo(b, castTo(b, getIndices(), b.getI64Type()), shape);
  Value gathered = GatherOp::create(b, results[0], getIndices(), getDimension());
  operands[2] = zeroBeside(b, gathered, indices, shapeOf(getInput())[dimension]);
  return success();
}

LogicalResult GatherElementsOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Value zeros = BroadcastOp::create(b, typeOf(getInput()), scalar(b, getInput(), 0), Value());
  operands[0] = ScatterAddElementsOp::create(b, zeros, getIndices(), results[0], getDimension());
  return success();
}

LogicalResult ScatterAddElementsOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = results[0];
  Value gathered = GatherElementsOp::create(b, results[0], getIndices(), getDimension());
  operands[2] = zeroBeside(b, gathered, getIndices(), shapeOf(getInput())[getDimension()]);
  return success();
}

// The last of those that have one place: what was written there is its number, counted from 1.
LogicalResult ScatterElementsOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  auto constant = [&](RankedTensorType type, int64_t value) -> Value {
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), value)));
  };
  auto spreadTo = [&](RankedTensorType type, Value value) -> Value {
    return BroadcastOp::create(b, type, value, Value());
  };
  const auto dimension = static_cast<int64_t>(getDimension());
  Value none = scalar(b, results[0], 0), indices = getIndices();
  operands[0] = ScatterElementsOp::create(b, results[0], indices, spreadTo(typeOf(getUpdates()), none), dimension);
  auto number = RankedTensorType::get({}, b.getI64Type());
  Value numbers =
      add(b, IotaOp::create(b, typeOf(indices).clone(b.getI64Type()), Value(), dimension), constant(number, 1));
  Value last = ScatterElementsOp::create(b, spreadTo(typeOf(getInput()).clone(b.getI64Type()), constant(number, 0)),
                                         indices, numbers, dimension);
  // An index that is none of the dimension's gives 0, which is no number.
  Value isLast = compare(b, ComparePredicate::eq, GatherElementsOp::create(b, last, indices, dimension), numbers);
  operands[2] = select(b, isLast, GatherElementsOp::create(b, results[0], indices, dimension), none);
  return success();
}
