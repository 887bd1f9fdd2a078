// Which values ops read through transposes, and in which orders of dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/CancelTransposes/OrderGraph.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;

/// Of a constant that is another in another order.
static constexpr int64_t kMostConstantElements = 4096;

bool mp::isMovable(TransposeOp op) { return op->getDiscardableAttrDictionary().empty(); }

DenseElementsAttr mp::findMovableConstant(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !value.getDefiningOp()->getDiscardableAttrDictionary().empty())
    return nullptr;
  return constant.isSplat() || constant.getNumElements() <= kMostConstantElements ? constant : nullptr;
}

static Order identity(int64_t rank) { return llvm::to_vector(llvm::seq(rank)); }

Layout GraphTensor::layoutOf(ArrayRef<int64_t> order) const {
  return llvm::filter_to_vector(order, [&](int64_t dimension) { return shapeOf(value)[dimension] != 1; });
}

// What is read and made

OrderGraph::OrderGraph(func::FuncOp func) {
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!transpose || !isMovable(transpose))
      for (OpOperand &use : op->getOpOperands())
        addRead(use);
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType())) {
        Order permutation;
        const size_t tensor = findOrAddTensor(result, op->getBlock(), permutation);
        if (transpose && isMovable(transpose))
          tensors[tensor].transposes.push_back({transpose, permutation});
      }
    return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance(); // whose body is scheduled as it is
  });
}

size_t OrderGraph::addTensor(Value value, Block *block) {
  GraphTensor tensor{value, block, identity(typeOf(value).getRank()), {}, 1, findMovableConstant(value) != nullptr,
                     {},    {}};
  tensor.layout = tensor.layoutOf(tensor.order);
  for (int64_t size : shapeOf(value))
    tensor.elements *= ShapedType::isDynamic(size) ? 1 : size;
  tensors.push_back(std::move(tensor));
  return tensors.size() - 1;
}

/// `permutation` becomes that of the transposes of the tensor that the value is.
size_t OrderGraph::findOrAddTensor(Value value, Block *block, Order &permutation) {
  permutation = identity(typeOf(value).getRank());
  // A transpose of a transpose, as long as one block makes them.
  for (auto transpose = value.getDefiningOp<TransposeOp>();
       transpose && isMovable(transpose) && transpose->getBlock() == block;
       transpose = value.getDefiningOp<TransposeOp>()) {
    permutation = inOrder(transpose.getPermutation(), permutation);
    value = transpose.getInput();
  }
  if (auto known = tensorOf.find({value, block}); known != tensorOf.end())
    return known->second;
  if (value.getParentBlock() != block) {
    TensorRead read{nullptr, value, {}, {}, {}, std::nullopt};
    const size_t outside = findOrAddTensor(value, value.getParentBlock(), read.permutation);
    read.order = read.permutation;
    read.layout = tensors[outside].layoutOf(read.order);
    tensors[outside].reads.push_back(std::move(read));
  }
  return tensorOf[{value, block}] = addTensor(value, block);
}

/// What a product reads as well as a matrix: its transpose.
static std::optional<Order> findAlternative(OpOperand &use, ArrayRef<int64_t> order) {
  auto product = dyn_cast<ContractionOpInterface>(use.getOwner());
  if (!product || !product.takesTransposes() || use.getOperandNumber() > 1 || order.size() < 2)
    return std::nullopt;
  Order transposed(order);
  std::swap(transposed[order.size() - 1], transposed[order.size() - 2]);
  return transposed;
}

void OrderGraph::addRead(OpOperand &use) {
  if (!isa<RankedTensorType>(use.get().getType()))
    return;
  TensorRead read{&use, use.get(), {}, {}, {}, std::nullopt};
  const size_t tensor = findOrAddTensor(use.get(), use.getOwner()->getBlock(), read.permutation);
  read.order = read.permutation;
  read.layout = tensors[tensor].layoutOf(read.order);
  if (std::optional<Order> alternative = findAlternative(use, read.order))
    read.alternative = tensors[tensor].layoutOf(*alternative);
  reads[&use] = {tensor, tensors[tensor].reads.size()};
  tensors[tensor].reads.push_back(std::move(read));
}

const GraphTensor *OrderGraph::findRead(OpOperand &use) const {
  auto known = reads.find(&use);
  return known == reads.end() ? nullptr : &tensors[known->second.first];
}

const TensorRead &OrderGraph::getRead(OpOperand &use) const {
  const auto [tensor, read] = reads.find(&use)->second;
  return tensors[tensor].reads[read];
}

const GraphTensor *OrderGraph::findMade(Value value) const {
  auto known = tensorOf.find({value, value.getParentBlock()});
  return known == tensorOf.end() ? nullptr : &tensors[known->second];
}

// Orders

Order OrderGraph::orderOf(const TensorRead &read, ArrayRef<int64_t> order) {
  if (order.empty())
    return read.permutation;
  // One of fewer dimensions has sizes of 1 in front.
  const auto missing = static_cast<int64_t>(order.size() - read.permutation.size());
  Order own;
  for (int64_t dimension : order)
    if (dimension >= missing)
      own.push_back(read.permutation[dimension - missing]);
  return own;
}

Layout OrderGraph::layoutIn(OpOperand &use, const DimensionOrders &orders) const {
  return findRead(use)->layoutOf(orderOf(getRead(use), orders.operands[use.getOperandNumber()]));
}

Order OrderGraph::orderIn(OpResult result, const DimensionOrders &orders) {
  const Order &order = orders.results[result.getResultNumber()];
  return order.empty() ? identity(typeOf(result).getRank()) : order;
}

void OrderGraph::assign(const OpOrders &others) {
  for (const auto &[op, own] : others) {
    for (OpOperand &use : op->getOpOperands())
      if (auto known = reads.find(&use); known != reads.end()) {
        GraphTensor &tensor = tensors[known->second.first];
        TensorRead &read = tensor.reads[known->second.second];
        read.order = orderOf(read, own.operands[use.getOperandNumber()]);
        read.layout = tensor.layoutOf(read.order);
        std::optional<Order> alternative = findAlternative(use, read.order);
        read.alternative = alternative ? std::optional(tensor.layoutOf(*alternative)) : std::nullopt;
      }
    for (OpResult result : op->getResults()) {
      GraphTensor &tensor = tensors[tensorOf.find({result, result.getParentBlock()})->second];
      tensor.order = orderIn(result, own);
      tensor.layout = tensor.layoutOf(tensor.order);
    }
    orders.insert_or_assign(op, own);
  }
}

// Costs

void TransposeCost::operator+=(const TransposeCost &other) {
  transposes += other.transposes;
  elements += other.elements;
  all += other.all;
}

bool TransposeCost::isBelow(const TransposeCost &other) const {
  return all <= other.all && std::pair(transposes, elements) < std::pair(other.transposes, other.elements);
}

TransposeCost OrderGraph::costOf(const GraphTensor &tensor, const OpOrders &others) const {
  if (tensor.isConstant || tensor.layout.size() < 2)
    return {};
  Layout made = tensor.layout;
  auto result = dyn_cast<OpResult>(tensor.value);
  if (auto other = result && tensor.isMadeHere() ? others.find(result.getOwner()) : others.end(); other != others.end())
    made = tensor.layoutOf(orderIn(result, other->second));
  // Each layout costs one transpose, and moves elements where one is read that needs it.
  SmallVector<std::pair<Layout, bool>, 4> layouts;
  for (const TensorRead &read : tensor.reads) {
    Layout layout = read.layout;
    std::optional<Layout> alternative = read.alternative;
    if (auto other = read.use ? others.find(read.use->getOwner()) : others.end(); other != others.end()) {
      const Order order = orderOf(read, other->second.operands[read.use->getOperandNumber()]);
      layout = tensor.layoutOf(order);
      if (std::optional<Order> transposed = findAlternative(*read.use, order))
        alternative = tensor.layoutOf(*transposed);
    }
    if (layout == made)
      continue;
    auto *known = llvm::find_if(layouts, [&](const auto &one) { return one.first == layout; });
    if (known == layouts.end())
      known = &layouts.emplace_back(layout, false);
    known->second |= alternative != made;
  }
  const auto moving = static_cast<size_t>(llvm::count_if(layouts, [](const auto &one) { return one.second; }));
  return {moving, static_cast<double>(moving) * tensor.elements, layouts.size()};
}
