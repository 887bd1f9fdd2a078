// Ops that combine rows and weigh each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"

using namespace mlir;
using namespace mp;
using mp::derivatives::scalar;

// Whether rows are combined

static bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

bool mp::detail::takesOpenSize(Operation *op) { return llvm::any_of(op->getOperandTypes(), isOpen); }

bool mp::detail::isOpenAlong(Operation *op, ArrayRef<int64_t> dimensions) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && llvm::any_of(dimensions, [&](int64_t dimension) { return type.isDynamicDim(dimension); });
}

bool mp::detail::hasSeveralOpenSizes(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getNumDynamicDims() > 1;
  });
}

bool mp::detail::resultIsOpenAlong(Operation *op, int64_t dimension) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.isDynamicDim(dimension);
}

// What weighs them

// A sum or a mean takes none: it is written in ops that weigh the rows, where it sums them.

namespace {
struct RowReduction {
  Operation *op;
  Value input;
  ArrayRef<int64_t> dimensions;
  bool keepDims;

  bool isOverRows() const { return llvm::is_contained(dimensions, 0); }
  RankedTensorType weightsType() const {
    return isOverRows() ? RankedTensorType::get(shapeOf(input).take_front(), getWideElement(input)) : nullptr;
  }
  /// What a row of weight 0 holds does not matter, not even if it is infinite.
  Value sum(ImplicitLocOpBuilder &b, Value weights) const {
    Value wide = castTo(b, input, getWideElement(input));
    SmallVector<int64_t> column(typeOf(input).getRank(), 1);
    column.front() = shapeOf(weights).front();
    weights = ReshapeOp::create(b, typeOf(weights).clone(column), weights);
    Value zero = scalar(b, wide, 0.0), counts = CompareOp::create(b, ComparePredicate::gt, weights, zero);
    Value weighed = SelectOp::create(b, counts, MulOp::create(b, wide, weights), zero);
    return ReduceSumOp::create(b, weighed, dimensions, keepDims);
  }
  /// How many elements each sum has, by the weights.
  Value count(ImplicitLocOpBuilder &b, Value weights) const {
    double others = 1;
    for (int64_t dimension : dimensions)
      others *= dimension == 0 ? 1 : static_cast<double>(shapeOf(input)[dimension]);
    return MulOp::create(b, ReduceSumOp::create(b, weights, ArrayRef<int64_t>{0}), scalar(b, weights, others));
  }
  void replaceBy(ImplicitLocOpBuilder &b, Value value) const {
    op->getResult(0).replaceAllUsesWith(castTo(b, value, elementOf(input)));
    op->erase();
  }
};
} // namespace

static RowReduction reductionOf(ReduceSumOp op) { return {op, op.getInput(), op.getDimensions(), op.getKeepDims()}; }
static RowReduction reductionOf(ReduceMeanOp op) { return {op, op.getInput(), op.getDimensions(), op.getKeepDims()}; }

Value ReduceSumOp::getRowWeights() { return {}; }
RankedTensorType ReduceSumOp::getRowWeightsType() { return reductionOf(*this).weightsType(); }
void ReduceSumOp::setRowWeights(Value weights) {
  ImplicitLocOpBuilder b(getLoc(), *this);
  const RowReduction reduction = reductionOf(*this);
  reduction.replaceBy(b, reduction.sum(b, weights));
}

Value ReduceMeanOp::getRowWeights() { return {}; }
RankedTensorType ReduceMeanOp::getRowWeightsType() { return reductionOf(*this).weightsType(); }
void ReduceMeanOp::setRowWeights(Value weights) {
  ImplicitLocOpBuilder b(getLoc(), *this);
  const RowReduction reduction = reductionOf(*this);
  reduction.replaceBy(b, DivOp::create(b, reduction.sum(b, weights), reduction.count(b, weights)));
}
