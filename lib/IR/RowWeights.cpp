// Ops that combine rows and weigh each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

// One weight per row of logits, in the type of the loss.
Value SoftmaxCrossEntropyOp::getRowWeights() { return getWeights(); }
RankedTensorType SoftmaxCrossEntropyOp::getRowWeightsType() {
  auto logits = cast<RankedTensorType>(getLogits().getType());
  return RankedTensorType::get(logits.getShape().drop_back(),
                               cast<RankedTensorType>(getResult().getType()).getElementType());
}
void SoftmaxCrossEntropyOp::setRowWeights(Value weights) { getWeightsMutable().assign(weights); }
