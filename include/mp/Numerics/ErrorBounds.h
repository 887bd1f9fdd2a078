// How far two results may differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests compare with. Bounds are those of Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1:
// they hold for every order of summation, so for every schedule, thread count and matrix unit.

#ifndef MP_NUMERICS_ERRORBOUNDS_H
#define MP_NUMERICS_ERRORBOUNDS_H

#include "mp/Numerics/Float.h"

namespace mp {

/// The distance of two values of `format`, counted in representable values between them. Both zeros are one value;
/// infinity follows the largest finite value; two NaNs are 0 apart, a NaN and a number UINT64_MAX.
uint64_t ulpDistance(uint64_t lhsBits, uint64_t rhsBits, FloatFormat format);

uint64_t ulpDistance(float lhs, float rhs);
uint64_t ulpDistance(double lhs, double rhs);

/// The spacing of `format` at |value|: the distance to the next larger magnitude of its binade. Subnormals are spaced
/// as the smallest normals; above the largest finite value the last binade's spacing goes on. NaN for NaN and infinity.
double ulp(double value, FloatFormat format);

/// |computed - exact| in units of ulp(exact, format), with fractions. 0 if both are NaN or the same infinity, infinity
/// if only one is NaN or infinite; a computed infinity whose exact value rounds to it is 0 off.
double ulpError(double computed, double exact, FloatFormat format);

/// u: half the spacing at 1, the largest relative error of one rounding.
double unitRoundoff(FloatFormat format);

/// gamma_K = K u / (1 - K u): the relative error of K roundings in a row; infinity from K u = 1 on.
double gammaBound(uint64_t terms, FloatFormat accumulator);

/// The largest |computed - exact| of a sum of `terms` products (or terms) kept in `accumulator` and rounded once to
/// `result`: gamma_K * sumOfAbsolutes plus half an ulp of the result, plus half the smallest subnormal of the
/// accumulator for each term. `sumOfAbsolutes` is the exact sum of |products|.
double contractionBound(uint64_t terms, double sumOfAbsolutes, double exact, FloatFormat accumulator,
                        FloatFormat result);

/// The same where each factor is the exact sum of two bf16, three products of these are added in f32, and the fourth,
/// of the smaller two, is left out.
double splitContractionBound(uint64_t terms, double sumOfAbsolutes, double exact, FloatFormat result);

} // namespace mp

#endif // MP_NUMERICS_ERRORBOUNDS_H
