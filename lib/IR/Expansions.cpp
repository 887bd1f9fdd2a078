// Ops that are written as others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses are in ClassLosses.cpp.

#include "mp/IR/Faults.h"

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include <algorithm>

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

using Values = SmallVector<Value>;
using Shape = SmallVector<int64_t>;

// split

Values SplitOp::expand(LocBuilder &b) {
  const auto dimension = static_cast<size_t>(getDimension());
  const size_t rank = shapeOf(getInput()).size();
  Shape starts(rank, 0), limits(rank, SliceOp::kEnd);
  const Shape strides(rank, 1);
  Values parts;
  for (int64_t size : getSizes()) {
    limits[dimension] = starts[dimension] + size;
    parts.push_back(SliceOp::create(b, getInput(), starts, limits, strides));
    starts[dimension] = limits[dimension];
  }
  return parts;
}

// tile

// Each dimension as (repetition, element): the first is 1 before it is repeated.
Values TileOp::expand(LocBuilder &b) {
  Shape apart, repeated;
  for (auto [size, count] : llvm::zip_equal(shapeOf(getInput()), getRepeats())) {
    if (count != 1) {
      apart.push_back(1);
      repeated.push_back(count);
    }
    apart.push_back(size);
    repeated.push_back(size);
  }
  Value all = BroadcastOp::create(b, getType().clone(repeated), reshapeTo(b, getInput(), apart), Value());
  return {reshapeTo(b, all, shapeOf(getResult()))};
}

// tril, triu

template <typename Op> static Values keepTriangle(Op op, LocBuilder &b, ComparePredicate predicate) {
  RankedTensorType type = typeOf(op.getInput()), index = RankedTensorType::get({}, b.getI64Type());
  auto square = RankedTensorType::get(type.getShape().take_back(2), b.getI64Type());
  // Beyond every index: sums with one do not overflow.
  const int64_t most = int64_t(1) << 48, shift = std::clamp<int64_t>(op.getDiagonal(), -most, most);
  Value diagonal = ConstantOp::create(b, index, DenseElementsAttr::get(index, b.getI64IntegerAttr(shift)));
  Value row = IotaOp::create(b, square, Value(), 0), column = IotaOp::create(b, square, Value(), 1);
  auto element = RankedTensorType::get({}, type.getElementType());
  Value zero = ConstantOp::create(
      b, element, cast<ElementsAttr>(DenseElementsAttr::get(element, b.getZeroAttr(type.getElementType()))));
  return {select(b, compare(b, predicate, column, add(b, row, diagonal)), op.getInput(), zero)};
}
Values TrilOp::expand(LocBuilder &b) { return keepTriangle(*this, b, ComparePredicate::le); }
Values TriuOp::expand(LocBuilder &b) { return keepTriangle(*this, b, ComparePredicate::ge); }

template <typename Op> static LogicalResult verifyTriangle(Op op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  if (shape.size() < 2 || llvm::any_of(shape.take_back(2), isOpen))
    return violates(op, 1) << "operand is " << op.getInput().getType()
                           << ", expected matrices: two last dimensions that are not open";
  return success();
}
LogicalResult TrilOp::verify() { return verifyTriangle(*this); }
LogicalResult TriuOp::verify() { return verifyTriangle(*this); }

// l2_norm

Values L2NormOp::expand(LocBuilder &b) {
  Value x = castTo(b, getInput(), getWideElement(getInput()));
  Value squares = ReduceSumOp::create(b, mul(b, x, x), getDimensions(), getKeepDims());
  // The root of what is not 0, so that its gradient is a number where all are.
  Value zero = scalar(b, x, 0.0), isZero = compare(b, ComparePredicate::eq, squares, zero);
  Value root = SqrtOp::create(b, select(b, isZero, scalar(b, x, 1.0), squares));
  return {castTo(b, select(b, isZero, zero, root), elementOf(getResult()))};
}

// cosine_similarity

Values CosineSimilarityOp::expand(LocBuilder &b) {
  auto normalized = [&](Value rows) -> Value {
    return L2NormalizeOp::create(b, castTo(b, rows, getWideElement(rows)), getEpsilonAttr());
  };
  Value products = mul(b, normalized(getLhs()), normalized(getRhs()));
  Value sums = ReduceSumOp::create(b, products, ArrayRef<int64_t>{typeOf(products).getRank() - 1});
  return {castTo(b, sums, elementOf(getResult()))};
}

LogicalResult CosineSimilarityOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                                   SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = shapeOf(op.getLhs());
  if (shape.empty() || shape.back() == 0)
    return violates<CosineSimilarityOp>(location, 1, "operand is ", op.getLhs().getType(),
                                        ", expected a last dimension of elements");
  if (elementOf(op.getRhs()) != elementOf(op.getLhs()) || !agree(shapeOf(op.getRhs()), shape))
    return violates<CosineSimilarityOp>(location, 1, "operands are ", op.getLhs().getType(), " and ",
                                        op.getRhs().getType(),
                                        ", expected one type: mp.broadcast or mp.cast one of them");
  types.push_back(RankedTensorType::get(shape.drop_back(), elementOf(op.getLhs())));
  return success();
}

LogicalResult CosineSimilarityOp::verify() { return verifyLeastLength(*this, getLhs(), getEpsilon()); }
