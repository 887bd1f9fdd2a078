// Whole numbers next to a float.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In additions and integer ops, since not every processor has an instruction for it.

#include "Codegen/Forms/Math.h"

using namespace mlir;
using namespace mp;

Value mp::buildRound(LaneBuilder &b, Value x) {
  Type type = x.getType(), bits = integerTwin(type);
  const unsigned width = laneType(type).getIntOrFloatBitWidth();
  Value signBit = intConstant(b, bits, int64_t(uint64_t(1) << (width - 1)));
  Value others = intConstant(b, bits, int64_t((uint64_t(1) << (width - 1)) - 1));
  Value own = arith::BitcastOp::create(b, bits, x);
  Value magnitude = arith::BitcastOp::create(b, type, arith::AndIOp::create(b, own, others));
  // From 2^23 (2^52) on every float is a whole number; below, a sum with it has no bits for a fraction.
  Value least = floatConstant(b, type, width == 64 ? 0x1p52 : 0x1p23);
  Value whole = arith::SubFOp::create(b, arith::AddFOp::create(b, magnitude, least), least);
  Value hasFraction = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude, least);
  Value sign = arith::AndIOp::create(b, own, signBit);
  Value rounded = arith::OrIOp::create(b, arith::BitcastOp::create(b, bits, whole), sign);
  return arith::SelectOp::create(b, hasFraction, arith::BitcastOp::create(b, type, rounded), x);
}

Value mp::buildFloor(LaneBuilder &b, Value x) {
  Value nearest = buildRound(b, x), one = floatConstant(b, x.getType(), 1);
  Value isAbove = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, nearest, x);
  return arith::SelectOp::create(b, isAbove, arith::SubFOp::create(b, nearest, one), nearest);
}
