// Powers in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// |x|^y = 2^(y log2 |x|) in f64, whose errors are 2^-10 of a unit in the last place of the result; then its sign and
// the special values.

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

#include <algorithm>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log2 of f64 lanes that are no negative numbers, off by at most 2^-44 of it. `isZero` and `isInfinite` are of them.
static Value buildLog2(LaneBuilder &b, Value x, Value isZero, Value isInfinite) {
  const Arithmetic d(b, x);
  Type type = x.getType(), intType = integerTwin(type);
  auto i64 = [&](int64_t value) { return intConstant(b, intType, value); };
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)).
  constexpr int64_t kOne = 0x3ff0000000000000, kSqrtHalf = 0x3fe6a09e667f3bcd, kMagic = 0x4338000000000000;
  Value bits = arith::AddIOp::create(b, arith::BitcastOp::create(b, intType, x), i64(kOne - kSqrtHalf));
  Value mantissa = arith::AddIOp::create(b, arith::AndIOp::create(b, bits, i64(0xfffffffffffff)), i64(kSqrtHalf));
  Value m = arith::BitcastOp::create(b, type, mantissa);
  // k as the low bits of 1.5 * 2^52 + k.
  Value k = arith::AddIOp::create(b, arith::ShRUIOp::create(b, bits, i64(52)), i64(kMagic - 1023));
  Value exponent = d.sub(arith::BitcastOp::create(b, type, k), d.constant(0x1.8p52));

  // log m = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1): s^2 is below 0.03.
  Value s = d.div(d.sub(m, d.constant(1)), d.add(m, d.constant(1))), square = d.mul(s, s);
  constexpr double kTwice = 2 * std::numbers::log2e;
  Value series = d.polynomialInSteps(
      square, {kTwice / 15, kTwice / 13, kTwice / 11, kTwice / 9, kTwice / 7, kTwice / 5, kTwice / 3, kTwice});
  Value log = d.add(d.mul(s, series), exponent);
  log = d.select(isZero, d.constant(-kInfinity), log);
  log = d.select(isInfinite, d.constant(kInfinity), log);
  return d.select(arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x), x, log);
}

/// 2^x of f64 lanes in the range of f32 and beyond it, off by at most 2^-42 of it.
static Value buildExp2(LaneBuilder &b, Value x) {
  const Arithmetic d(b, x);
  Type type = x.getType(), intType = integerTwin(type);
  // f32 has no 2^200 and no 2^-200.
  constexpr double kEnd = 200;
  x = d.atMost(x, kEnd);
  x = d.select(d.isLess(x, -kEnd), d.constant(-kEnd), x);
  Value magic = d.constant(0x1.8p52), sum = d.add(x, magic), r = d.sub(x, d.sub(sum, magic));

  SmallVector<double> coefficients{1};
  for (int power = 1; power <= 10; ++power)
    coefficients.push_back(coefficients.back() * std::numbers::ln2 / power);
  std::reverse(coefficients.begin(), coefficients.end());
  Value n =
      arith::SubIOp::create(b, arith::BitcastOp::create(b, intType, sum), arith::BitcastOp::create(b, intType, magic));
  Value field = arith::AddIOp::create(b, n, intConstant(b, intType, 1023));
  Value power = arith::BitcastOp::create(b, type, arith::ShLIOp::create(b, field, intConstant(b, intType, 52)));
  return d.mul(d.polynomialInSteps(r, coefficients), power);
}

Value mp::buildPow(LaneBuilder &b, Value x, Value y) {
  const Arithmetic f(b, x);
  Type f64 = withLanes(b.getF64Type(), laneCount(x.getType()));
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  };
  auto isEqual = [&](Value lhs, Value rhs) { return compare(arith::CmpFPredicate::OEQ, lhs, rhs); };
  auto both = [&](Value p, Value q) -> Value { return arith::AndIOp::create(b, p, q); };
  auto either = [&](Value p, Value q) -> Value { return arith::OrIOp::create(b, p, q); };

  Value magnitude = f.magnitude(x), zero = f.constant(0), one = f.constant(1), infinity = f.constant(kInfinity);
  Value isInfinite = isEqual(magnitude, infinity);
  Value log = buildLog2(b, arith::ExtFOp::create(b, f64, magnitude), isEqual(x, zero), isInfinite);
  Value exponent = arith::MulFOp::create(b, arith::ExtFOp::create(b, f64, y), log);
  Value power = arith::TruncFOp::create(b, x.getType(), buildExp2(b, exponent));

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
