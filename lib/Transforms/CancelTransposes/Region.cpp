// Ops that could compute in another order of dimensions together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/CancelTransposes/Region.h"

#include "mp/Analysis/MinimumCut.h"

#include <map>

using namespace mlir;
using namespace mp;

// Growing

namespace {
class RegionGrowth {
public:
  RegionGrowth(const OrderGraph &graph, FollowedChanges &followed) : graph(graph), followed(followed) {}

  ReorderedRegion grow(OrderChange first) {
    add(std::move(first));
    for (size_t i = 0; i < region.changes.size(); ++i)
      if (const OrderChange change = region.changes[i]; followed.insert(keyOf(change)).second)
        follow(change);
    for (const auto &[op, orders] : region.ops) {
      for (OpOperand &use : op->getOpOperands())
        region.tensors.insert(graph.findRead(use));
      for (Value result : op->getResults())
        region.tensors.insert(graph.findMade(result));
    }
    for (const GraphTensor *tensor : region.tensors)
      region.visits += 1 + tensor->reads.size();
    return std::move(region);
  }

private:
  FollowedChanges::key_type keyOf(const OrderChange &change) const {
    return {change.tensor, change.from, graph.getTensors()[change.tensor].layoutOf(change.to)};
  }

  void add(OrderChange change) {
    layoutOf[{change.tensor, change.from}] = graph.getTensors()[change.tensor].layoutOf(change.to);
    region.changes.push_back(std::move(change));
  }

  void follow(const OrderChange &change) {
    const GraphTensor &tensor = graph.getTensors()[change.tensor];
    region.visits += 1 + tensor.reads.size();
    auto result = dyn_cast<OpResult>(tensor.value);
    if (result && tensor.isMadeHere() && tensor.layout == change.from) {
      DimensionOrders orders(result.getOwner());
      orders.results[result.getResultNumber()] = change.to;
      addOp(result.getOwner(), std::move(orders));
    }
    for (const TensorRead &read : tensor.reads)
      if (read.use && read.layout == change.from) {
        DimensionOrders orders(read.use->getOwner());
        orders.operands[read.use->getOperandNumber()] =
            inOrder(ArrayRef(invertPermutationVector(read.permutation)), change.to);
        addOp(read.use->getOwner(), std::move(orders));
      }
  }

  /// Adds `op`, of which the order of one operand or result is in `orders`, unless another change contradicts.
  void addOp(Operation *op, DimensionOrders orders) {
    auto reordered = dyn_cast<OrderOpInterface>(op);
    if (!reordered || region.ops.contains(op) || !reordered.inferOrders(orders))
      return;
    SmallVector<OrderChange, 4> changes;
    bool agrees = true;
    auto addChange = [&](const GraphTensor &tensor, const Layout &from, Order to) {
      Layout layout = tensor.layoutOf(to);
      if (layout == from || tensor.isConstant)
        return;
      const size_t number = graph.indexOf(tensor);
      if (auto known = layoutOf.find({number, from}); known != layoutOf.end()) {
        agrees &= known->second == layout;
        return;
      }
      auto *own =
          llvm::find_if(changes, [&](const OrderChange &one) { return one.tensor == number && one.from == from; });
      if (own == changes.end())
        changes.push_back({number, from, std::move(to)});
      else
        agrees &= tensor.layoutOf(own->to) == layout;
    };
    // An operand of fewer dimensions than its order has follows no further.
    for (auto [use, order] : llvm::zip_equal(op->getOpOperands(), orders.operands))
      if (static_cast<int64_t>(order.size()) <= typeOf(use.get()).getRank())
        addChange(*graph.findRead(use), graph.getRead(use).layout, OrderGraph::orderOf(graph.getRead(use), order));
    for (OpResult result : op->getResults()) {
      const GraphTensor &tensor = *graph.findMade(result);
      addChange(tensor, tensor.layout, OrderGraph::orderIn(result, orders));
    }
    if (!agrees)
      return;
    for (OrderChange &change : changes)
      add(std::move(change));
    region.ops.insert({op, std::move(orders)});
  }

  const OrderGraph &graph;
  FollowedChanges &followed;
  ReorderedRegion region;
  std::map<std::pair<size_t, Layout>, Layout> layoutOf; ///< of changes
};
} // namespace

ReorderedRegion mp::growRegion(const OrderGraph &graph, OrderChange first, FollowedChanges &followed) {
  return RegionGrowth(graph, followed).grow(std::move(first));
}

// Choosing

namespace {
/// The ops that read a tensor in one layout: some in any case, some if they are reordered, some if they are not.
struct LayoutReaders {
  bool always = false;
  SmallVector<MinimumCut::Node, 2> ifReordered, ifNot;
};

/// A network whose nodes are ops, on the source's side where they are reordered. A cut costs a transpose for each
/// layout in which a tensor is read but not made, by however many. Where that can be no cost of a cut - who makes a
/// tensor and who reads it agree only if one of them is reordered and the other is not - it costs as much as if they
/// did not agree: what nothing reordered costs is exact, and no other cut costs less than it says.
class TransposeNetwork {
public:
  TransposeNetwork(const OrderGraph &graph, const ReorderedRegion &region) : graph(graph), region(region) {}

  OpOrders solve() {
    for (const auto &[op, orders] : region.ops)
      nodes[op] = network.addNode();
    for (const GraphTensor *tensor : region.tensors)
      elements += tensor->elements;
    for (const GraphTensor *tensor : region.tensors)
      addTensor(*tensor);
    const std::vector<bool> isReordered = network.solve();
    OpOrders chosen;
    for (const auto &[op, orders] : region.ops)
      if (isReordered[nodes[op]])
        chosen.insert({op, orders});
    return isWorthIt(chosen) ? chosen : OpOrders();
  }

private:
  /// By a count, since a cut may cost more than it says.
  bool isWorthIt(const OpOrders &chosen) const {
    TransposeCost before, after;
    for (const GraphTensor *tensor : region.tensors) {
      before += graph.costOf(*tensor, OpOrders());
      after += graph.costOf(*tensor, chosen);
    }
    return after.isBelow(before);
  }

  /// One transpose more is worse than all elements of the region.
  int64_t costOf(const GraphTensor &tensor) const {
    static constexpr int64_t kOne = int64_t(1) << 32, kElements = int64_t(1) << 30;
    return kOne + static_cast<int64_t>(tensor.elements / std::max(elements, 1.0) * kElements);
  }

  void addTensor(const GraphTensor &tensor) {
    if (tensor.isConstant || tensor.layout.size() < 2)
      return;
    auto result = dyn_cast<OpResult>(tensor.value);
    auto maker = result && tensor.isMadeHere() ? region.ops.find(result.getOwner()) : region.ops.end();
    const Layout &original = tensor.layout;
    const Layout other =
        maker == region.ops.end() ? original : tensor.layoutOf(OrderGraph::orderIn(result, maker->second));
    const std::optional<MinimumCut::Node> made =
        other == original ? std::nullopt : std::optional(nodes[result.getOwner()]);
    const int64_t cost = costOf(tensor);
    for (const auto &[layout, readers] : readersOf(tensor, original, other))
      if (!made && layout != original)
        addUnmade(readers, cost);
      else if (made && layout == original)
        addOriginal(*made, readers, cost);
      else if (made && layout == other)
        addOther(*made, readers, cost);
      else if (made)
        addUnmade(readers, cost);
  }

  std::map<Layout, LayoutReaders> readersOf(const GraphTensor &tensor, const Layout &original, const Layout &other) {
    std::map<Layout, LayoutReaders> readers;
    for (const TensorRead &read : tensor.reads) {
      // A product reads a matrix that is made in one of two orders in either.
      auto isMade = [&](const Layout &layout) { return layout == original || layout == other; };
      if (read.alternative &&
          (other == original ? *read.alternative == original : isMade(*read.alternative) && isMade(read.layout)))
        continue;
      auto op = read.use ? region.ops.find(read.use->getOwner()) : region.ops.end();
      const Layout changed = op == region.ops.end() ? read.layout : graph.layoutIn(*read.use, op->second);
      if (changed == read.layout) {
        readers[changed].always = true;
        continue;
      }
      readers[changed].ifReordered.push_back(nodes[op->first]);
      readers[read.layout].ifNot.push_back(nodes[op->first]);
    }
    return readers;
  }

  /// One transpose if a reader asks for a layout in which the tensor is not made.
  void addUnmade(const LayoutReaders &readers, int64_t cost) {
    if (readers.always)
      return;
    if (!readers.ifReordered.empty())
      addReaders(readers.ifReordered, MinimumCut::kSink, cost);
    if (!readers.ifNot.empty())
      addUnchanged(MinimumCut::kSource, readers.ifNot, cost);
  }

  /// One transpose if a reader asks for the layout in which the tensor is made unless its op is reordered.
  void addOriginal(MinimumCut::Node made, const LayoutReaders &readers, int64_t cost) {
    if (readers.always || !readers.ifReordered.empty())
      network.addEdge(made, MinimumCut::kSink, cost);
    else
      addUnchanged(made, readers.ifNot, cost);
  }

  /// One transpose if a reader asks for the layout in which the tensor is made if its op is reordered.
  void addOther(MinimumCut::Node made, const LayoutReaders &readers, int64_t cost) {
    if (readers.always || !readers.ifNot.empty())
      network.addEdge(MinimumCut::kSource, made, cost);
    else
      addReaders(readers.ifReordered, made, cost);
  }

  /// Costs where one of `readers` is on the source's side and `made` is not.
  void addReaders(ArrayRef<MinimumCut::Node> readers, MinimumCut::Node made, int64_t cost) {
    const MinimumCut::Node any = network.addNode();
    network.addEdge(any, made, cost);
    for (MinimumCut::Node reader : readers)
      network.addEdge(reader, any, MinimumCut::kInfinite);
  }

  /// Costs where `made` is on the source's side and one of `readers` is not.
  void addUnchanged(MinimumCut::Node made, ArrayRef<MinimumCut::Node> readers, int64_t cost) {
    const MinimumCut::Node all = network.addNode();
    network.addEdge(made, all, cost);
    for (MinimumCut::Node reader : readers)
      network.addEdge(all, reader, MinimumCut::kInfinite);
  }

  const OrderGraph &graph;
  const ReorderedRegion &region;
  MinimumCut network;
  DenseMap<Operation *, MinimumCut::Node> nodes;
  double elements = 0;
};
} // namespace

OpOrders mp::chooseReordered(const OrderGraph &graph, const ReorderedRegion &region) {
  return region.ops.empty() ? OpOrders() : TransposeNetwork(graph, region).solve();
}
