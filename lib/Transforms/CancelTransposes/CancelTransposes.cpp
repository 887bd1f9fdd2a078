// Compute in the order of dimensions that leaves the fewest transposes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes and orders are facts first (OrderGraph.h). For each transpose and each of its two sides: the ops that
// could come in the other order together are a region, and a minimum cut says which of them do (Region.h). In the end
// the ops are written in the orders that were chosen (Rewrite.h).

#include "mp/Transforms/Passes.h"

#include "Transforms/CancelTransposes/Region.h"
#include "Transforms/CancelTransposes/Rewrite.h"
#include "mp/IR/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

#include <map>

namespace mp {
#define GEN_PASS_DEF_CANCELTRANSPOSESPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {
/// The search for orders, region by region.
class OrderSearch {
public:
  explicit OrderSearch(OrderGraph &graph) : graph(graph) {}

  /// Returns how many operands and results it looked at.
  size_t run() {
    // What one region leaves at its ends is between others: few walks find nothing more.
    static constexpr int kMostWalks = 4;
    for (int walk = 0; walk < kMostWalks; ++walk) {
      followed.clear();
      hasChanged = false;
      for (size_t tensor = 0; tensor < graph.getTensors().size(); ++tensor)
        tryTensor(tensor);
      if (!hasChanged)
        break;
    }
    return visits;
  }

private:
  /// How often an operand or result is looked at on average, at most: many regions may have one tensor at their ends.
  static constexpr size_t kMostVisits = 256;

  /// Whoever makes a tensor could do so in a layout in which it is read, and whoever reads it there as it is made.
  void tryTensor(size_t number) {
    const GraphTensor &tensor = graph.getTensors()[number];
    if (tensor.isConstant || tensor.layout.size() < 2)
      return;
    const OrderChange asMade{number, tensor.layout, tensor.order};
    llvm::MapVector<Layout, Order, std::map<Layout, unsigned>> others;
    for (const TensorRead &read : tensor.reads)
      if (read.layout != tensor.layout)
        others.insert({read.layout, read.order});
    for (const auto &[layout, order] : others) {
      tryChange({number, asMade.from, order});
      tryChange({number, layout, asMade.to});
    }
  }

  void tryChange(const OrderChange &change) {
    if (visits >= kMostVisits * graph.countValues())
      return;
    const ReorderedRegion region = growRegion(graph, change, followed);
    visits += region.visits;
    const OpOrders chosen = chooseReordered(graph, region);
    graph.assign(chosen);
    hasChanged |= !chosen.empty();
  }

  OrderGraph &graph;
  size_t visits = 0;
  FollowedChanges followed; ///< in this walk
  bool hasChanged = false;
};

struct CancelTransposesPass : mp::impl::CancelTransposesPassBase<CancelTransposesPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (getProgramKind(func).value_or(ProgramKind::Model) != ProgramKind::Model)
      return;
    const size_t before = countTransposes(func);
    OrderGraph graph(func);
    const size_t visits = OrderSearch(graph).run(), count = rewriteInOrders(func, graph);
    if (auto remark =
            remark::analysis(func.getLoc(), remark::RemarkOpts::name("Summary").category("mp-cancel-transposes")))
      remark << remark::metric("before", before) << remark::metric("after", countTransposes(func))
             << remark::metric("reordered", count) << remark::metric("visits", visits);
  }

private:
  static size_t countTransposes(func::FuncOp func) {
    size_t count = 0;
    func.walk([&](TransposeOp) { ++count; });
    return count;
  }
};
} // namespace
