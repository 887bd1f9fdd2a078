// Values that no kernel computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Views.h"

using namespace mlir;
using namespace mp;

bool mp::isView(Operation *op) { return isa<ReshapeOp>(op); }

Value mp::getBase(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isView(op); op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

bool mp::isData(Operation *op) { return isa<ConstantOp>(op); }
