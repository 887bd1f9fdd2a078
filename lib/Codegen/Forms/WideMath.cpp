// What elementary functions of f32 have in common that they compute in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/WideMath.h"

#include "Codegen/Forms/Arithmetic.h"

#include <algorithm>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value mp::widen(LaneBuilder &b, Value x) {
  return arith::ExtFOp::create(b, withLanes(b.getF64Type(), laneCount(x.getType())), x);
}
Value mp::narrow(LaneBuilder &b, Value x) {
  return arith::TruncFOp::create(b, withLanes(b.getF32Type(), laneCount(x.getType())), x);
}

Value mp::buildWideLog2(LaneBuilder &b, Value x) {
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
  auto isEqual = [&](double value) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, d.constant(value));
  };
  log = d.select(isEqual(0), d.constant(-kInfinity), log);
  log = d.select(isEqual(kInfinity), x, log);
  return d.select(arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x), x, log);
}

WidePower mp::buildWideExp2(LaneBuilder &b, Value x) {
  const Arithmetic d(b, x);
  Type type = x.getType(), intType = integerTwin(type);
  // f32 has no 2^200 and no 2^-200.
  constexpr double kEnd = 200;
  x = d.atMost(x, kEnd);
  x = d.select(d.isLess(x, -kEnd), d.constant(-kEnd), x);
  Value magic = d.constant(0x1.8p52), sum = d.add(x, magic), r = d.sub(x, d.sub(sum, magic));

  // 2^r - 1 = r (ln 2 + r ln^2 2 / 2 + ...).
  SmallVector<double> coefficients{std::numbers::ln2};
  for (int power = 2; power <= 10; ++power)
    coefficients.push_back(coefficients.back() * std::numbers::ln2 / power);
  std::reverse(coefficients.begin(), coefficients.end());
  Value n =
      arith::SubIOp::create(b, arith::BitcastOp::create(b, intType, sum), arith::BitcastOp::create(b, intType, magic));
  Value field = arith::AddIOp::create(b, n, intConstant(b, intType, 1023));
  Value power = arith::BitcastOp::create(b, type, arith::ShLIOp::create(b, field, intConstant(b, intType, 52)));
  return {d.mul(d.polynomialInSteps(r, coefficients), r), power};
}

// The quotient of the smaller coordinate by the larger, or where it is above tan(pi / 8) that of their difference by
// their sum, which is the tangent of pi / 4 less (Cephes, atan.c, Moshier 1984): t + t z P(z) with z = t^2, the
// Chebyshev interpolant of degree 8 for z up to tan^2(pi / 8), off by 2^-47 of the result.
Value mp::buildWideAngle(LaneBuilder &b, Value ordinate, Value abscissa, Value isLeft) {
  const Arithmetic d(b, ordinate);
  auto isLess = [&](Value x, Value y) -> Value { return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y); };
  // Beyond f32 on both sides, so that quotients of infinities and of zeros are 1 and 0.
  auto bounded = [&](Value x) { return d.atMost(x, 0x1p300); };
  ordinate = bounded(ordinate);
  abscissa = bounded(abscissa);
  Value isSteep = isLess(abscissa, ordinate);
  Value small = d.select(isSteep, abscissa, ordinate), large = d.select(isSteep, ordinate, abscissa);
  large = d.select(d.isLess(large, 0x1p-300), d.constant(0x1p-300), large);

  Value isWide = isLess(d.mul(large, d.constant(std::numbers::sqrt2 - 1)), small);
  Value t = d.div(d.select(isWide, d.sub(small, large), small), d.select(isWide, d.add(small, large), large));
  Value z = d.mul(t, t);
  Value p = d.polynomialInSteps(z, {-0x1.be27e26b253c1p-6, 0x1.a76c084488a6dp-5, -0x1.0c52f150ae8dep-4,
                                    0x1.3a9d8e5b7e385p-4, -0x1.74563d3f0c54ep-4, 0x1.c71c3822a8c74p-4,
                                    -0x1.249248aa66afdp-3, 0x1.99999998d154dp-3, -0x1.55555555553a3p-2});
  Value angle = d.add(t, d.mul(d.mul(t, z), p));
  constexpr double kPi = std::numbers::pi;
  angle = d.select(isWide, d.add(angle, d.constant(kPi / 4)), angle);
  angle = d.select(isSteep, d.sub(d.constant(kPi / 2), angle), angle);
  return isLeft ? d.select(isLeft, d.sub(d.constant(kPi), angle), angle) : angle;
}
