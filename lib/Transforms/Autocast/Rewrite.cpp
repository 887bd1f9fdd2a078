// Make a function's types those of a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Autocast/Rewrite.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mp/IR/MP.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mp;

/// Rounds to nearest even. What would become infinite or 0 gets the nearest value that is neither: the plan has refused
/// such constants unless clamping them was asked for.
static APFloat roundTo(APFloat value, const llvm::fltSemantics &semantics) {
  bool wasFinite = value.isFinite(), wasZero = value.isZero(), isNegative = value.isNegative(), losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (wasFinite && value.isInfinity())
    return APFloat::getLargest(semantics, isNegative);
  if (!wasZero && value.isZero())
    return APFloat::getSmallest(semantics, isNegative);
  return value;
}

static DenseElementsAttr roundTo(DenseFPElementsAttr elements, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  ShapedType shape = elements.getType().clone(type);
  if (elements.isSplat())
    return DenseElementsAttr::get(shape, roundTo(elements.getSplatValue<APFloat>(), semantics));
  SmallVector<APFloat> rounded;
  rounded.reserve(elements.getNumElements());
  for (const APFloat &element : elements.getValues<APFloat>())
    rounded.push_back(roundTo(element, semantics));
  return DenseElementsAttr::get(shape, rounded);
}

namespace {

class Rewriter {
public:
  Rewriter(const ProgramGraph &program, const PrecisionPlan &plan) : program(program), plan(plan) {}

  void run() {
    for (const ProgramGraph::Op &op : program.ops)
      rewriteOp(op);
    for (Operation *constant : roundedConstants)
      if (constant->use_empty())
        constant->erase();
  }

private:
  /// Operands and results that follow get the precision of the op; every other operand the type it has in the input.
  void rewriteOp(const ProgramGraph::Op &op) {
    std::optional<Precision> precision = op.node ? plan.decisions[*op.node].precision : std::nullopt;
    auto precise = dyn_cast<PrecisionOpInterface>(op.op);
    for (OpOperand &operand : op.op->getOpOperands()) {
      auto id = program.ids.find(operand.get());
      if (id == program.ids.end() || (precise && precise.readsOnlyShape(operand)))
        continue;
      bool follows = precision && llvm::is_contained(op.following, &operand);
      convert(operand, follows ? *precision : program.graph.values[id->second].type);
    }
    if (!precision)
      return;
    for (ValueId id : program.graph.nodes[*op.node].attributes)
      clampAttribute(op.op, program.graph.values[id], *precision);
    for (ValueId id : program.graph.nodes[*op.node].results) {
      Value result = program.values[id];
      result.setType(cast<RankedTensorType>(result.getType()).clone(toType(*precision, result.getContext())));
    }
  }

  /// An op rounds its attributes itself; those that `precision` does not hold are clamped as constants are.
  void clampAttribute(Operation *op, const PrecisionValue &facts, Precision precision) {
    if (facts.type == precision || !describeLoss(*facts.constant, precision))
      return;
    auto attribute = op->getAttrOfType<FloatAttr>(facts.name);
    const APFloat held = roundTo(attribute.getValue(), toType(precision, op->getContext()).getFloatSemantics());
    op->setAttr(facts.name, FloatAttr::get(attribute.getType(), held.convertToDouble()));
  }

  void convert(OpOperand &operand, Precision precision) {
    Value value = operand.get();
    if (precisionOf(value.getType()) == precision)
      return;
    Value &converted = casts[{value, static_cast<unsigned>(precision)}];
    if (!converted)
      converted = createCast(value, toType(precision, value.getContext()), operand.getOwner());
    operand.set(converted);
  }

  Value createCast(Value value, FloatType type, Operation *firstUser) {
    auto tensor = cast<RankedTensorType>(value.getType());
    DenseFPElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements))) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      roundedConstants.insert(value.getDefiningOp());
      return ConstantOp::create(builder, value.getLoc(), roundTo(elements, type));
    }
    // What an earlier run widened is taken from before the cast: f16 -> f32 -> f16 is the same value.
    if (auto known = value.getDefiningOp<CastOp>(); known && known.getAutocast() && tensor.getElementType().isF32() &&
                                                    known.getInput().getType() == tensor.clone(type))
      return known.getInput();
    // The first user's ancestor in the value's block stands before all other users.
    OpBuilder builder(value.getContext());
    if (Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*firstUser))
      builder.setInsertionPoint(ancestor);
    else
      builder.setInsertionPointAfterValue(value);
    return CastOp::create(builder, value.getLoc(), tensor.clone(type), value, /*autocast=*/true);
  }

  const ProgramGraph &program;
  const PrecisionPlan &plan;
  DenseMap<std::pair<Value, unsigned>, Value> casts;
  llvm::SmallSetVector<Operation *, 8> roundedConstants;
};

} // namespace

void mp::rewrite(const ProgramGraph &program, const PrecisionPlan &plan) { Rewriter(program, plan).run(); }
