// e^x in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mp;

Value mp::buildExp(LaneBuilder &b, Value x) {
  Type type = x.getType(), intType = integerTwin(type);
  auto f32 = [&](double value) { return floatConstant(b, type, value); };
  auto i32 = [&](int64_t value) { return intConstant(b, intType, value); };

  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 leaves n, rounded, in the low bits of t.
  Value magic = f32(0x1.8p23);
  Value t = math::FmaOp::create(b, x, f32(1.44269504088896341), magic);
  Value n = arith::SubFOp::create(b, t, magic);
  // ln 2 in two parts: n times the first is exact.
  Value r = math::FmaOp::create(b, n, bitsConstant(b, type, 0xBF317200), x);
  r = math::FmaOp::create(b, n, bitsConstant(b, type, 0xB5BFBE8E), r);

  // e^r = 1 + (r + r^2 q(r)): the Taylor series, whose first term left out is 2^-28 of the result.
  Value q = f32(1.0 / 5040);
  for (double factorial : {720.0, 120.0, 24.0, 6.0, 2.0})
    q = math::FmaOp::create(b, q, r, f32(1 / factorial));
  Value square = arith::MulFOp::create(b, r, r);
  Value p = arith::AddFOp::create(b, math::FmaOp::create(b, q, square, r), f32(1));

  // 2^n as a product of two powers that are normal numbers, so that a subnormal result is rounded once.
  Value i =
      arith::SubIOp::create(b, arith::BitcastOp::create(b, intType, t), arith::BitcastOp::create(b, intType, magic));
  Value half = arith::ShRSIOp::create(b, i, i32(1));
  auto powerOfTwo = [&](Value exponent) -> Value {
    Value field = arith::ShLIOp::create(b, arith::AddIOp::create(b, exponent, i32(127)), i32(23));
    return arith::BitcastOp::create(b, type, field);
  };
  Value y = arith::MulFOp::create(b, p, powerOfTwo(half));
  y = arith::MulFOp::create(b, y, powerOfTwo(arith::SubIOp::create(b, i, half)));

  auto isTrue = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, bound);
  };
  Value large = isTrue(arith::CmpFPredicate::OGT, f32(88.722839f));
  Value small = isTrue(arith::CmpFPredicate::OLT, f32(-103.972084f));
  y = arith::SelectOp::create(b, large, f32(std::numeric_limits<float>::infinity()), y);
  y = arith::SelectOp::create(b, small, f32(0), y);
  return arith::SelectOp::create(b, isTrue(arith::CmpFPredicate::UNO, x), x, y);
}
