// Which operands and results follow an op's precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The category of each op stands in its definition; here is what follows by default, and where an op differs from that.

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

bool mp::detail::isAutocastTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<Float16Type, BFloat16Type, Float32Type>(tensor.getElementType());
}

// A product whose author stated a narrow accumulator, or a result in the accumulator's type, has its types chosen.
static bool statesItsTypes(ContractionOpInterface op) {
  return op.getAcc().isF16() || elementOf(op->getResult(0)) != elementOf(op->getOperand(0));
}

bool mp::detail::followsByDefault(Operation *op, Type type) {
  auto product = dyn_cast<ContractionOpInterface>(op);
  return isAutocastTensor(type) && !(product && statesItsTypes(product));
}

// Parameters and statistics of a norm are f32 whatever the rows are.
bool mp::LayerNormOp::operandFollows(OpOperand &operand) {
  return operand.get() == getInput() && detail::isAutocastTensor(operand.get().getType());
}
bool mp::RMSNormOp::operandFollows(OpOperand &operand) {
  return operand.get() == getInput() && detail::isAutocastTensor(operand.get().getType());
}
bool mp::GroupNormOp::operandFollows(OpOperand &operand) {
  return operand.get() == getInput() && detail::isAutocastTensor(operand.get().getType());
}
bool mp::GroupNormGradOp::operandFollows(OpOperand &operand) {
  return (operand.get() == getInput() || operand.get() == getGradient()) &&
         detail::isAutocastTensor(operand.get().getType());
}
bool mp::GroupNormGradOp::resultFollows(OpResult result) {
  return result == getInputGradient() && detail::isAutocastTensor(result.getType());
}
bool mp::LayerNormStatisticsOp::resultFollows(OpResult) { return false; }
bool mp::LayerNormGradOp::operandFollows(OpOperand &operand) {
  return (operand.get() == getInput() || operand.get() == getGradient()) &&
         detail::isAutocastTensor(operand.get().getType());
}

// Only the shape of `like` is read.
bool mp::IotaOp::readsOnlyShape(OpOperand &) { return true; }
bool mp::BroadcastOp::readsOnlyShape(OpOperand &operand) { return operand.getOperandNumber() == 1; }
bool mp::RandomUniformOp::readsOnlyShape(OpOperand &operand) { return operand.getOperandNumber() == 1; }
bool mp::RandomUniformOp::operandFollows(OpOperand &) { return false; }
bool mp::RandomUniformOp::resultFollows(OpResult) { return false; }
bool mp::IotaOp::operandFollows(OpOperand &) { return false; }
bool mp::IotaOp::resultFollows(OpResult) { return false; }
bool mp::BroadcastOp::operandFollows(OpOperand &operand) {
  return operand.getOperandNumber() == 0 && detail::isAutocastTensor(operand.get().getType());
}
