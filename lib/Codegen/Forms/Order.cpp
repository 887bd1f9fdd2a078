// Which of two elements is the larger.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Order.h"

using namespace mlir;
using namespace mp;

Value mp::isLarger(LaneBuilder &b, Type element, Value value, Value other) {
  if (!isa<FloatType>(element)) {
    const auto greater = element.isUnsignedInteger() ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    return arith::CmpIOp::create(b, greater, value, other);
  }
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, other, other);
  return arith::AndIOp::create(b, arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, value, other), isNumber);
}
