// The natural logarithm in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mp;

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); with f = m - 1 and s = f / (2 + f), log m = f - (f^2/2 - s (f^2/2 +
// R(s^2))). The polynomial is that of FreeBSD's e_logf.c (Sun Microsystems 1993).
Value mp::buildLog(LaneBuilder &b, Value x) {
  Type type = x.getType(), intType = integerTwin(type);
  auto f32 = [&](double value) { return floatConstant(b, type, value); };
  auto i32 = [&](int64_t value) { return intConstant(b, intType, value); };
  auto add = [&](Value lhs, Value rhs) -> Value { return arith::AddFOp::create(b, lhs, rhs); };
  auto sub = [&](Value lhs, Value rhs) -> Value { return arith::SubFOp::create(b, lhs, rhs); };
  auto mul = [&](Value lhs, Value rhs) -> Value { return arith::MulFOp::create(b, lhs, rhs); };
  auto isTrue = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, bound);
  };

  // A subnormal is scaled to a normal number first.
  Value subnormal = isTrue(arith::CmpFPredicate::OLT, f32(0x1p-126));
  Value scaled = arith::SelectOp::create(b, subnormal, mul(x, f32(0x1p23)), x);
  Value shift = arith::SelectOp::create(b, subnormal, i32(-127 - 23), i32(-127));

  constexpr int64_t kOne = 0x3f800000, kSqrtHalf = 0x3f3504f3;
  Value bits = arith::AddIOp::create(b, arith::BitcastOp::create(b, intType, scaled), i32(kOne - kSqrtHalf));
  Value k = arith::AddIOp::create(b, arith::ShRSIOp::create(b, bits, i32(23)), shift);
  Value mantissa = arith::AddIOp::create(b, arith::AndIOp::create(b, bits, i32(0x007fffff)), i32(kSqrtHalf));
  Value m = arith::BitcastOp::create(b, type, mantissa);

  Value f = sub(m, f32(1));
  Value s = arith::DivFOp::create(b, f, add(f32(2), f));
  Value z = mul(s, s), w = mul(z, z);
  Value even = mul(w, math::FmaOp::create(b, w, f32(0xf89e26.0p-26), f32(0xccce13.0p-25)));
  Value odd = mul(z, math::FmaOp::create(b, w, f32(0x91e9ee.0p-25), f32(0xaaaaaa.0p-24)));
  Value halfSquare = mul(mul(f32(0.5), f), f);
  Value exponent = arith::SIToFPOp::create(b, type, k);

  // ln 2 in two parts: the exponent times the first is exact.
  Value y = mul(s, add(halfSquare, add(odd, even)));
  y = add(y, mul(exponent, bitsConstant(b, type, 0x3717f7d1)));
  y = add(sub(y, halfSquare), f);
  y = add(y, mul(exponent, bitsConstant(b, type, 0x3f317180)));

  const double inf = std::numeric_limits<double>::infinity();
  y = arith::SelectOp::create(b, isTrue(arith::CmpFPredicate::OEQ, f32(inf)), x, y);
  y = arith::SelectOp::create(b, isTrue(arith::CmpFPredicate::OEQ, f32(0)), f32(-inf), y);
  Value noNumber = isTrue(arith::CmpFPredicate::ULT, f32(0));
  return arith::SelectOp::create(b, noNumber, f32(std::numeric_limits<double>::quiet_NaN()), y);
}
