// Squares on their way to a sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Autocast/SummedSquares.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

/// By its definition, so that denying an op lowers no square in front of it.
static bool passesOn(Operation *op) {
  const PrecisionCategory category = cast<PrecisionOpInterface>(op).getPrecisionCategory();
  return category == PrecisionCategory::Infer || category == PrecisionCategory::Clear;
}

static bool isSquare(Operation *op) {
  auto product = dyn_cast<MulOp>(op);
  return product && product.getLhs() == product.getRhs();
}

void mp::widenSummedSquares(ProgramGraph &program) {
  std::vector<StringRef> sums(program.values.size()); // by value: the sum that it reaches
  for (NodeId id = program.nodes.size(); id-- > 0;) {
    PrecisionNode &node = program.graph.nodes[id];
    StringRef sum;
    if (isa<ReduceSumOp, ReduceMeanOp, AvgPoolOp, CumsumOp>(program.nodes[id]))
      sum = node.name;
    else if (passesOn(program.nodes[id]))
      for (ValueId result : node.results)
        sum = sums[result].empty() ? sum : sums[result];
    if (sum.empty())
      continue;
    for (ValueId operand : node.operands)
      sums[operand] = sum;
    if (isSquare(program.nodes[id]) && node.source.empty()) {
      node.category = PrecisionCategory::Deny;
      node.source = ("a square on its way to " + sum).str();
    }
  }
}
