// Text of ops whose results follow from their operand types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarative formats cannot give an optional operand the type of another.

#include "mp/IR/MP.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mp;

/// `%a, %b, %rate`, as many tensors of one type in front of the learning rate as `count` says, then each of `keywords`
/// with a tensor, or not, and perhaps a guard; attributes; that type.
static ParseResult parseOptimizer(OpAsmParser &parser, OperationState &state, size_t count,
                                  ArrayRef<StringRef> keywords, MutableArrayRef<int32_t> segments) {
  SmallVector<OpAsmParser::UnresolvedOperand> tensors(count), slots;
  OpAsmParser::UnresolvedOperand rate, guard;
  for (OpAsmParser::UnresolvedOperand &tensor : tensors)
    if (parser.parseOperand(tensor) || parser.parseComma())
      return failure();
  if (parser.parseOperand(rate))
    return failure();
  llvm::fill(segments, 1);
  for (auto [keyword, segment] : llvm::zip_equal(keywords, segments.drop_front(count + 1).drop_back())) {
    segment = succeeded(parser.parseOptionalKeyword(keyword));
    if (segment && parser.parseOperand(slots.emplace_back()))
      return failure();
  }
  segments.back() = succeeded(parser.parseOptionalKeyword("guard"));
  if (segments.back() && parser.parseOperand(guard))
    return failure();

  Type type;
  Builder &builder = parser.getBuilder();
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(tensors, type, state.operands) ||
      parser.resolveOperand(rate, RankedTensorType::get({}, builder.getF32Type()), state.operands) ||
      parser.resolveOperands(slots, type, state.operands) ||
      (segments.back() &&
       parser.resolveOperand(guard, RankedTensorType::get({}, builder.getI32Type()), state.operands)))
    return failure();
  // Of the tensors in front all but the gradient have a next value.
  state.types.append(count - 1 + slots.size(), type);
  return success();
}

/// What a keyword stands in front of, or null where it is not given.
using Optional = std::pair<StringRef, Value>;

static void printOptimizer(OpAsmPrinter &printer, ValueRange tensors, std::initializer_list<Optional> optionals) {
  printer << ' ';
  llvm::interleaveComma(tensors, printer);
  for (auto [keyword, value] : optionals)
    if (value)
      printer << ' ' << keyword << ' ' << value;
}

// mp.sgd %w, %g, %lr (velocity %v)? (guard %bad)? {...} : type of the parameter

ParseResult SGDOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseOptimizer(parser, state, 2, {"velocity"}, state.getOrAddProperties<Properties>().operandSegmentSizes);
}

void SGDOp::print(OpAsmPrinter &printer) {
  printOptimizer(printer, {getParameter(), getGradient(), getLearningRate()},
                 {{"velocity", getVelocity()}, {"guard", getGuard()}});
  SmallVector<StringRef> hidden{getOperandSegmentSizesAttrName()};
  if (getMomentum().isZero())
    hidden.push_back(getMomentumAttrName());
  if (getWeightDecay().isZero())
    hidden.push_back(getWeightDecayAttrName());
  printer.printOptionalAttrDict((*this)->getAttrs(), hidden);
  printer << " : " << getParameter().getType();
}

// mp.rmsprop %w, %g, %v, %lr (mean %m)? (velocity %b)? (guard %bad)? {...} : type of the parameter

ParseResult RMSpropOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseOptimizer(parser, state, 3, {"mean", "velocity"},
                        state.getOrAddProperties<Properties>().operandSegmentSizes);
}

void RMSpropOp::print(OpAsmPrinter &printer) {
  printOptimizer(printer, {getParameter(), getGradient(), getV(), getLearningRate()},
                 {{"mean", getMean()}, {"velocity", getVelocity()}, {"guard", getGuard()}});
  const std::tuple<StringAttr, llvm::APFloat, double> numbers[] = {{getAlphaAttrName(), getAlpha(), 0.99},
                                                                   {getMomentumAttrName(), getMomentum(), 0},
                                                                   {getEpsilonAttrName(), getEpsilon(), 1e-8},
                                                                   {getWeightDecayAttrName(), getWeightDecay(), 0}};
  SmallVector<StringRef> hidden{getOperandSegmentSizesAttrName()};
  for (const auto &[name, value, usual] : numbers)
    if (value.convertToDouble() == usual)
      hidden.push_back(name);
  printer.printOptionalAttrDict((*this)->getAttrs(), hidden);
  printer << " : " << getParameter().getType();
}
