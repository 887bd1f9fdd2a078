// Powers in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// |x|^y = 2^(y log2 |x|) in f64, whose errors are 2^-10 of a unit in the last place of the result; then its sign and
// the special values.

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"
#include "Codegen/Forms/WideMath.h"

#include <limits>

using namespace mlir;
using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value mp::buildPow(LaneBuilder &b, Value x, Value y) {
  const Arithmetic f(b, x);
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  };
  auto isEqual = [&](Value lhs, Value rhs) { return compare(arith::CmpFPredicate::OEQ, lhs, rhs); };
  auto both = [&](Value p, Value q) -> Value { return arith::AndIOp::create(b, p, q); };
  auto either = [&](Value p, Value q) -> Value { return arith::OrIOp::create(b, p, q); };

  Value magnitude = f.magnitude(x), zero = f.constant(0), one = f.constant(1), infinity = f.constant(kInfinity);
  Value exponent = arith::MulFOp::create(b, widen(b, y), buildWideLog2(b, widen(b, magnitude)));
  const WidePower factors = buildWideExp2(b, exponent);
  Value fraction = arith::AddFOp::create(b, factors.fraction, floatConstant(b, factors.fraction.getType(), 1));
  Value power = narrow(b, arith::MulFOp::create(b, fraction, factors.power));

  // An odd power of a negative number is negative, of -0, too; what is no whole one is NaN, but of -0 and -inf.
  Value half = f.mul(y, f.constant(0.5)), isWhole = isEqual(buildRound(b, y), y);
  Value isOdd = both(isWhole, compare(arith::CmpFPredicate::UNE, buildRound(b, half), half));
  Value hasSign = f.isLess(f.withSign(one, x), 0);
  power = f.select(both(hasSign, isOdd), f.negate(power), power);
  Value isFinite = f.isLess(magnitude, kInfinity);
  Value isFraction = compare(arith::CmpFPredicate::UNE, buildRound(b, y), y);
  Value hasNone = both(both(f.isLess(x, 0), isFinite), isFraction);
  power = f.select(hasNone, f.constant(std::numeric_limits<double>::quiet_NaN()), power);

  Value isOfOne = both(isEqual(magnitude, one), isEqual(f.magnitude(y), infinity));
  return f.select(either(either(isEqual(y, zero), isEqual(x, one)), isOfOne), one, power);
}
