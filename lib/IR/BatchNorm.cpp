// Batch normalization: the types of results, the constraints, and what weighs rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

#include "IR/ChannelNorms.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mp;

using Types = SmallVectorImpl<Type>;

// The types of results

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor op, Types &types) {
  types.push_back(op.getInput().getType());
  types.append(2, op.getScale().getType());
  types.push_back(RankedTensorType::get({}, elementOf(op.getScale())));
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor op, Types &types) {
  types.push_back(op.getInput().getType());
  types.append(2, op.getScale().getType());
  return success();
}

// The constraints

LogicalResult mp::verifyNormOfChannels(Operation *op, const APFloat &epsilon, ArrayRef<ChannelOperand> operands) {
  RankedTensorType input = typeOf(op->getOperand(0));
  const int64_t rank = input.getRank();
  if (rank < 2 || rank > 5 || llvm::any_of(input.getShape().drop_front(), isOpen))
    return violates(op, 1) << "operand is " << input << ", expected rank 2 to 5, [N, spatial..., C], with no open size "
                           << "but the first";
  const auto expected = RankedTensorType::get(input.getShape().take_back(), getWideElement(op->getOperand(0)));
  for (const ChannelOperand &operand : operands)
    if (operand.value.getType() != expected)
      return violates(op, 2) << operand.name << " has type " << operand.value.getType() << ", expected " << expected;
  if (!epsilon.isFinite() || epsilon.isNegative())
    return violates(op, 3) << "epsilon is " << epsilon.convertToDouble() << ", expected a finite number, at least 0";
  return success();
}

/// Of an op that looks at the batch itself, and needs `least` values of it for each channel.
static LogicalResult verifyBatch(Operation *op, Value weights, int64_t least) {
  RankedTensorType input = typeOf(op->getOperand(0));
  if (input.hasStaticShape()) {
    int64_t values = 1;
    for (int64_t size : input.getShape().drop_back())
      values *= size;
    if (values < least)
      return violates(op, 4) << "operand is " << input << ", which has " << values << " value"
                             << (values == 1 ? "" : "s") << " of each channel; expected at least " << least
                             << ": take a larger batch";
  }
  if (!weights)
    return success();
  const auto expected = RankedTensorType::get(input.getShape().take_front(), getWideElement(op->getOperand(0)));
  RankedTensorType found = typeOf(weights);
  if (found.getElementType() != expected.getElementType() ||
      failed(verifyCompatibleShape(found.getShape(), expected.getShape())))
    return violates(op, 5) << "weights has type " << found << ", expected " << expected;
  return success();
}

LogicalResult BatchNormOp::verify() {
  if (failed(verifyNormOfChannels(*this, getEpsilon(), {{getScale(), "scale"}})))
    return failure();
  return verifyBatch(*this, getWeights(), 1);
}

LogicalResult BatchNormGradOp::verify() {
  if (failed(verifyNormOfChannels(*this, getEpsilon(), {{getScale(), "scale"}})))
    return failure();
  return verifyBatch(*this, getWeights(), 2);
}

LogicalResult BatchNormInferenceOp::verify() {
  return verifyNormOfChannels(*this, getEpsilon(), {{getScale(), "scale"}});
}

LogicalResult UpdateRunningOp::verify() {
  Type element = elementOf(getOld());
  if (!element.isF32() && !element.isF64())
    return violates(*this, 1) << "old is " << getOld().getType() << ", expected f32 or f64";
  const double momentum = getMomentum().convertToDouble();
  if (!(momentum >= 0 && momentum <= 1))
    return violates(*this, 2) << "momentum is " << momentum << ", expected 0 to 1: the weight of the new value";
  return success();
}

// What follows a precision: data alone; parameters and statistics are f32 whatever the images are

bool BatchNormOp::operandFollows(OpOperand &operand) {
  return operand.get() == getInput() && detail::isAutocastTensor(operand.get().getType());
}
bool BatchNormOp::resultFollows(OpResult result) {
  return result == getResult() && detail::isAutocastTensor(result.getType());
}
bool BatchNormGradOp::operandFollows(OpOperand &operand) {
  return (operand.get() == getInput() || operand.get() == getGradient()) &&
         detail::isAutocastTensor(operand.get().getType());
}
bool BatchNormGradOp::resultFollows(OpResult result) {
  return result == getInputGradient() && detail::isAutocastTensor(result.getType());
}
bool BatchNormInferenceOp::operandFollows(OpOperand &operand) {
  return operand.get() == getInput() && detail::isAutocastTensor(operand.get().getType());
}

// What weighs rows

RankedTensorType BatchNormOp::getRowWeightsType() {
  return RankedTensorType::get(typeOf(getInput()).getShape().take_front(), elementOf(getScale()));
}
