// Ops written in the orders of dimensions that were chosen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/CancelTransposes/Rewrite.h"

#include "mlir/IR/Iterators.h"

#include <map>

using namespace mlir;
using namespace mp;

static RankedTensorType typeInOrder(RankedTensorType type, ArrayRef<int64_t> order) {
  return type.clone(inOrder(type.getShape(), order));
}

/// The elements of a constant in another order.
static DenseElementsAttr constantInOrder(DenseElementsAttr constant, ArrayRef<int64_t> order) {
  auto type = typeInOrder(cast<RankedTensorType>(constant.getType()), order);
  if (constant.isSplat())
    return constant.resizeSplat(type);
  const Order strides = inOrder(ArrayRef(computeStrides(cast<RankedTensorType>(constant.getType()).getShape())), order);
  const Order places = computeStrides(type.getShape());
  auto values = llvm::to_vector(constant.getValues<Attribute>());
  auto moved = llvm::map_to_vector(llvm::seq<int64_t>(constant.getNumElements()),
                                   [&](int64_t i) { return values[linearize(delinearize(i, places), strides)]; });
  return DenseElementsAttr::get(type, moved);
}

/// What stands in the place of a reshape that need not be one: it is folded, perhaps in place. Attributes of a reshape
/// may ask for a rounding of what it gives.
static Value folded(ReshapeOp op) {
  auto isPlain = [](ReshapeOp one) { return one->getDiscardableAttrDictionary().empty(); };
  for (auto first = op.getInput().getDefiningOp<ReshapeOp>(); isPlain(op) && (!first || isPlain(first));
       first = op.getInput().getDefiningOp<ReshapeOp>()) {
    SmallVector<OpFoldResult, 1> values;
    if (failed(op->fold(values)))
      break;
    if (!values.empty())
      return cast<Value>(values.front());
  }
  return op;
}

/// The shape of an operand in an order: one of fewer dimensions has sizes of 1 in front, which need not stay.
static Order shapeInOrder(Value value, ArrayRef<int64_t> order) {
  const auto missing = static_cast<int64_t>(order.size()) - typeOf(value).getRank();
  if (order.empty())
    return Order(shapeOf(value));
  Order shape(missing, 1);
  llvm::append_range(shape, shapeOf(value));
  const Order moved = inOrder(ArrayRef(shape), order);
  return missing == 0 ? moved : Order(ArrayRef(moved).drop_while([](int64_t size) { return size == 1; }));
}

namespace {
/// One tensor in the layouts in which it is read.
class TensorInLayouts {
public:
  /// `made` is the tensor in the order that it has now; `clones` are ops that stand for others.
  TensorInLayouts(const GraphTensor &tensor, Value made, const DenseMap<Operation *, Operation *> &clones,
                  DenseSet<Operation *> &kept)
      : tensor(tensor), made(made), clones(clones), kept(kept) {}

  /// The tensor in an order, in a shape of as many elements.
  Value get(const Order &order, const Order &shape) {
    Value value = inOrderOf(order);
    if (shapeOf(value) == ArrayRef(shape))
      return value;
    Value &known = reshapes[{value.getAsOpaquePointer(), shape}];
    if (!known) {
      OpBuilder builder = builderBehind(value);
      known = folded(ReshapeOp::create(builder, value.getLoc(), typeOf(value).clone(shape), value));
    }
    return known;
  }

private:
  OpBuilder builderBehind(Value value) const {
    OpBuilder builder(value.getContext());
    if (value.getParentBlock() == tensor.block)
      builder.setInsertionPointAfterValue(value);
    else
      builder.setInsertionPointToStart(tensor.block);
    return builder;
  }

  Value inOrderOf(const Order &order) {
    if (order == tensor.order)
      return made;
    if (DenseElementsAttr constant = findMovableConstant(made)) {
      Value &known = constants[order];
      if (!known) {
        OpBuilder builder = builderBehind(made);
        known = ConstantOp::create(builder, made.getLoc(), constantInOrder(constant, order));
      }
      return known;
    }
    const Layout layout = tensor.layoutOf(order);
    if (layout == tensor.layout)
      return made;
    Value &known = transposes[layout];
    if (!known)
      known = transposed(order, layout);
    return known;
  }

  /// The transpose of that layout that there is already, in front of all that read it, or a new one.
  Value transposed(const Order &order, const Layout &layout) {
    const Order places = invertPermutationVector(tensor.order);
    OpBuilder builder = builderBehind(made);
    const auto *known = llvm::find_if(tensor.transposes, [&](const auto &one) { return one.second == order; });
    if (known == tensor.transposes.end())
      known = llvm::find_if(tensor.transposes, [&](const auto &one) { return tensor.layoutOf(one.second) == layout; });
    if (known == tensor.transposes.end())
      return TransposeOp::create(builder, made.getLoc(), made, inOrder(ArrayRef(places), order));
    TransposeOp op = known->first;
    kept.insert(op);
    op.getInputMutable().assign(made);
    op.setPermutation(inOrder(ArrayRef(places), known->second));
    if (!llvm::all_of(tensor.reads,
                      [&](const TensorRead &read) { return read.layout != layout || isInFront(op, read); }))
      op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    return op;
  }

  bool isInFront(Operation *op, const TensorRead &read) const {
    if (!read.use)
      return false;
    Operation *clone = clones.lookup(read.use->getOwner());
    return op->isBeforeInBlock(clone ? clone : read.use->getOwner());
  }

  const GraphTensor &tensor;
  Value made;
  const DenseMap<Operation *, Operation *> &clones;
  DenseSet<Operation *> &kept; ///< transposes
  std::map<std::pair<void *, Order>, Value> reshapes;
  std::map<Order, Value> constants;
  std::map<Layout, Value> transposes;
};

class Rewriting {
public:
  Rewriting(func::FuncOp func, const OrderGraph &graph) : func(func), graph(graph) {}

  size_t run() {
    for (const auto &[op, orders] : graph.getOrders())
      if (!isAsWritten(orders))
        cloneInOrders(op, orders);
    for (bool isMadeHere : {true, false}) // what regions inside read is made by then
      for (const GraphTensor &tensor : graph.getTensors())
        if (tensor.isMadeHere() == isMadeHere)
          setReads(tensor);
    eraseReplaced();
    return clones.size();
  }

private:
  static bool isAsWritten(const DimensionOrders &orders) {
    auto isOwn = [](const Order &order) { return llvm::is_sorted(order); };
    return llvm::all_of(orders.operands, isOwn) && llvm::all_of(orders.results, isOwn);
  }

  void cloneInOrders(Operation *op, const DimensionOrders &orders) {
    Operation *clone = OpBuilder(op).clone(*op);
    reorderAttributes(clone, orders);
    for (auto [result, order] : llvm::zip_equal(clone->getResults(), orders.results))
      if (!order.empty())
        result.setType(typeInOrder(typeOf(result), order));
    clones[op] = clone;
  }

  void setReads(const GraphTensor &tensor) {
    Value made = tensor.isMadeHere() ? tensor.value : readInside.find(tensor.value)->second;
    if (auto result = dyn_cast<OpResult>(tensor.value); result && tensor.isMadeHere())
      if (Operation *clone = clones.lookup(result.getOwner()))
        made = clone->getResult(result.getResultNumber());
    TensorInLayouts layouts(tensor, made, clones, kept);
    for (const TensorRead &read : tensor.reads) {
      Order order;
      if (read.use)
        if (auto known = graph.getOrders().find(read.use->getOwner()); known != graph.getOrders().end())
          order = known->second.operands[read.use->getOperandNumber()];
      Value value = layouts.get(read.order, shapeInOrder(read.value, order));
      if (!read.use) {
        readInside[read.value] = value;
        continue;
      }
      Operation *clone = clones.lookup(read.use->getOwner());
      (clone ? clone : read.use->getOwner())->setOperand(read.use->getOperandNumber(), value);
    }
  }

  /// With what only that read; a reshape of a reshape is one.
  void eraseReplaced() {
    SmallVector<Operation *> replaced;
    for (const auto &[op, clone] : clones)
      replaced.push_back(op);
    for (const GraphTensor &tensor : graph.getTensors())
      for (const auto &[op, order] : tensor.transposes)
        if (!kept.contains(op))
          replaced.push_back(op);
    for (Operation *op : replaced)
      op->dropAllReferences();
    for (Operation *op : replaced)
      op->erase();
    func.walk([](ReshapeOp op) {
      if (Value value = folded(op); value != op.getResult())
        op.replaceAllUsesWith(value);
    });
    func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      auto transpose = dyn_cast<TransposeOp>(op);
      if (op->use_empty() && (transpose ? isMovable(transpose) : isa<ReshapeOp, ConstantOp>(op)))
        op->erase();
    });
  }

  func::FuncOp func;
  const OrderGraph &graph;
  DenseMap<Operation *, Operation *> clones;
  DenseSet<Operation *> kept;        ///< transposes of before
  DenseMap<Value, Value> readInside; ///< by regions, as tensors of the block around
};
} // namespace

size_t mp::rewriteInOrders(func::FuncOp func, const OrderGraph &graph) { return Rewriting(func, graph).run(); }
