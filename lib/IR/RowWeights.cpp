// Ops that combine rows and weigh each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

// Whether rows are combined

static bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

bool mp::detail::takesOpenSize(Operation *op) { return llvm::any_of(op->getOperandTypes(), isOpen); }

bool mp::detail::isOpenAlong(Operation *op, ArrayRef<int64_t> dimensions) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && llvm::any_of(dimensions, [&](int64_t dimension) { return type.isDynamicDim(dimension); });
}

bool mp::detail::hasSeveralOpenSizes(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getNumDynamicDims() > 1;
  });
}

// What weighs them

// One weight per row of logits, in the type of the loss.
Value SoftmaxCrossEntropyOp::getRowWeights() { return getWeights(); }
RankedTensorType SoftmaxCrossEntropyOp::getRowWeightsType() {
  auto logits = cast<RankedTensorType>(getLogits().getType());
  return RankedTensorType::get(logits.getShape().drop_back(),
                               cast<RankedTensorType>(getResult().getType()).getElementType());
}
void SoftmaxCrossEntropyOp::setRowWeights(Value weights) { getWeightsMutable().assign(weights); }
