// Ops that could come in another order of dimensions together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/CancelTransposes/Region.h"

#include "mp/Analysis/MinimumCut.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;

/// Of a constant that is another in another order.
static constexpr int64_t kMostConstantElements = 4096;

DenseElementsAttr mp::findMovableConstant(Value value) {
  DenseElementsAttr constant;
  const bool isConstant = matchPattern(value, m_Constant(&constant));
  return isConstant && (constant.isSplat() || constant.getNumElements() <= kMostConstantElements) ? constant : nullptr;
}

// Growing

/// An operand of fewer dimensions than its order has follows no further.
static bool isOwn(Value value, const Order &order) {
  return static_cast<int64_t>(order.size()) == typeOf(value).getRank() && !isSameInOrder(shapeOf(value), order);
}

template <typename Visit> static void forEachOwn(Operation *op, const DimensionOrders &orders, Visit visit) {
  for (auto [value, order] : llvm::zip_equal(op->getOperands(), orders.operands))
    if (isOwn(value, order))
      visit(value, order);
  for (auto [value, order] : llvm::zip_equal(op->getResults(), orders.results))
    if (isOwn(value, order))
      visit(value, order);
}

/// Adds `op`, of which the order of one operand or result is in `orders`, unless another of its values has another
/// order.
static void addOp(ReorderedRegion &region, Operation *op, DimensionOrders orders) {
  auto reordered = dyn_cast<OrderOpInterface>(op);
  if (!reordered || region.ops.contains(op) || !reordered.inferOrders(orders))
    return;
  bool agrees = true;
  forEachOwn(op, orders, [&](Value value, const Order &order) {
    auto known = region.values.find(value);
    agrees &= known == region.values.end() || known->second == order;
  });
  if (!agrees)
    return;
  forEachOwn(op, orders, [&](Value value, const Order &order) { region.values.insert({value, order}); });
  region.ops.insert({op, std::move(orders)});
}

ReorderedRegion mp::growRegion(Value value, ArrayRef<int64_t> order) {
  ReorderedRegion region;
  region.values.insert({value, Order(order)});
  for (size_t i = 0; i < region.values.size(); ++i) {
    const auto [value, order] = region.values.getArrayRef()[i];
    if (auto result = dyn_cast<OpResult>(value)) {
      DimensionOrders orders(result.getOwner());
      orders.results[result.getResultNumber()] = order;
      addOp(region, result.getOwner(), std::move(orders));
    }
    for (OpOperand &use : value.getUses()) {
      DimensionOrders orders(use.getOwner());
      orders.operands[use.getOperandNumber()] = order;
      addOp(region, use.getOwner(), std::move(orders));
    }
  }
  return region;
}

// Choosing

/// Whether a product reads the transpose of this operand as well as the operand.
static bool readsEither(OpOperand &use, ArrayRef<int64_t> order) {
  const int64_t rank = order.size();
  auto product = dyn_cast<ContractionOpInterface>(use.getOwner());
  return product && product.takesTransposes() && use.getOperandNumber() < 2 && rank >= 2 &&
         order[rank - 1] == rank - 2 && llvm::is_sorted(order.drop_back(2)) && order[rank - 2] == rank - 1;
}

namespace {
/// A network whose nodes are ops, on the source's side where they are reordered. What a value costs is one transpose
/// where it is made in one order and read in the other, by however many.
class TransposeNetwork {
public:
  explicit TransposeNetwork(const ReorderedRegion &region) : region(region) {
    for (const auto &[op, orders] : region.ops)
      nodes[op] = network.addNode();
    for (const auto &[value, order] : region.values)
      elements += countElements(value);
  }

  SmallVector<Operation *> solve() {
    for (const auto &[op, orders] : region.ops)
      addOperandsOfOthers(op, orders);
    for (const auto &[value, order] : region.values)
      addValue(value, order);
    const std::vector<bool> isReordered = network.solve();
    SmallVector<Operation *> chosen;
    for (const auto &[op, orders] : region.ops)
      if (isReordered[nodes[op]])
        chosen.push_back(op);
    return chosen;
  }

private:
  /// An open size is there for all values or for none.
  static double countElements(Value value) {
    double count = 1;
    for (int64_t size : shapeOf(value))
      count *= ShapedType::isDynamic(size) ? 1 : size;
    return count;
  }

  /// One transpose more is worse than all elements of the region.
  int64_t costOf(Value value) const {
    static constexpr int64_t kOne = int64_t(1) << 32, kElements = int64_t(1) << 30;
    return kOne + static_cast<int64_t>(countElements(value) / std::max(elements, 1.0) * kElements);
  }

  /// Those that no other op is asked about: a row [C] that is broadcast, turned into a column.
  void addOperandsOfOthers(Operation *op, const DimensionOrders &orders) {
    for (auto [value, order] : llvm::zip_equal(op->getOperands(), orders.operands)) {
      if (static_cast<int64_t>(order.size()) <= typeOf(value).getRank() || findMovableConstant(value))
        continue;
      Order shape(order.size() - typeOf(value).getRank(), 1);
      llvm::append_range(shape, shapeOf(value));
      if (!isSameInOrder(shape, order))
        network.addEdge(nodes[op], MinimumCut::kSink, costOf(value));
    }
  }

  /// The side on which a value is made; nothing where it is a transpose, which gives it in either order.
  std::optional<MinimumCut::Node> sideOf(Value value, const Order &order) {
    Operation *op = value.getDefiningOp();
    if (auto node = nodes.find(op); op && node != nodes.end())
      return node->second;
    auto transpose = dyn_cast_or_null<TransposeOp>(op);
    if (!transpose)
      return MinimumCut::kSink;
    const bool isUndone = isSameInOrder(shapeOf(transpose.getInput()), inOrder(transpose.getPermutation(), order));
    return isUndone ? std::optional(MinimumCut::kSource) : std::nullopt;
  }

  /// The side on which a value is read; nothing where it may be either.
  std::optional<MinimumCut::Node> sideOf(OpOperand &use, const Order &order) {
    Operation *op = use.getOwner();
    if (auto node = nodes.find(op);
        node != nodes.end() && region.ops.find(op)->second.operands[use.getOperandNumber()] == order)
      return node->second;
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!transpose)
      return readsEither(use, order) ? std::nullopt : std::optional(MinimumCut::kSink);
    const bool isFree = llvm::all_of(transpose->getUses(), [&](OpOperand &own) { return readsEither(own, order); });
    return transpose.getPermutation() == ArrayRef(order) && !isFree ? std::optional(MinimumCut::kSource) : std::nullopt;
  }

  void addValue(Value value, const Order &order) {
    if (findMovableConstant(value))
      return;
    const int64_t cost = costOf(value);
    const std::optional<MinimumCut::Node> made = sideOf(value, order);
    const MinimumCut::Node other = network.addNode(), original = network.addNode();
    network.addEdge(other, made.value_or(MinimumCut::kSink), cost);
    network.addEdge(made.value_or(MinimumCut::kSource), original, cost);
    for (OpOperand &use : value.getUses())
      if (std::optional<MinimumCut::Node> read = sideOf(use, order)) {
        if (*read != MinimumCut::kSink)
          network.addEdge(*read, other, MinimumCut::kInfinite);
        if (*read != MinimumCut::kSource)
          network.addEdge(original, *read, MinimumCut::kInfinite);
      }
  }

  const ReorderedRegion &region;
  MinimumCut network;
  DenseMap<Operation *, MinimumCut::Node> nodes;
  double elements = 0;
};
} // namespace

SmallVector<Operation *> mp::chooseReordered(const ReorderedRegion &region) {
  return region.ops.empty() ? SmallVector<Operation *>() : TransposeNetwork(region).solve();
}
