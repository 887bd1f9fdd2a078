// The scaler's state machine and the counts of steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

#include <limits>

using namespace mlir;
using namespace mp;

namespace {
struct Choices {
  LaneBuilder &b;

  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value is(arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, predicate, x, intConstant(b, x.getType(), y));
  }
  Value isBad(Value bad) { return is(arith::CmpIPredicate::sge, bad, 0); }
  Value plus(Value x, int64_t y) { return arith::AddIOp::create(b, x, intConstant(b, x.getType(), y)); }
  Value times(Value x, const APFloat &y) {
    return arith::MulFOp::create(b, x, floatConstant(b, x.getType(), y.convertToDouble()));
  }
  /// std::max and std::min: no operand is NaN but a scale that the user made so, which stays.
  Value atLeast(Value x, const APFloat &bound) { return bounded(arith::CmpFPredicate::OLT, x, bound); }
  Value atMost(Value x, const APFloat &bound) { return bounded(arith::CmpFPredicate::OGT, x, bound); }
  Value bounded(arith::CmpFPredicate beyond, Value x, const APFloat &bound) {
    Value limit = floatConstant(b, x.getType(), bound.convertToDouble());
    return select(arith::CmpFOp::create(b, beyond, x, limit), limit, x);
  }
};

struct LossScalingForms : ScalarForms {
  FormResult form(UpdateLossScaleOp op);
  FormResult form(CountSkipsOp op);
  FormResult form(AdvanceOp op);
};
} // namespace

FormResult LossScalingForms::form(UpdateLossScaleOp op) {
  Choices c{b};
  Value scale = in.values[0], growth = in.values[1], left = in.values[2], isBad = c.isBad(in.values[3]);
  Value hysteresis = intConstant(b, left.getType(), op.getHysteresis());
  Value zero = intConstant(b, growth.getType(), 0);
  const bool isConsecutive = op.getHysteresisKind() == HysteresisKind::consecutive;

  // A bad step counts down and backs off at 0.
  Value fewer = c.plus(left, -1);
  fewer = c.select(c.is(arith::CmpIPredicate::slt, fewer, 0), zero, fewer);
  Value backsOff = c.is(arith::CmpIPredicate::eq, fewer, 0);
  Value lower = c.select(backsOff, c.atLeast(c.times(scale, op.getBackoffFactor()), op.getFloor()), scale);
  // Cumulative: until the scale grows every further overflow backs off.
  Value leftAfter = isConsecutive ? hysteresis : intConstant(b, left.getType(), 1);
  Value leftIfBad = c.select(backsOff, leftAfter, fewer);

  // A clean step counts up and grows at the interval; beyond the range of f32 only where there is no ceiling.
  Value more = c.plus(growth, 1);
  Value isDue = c.is(arith::CmpIPredicate::sge, more, op.getGrowthInterval());
  Value grown = c.times(scale, op.getGrowthFactor());
  Value inf = floatConstant(b, scale.getType(), std::numeric_limits<float>::infinity());
  Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, grown, inf);
  Value grows = op.getCeiling().isInfinity() ? isDue : Value(arith::AndIOp::create(b, isDue, isFinite));
  Value higher = c.select(grows, c.atMost(grown, op.getCeiling()), scale);
  Value leftIfClean = isConsecutive ? hysteresis : c.select(isDue, hysteresis, left);

  return SmallVector<Value>{c.select(isBad, lower, higher), c.select(isBad, zero, c.select(isDue, zero, more)),
                            c.select(isBad, leftIfBad, leftIfClean)};
}

FormResult LossScalingForms::form(CountSkipsOp) {
  Choices c{b};
  Value total = in.values[0], consecutive = in.values[1], isBad = c.isBad(in.values[2]);
  Value zero = intConstant(b, consecutive.getType(), 0);
  return SmallVector<Value>{c.select(isBad, c.plus(total, 1), total), c.select(isBad, c.plus(consecutive, 1), zero)};
}

FormResult LossScalingForms::form(AdvanceOp op) {
  Choices c{b};
  const int64_t last = cast<RankedTensorType>(op.getType()).getNumElements() - 1;
  Value value = in.values[0];
  Value advances = c.is(arith::CmpIPredicate::eq, in.position(), last);
  Value advanced = c.select(advances, c.plus(value, 1), value);
  if (op.getGuard())
    advanced = c.select(c.isBad(in.values[1]), value, advanced);
  return SmallVector<Value>{advanced};
}

void mp::attachLossScalingForms(MLIRContext *context) { attachForms<LossScalingForms>(context); }
