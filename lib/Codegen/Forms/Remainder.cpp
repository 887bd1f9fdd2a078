// Remainders of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division by hand in f64, 28 bits of the quotient at a time: their product with a divisor of 24 bits is exact, and
// so is what it leaves.

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"
#include "Codegen/Forms/WideMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

/// |x| modulo |y|, f64 lanes with values of f32. NaN where one of them is, where x is infinite and where y is 0.
static Value buildModulus(LaneBuilder &b, Value x, Value y) {
  // A quotient of numbers of f32 is less than 2^278.
  constexpr int64_t kSteps = 10;
  auto count = [&](int64_t value) { return intConstant(b, b.getI64Type(), value); };
  Value first = arith::MulFOp::create(b, y, floatConstant(b, y.getType(), 0x1p252));
  auto loop = scf::ForOp::create(
      b, count(0), count(kSteps), count(1), ValueRange{x, first},
      [&](OpBuilder &builder, Location loc, Value, ValueRange soFar) {
        LaneBuilder inner(loc, builder);
        const Arithmetic d(inner, x);
        Value rest = soFar[0], divisor = soFar[1], whole = d.constant(0x1p52);
        Value quotient = d.sub(d.add(d.div(rest, divisor), whole), whole);
        Value left = d.sub(rest, d.mul(quotient, divisor));
        left = d.select(d.isLess(left, 0), d.add(left, divisor), left);
        // NaN is where a number is not.
        Value isAbove = arith::CmpFOp::create(inner, arith::CmpFPredicate::UGE, rest, divisor);
        scf::YieldOp::create(inner, ValueRange{d.select(isAbove, left, rest), d.mul(divisor, d.constant(0x1p-28))});
      });
  return loop.getResult(0);
}

Value mp::buildRemainder(LaneBuilder &b, Value x, Value y) {
  const Arithmetic f(b, x);
  Value modulus = narrow(b, buildModulus(b, widen(b, f.magnitude(x)), widen(b, f.magnitude(y))));
  Value rest = f.withSign(modulus, x), sum = narrow(b, arith::AddFOp::create(b, widen(b, rest), widen(b, y)));
  Value isLeft = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, rest, f.constant(0));
  Value differs = arith::XOrIOp::create(b, f.isLess(rest, 0), f.isLess(y, 0));
  return f.select(arith::AndIOp::create(b, isLeft, differs), sum, rest);
}
