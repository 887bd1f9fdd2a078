// e^x in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mp;

ExpFactors mp::buildExpFactors(LaneBuilder &b, Value x, Value low) {
  Type type = x.getType();
  auto f32 = [&](double value) { return floatConstant(b, type, value); };

  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 leaves n, rounded, in the low bits of t.
  Value magic = f32(kPowerZero);
  Value t = math::FmaOp::create(b, x, f32(1.44269504088896341), magic);
  Value n = arith::SubFOp::create(b, t, magic);
  // ln 2 in two parts: n times the first is exact.
  Value r = math::FmaOp::create(b, n, bitsConstant(b, type, 0xBF317200), x);
  Value second = bitsConstant(b, type, 0xB5BFBE8E);
  r = low ? Value(arith::AddFOp::create(b, r, math::FmaOp::create(b, n, second, low)))
          : Value(math::FmaOp::create(b, n, second, r));

  // e^r = 1 + (r + r^2 q(r)): the Taylor series, whose first term left out is 2^-28 of the result.
  Value q = f32(1.0 / 5040);
  for (double factorial : {720.0, 120.0, 24.0, 6.0, 2.0})
    q = math::FmaOp::create(b, q, r, f32(1 / factorial));
  Value square = arith::MulFOp::create(b, r, r);
  return {math::FmaOp::create(b, q, square, r), t};
}

Value mp::timesPowerOfTwo(LaneBuilder &b, Value x, Value power) {
  Type type = x.getType(), intType = integerTwin(type);
  auto i32 = [&](int64_t value) { return intConstant(b, intType, value); };
  Value zero = floatConstant(b, type, kPowerZero);
  Value n =
      arith::SubIOp::create(b, arith::BitcastOp::create(b, intType, power), arith::BitcastOp::create(b, intType, zero));
  // 2^n as a product of two powers that are normal numbers, so that a subnormal result is rounded once.
  Value half = arith::ShRSIOp::create(b, n, i32(1));
  auto powerOfTwo = [&](Value exponent) -> Value {
    Value field = arith::ShLIOp::create(b, arith::AddIOp::create(b, exponent, i32(127)), i32(23));
    return arith::BitcastOp::create(b, type, field);
  };
  Value y = arith::MulFOp::create(b, x, powerOfTwo(half));
  return arith::MulFOp::create(b, y, powerOfTwo(arith::SubIOp::create(b, n, half)));
}

Value mp::buildExp(LaneBuilder &b, Value x) {
  auto f32 = [&](double value) { return floatConstant(b, x.getType(), value); };
  ExpFactors factors = buildExpFactors(b, x);
  Value y = timesPowerOfTwo(b, arith::AddFOp::create(b, factors.fraction, f32(1)), factors.power);

  auto isTrue = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, bound);
  };
  Value large = isTrue(arith::CmpFPredicate::OGT, f32(88.722839f));
  Value small = isTrue(arith::CmpFPredicate::OLT, f32(-103.972084f));
  y = arith::SelectOp::create(b, large, f32(std::numeric_limits<float>::infinity()), y);
  y = arith::SelectOp::create(b, small, f32(0), y);
  return arith::SelectOp::create(b, isTrue(arith::CmpFPredicate::UNO, x), x, y);
}
