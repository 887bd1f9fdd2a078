// PyTorch's rule: each op by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Analysis/PerOp.h"

#include "llvm/ADT/STLExtras.h"

using namespace mp;

/// Operands have a say in the widest type only among their like, where none stands higher.
enum class Standing { Number, Scalar, Tensor };

static Standing standingOf(const PrecisionValue &value, bool scalarsFollow) {
  if (value.constant && value.constant->isNumber)
    return Standing::Number;
  return value.isScalar && scalarsFollow ? Standing::Scalar : Standing::Tensor;
}

llvm::SmallVector<ValueId, 3> mp::findFollowed(const PrecisionGraph &graph, const PrecisionNode &node) {
  // PyTorch's autocast asks scalars where it promotes, and its type promotion does not.
  const bool isStated = !node.followed.empty();
  const llvm::ArrayRef<ValueId> candidates = isStated ? llvm::ArrayRef(node.followed) : llvm::ArrayRef(node.operands);
  const auto standing = [&](ValueId id) { return standingOf(graph.values[id], graph.scalarsFollow && !isStated); };
  Standing highest = Standing::Number;
  for (ValueId value : candidates)
    highest = std::max(highest, standing(value));
  llvm::SmallVector<ValueId, 3> followed;
  for (ValueId value : candidates)
    if (standing(value) == highest)
      followed.push_back(value);
  return followed;
}

namespace {

class PerOp {
public:
  explicit PerOp(const PrecisionGraph &graph) : graph(graph) {}

  PrecisionPlan decide() {
    plan.decisions.reserve(graph.nodes.size());
    for (NodeId node = 0; node < graph.nodes.size(); ++node)
      plan.decisions.push_back(decideNode(node));
    return std::move(plan);
  }

private:
  PrecisionDecision decideNode(NodeId id) {
    const PrecisionNode &node = graph.nodes[id];
    if (node.requested)
      return decideRequested(id);
    if (node.category == PrecisionCategory::Fixed || (node.operands.empty() && node.results.empty()))
      return {std::nullopt, PrecisionRule::Fixed, {}, {}};
    if (!node.low)
      return {std::nullopt, PrecisionRule::Off, {}, {}};
    switch (node.category) {
    case PrecisionCategory::Allow:
      checkConstants(id, *node.low);
      return {*node.low, PrecisionRule::Category, {}, {}};
    case PrecisionCategory::Error:
      if (*node.low == Precision::F16)
        problem(id, std::nullopt, "is unsafe in f16 and refused where autocast makes f16");
      [[fallthrough]];
    case PrecisionCategory::Deny:
      return {Precision::F32, PrecisionRule::Category, {}, {}};
    case PrecisionCategory::Infer:
    case PrecisionCategory::Clear:
    case PrecisionCategory::Promote:
      return decideByOperands(node);
    case PrecisionCategory::Fixed:
      break;
    }
    llvm_unreachable("unknown category");
  }

  PrecisionDecision decideRequested(NodeId id) {
    const PrecisionNode &node = graph.nodes[id];
    if (node.category == PrecisionCategory::Fixed)
      problem(id, std::nullopt,
              ("cannot have the type that " + node.requester + " asks for: its precision is fixed").str());
    else if (node.operands.empty() && node.results.empty())
      problem(id, std::nullopt,
              ("cannot have the type that " + node.requester + " asks for: no operand or result could change its type")
                  .str());
    checkConstants(id, *node.requested);
    return {*node.requested, PrecisionRule::Requested, {}, {}};
  }

  /// The widest type of the values that have a say.
  PrecisionDecision decideByOperands(const PrecisionNode &node) {
    if (node.operands.empty())
      return {std::nullopt, PrecisionRule::Fixed, {}, {}};
    const llvm::SmallVector<ValueId, 3> followed = findFollowed(graph, node);
    std::optional<Precision> precision;
    for (ValueId operand : followed) {
      Precision type = plan.typeOf(graph, operand);
      precision = precision ? widest(*precision, type) : type;
    }
    for (ValueId constant : llvm::concat<const ValueId>(node.operands, node.attributes))
      if (losesConstant(constant, *precision))
        return {Precision::F32, PrecisionRule::OutOfRange, constant, *precision};
    for (ValueId operand : followed)
      if (plan.typeOf(graph, operand) == *precision)
        return {*precision, PrecisionRule::Widest, operand, {}};
    return {*precision, PrecisionRule::Mixed, {}, {}};
  }

  std::optional<std::string> losesConstant(ValueId value, Precision precision) const {
    const PrecisionValue &known = graph.values[value];
    if (!known.constant || graph.clampConstants || known.type == precision)
      return std::nullopt;
    return describeLoss(*known.constant, precision);
  }

  /// The op's precision is given, so that a constant which does not fit it is refused.
  void checkConstants(NodeId node, Precision precision) {
    const PrecisionNode &op = graph.nodes[node];
    for (ValueId constant : llvm::concat<const ValueId>(op.operands, op.attributes))
      if (std::optional<std::string> loss = losesConstant(constant, precision))
        problem(node, constant, *loss);
  }

  void problem(NodeId node, std::optional<ValueId> value, std::string message) {
    plan.problems.push_back({node, value, std::move(message)});
  }

  const PrecisionGraph &graph;
  PrecisionPlan plan;
};

} // namespace

PrecisionPlan mp::decidePerOp(const PrecisionGraph &graph) { return PerOp(graph).decide(); }
