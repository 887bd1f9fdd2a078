// Where the rows of a batch are in open sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Specialize/RowOrder.h"

#include "mp/IR/MP.h"
#include "mp/IR/Program.h"

using namespace mlir;
using namespace mp;

static bool isOpen(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && !tensor.hasStaticShape();
}

/// The products of the sizes before and behind the first open one.
static std::pair<int64_t, int64_t> sizesAround(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  int64_t before = 1, behind = 1;
  bool isBehind = false;
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size))
      isBehind = true;
    else
      (isBehind ? behind : before) *= size;
  return {before, behind};
}

std::optional<RowOrder::Order> RowOrder::reshaped(Value operand, Value result) const {
  const Order order = orderOf(operand);
  auto [before, behind] = sizesAround(operand);
  auto [resultBefore, resultBehind] = sizesAround(result);
  if (before * behind == 0 || resultBefore * resultBehind == 0)
    return order; // of no elements none meet
  before *= order.before, behind *= order.behind;
  if (before % resultBefore != 0 || behind % resultBehind != 0)
    return std::nullopt;
  return Order{before / resultBefore, behind / resultBehind};
}

bool RowOrder::mixesRows(Operation *op) {
  if (op->getNumResults() == 0)
    return false;
  // What a region gives is what it ends in.
  ValueRange from = op->getNumRegions() == 1 && !op->getRegion(0).empty()
                        ? op->getRegion(0).front().getTerminator()->getOperands()
                        : ValueRange(op->getOperands());
  SmallVector<Value> open = llvm::filter_to_vector(from, isOpen);
  if (open.empty())
    return false;
  if (from.size() == op->getNumResults() && op->getNumRegions() == 1) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), from))
      orders[result] = orderOf(value);
    return false;
  }
  std::optional<Order> order = orderOf(open.front());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    order = isOpen(reshape.getResult()) ? reshaped(reshape.getInput(), reshape.getResult()) : std::nullopt;
  const bool mixes =
      !order || llvm::any_of(open, [&](Value value) { return !isa<ReshapeOp>(op) && orderOf(value) != *order; });
  for (Value result : op->getResults())
    if (order && *order != Order())
      orders[result] = *order;
  return mixes;
}

/// Whether an op says that rows meet in it. Of one that does not say, nobody knows.
static bool combinesRows(Operation *op) {
  if (op->getNumResults() == 0 || !llvm::any_of(op->getOperands(), isOpen))
    return false;
  auto rows = dyn_cast<RowsOpInterface>(op);
  return !rows || rows.combinesRows();
}

static bool weighsRows(Operation *op, const RowOrder &order) {
  auto weighted = dyn_cast<RowWeightsOpInterface>(op);
  RankedTensorType type = weighted ? weighted.getRowWeightsType() : nullptr;
  if (!type || type.getRank() == 0 || op->hasAttr(names::rowsInside))
    return false;
  if (type.isDynamicDim(0))
    return llvm::all_of(op->getOperands(), [&](Value value) { return !isOpen(value) || order.isOfRows(value); });
  auto batch = op->getParentOfType<func::FuncOp>()->getAttrOfType<IntegerAttr>(names::batch);
  return op->hasAttr(names::combinesRows) && batch && type.getDimSize(0) == batch.getInt();
}

SmallVector<RowsMeet> mp::opsWhereRowsMeet(Operation *function) {
  RowOrder order;
  SmallVector<RowsMeet> found;
  function->walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (op == function ? op->hasAttr(names::combinesRows)
                       : order.mixesRows(op) || combinesRows(op) || op->hasAttr(names::combinesRows))
      found.push_back({op, weighsRows(op, order)});
  });
  return found;
}
