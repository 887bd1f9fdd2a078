// How many ops compute in which type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/PrecisionSummary.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

static Type floatElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType()) ? tensor.getElementType() : Type();
}

/// The type in which an op computes, or none if it touches no float.
static Type computeType(PrecisionOpInterface op) {
  for (OpResult result : op->getResults())
    if (op.resultFollows(result))
      return floatElement(result.getType());
  for (OpOperand &operand : op->getOpOperands())
    if (op.operandFollows(operand))
      return floatElement(operand.get().getType());
  for (Value operand : op->getOperands())
    if (Type element = floatElement(operand.getType()))
      return element;
  return {};
}

PrecisionSummary mp::summarizePrecision(FunctionOpInterface function) {
  PrecisionSummary summary;
  function.walk([&](PrecisionOpInterface op) {
    if (auto cast = dyn_cast<CastOp>(op.getOperation()))
      summary.casts += cast.getAutocast();
    if (op.getPrecisionCategory() == PrecisionCategory::Fixed)
      return;
    Type type = computeType(op);
    summary.f16 += type && type.isF16();
    summary.bf16 += type && type.isBF16();
    summary.f32 += type && type.isF32();
    summary.f64 += type && type.isF64();
  });
  return summary;
}
