// Our elementary functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of f32, expanded into fma, integer and select ops: the same bits at every width and on every target,
// subnormals kept, special values as C99 Annex F. At most 2 ulp over all inputs, gelu at most 8: docs/numerics.md has
// the measured bounds.

#ifndef MP_LIB_CODEGEN_FORMS_MATH_H
#define MP_LIB_CODEGEN_FORMS_MATH_H

#include "Codegen/Forms/Lanes.h"

namespace mp {

/// e^x for f32 lanes. exp(-inf) = 0, exp(inf) = inf, NaN stays NaN.
mlir::Value buildExp(LaneBuilder &b, mlir::Value x);

/// The natural logarithm for f32 lanes. log(+-0) = -inf, log(inf) = inf, log of a negative number is NaN.
mlir::Value buildLog(LaneBuilder &b, mlir::Value x);

/// e^x as (1 + fraction) 2^n: whoever multiplies it by something else does that first and scales by the power last, so
/// that a subnormal result is rounded once. `power` holds n as the float n + kPowerZero.
struct ExpFactors {
  mlir::Value fraction, power;
};
constexpr double kPowerZero = 0x1.8p23;

/// The factors of e^(x + low), where the sum is between -350 and 88; `low` may be null.
ExpFactors buildExpFactors(LaneBuilder &b, mlir::Value x, mlir::Value low = {});

/// x 2^n, rounded once where x is a normal number between 2^-20 and 2^20.
mlir::Value timesPowerOfTwo(LaneBuilder &b, mlir::Value x, mlir::Value power);

/// The sine, the cosine and the tangent of an angle in radians, of any size. NaN of an infinity.
mlir::Value buildSin(LaneBuilder &b, mlir::Value x);
mlir::Value buildCos(LaneBuilder &b, mlir::Value x);
mlir::Value buildTan(LaneBuilder &b, mlir::Value x);

/// The angles of which they are that. NaN of a sine or cosine beyond 1.
mlir::Value buildAsin(LaneBuilder &b, mlir::Value x);
mlir::Value buildAcos(LaneBuilder &b, mlir::Value x);
mlir::Value buildAtan(LaneBuilder &b, mlir::Value x);
/// The angle of the point (x, y), from -pi to pi.
mlir::Value buildAtan2(LaneBuilder &b, mlir::Value y, mlir::Value x);

/// The hyperbolic sine and cosine, and e^x - 1.
mlir::Value buildSinh(LaneBuilder &b, mlir::Value x);
mlir::Value buildCosh(LaneBuilder &b, mlir::Value x);
mlir::Value buildExpm1(LaneBuilder &b, mlir::Value x);

/// Logarithms to the bases 2 and 10, and the natural one of 1 + x; as buildLog at their ends.
mlir::Value buildLog2(LaneBuilder &b, mlir::Value x);
mlir::Value buildLog10(LaneBuilder &b, mlir::Value x);
mlir::Value buildLog1p(LaneBuilder &b, mlir::Value x);

/// x^y, with the special values of C99's `pow`.
mlir::Value buildPow(LaneBuilder &b, mlir::Value x, mlir::Value y);

/// What x / y rounded down leaves, with the sign of y: fmod of C99, which is exact, plus y where it has another sign.
mlir::Value buildRemainder(LaneBuilder &b, mlir::Value x, mlir::Value y);

/// The hyperbolic tangent.
mlir::Value buildTanh(LaneBuilder &b, mlir::Value x);

/// The error function 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x, and 1 minus it.
mlir::Value buildErf(LaneBuilder &b, mlir::Value x);
mlir::Value buildErfc(LaneBuilder &b, mlir::Value x);
/// The number whose error function x is: infinite of 1, NaN beyond it.
mlir::Value buildErfinv(LaneBuilder &b, mlir::Value x);

/// x times the normal distribution's probability of less than x. gelu(-inf) = -0, the limit.
mlir::Value buildGelu(LaneBuilder &b, mlir::Value x);
/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the approximation of it. At -inf as above.
mlir::Value buildGeluTanh(LaneBuilder &b, mlir::Value x);

/// The derivatives of both: at most 8 ulp, between -1.5 and -0.25, where they are 0 once, an error of 2^-22.
mlir::Value buildGeluSlope(LaneBuilder &b, mlir::Value x);
mlir::Value buildGeluTanhSlope(LaneBuilder &b, mlir::Value x);

/// The logistic function 1 / (1 + e^-x), and x times it. silu(-inf) = -0, the limit.
mlir::Value buildSigmoid(LaneBuilder &b, mlir::Value x);
mlir::Value buildSilu(LaneBuilder &b, mlir::Value x);
/// log(1 + e^x).
mlir::Value buildSoftplus(LaneBuilder &b, mlir::Value x);
/// e^x - 1 of what is not above 0; 0 of all else.
mlir::Value buildExpm1OfNegative(LaneBuilder &b, mlir::Value x);

/// The nearest whole number, the even one of two, and the largest that is no larger: of f32 or f64 lanes, exact.
mlir::Value buildRound(LaneBuilder &b, mlir::Value x);
mlir::Value buildFloor(LaneBuilder &b, mlir::Value x);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_MATH_H
