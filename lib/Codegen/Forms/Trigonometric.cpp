// Sine, cosine and tangent in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// |x| = q pi / 2 + r with |r| <= pi / 4, q modulo 4: one of the two polynomials in r, and a sign. The reduction and the
// polynomials are f64, which leaves of their errors 2^-12 of a unit in the last place of the result. The sine's sign is
// that of x times that of |x|.

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mp;

namespace {

/// q and r of |x|, in i64 and f64 lanes.
struct Reduced {
  Value quadrant, rest;
};

} // namespace

/// Where |x| < 2^23: r = |x| - q pi / 2, pi / 2 in three parts, of which q times the first two is exact. Nothing that
/// f32 has is so near to a multiple that what is left out counts.
static Reduced reduceNear(LaneBuilder &b, Value wide) {
  const Arithmetic d(b, wide);
  // Adding 1.5 * 2^52 leaves q, rounded, in the low bits.
  Value magic = d.constant(0x1.8p52), sum = d.add(d.mul(wide, d.constant(2 * std::numbers::inv_pi)), magic);
  Value q = d.sub(sum, magic), rest = wide;
  for (double part : {0x1.921fb54000000p+0, 0x1.10b4610000000p-30, 0x1.a62633145c06ep-58})
    rest = d.sub(rest, d.mul(q, d.constant(part)));
  return {arith::BitcastOp::create(b, integerTwin(wide.getType()), sum), rest};
}

/// Where |x| = M 2^s with a whole M below 2^24 and s from 0 to 104: M times the bits of 2 / pi, of which those that
/// make multiples of 4 are left out (Payne and Hanek 1983). `bits` are those of |x|, as i64.
static Reduced reduceFar(LaneBuilder &b, Value bits, Type f64) {
  Type type = bits.getType();
  auto i64 = [&](uint64_t value) { return intConstant(b, type, static_cast<int64_t>(value)); };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto mul = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  auto right = [&](Value x, Value by) -> Value { return arith::ShRUIOp::create(b, x, by); };
  Value mantissa = arith::OrIOp::create(b, arith::AndIOp::create(b, bits, i64(0x7fffff)), i64(0x800000));
  Value s = arith::SubIOp::create(b, right(bits, i64(23)), i64(150));
  s = arith::MaxSIOp::create(b, s, i64(0));

  // Two zeros and the first bits of 2 / pi. The window begins with the bit that is worth 2 in the product.
  static constexpr uint64_t kBits[] = {0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158};
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, s, i64(64));
  auto word = [&](unsigned number) -> Value {
    return arith::SelectOp::create(b, isFirst, i64(kBits[number]), i64(kBits[number + 1]));
  };
  Value left = arith::AndIOp::create(b, s, i64(63)), others = arith::SubIOp::create(b, i64(63), left);
  auto window = [&](unsigned number) -> Value {
    Value behind = right(right(word(number + 1), i64(1)), others);
    return arith::OrIOp::create(b, arith::ShLIOp::create(b, word(number), left), behind);
  };
  Value low = right(mul(mantissa, right(window(1), i64(32))), i64(32));
  Value product = add(mul(mantissa, window(0)), low); // modulo 4, in units of 2^-62

  Value quadrant = right(add(product, i64(uint64_t(1) << 61)), i64(62));
  Value rest = arith::SubIOp::create(b, product, arith::ShLIOp::create(b, quadrant, i64(62)));
  Value turns = arith::SIToFPOp::create(b, f64, rest);
  return {quadrant, arith::MulFOp::create(b, turns, floatConstant(b, f64, std::numbers::pi * 0x1p-63))};
}

namespace {

/// The quadrant of |x|, in i64 lanes, and the sine and cosine of what is left of it, in f64 lanes.
struct Angle {
  Value quadrant, sine, cosine;
};

} // namespace

static Value hasBit(LaneBuilder &b, Value x, int64_t mask) {
  Value bit = arith::AndIOp::create(b, x, intConstant(b, x.getType(), mask));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, intConstant(b, x.getType(), 0));
}

static Angle buildAngle(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  const int64_t width = laneCount(x.getType());
  Type f64 = withLanes(b.getF64Type(), width), i64 = withLanes(b.getI64Type(), width);
  Value magnitude = f.magnitude(x), isNear = f.isLess(magnitude, 0x1p23);
  Value bits = arith::ExtUIOp::create(b, i64, arith::BitcastOp::create(b, integerTwin(x.getType()), magnitude));
  const Reduced near = reduceNear(b, arith::ExtFOp::create(b, f64, magnitude)), far = reduceFar(b, bits, f64);
  Value r = f.select(isNear, near.rest, far.rest);

  // Taylor's series: what is left out is 2^-37 of the result.
  const Arithmetic d(b, r);
  Value square = d.mul(r, r);
  Value sine =
      d.mul(r, d.polynomialInSteps(square, {-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1}));
  Value cosine =
      d.polynomialInSteps(square, {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1});
  return {f.select(isNear, near.quadrant, far.quadrant), sine, cosine};
}

/// `value` where x is finite, else NaN.
static Value ofFinite(const Arithmetic &f, Value x, Value value) {
  return f.select(f.isLess(f.magnitude(x), std::numeric_limits<double>::infinity()), value, f.sub(x, x));
}

/// The sine of |x| + `quarters` pi / 2, NaN of an infinity.
static Value buildSinOfMagnitude(LaneBuilder &b, Value x, int64_t quarters) {
  const Arithmetic f(b, x);
  const Angle angle = buildAngle(b, x);
  Value q = arith::AddIOp::create(b, angle.quadrant, intConstant(b, angle.quadrant.getType(), quarters));
  Value value = arith::TruncFOp::create(b, x.getType(), f.select(hasBit(b, q, 1), angle.cosine, angle.sine));
  return ofFinite(f, x, f.select(hasBit(b, q, 2), f.negate(value), value));
}

Value mp::buildSin(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value value = buildSinOfMagnitude(b, x, 0);
  return f.select(f.isLess(f.withSign(f.constant(1), x), 0), f.negate(value), value);
}

Value mp::buildCos(LaneBuilder &b, Value x) { return buildSinOfMagnitude(b, x, 1); }

// sin / cos, and in odd quadrants -cos / sin: the sine there is not 0, as no float is a multiple of pi / 2.
Value mp::buildTan(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  const Angle angle = buildAngle(b, x);
  Value isOdd = hasBit(b, angle.quadrant, 1);
  Value quotient =
      arith::DivFOp::create(b, f.select(isOdd, angle.cosine, angle.sine), f.select(isOdd, angle.sine, angle.cosine));
  Value value = arith::TruncFOp::create(b, x.getType(), quotient);
  value = f.select(isOdd, f.negate(value), value);
  return ofFinite(f, x, f.select(f.isLess(f.withSign(f.constant(1), x), 0), f.negate(value), value));
}
