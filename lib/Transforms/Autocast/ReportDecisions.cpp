// A plan and what it made of a function, as rows of a report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Autocast/ReportDecisions.h"

#include "Transforms/Specialize/RowOrder.h"
#include "mp/IR/MP.h"
#include "mp/IR/Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mp;

static std::string textOf(Type type) { return llvm::formatv("{0}", type).str(); }

/// "784x128", or nothing for a scalar.
static std::string shapeText(Value value) {
  auto sizes = llvm::map_range(shapeOf(value), [](int64_t size) {
    return ShapedType::isDynamic(size) ? std::string("?") : std::to_string(size);
  });
  return llvm::join(sizes, "x");
}

/// The type that an op has where it stays as it was written: of its first float.
static std::string ownType(Operation *op) {
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (isFloatTensor(value.getType()))
      return textOf(elementOf(value));
  return "";
}

static ExplainedOp explainOp(Operation *op, const ProgramGraph &program, const PrecisionPlan &plan, NodeId node) {
  const PrecisionNode &facts = program.graph.nodes[node];
  const std::optional<Precision> precision = plan.decisions[node].precision;
  auto product = dyn_cast<ContractionOpInterface>(op);
  // What follows the type is the reason.
  const std::string explanation = explain(program.graph, plan, node);
  return {op->getLoc(),
          facts.name,
          precision ? stringify(*precision).str() : ownType(op),
          product ? textOf(product.getAcc()) : "",
          stringifyPrecisionCategory(facts.category).str(),
          explanation.substr(explanation.find(": ") + 2)};
}

/// The types in which ops read `value`, through the casts that autocast made.
static std::string readTypes(Value value) {
  std::vector<std::string> types;
  auto add = [&](Type element) {
    std::string text = textOf(element);
    if (!llvm::is_contained(types, text))
      types.push_back(std::move(text));
  };
  for (Operation *user : value.getUsers()) {
    auto cast = dyn_cast<CastOp>(user);
    add(elementOf(cast && cast.getAutocast() ? cast.getResult() : value));
  }
  llvm::sort(types);
  return llvm::join(types, ", ");
}

ExplainedFunction mp::reportDecisions(FunctionOpInterface function, const ProgramGraph &program,
                                      const PrecisionPlan &plan) {
  ExplainedFunction report;
  report.name = function.getName().str();
  for (NodeId node = 0; node < program.nodes.size(); ++node) {
    const PrecisionNode &facts = program.graph.nodes[node];
    if (facts.category != PrecisionCategory::Fixed && !(facts.operands.empty() && facts.results.empty()))
      report.ops.push_back(explainOp(program.nodes[node], program, plan, node));
  }
  for (BlockArgument argument : function.getArguments())
    if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::parameter))
      report.parameters.push_back({name.str(), shapeText(argument), textOf(elementOf(argument)), readTypes(argument)});
  for (auto [op, isWeighed] : opsWhereRowsMeet(function))
    report.rowsMeet.push_back({op->getLoc(), op->getName().getStringRef().str(), isWeighed});
  report.summary = summarizePrecision(function);
  return report;
}
