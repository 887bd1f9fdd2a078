// The logistic function in f32, and what is made of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of e^-|x|, which is at most 1. A negative x has it in the numerator: the power of two is multiplied last, so that a
// subnormal result is rounded once.

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

using namespace mlir;
using namespace mp;

namespace {

/// e^-|x| whole and in factors, where |x| ends where x e^-|x| is less than half of the smallest float.
struct Decay {
  Value magnitude, e;
  ExpFactors factors;
};

constexpr double kEnd = 112;

} // namespace

static Decay buildDecay(LaneBuilder &b, const Arithmetic &f, Value x) {
  Value magnitude = f.atMost(f.magnitude(x), kEnd);
  ExpFactors factors = buildExpFactors(b, f.negate(magnitude));
  return {magnitude, timesPowerOfTwo(b, f.add(f.constant(1), factors.fraction), factors.power), factors};
}

/// `positive / (1 + e)`, and `negative * e / (1 + e)` where x < 0.
static Value buildQuotient(LaneBuilder &b, const Arithmetic &f, Value x, const Decay &of, Value negative,
                           Value positive) {
  Value isNegative = f.isLess(x, 0);
  Value numerator = f.select(isNegative, f.fma(negative, of.factors.fraction, negative), positive);
  Value power = f.select(isNegative, of.factors.power, f.constant(kPowerZero));
  return timesPowerOfTwo(b, f.div(numerator, f.add(f.constant(1), of.e)), power);
}

Value mp::buildSigmoid(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  const Decay of = buildDecay(b, f, x);
  return buildQuotient(b, f, x, of, f.constant(1), f.constant(1));
}

Value mp::buildSilu(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  const Decay of = buildDecay(b, f, x);
  return buildQuotient(b, f, x, of, f.negate(of.magnitude), x);
}

Value mp::buildSoftplus(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  // max(x, 0) + log(1 + e): what 1 + e rounds off is made good by e / ((1 + e) - 1), as log(1 + e) / e hardly changes.
  Value e = buildExp(b, f.negate(f.magnitude(x))), one = f.constant(1), sum = f.add(one, e);
  Value rest = f.sub(sum, one), corrected = f.mul(buildLog(b, sum), f.div(e, rest));
  Value logarithm = f.select(f.isLess(rest, 0x1p-24), e, corrected);
  return f.add(f.select(f.isLess(x, 0), f.constant(0), x), logarithm);
}

Value mp::buildExpm1OfNegative(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  // 2 t / (1 - t) with t = tanh(x / 2).
  Value t = buildTanh(b, f.mul(f.atMost(x, 0), f.constant(0.5)));
  return f.div(f.add(t, t), f.sub(f.constant(1), t));
}
