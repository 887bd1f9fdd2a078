// sgd, rmsprop, adagrad and lion on one element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Optimizers.h"

using namespace mlir;
using namespace mp;

namespace {
struct OptimizerForms : ScalarForms {
  FormResult form(SGDOp op);
  FormResult form(RMSpropOp op);
  FormResult form(AdagradOp op);
  FormResult form(LionOp op);
};
} // namespace

SmallVector<Value> mp::guarded(LaneBuilder &b, Value guard, ValueRange old, ValueRange fresh) {
  if (!guard)
    return SmallVector<Value>(fresh);
  Value isBad = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, guard, intConstant(b, guard.getType(), 0));
  SmallVector<Value> results;
  for (auto [before, after] : llvm::zip_equal(old, fresh))
    results.push_back(arith::SelectOp::create(b, isBad, before, after));
  return results;
}

FormResult OptimizerForms::form(SGDOp op) {
  // Optional operands follow in order: what is absent has no operand.
  Value parameter = in.values[0], gradient = in.values[1], rate = in.values[2];
  Value velocity = op.getVelocity() ? in.values[3] : Value();
  Value guard = op.getGuard() ? in.values.back() : Value();

  UpdateArithmetic f32{b, parameter.getType()};
  Value g = f32.fma(f32.constant(op.getWeightDecay()), parameter, gradient);
  if (!velocity)
    return guarded(b, guard, {parameter}, {f32.subProduct(parameter, rate, g)});
  Value momentum = f32.constant(op.getMomentum());
  Value v = f32.add(f32.mul(momentum, velocity), g);
  Value d = op.getNesterov() ? f32.fma(momentum, v, g) : v;
  return guarded(b, guard, {parameter, velocity}, {f32.subProduct(parameter, rate, d), v});
}

FormResult OptimizerForms::form(RMSpropOp op) {
  Value parameter = in.values[0], gradient = in.values[1], v = in.values[2], rate = in.values[3];
  Value mean = op.getMean() ? in.values[4] : Value();
  Value velocity = op.getVelocity() ? in.values[op.getMean() ? 5 : 4] : Value();
  Value guard = op.getGuard() ? in.values.back() : Value();
  SmallVector<Value> old = {parameter, v};

  UpdateArithmetic f32{b, parameter.getType()};
  const double alpha = op.getAlpha().convertToDouble();
  Value g = f32.decayed(gradient, op.getWeightDecay(), parameter);
  v = f32.decaySquare(alpha, v, g);
  SmallVector<Value> fresh = {parameter, v};
  Value square = v;
  if (mean) {
    old.push_back(mean);
    mean = f32.decay(alpha, mean, g);
    fresh.push_back(mean);
    square = f32.sub(v, f32.mul(mean, mean));
    // Rounding may have made it negative; NaN stays.
    Value zero = f32.constant(0.0);
    Value isNegative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, square, zero);
    square = arith::SelectOp::create(b, isNegative, zero, square);
  }
  Value d = f32.div(g, f32.add(f32.root(square), f32.constant(op.getEpsilon())));
  if (velocity) {
    old.push_back(velocity);
    d = f32.add(f32.mul(f32.constant(op.getMomentum()), velocity), d);
    fresh.push_back(d);
  }
  fresh.front() = f32.sub(parameter, f32.mul(rate, d));
  return guarded(b, guard, old, fresh);
}

FormResult OptimizerForms::form(AdagradOp op) {
  Value parameter = in.values[0], gradient = in.values[1], sum = in.values[2];
  Value guard = op.getGuard() ? in.values[5] : Value();
  Value rate = splat(b, in.parts[0], in.width);

  UpdateArithmetic f32{b, parameter.getType()};
  Value g = f32.decayed(gradient, op.getWeightDecay(), parameter);
  Value fresh = f32.add(sum, f32.mul(g, g));
  Value denominator = f32.add(f32.root(fresh), f32.constant(op.getEpsilon()));
  Value next = f32.sub(parameter, f32.div(f32.mul(rate, g), denominator));
  return guarded(b, guard, {parameter, sum}, {next, fresh});
}

FormResult OptimizerForms::form(LionOp op) {
  Value parameter = in.values[0], gradient = in.values[1], m = in.values[2], rate = in.values[3];
  Value guard = op.getGuard() ? in.values[4] : Value();

  UpdateArithmetic f32{b, parameter.getType()};
  Value c = f32.decay(op.getBeta1().convertToDouble(), m, gradient);
  // The sign of what is neither above nor below 0 is itself: 0, or NaN.
  Value zero = f32.constant(0.0);
  auto select = [&](arith::CmpFPredicate beyond, double sign, Value other) -> Value {
    Value isSo = arith::CmpFOp::create(b, beyond, c, zero);
    return arith::SelectOp::create(b, isSo, f32.constant(sign), other);
  };
  Value sign = select(arith::CmpFPredicate::OGT, 1, select(arith::CmpFPredicate::OLT, -1, c));
  Value keep = f32.sub(f32.constant(1.0), f32.mul(rate, f32.constant(op.getWeightDecay())));
  Value next = f32.sub(f32.mul(parameter, keep), f32.mul(rate, sign));
  return guarded(b, guard, {parameter, m}, {next, f32.decay(op.getBeta2().convertToDouble(), m, gradient)});
}

namespace {
/// The learning rate of this step.
struct AdagradParts : ScalarPartsInterface::ExternalModel<AdagradParts, AdagradOp> {
  SmallVector<OpOperand *, 2> getPartOperands(Operation *op) const {
    auto adagrad = cast<AdagradOp>(op);
    return {&adagrad.getLearningRateMutable(), &adagrad.getStepMutable()};
  }

  FailureOr<ScalarParts> buildParts(Operation *op, LaneBuilder &b,
                                    function_ref<FailureOr<Value>(Value, int64_t)> load) const {
    auto adagrad = cast<AdagradOp>(op);
    FailureOr<Value> rate = load(adagrad.getLearningRate(), 0), step = load(adagrad.getStep(), 0);
    if (failed(rate) || failed(step))
      return failure();
    if (adagrad.getLearningRateDecay().isZero())
      return ScalarParts{*rate};
    UpdateArithmetic f64{b, b.getF64Type()};
    Value wide = arith::ExtFOp::create(b, b.getF64Type(), *rate);
    Value steps = arith::SIToFPOp::create(b, b.getF64Type(), *step);
    Value divisor = f64.add(f64.constant(1.0), f64.mul(steps, f64.constant(adagrad.getLearningRateDecay())));
    return ScalarParts{Value(arith::TruncFOp::create(b, b.getF32Type(), f64.div(wide, divisor)))};
  }

  /// A division in f64.
  bool hasCostlyParts(Operation *op) const { return !cast<AdagradOp>(op).getLearningRateDecay().isZero(); }
};
} // namespace

void mp::attachOptimizerForms(MLIRContext *context) {
  attachForms<OptimizerForms>(context);
  AdagradOp::attachInterface<AdagradParts>(*context);
  attachAdamForms(context);
}
