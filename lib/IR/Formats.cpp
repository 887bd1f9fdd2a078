// Text of ops whose results follow from their operand types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarative formats cannot give an optional operand the type of another.

#include "mp/IR/MP.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mp;

static ParseResult resolveScalar(OpAsmParser &parser, const OpAsmParser::UnresolvedOperand &operand, Type element,
                                 OperationState &state) {
  return parser.resolveOperand(operand, RankedTensorType::get({}, element), state.operands);
}

// mp.sgd %w, %g, %lr (velocity %v)? (guard %bad)? {...} : type of the parameter

ParseResult SGDOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand parameter, gradient, learningRate, velocity, guard;
  bool hasVelocity = false, hasGuard = false;
  if (parser.parseOperand(parameter) || parser.parseComma() || parser.parseOperand(gradient) || parser.parseComma() ||
      parser.parseOperand(learningRate))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("velocity"))) {
    hasVelocity = true;
    if (parser.parseOperand(velocity))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("guard"))) {
    hasGuard = true;
    if (parser.parseOperand(guard))
      return failure();
  }
  Type type;
  Builder &builder = parser.getBuilder();
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(parameter, type, state.operands) || parser.resolveOperand(gradient, type, state.operands) ||
      resolveScalar(parser, learningRate, builder.getF32Type(), state) ||
      (hasVelocity && parser.resolveOperand(velocity, type, state.operands)) ||
      (hasGuard && resolveScalar(parser, guard, builder.getI32Type(), state)))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, 1, 1, hasVelocity, hasGuard};
  state.addTypes(type);
  if (hasVelocity)
    state.addTypes(type);
  return success();
}

void SGDOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getParameter() << ", " << getGradient() << ", " << getLearningRate();
  if (getVelocity())
    printer << " velocity " << getVelocity();
  if (getGuard())
    printer << " guard " << getGuard();
  SmallVector<StringRef> hidden{getOperandSegmentSizesAttrName()};
  if (getMomentum().isZero())
    hidden.push_back(getMomentumAttrName());
  if (getWeightDecay().isZero())
    hidden.push_back(getWeightDecayAttrName());
  printer.printOptionalAttrDict((*this)->getAttrs(), hidden);
  printer << " : " << getParameter().getType();
}
