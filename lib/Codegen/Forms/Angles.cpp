// Angles of sines, cosines, tangents and points, in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All are angles of a point: atan x that of (1, x), asin x that of (sqrt(1 - x^2), x), acos x that of (x, sqrt(1 -
// x^2)).

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"
#include "Codegen/Forms/WideMath.h"

using namespace mlir;
using namespace mp;

static Value hasSign(const Arithmetic &f, Value x) { return f.isLess(f.withSign(f.constant(1), x), 0); }

/// sqrt(1 - x^2) of f64 lanes, NaN where that is negative.
static Value buildOtherSide(LaneBuilder &b, Value x) {
  const Arithmetic d(b, x);
  return math::SqrtOp::create(b, d.mul(d.sub(d.constant(1), x), d.add(d.constant(1), x)));
}

Value mp::buildAtan2(LaneBuilder &b, Value y, Value x) {
  const Arithmetic f(b, x);
  Value angle = buildWideAngle(b, widen(b, f.magnitude(y)), widen(b, f.magnitude(x)), hasSign(f, x));
  return f.withSign(narrow(b, angle), y);
}

Value mp::buildAtan(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value magnitude = widen(b, f.magnitude(x));
  return f.withSign(narrow(b, buildWideAngle(b, magnitude, floatConstant(b, magnitude.getType(), 1))), x);
}

Value mp::buildAsin(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value magnitude = widen(b, f.magnitude(x));
  return f.withSign(narrow(b, buildWideAngle(b, magnitude, buildOtherSide(b, magnitude))), x);
}

Value mp::buildAcos(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value magnitude = widen(b, f.magnitude(x));
  return narrow(b, buildWideAngle(b, buildOtherSide(b, magnitude), magnitude, hasSign(f, x)));
}
