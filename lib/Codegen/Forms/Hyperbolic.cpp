// Hyperbolic sine and cosine, and e^x - 1, in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"
#include "Codegen/Forms/WideMath.h"

#include <numbers>

using namespace mlir;
using namespace mp;

static WidePower buildWideExp(LaneBuilder &b, Value x) {
  return buildWideExp2(b, arith::MulFOp::create(b, x, floatConstant(b, x.getType(), std::numbers::log2e)));
}

/// e^x - 1 of f64 lanes: fraction * power + (power - 1), of which nothing cancels near 0, where the power is 1.
static Value buildWideExpm1(LaneBuilder &b, Value x) {
  const Arithmetic d(b, x);
  const WidePower of = buildWideExp(b, x);
  return d.add(d.mul(of.fraction, of.power), d.sub(of.power, d.constant(1)));
}

Value mp::buildExpm1(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  return f.withSign(f.magnitude(narrow(b, buildWideExpm1(b, widen(b, x)))), x);
}

// (m + m / (m + 1)) / 2 with m = e^|x| - 1.
Value mp::buildSinh(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value m = buildWideExpm1(b, widen(b, f.magnitude(x)));
  const Arithmetic d(b, m);
  Value twice = d.add(m, d.div(m, d.add(m, d.constant(1))));
  return f.withSign(narrow(b, d.mul(d.constant(0.5), twice)), x);
}

Value mp::buildCosh(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  const WidePower of = buildWideExp(b, widen(b, f.magnitude(x)));
  const Arithmetic d(b, of.power);
  Value e = d.mul(d.add(of.fraction, d.constant(1)), of.power);
  return narrow(b, d.mul(d.constant(0.5), d.add(e, d.div(d.constant(1), e))));
}
