// The Gaussian error linear unit in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// For x < 0 gelu is x times a probability that decays as e^(-x^2 / 2) does, and its relative error is that of the
// exponent times 87 at the last normal result: so the exponent is kept in two parts. For x > 0 it is x minus that.

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

#include <numbers>

using namespace mlir;
using namespace mp;

namespace {

/// The parts of Phi(-a), the normal distribution's probability of less than -a: e^(a^2 / 2) Phi(-a), and the factors of
/// e^(-a^2 / 2).
struct NormalTail {
  Value mills;
  ExpFactors decay;
};

NormalTail buildNormalTail(LaneBuilder &b, const Arithmetic &f, Value a) {
  FloatPair square = exactProduct(f, a, a);
  Value minusHalf = f.constant(-0.5);
  ExpFactors decay = buildExpFactors(b, f.mul(minusHalf, square.high), f.mul(minusHalf, square.low));
  // With z = a / sqrt(2) it is erfcx(z) / 2, and that is t times a polynomial in t = 1 / (z + 2), as erfcx z falls as
  // 1 / z does (after Shepherd and Laframboise, see Erf.cpp): the minimax polynomial, off by 2^-23.6 of the result.
  Value z = f.mul(a, f.constant(std::numbers::sqrt2 / 2));
  Value t = f.div(f.constant(1), f.add(z, f.constant(2)));
  Value p = f.polynomial(t, {-0x1.e51534p+3, 0x1.2421bp+5, -0x1.f4667p+4, 0x1.1e77e2p+3, -0x1.c74f22p-2, 0x1.a01dp+0,
                             0x1.f19ee4p-1, 0x1.212b8p-1, 0x1.20db02p-2});
  return {f.mul(t, p), decay};
}

/// The parts of the tanh form: gelu(-a) = -a e / (1 + e) with e = e^(-s (a + 0.044715 a^3)), s = sqrt(8 / pi).
struct SigmoidTail {
  ExpFactors decay;
  Value e;
  FloatPair linear; ///< -s a
  Value square;     ///< a^2
};

constexpr double kScale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
constexpr double kCubic = 0.044715;

SigmoidTail buildSigmoidTail(LaneBuilder &b, const Arithmetic &f, Value a) {
  Value one = f.constant(1), factor = f.constant(kCubic);
  FloatPair square = exactProduct(f, a, a);
  Value cubic = f.fma(factor, square.high, one);
  Value cubicLow = f.add(f.fma(factor, square.high, f.sub(one, cubic)),
                         f.fma(factor, square.low, f.mul(square.high, f.lowConstant(kCubic))));
  FloatPair linear = exactProduct(f, a, f.constant(-kScale));
  linear.low = f.fma(a, f.lowConstant(-kScale), linear.low);
  FloatPair exponent = exactProduct(f, linear.high, cubic);
  exponent.low = f.add(exponent.low, f.fma(linear.high, cubicLow, f.mul(linear.low, cubic)));

  ExpFactors decay = buildExpFactors(b, exponent.high, exponent.low);
  return {decay, timesPowerOfTwo(b, f.add(one, decay.fraction), decay.power), linear, square.high};
}

// Beyond it function and derivative for x < 0 are less than half of the smallest float.
constexpr double kEnd = 15, kTanhEnd = 11;

} // namespace

Value mp::buildGelu(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value a = f.atMost(f.magnitude(x), kEnd);
  NormalTail tail = buildNormalTail(b, f, a);
  Value probability = f.fma(tail.mills, tail.decay.fraction, tail.mills);
  Value negative = timesPowerOfTwo(b, f.mul(f.negate(a), probability), tail.decay.power);
  return f.select(f.isLess(x, 0), negative, f.add(x, negative));
}

Value mp::buildGeluTanh(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value a = f.atMost(f.magnitude(x), kTanhEnd);
  SigmoidTail tail = buildSigmoidTail(b, f, a);
  // x / (1 + e) for both signs, where a negative one's numerator still needs its power of two.
  Value isNegative = f.isLess(x, 0), minus = f.negate(a);
  Value numerator = f.select(isNegative, f.fma(minus, tail.decay.fraction, minus), x);
  Value power = f.select(isNegative, tail.decay.power, f.constant(kPowerZero));
  return timesPowerOfTwo(b, f.div(numerator, f.add(f.constant(1), tail.e)), power);
}

// Both derivatives at x are 1 minus that at -x.

Value mp::buildGeluSlope(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value a = f.atMost(f.magnitude(x), kEnd);
  NormalTail tail = buildNormalTail(b, f, a);
  // Phi(-a) - a phi(a), both without their decay
  Value density = f.constant(-std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  Value difference = f.fma(a, density, tail.mills);
  Value fraction = f.fma(difference, tail.decay.fraction, difference);
  Value negative = timesPowerOfTwo(b, fraction, tail.decay.power);
  return f.select(f.isLess(x, 0), negative, f.sub(f.constant(1), negative));
}

Value mp::buildGeluTanhSlope(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value a = f.atMost(f.magnitude(x), kTanhEnd);
  SigmoidTail tail = buildSigmoidTail(b, f, a);
  // e g (1 - t g) = e g (1 - t + t e g) with t = a s (1 + 3 * 0.044715 a^2) and g = 1 / (1 + e)
  Value one = f.constant(1), sigmoid = f.div(one, f.add(one, tail.e));
  Value growth = f.fma(tail.square, f.constant(3 * kCubic), one);
  Value difference = f.fma(tail.linear.low, growth, f.fma(tail.linear.high, growth, one));
  Value correction = f.mul(f.mul(tail.linear.high, growth), f.mul(tail.e, sigmoid));
  Value factor = f.mul(f.sub(difference, correction), sigmoid);
  Value fraction = f.fma(factor, tail.decay.fraction, factor);
  Value negative = timesPowerOfTwo(b, fraction, tail.decay.power);
  return f.select(f.isLess(x, 0), negative, f.sub(f.constant(1), negative));
}
