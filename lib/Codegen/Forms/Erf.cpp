// The error function in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

using namespace mlir;
using namespace mp;

// erfcx z = e^(z^2) erfc z, for z in [0, 10.3], is what is left of erfc without its decay: it falls from 1 to 0.054.
// (z + 13/16) erfcx z changes little, from 0.81 to 0.56, and is nearly a polynomial in 1 / (z + 5/2), after M. M.
// Shepherd and J. G. Laframboise, Math. Comp. 36 (1981). The minimax polynomial around 131/512 is off by 2^-26 of the
// result.
static FloatPair buildErfcx(const Arithmetic &f, FloatPair z) {
  constexpr double kOuter = 13.0 / 16, kInner = 5.0 / 2, kCentre = 131.0 / 512;
  Value outer = f.add(z.high, f.constant(kOuter)), inner = f.add(z.high, f.constant(kInner));
  // Both reciprocals by one division.
  Value reciprocal = f.div(f.constant(1), f.mul(outer, inner));
  Value factor = f.mul(reciprocal, inner);
  Value u = f.fma(reciprocal, outer, f.constant(-kCentre));

  Value q = f.polynomial(u, {-0x1.a7ea3ep+8, -0x1.de23bcp+6, 0x1.1c975cp+7, 0x1.b6d4fcp+5, -0x1.36f162p+5,
                             -0x1.2718e2p+5, -0x1.7b6aa8p+3, -0x1.488b4ep-1, 0x1.ce013ep-1});
  Value first = f.constant(0x1.7f796ap-1), rest = f.mul(u, q);
  Value sum = f.add(first, rest);
  Value sumError = f.add(f.sub(first, sum), rest);

  // factor (1 + error) = 1 / (z + 13/16): with what rounding took from z + 13/16.
  Value outerError = f.add(f.sub(z.high, f.sub(outer, f.constant(kOuter))), z.low);
  Value error = f.fma(f.negate(factor), outer, f.constant(1));
  error = f.fma(f.negate(factor), outerError, error);

  FloatPair product = exactProduct(f, factor, sum);
  return {product.high, f.fma(product.high, error, f.fma(factor, sumError, product.low))};
}

/// x times the factor 1 + fraction, without its power of two.
static Value timesFraction(const Arithmetic &f, FloatPair x, Value fraction) {
  return f.add(x.high, f.fma(x.high, fraction, f.fma(x.low, fraction, x.low)));
}

// erfc z = erfcx z e^(-z^2), with z^2 in two parts: an error of it counts z^2 times as much in the result.
Value mp::buildErfc(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  // Less than half of the smallest float from 10.06 on.
  Value z = f.atMost(f.magnitude(x), 10.25);
  FloatPair square = exactProduct(f, z, z);
  ExpFactors decay = buildExpFactors(b, f.negate(square.high), f.negate(square.low));
  Value fraction = timesFraction(f, buildErfcx(f, {z, f.constant(0)}), decay.fraction);
  Value y = timesPowerOfTwo(b, fraction, decay.power);
  return f.select(f.isLess(x, 0), f.sub(f.constant(2), y), y);
}

Value mp::buildErf(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value a = f.magnitude(x);
  // erf a = a + a P(a^2), the minimax polynomial on [0, 0.9], off by 2^-26 of the result.
  Value p = f.polynomial(f.mul(a, a),
                         {-0x1.3ba9e2p-11, 0x1.479cap-8, -0x1.b69b96p-6, 0x1.ce1b86p-4, -0x1.8126ecp-2, 0x1.06eba6p-3});
  Value small = f.fma(a, p, a);
  Value large = f.sub(f.constant(1), buildErfc(b, a));
  return f.withSign(f.select(f.isLess(a, 0.9), small, large), x);
}
