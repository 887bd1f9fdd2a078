// How far two results may differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Numerics/ErrorBounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bits as an integer that grows with the value: -0 and +0 are both 0.
static int64_t ordered(uint64_t bits, FloatFormat format) {
  int64_t magnitude = static_cast<int64_t>(bits & (format.signBit() - 1));
  return bits & format.signBit() ? -magnitude : magnitude;
}

uint64_t mp::ulpDistance(uint64_t lhsBits, uint64_t rhsBits, FloatFormat format) {
  if (format.isNaN(lhsBits) || format.isNaN(rhsBits))
    return format.isNaN(lhsBits) && format.isNaN(rhsBits) ? 0 : std::numeric_limits<uint64_t>::max();
  // Unsigned: the whole range of f64 is just below 2^64 long.
  auto [low, high] = std::minmax(ordered(lhsBits, format), ordered(rhsBits, format));
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
}

uint64_t mp::ulpDistance(float lhs, float rhs) {
  return ulpDistance(std::bit_cast<uint32_t>(lhs), std::bit_cast<uint32_t>(rhs), kF32);
}

uint64_t mp::ulpDistance(double lhs, double rhs) {
  return ulpDistance(std::bit_cast<uint64_t>(lhs), std::bit_cast<uint64_t>(rhs), kF64);
}

double mp::ulp(double value, FloatFormat format) {
  if (!std::isfinite(value))
    return std::numeric_limits<double>::quiet_NaN();
  int exponent = value == 0 ? format.minExponent() : std::ilogb(value);
  return std::ldexp(1.0, std::clamp(exponent, format.minExponent(), format.bias()) - format.fractionBits);
}

double mp::ulpError(double computed, double exact, FloatFormat format) {
  if (std::isnan(computed) || std::isnan(exact))
    return std::isnan(computed) && std::isnan(exact) ? 0 : kInfinity;
  if (std::isinf(computed) || std::isinf(exact))
    return computed == exact || computed == roundTo(exact, format) ? 0 : kInfinity;
  return std::abs(computed - exact) / ulp(exact, format);
}

double mp::unitRoundoff(FloatFormat format) { return std::ldexp(0.5, -format.fractionBits); }

double mp::gammaBound(uint64_t terms, FloatFormat accumulator) {
  double relative = static_cast<double>(terms) * unitRoundoff(accumulator);
  return relative < 1 ? relative / (1 - relative) : kInfinity;
}

double mp::contractionBound(uint64_t terms, double sumOfAbsolutes, double exact, FloatFormat accumulator,
                            FloatFormat result) {
  double sumError = terms == 0 || sumOfAbsolutes == 0 ? 0 : gammaBound(terms, accumulator) * sumOfAbsolutes;
  // A product that is subnormal in the accumulator has an absolute, not a relative error.
  sumError += static_cast<double>(terms) * ulp(0, accumulator) / 2;
  // The accumulator may have passed into the next binade, where the result's rounding is coarser.
  double largest = std::abs(exact) + sumError;
  return sumError + (std::isfinite(largest) ? ulp(largest, result) / 2 : kInfinity);
}

double mp::splitContractionBound(uint64_t terms, double sumOfAbsolutes, double exact, FloatFormat result) {
  // The smaller part is 2^-8 of its factor at most.
  const double added = (1 + 0x1p-6) * sumOfAbsolutes, leftOut = 0x1p-16 * sumOfAbsolutes;
  return contractionBound(3 * terms, added, std::abs(exact) + leftOut, kF32, result) + leftOut;
}
