// sgd, adam and adamw on one element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of operations is that of the ops' descriptions: each is rounded, none is fused.

#include "Codegen/Forms/Forms.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

namespace {
struct Arithmetic {
  LaneBuilder &b;
  Type type;

  Value constant(const APFloat &value) { return constant(value.convertToDouble()); }
  Value constant(double value) { return floatConstant(b, type, value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value root(Value x) { return math::SqrtOp::create(b, x); }
};

struct OptimizerForms : ScalarForms {
  FormResult form(SGDOp op);
  FormResult form(AdamOp op) { return adam(op, /*decaysApart=*/false); }
  FormResult form(AdamWOp op) { return adam(op, /*decaysApart=*/true); }

private:
  template <typename AdamLike> FormResult adam(AdamLike op, bool decaysApart);
};
} // namespace

/// Where the guard is >= 0 each of `old`, else each of `fresh`.
static SmallVector<Value> guarded(LaneBuilder &b, Value guard, ValueRange old, ValueRange fresh) {
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

  Arithmetic f32{b, parameter.getType()};
  Value g = f32.add(gradient, f32.mul(f32.constant(op.getWeightDecay()), parameter));
  if (!velocity)
    return guarded(b, guard, {parameter}, {f32.sub(parameter, f32.mul(rate, g))});
  Value momentum = f32.constant(op.getMomentum());
  Value v = f32.add(f32.mul(momentum, velocity), g);
  Value d = op.getNesterov() ? f32.add(g, f32.mul(momentum, v)) : v;
  return guarded(b, guard, {parameter, velocity}, {f32.sub(parameter, f32.mul(rate, d)), v});
}

// Adam

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
    Arithmetic real{inner, f64};
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
    Value t = arith::AddIOp::create(b, *step, intConstant(b, step->getType(), 1));
    SmallVector<Value> powers =
        buildPowers(b, {adam.getBeta1().convertToDouble(), adam.getBeta2().convertToDouble()}, t);
    Arithmetic f32{b, b.getF32Type()}, f64{b, b.getF64Type()};
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

template <typename AdamLike> FormResult OptimizerForms::adam(AdamLike op, bool decaysApart) {
  Value parameter = in.values[0], g = in.values[1], m = in.values[2], v = in.values[3];
  Value guard = op.getGuard() ? in.values[6] : Value();
  const SmallVector<Value> old = {parameter, m, v};
  Value rate = splat(b, in.parts[0], in.width), rootC2 = splat(b, in.parts[1], in.width);

  Arithmetic f32{b, parameter.getType()};
  const double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  if (decaysApart)
    parameter = f32.mul(parameter, splat(b, in.parts[2], in.width));
  else
    g = f32.add(g, f32.mul(f32.constant(op.getWeightDecay()), parameter));
  m = f32.add(f32.mul(f32.constant(beta1), m), f32.mul(f32.constant(1 - beta1), g));
  v = f32.add(f32.mul(f32.constant(beta2), v), f32.mul(f32.mul(f32.constant(1 - beta2), g), g));
  Value denominator = f32.add(f32.div(f32.root(v), rootC2), f32.constant(op.getEpsilon()));
  parameter = f32.sub(parameter, f32.div(f32.mul(rate, m), denominator));
  return guarded(b, guard, old, {parameter, m, v});
}

void mp::attachOptimizerForms(MLIRContext *context) {
  attachForms<OptimizerForms>(context);
  AdamOp::attachInterface<AdamParts<AdamOp>>(*context);
  AdamWOp::attachInterface<AdamParts<AdamWOp>>(*context);
}
