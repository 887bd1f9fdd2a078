// The derivatives of max, min, powers and functions of one element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has several factors is computed in f32 (f64 for f64) and rounded once, as the ops themselves are.

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"

#include <numbers>

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

// The smaller or larger of two

/// The operand that was chosen gets the gradient, equal ones half each; where one is NaN both get it, as in PyTorch.
static void differentiateChoice(Operation *op, ComparePredicate isRhs, ComparePredicate isLhs, OpBuilder &builder,
                                Value gradient, Gradients &operands) {
  LocBuilder b(op->getLoc(), builder);
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), zero = scalar(b, gradient, 0.0);
  Value tie = compare(b, ComparePredicate::eq, lhs, rhs);
  Value share = select(b, tie, mul(b, gradient, scalar(b, gradient, 0.5)), gradient);
  operands[0] = sumTo(b, select(b, compare(b, isRhs, lhs, rhs), zero, share), typeOf(lhs));
  operands[1] = sumTo(b, select(b, compare(b, isLhs, lhs, rhs), zero, share), typeOf(rhs));
}

LogicalResult MaxOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  differentiateChoice(*this, ComparePredicate::lt, ComparePredicate::gt, builder, results[0], operands);
  return success();
}

LogicalResult MinOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  differentiateChoice(*this, ComparePredicate::gt, ComparePredicate::lt, builder, results[0], operands);
  return success();
}

// Powers

// g e x^(e - 1), g y log(x); with PyTorch's zeros where these are 0 times infinity.
LogicalResult PowOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type element = typeOf(getResult()).getElementType(), wide = getWideElement(getResult());
  Value x = castTo(b, getLhs(), wide), e = castTo(b, getRhs(), wide), y = castTo(b, getResult(), wide);
  Value g = castTo(b, results[0], wide), zero = scalar(b, g, 0), one = scalar(b, g, 1);
  Value isConstant = compare(b, ComparePredicate::eq, e, zero);
  Value ofBase = mul(b, g, mul(b, e, PowOp::create(b, x, sub(b, e, one))));
  operands[0] = castTo(b, sumTo(b, select(b, isConstant, zero, ofBase), typeOf(getLhs())), element);
  Value isZero = compare(b, ComparePredicate::eq, x, zero), isNoPole = compare(b, ComparePredicate::ge, e, zero);
  Value ofExponent = mul(b, g, mul(b, y, LogOp::create(b, x)));
  Value isFlat = LogicalAndOp::create(b, isZero, isNoPole);
  operands[1] = castTo(b, sumTo(b, select(b, isFlat, zero, ofExponent), typeOf(getRhs())), element);
  return success();
}

// g x / (x^2 + y^2), -g y / (x^2 + y^2) of the point (x, y).
LogicalResult Atan2Op::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type element = typeOf(getResult()).getElementType(), wide = getWideElement(getResult());
  Value y = castTo(b, getLhs(), wide), x = castTo(b, getRhs(), wide);
  Value share = div(b, castTo(b, results[0], wide), add(b, mul(b, y, y), mul(b, x, x)));
  operands[0] = castTo(b, sumTo(b, mul(b, share, x), typeOf(getLhs())), element);
  operands[1] = castTo(b, sumTo(b, negate(b, mul(b, share, y)), typeOf(getRhs())), element);
  return success();
}

// g where x > 0, else g slope; of the slope g x where x is not.
LogicalResult PReluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type element = typeOf(getResult()).getElementType(), wide = getWideElement(getResult());
  Value x = castTo(b, getLhs(), wide), slope = castTo(b, getRhs(), wide), g = castTo(b, results[0], wide);
  Value zero = scalar(b, g, 0), isAbove = compare(b, ComparePredicate::gt, x, zero);
  operands[0] = castTo(b, sumTo(b, select(b, isAbove, g, mul(b, g, slope)), typeOf(getLhs())), element);
  operands[1] = castTo(b, sumTo(b, select(b, isAbove, zero, mul(b, g, x)), typeOf(getRhs())), element);
  return success();
}

// Functions of one element

namespace {

/// What a rule of one operand computes in: input, result and gradient in f32, or f64.
struct Wide {
  template <typename Op>
  Wide(Op op, OpBuilder &builder, Value gradient)
      : b(op.getLoc(), builder), element(typeOf(op.getInput()).getElementType()), input(op.getInput()),
        result(op.getResult()), type(getWideElement(input)), g(castTo(b, gradient, type)) {}

  Value x() { return castTo(b, input, type); }
  Value y() { return castTo(b, result, type); }
  Value number(double value) { return scalar(b, g, value); }
  Value product(std::initializer_list<Value> factors) {
    Value all;
    for (Value factor : factors)
      all = all ? mul(b, all, factor) : factor;
    return all;
  }
  Value isAbove(Value value, double bound) { return compare(b, ComparePredicate::gt, value, number(bound)); }
  Value narrow(Value value) { return castTo(b, value, element); }

  LocBuilder b;
  Type element;
  Value input, result;
  Type type;
  Value g;
};

} // namespace

LogicalResult NegOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = NegOp::create(b, results[0]);
  return success();
}

LogicalResult AbsOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Value zero = scalar(b, getInput(), 0.0), negative = compare(b, ComparePredicate::lt, getInput(), zero);
  Value ofSign = select(b, negative, NegOp::create(b, results[0]), results[0]);
  operands[0] = select(b, compare(b, ComparePredicate::eq, getInput(), zero), scalar(b, results[0], 0.0), ofSign);
  return success();
}

// -g y^2.
LogicalResult ReciprocalOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value y = w.y();
  operands[0] = w.narrow(w.product({w.g, w.number(-1), y, y}));
  return success();
}

// -g y^3 / 2.
LogicalResult RsqrtOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value y = w.y();
  operands[0] = w.narrow(w.product({w.g, w.number(-0.5), y, y, y}));
  return success();
}

LogicalResult ErfOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value x = w.x(), density = ExpOp::create(w.b, w.product({x, w.number(-1), x}));
  operands[0] = w.narrow(w.product({w.g, w.number(2 * std::numbers::inv_sqrtpi), density}));
  return success();
}

LogicalResult SinOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(mul(w.b, w.g, CosOp::create(w.b, w.x())));
  return success();
}

LogicalResult CosOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(w.product({w.g, w.number(-1), SinOp::create(w.b, w.x())}));
  return success();
}

// g (1 + y^2).
LogicalResult TanOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value y = w.y();
  operands[0] = w.narrow(mul(w.b, w.g, add(w.b, w.number(1), mul(w.b, y, y))));
  return success();
}

/// 1 / sqrt((1 - x) (1 + x)).
static Value slopeOfAsin(Wide &w) {
  Value x = w.x(), one = w.number(1);
  return RsqrtOp::create(w.b, mul(w.b, sub(w.b, one, x), add(w.b, one, x)));
}

LogicalResult AsinOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(mul(w.b, w.g, slopeOfAsin(w)));
  return success();
}

LogicalResult AcosOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(w.product({w.g, w.number(-1), slopeOfAsin(w)}));
  return success();
}

// g / (1 + x^2).
LogicalResult AtanOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value x = w.x();
  operands[0] = w.narrow(div(w.b, w.g, add(w.b, w.number(1), mul(w.b, x, x))));
  return success();
}

LogicalResult SinhOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(mul(w.b, w.g, CoshOp::create(w.b, w.x())));
  return success();
}

LogicalResult CoshOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(mul(w.b, w.g, SinhOp::create(w.b, w.x())));
  return success();
}

// g (1 + y).
LogicalResult Expm1Op::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(mul(w.b, w.g, add(w.b, w.number(1), w.y())));
  return success();
}

LogicalResult Log1pOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(div(w.b, w.g, add(w.b, w.number(1), w.x())));
  return success();
}

// g / (x log base).
LogicalResult Log2Op::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(div(w.b, w.g, mul(w.b, w.x(), w.number(std::numbers::ln2))));
  return success();
}

LogicalResult Log10Op::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(div(w.b, w.g, mul(w.b, w.x(), w.number(std::numbers::ln10))));
  return success();
}

// g sqrt(pi) / 2 e^(y^2).
LogicalResult ErfinvOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value y = w.y(), growth = ExpOp::create(w.b, mul(w.b, y, y));
  operands[0] = w.narrow(w.product({w.g, w.number(0.5 / std::numbers::inv_sqrtpi), growth}));
  return success();
}

LogicalResult ClampOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  auto bound = [&](const APFloat &value) { return scalar(b, getInput(), value.convertToDouble()); };
  Value zero = scalar(b, results[0], 0.0);
  Value below = select(b, compare(b, ComparePredicate::le, getInput(), bound(getMax())), results[0], zero);
  operands[0] = select(b, compare(b, ComparePredicate::ge, getInput(), bound(getMin())), below, zero);
  return success();
}

// g y (1 - y).
LogicalResult SigmoidOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value y = w.y();
  operands[0] = w.narrow(w.product({w.g, y, sub(w.b, w.number(1), y)}));
  return success();
}

// g s (1 + x (1 - s)) with s = sigmoid(x).
LogicalResult SiluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value x = w.x(), s = SigmoidOp::create(w.b, x), one = w.number(1);
  Value slope = add(w.b, one, mul(w.b, x, sub(w.b, one, s)));
  operands[0] = w.narrow(w.product({w.g, s, slope}));
  return success();
}

LogicalResult SoftplusOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  operands[0] = w.narrow(mul(w.b, w.g, SigmoidOp::create(w.b, w.x())));
  return success();
}

LogicalResult LeakyReluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value part = mul(w.b, w.g, w.number(getNegativeSlope().convertToDouble()));
  operands[0] = w.narrow(select(w.b, w.isAbove(w.x(), 0), w.g, part));
  return success();
}

LogicalResult SeluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value x = w.x(), part = w.product({w.g, w.number(kScale * kAlpha), ExpOp::create(w.b, x)});
  operands[0] = w.narrow(select(w.b, w.isAbove(x, 0), mul(w.b, w.g, w.number(kScale)), part));
  return success();
}

/// `inside` where -3 < x < 3, `below` and `above` elsewhere.
static Value betweenThrees(Wide &w, Value x, Value below, Value inside, Value above) {
  Value isInside = compare(w.b, ComparePredicate::lt, x, w.number(3));
  return select(w.b, w.isAbove(x, -3), select(w.b, isInside, inside, above), below);
}

LogicalResult HardSigmoidOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value zero = w.number(0);
  operands[0] = w.narrow(betweenThrees(w, w.x(), zero, div(w.b, w.g, w.number(6)), zero));
  return success();
}

// g (x / 3 + 1/2) between -3 and 3.
LogicalResult HardSwishOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value x = w.x(), slope = add(w.b, div(w.b, x, w.number(3)), w.number(0.5));
  operands[0] = w.narrow(betweenThrees(w, x, w.number(0), mul(w.b, w.g, slope), w.g));
  return success();
}

// g alpha e^x where x <= 0.
LogicalResult EluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  Wide w(*this, builder, results[0]);
  Value x = w.x(), part = w.product({w.g, w.number(getAlpha().convertToDouble()), ExpOp::create(w.b, x)});
  operands[0] = w.narrow(select(w.b, w.isAbove(x, 0), w.g, part));
  return success();
}
