// adam, adamw and nadam on one element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Optimizers.h"

#include "mp/Numerics/NAdam.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

namespace {
/// The means of the gradient and of its square, and what the former is divided by.
struct Means {
  Value m, v, denominator;
};

struct AdamForms : ScalarForms {
  FormResult form(AdamOp op) { return adam(op, /*decaysApart=*/false); }
  FormResult form(AdamWOp op) { return adam(op, /*decaysApart=*/true); }
  FormResult form(NAdamOp op);
  FormResult form(MomentumProductOp op);

private:
  template <typename AdamLike> FormResult adam(AdamLike op, bool decaysApart);
  template <typename AdamLike> Means updateMeans(AdamLike op, Value g, Value rootC2);
};
} // namespace

// Numbers of one step that all elements share

/// The number of the step behind so many.
static Value numberOf(LaneBuilder &b, Value steps) {
  return arith::AddIOp::create(b, steps, intConstant(b, steps.getType(), 1));
}

/// beta^t for each beta, in f64, by squaring and multiplying over the bits of t, from the lowest.
static SmallVector<Value> buildPowers(LaneBuilder &b, ArrayRef<double> betas, Value t) {
  Type f64 = b.getF64Type(), i64 = b.getI64Type();
  SmallVector<Value> state = {t};
  for (double beta : betas)
    state.append({floatConstant(b, f64, 1), floatConstant(b, f64, beta)});
  SmallVector<Type> types = llvm::map_to_vector(state, [](Value value) { return value.getType(); });

  auto isLeft = [&](OpBuilder &builder, Location loc, ValueRange state) {
    Value zero = arith::ConstantIntOp::create(builder, loc, i64, 0);
    Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, state[0], zero);
    scf::ConditionOp::create(builder, loc, more, state);
  };
  auto step = [&](OpBuilder &builder, Location loc, ValueRange state) {
    LaneBuilder inner(loc, builder);
    UpdateArithmetic real{inner, f64};
    Value one = intConstant(inner, i64, 1);
    Value bit = arith::AndIOp::create(inner, state[0], one);
    Value isSet = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, bit, intConstant(inner, i64, 0));
    SmallVector<Value> next = {arith::ShRUIOp::create(inner, state[0], one)};
    for (size_t at = 1; at < state.size(); at += 2) {
      Value power = state[at], square = state[at + 1];
      next.push_back(arith::SelectOp::create(inner, isSet, real.mul(power, square), power));
      next.push_back(real.mul(square, square));
    }
    scf::YieldOp::create(inner, next);
  };
  auto loop = scf::WhileOp::create(b, types, state, isLeft, step);
  SmallVector<Value> powers;
  for (size_t at = 1; at < state.size(); at += 2)
    powers.push_back(loop.getResult(at));
  return powers;
}

namespace {
/// learning_rate / c1, sqrt(c2) and, for weight decay apart, 1 - learning_rate * weight_decay.
template <typename AdamLike> struct AdamParts : ScalarPartsInterface::ExternalModel<AdamParts<AdamLike>, AdamLike> {
  SmallVector<OpOperand *, 2> getPartOperands(Operation *op) const {
    auto adam = cast<AdamLike>(op);
    return {&adam.getLearningRateMutable(), &adam.getStepMutable()};
  }

  FailureOr<ScalarParts> buildParts(Operation *op, LaneBuilder &b,
                                    function_ref<FailureOr<Value>(Value, int64_t)> load) const {
    auto adam = cast<AdamLike>(op);
    FailureOr<Value> rate = load(adam.getLearningRate(), 0), step = load(adam.getStep(), 0);
    if (failed(rate) || failed(step))
      return failure();
    Value t = numberOf(b, *step);
    SmallVector<Value> powers =
        buildPowers(b, {adam.getBeta1().convertToDouble(), adam.getBeta2().convertToDouble()}, t);
    UpdateArithmetic f32{b, b.getF32Type()}, f64{b, b.getF64Type()};
    auto narrow = [&](Value x) -> Value { return arith::TruncFOp::create(b, b.getF32Type(), x); };
    Value c1 = narrow(f64.sub(f64.constant(1.0), powers[0]));
    Value rootC2 = narrow(f64.root(f64.sub(f64.constant(1.0), powers[1])));
    Value keep = f32.sub(f32.constant(1.0), f32.mul(*rate, f32.constant(adam.getWeightDecay())));
    return ScalarParts{f32.div(*rate, c1), rootC2, keep};
  }

  /// Powers by a loop over the bits of the step.
  bool hasCostlyParts(Operation *) const { return true; }
};
} // namespace

/// The momentum of the step of which that is the power of its base.
static Value buildMomentum(LaneBuilder &b, double beta1, Value power) {
  UpdateArithmetic f64{b, b.getF64Type()};
  return f64.mul(f64.constant(beta1), f64.sub(f64.constant(1.0), f64.mul(f64.constant(0.5), power)));
}

namespace {
/// What the gradient and what its mean is multiplied by, and sqrt(c2).
struct NAdamParts : ScalarPartsInterface::ExternalModel<NAdamParts, NAdamOp> {
  SmallVector<OpOperand *, 2> getPartOperands(Operation *op) const {
    auto nadam = cast<NAdamOp>(op);
    return {&nadam.getLearningRateMutable(), &nadam.getStepMutable(), &nadam.getProductMutable()};
  }

  FailureOr<ScalarParts> buildParts(Operation *op, LaneBuilder &b,
                                    function_ref<FailureOr<Value>(Value, int64_t)> load) const {
    auto nadam = cast<NAdamOp>(op);
    FailureOr<Value> rate = load(nadam.getLearningRate(), 0), step = load(nadam.getStep(), 0);
    FailureOr<Value> product = load(nadam.getProduct(), 0);
    if (failed(rate) || failed(step) || failed(product))
      return failure();
    const double beta1 = nadam.getBeta1().convertToDouble(), beta2 = nadam.getBeta2().convertToDouble();
    const double base = momentumBase(nadam.getMomentumDecay().convertToDouble());
    Value t = numberOf(b, *step), after = numberOf(b, t);
    SmallVector<Value> powers = buildPowers(b, {base, beta2}, t);
    Value mu = buildMomentum(b, beta1, powers[0]), next = buildMomentum(b, beta1, buildPowers(b, {base}, after)[0]);

    UpdateArithmetic f64{b, b.getF64Type()};
    auto widen = [&](Value x) -> Value { return arith::ExtFOp::create(b, b.getF64Type(), x); };
    auto narrow = [&](Value x) -> Value { return arith::TruncFOp::create(b, b.getF32Type(), x); };
    auto without = [&](Value x) { return f64.sub(f64.constant(1.0), x); };
    Value wide = widen(*rate), soFar = widen(*product);
    Value ofGradient = narrow(f64.div(f64.mul(wide, without(mu)), without(soFar)));
    Value ofMean = narrow(f64.div(f64.mul(wide, next), without(f64.mul(soFar, next))));
    return ScalarParts{ofGradient, ofMean, narrow(f64.root(without(powers[1])))};
  }

  /// Powers by a loop over the bits of the step.
  bool hasCostlyParts(Operation *) const { return true; }
};
} // namespace

// One element

template <typename AdamLike> Means AdamForms::updateMeans(AdamLike op, Value g, Value rootC2) {
  UpdateArithmetic f32{b, g.getType()};
  Value m = f32.decay(op.getBeta1().convertToDouble(), in.values[2], g);
  Value v = f32.decaySquare(op.getBeta2().convertToDouble(), in.values[3], g);
  return {m, v, f32.add(f32.div(f32.root(v), splat(b, rootC2, in.width)), f32.constant(op.getEpsilon()))};
}

template <typename AdamLike> FormResult AdamForms::adam(AdamLike op, bool decaysApart) {
  Value parameter = in.values[0], g = in.values[1];
  Value guard = op.getGuard() ? in.values[6] : Value();
  const SmallVector<Value> old = {parameter, in.values[2], in.values[3]};

  UpdateArithmetic f32{b, parameter.getType()};
  if (decaysApart)
    parameter = f32.mul(parameter, splat(b, in.parts[2], in.width));
  else
    g = f32.decayed(g, op.getWeightDecay(), parameter);
  Means means = updateMeans(op, g, in.parts[1]);
  Value step = f32.div(f32.mul(splat(b, in.parts[0], in.width), means.m), means.denominator);
  return guarded(b, guard, old, {f32.sub(parameter, step), means.m, means.v});
}

FormResult AdamForms::form(NAdamOp op) {
  Value parameter = in.values[0];
  Value guard = op.getGuard() ? in.values[7] : Value();

  UpdateArithmetic f32{b, parameter.getType()};
  Value g = f32.decayed(in.values[1], op.getWeightDecay(), parameter);
  Means means = updateMeans(op, g, in.parts[2]);
  Value sum = f32.add(f32.mul(splat(b, in.parts[0], in.width), g), f32.mul(splat(b, in.parts[1], in.width), means.m));
  Value next = f32.sub(parameter, f32.div(sum, means.denominator));
  return guarded(b, guard, {parameter, in.values[2], in.values[3]}, {next, means.m, means.v});
}

/// An op of a block that runs op after op: values of one lane.
FormResult AdamForms::form(MomentumProductOp op) {
  Value product = in.values[0], step = in.values[1];
  Value guard = op.getGuard() ? in.values[2] : Value();
  const double base = momentumBase(op.getMomentumDecay().convertToDouble());
  Value mu = buildMomentum(b, op.getBeta1().convertToDouble(), buildPowers(b, {base}, numberOf(b, step))[0]);
  UpdateArithmetic f32{b, product.getType()};
  Value next = f32.mul(product, arith::TruncFOp::create(b, product.getType(), mu));
  return guarded(b, guard, {product}, {next});
}

void mp::attachAdamForms(MLIRContext *context) {
  attachForms<AdamForms>(context);
  AdamOp::attachInterface<AdamParts<AdamOp>>(*context);
  AdamWOp::attachInterface<AdamParts<AdamWOp>>(*context);
  NAdamOp::attachInterface<NAdamParts>(*context);
}
