// A running sum, exact or as stated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"

#include <bit>
#include <cmath>

using namespace mp;

/// a + b, rounded to odd: the nearest double if the sum is one, else the one of its two neighbours
/// whose last bit is 1. Rounding that once more to a format of at most 51 bits gives what rounding
/// the exact sum gives (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums",
/// 2008).
static double addToOdd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  const double bPart = sum - a;
  const double error = (a - (sum - bPart)) + (b - bPart); // exact (Knuth's two-sum)
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1))
    return sum;
  const bool awayFromZero = (error > 0) == (sum > 0);
  return std::bit_cast<double>(awayFromZero ? bits + 1 : bits - 1);
}

double mp::fusedMultiplyAdd(double a, double b, double c, FloatFormat format) {
  if (format == kF64)
    return std::fma(a, b, c);
  return roundTo(addToOdd(a * b, c),
                 format); // the product of two 24-bit significands is exact in f64
}

ProductSum::ProductSum(ElementType lhs, ElementType rhs, ElementType stated, const EvaluatorOptions &options)
    : sum(stated, options) {
  if (options.unit && stated == ElementType::F32 && lhs == rhs && hasProductsOf(*options.unit, formatOf(lhs)))
    ofUnit.emplace(*options.unit);
}

void ProductSum::addProduct(double a, double b) {
  if (ofUnit)
    ofUnit->addProduct(static_cast<float>(a), static_cast<float>(b));
  else
    sum.addProduct(a, b);
}

double ProductSum::getWith(double term) const {
  if (ofUnit)
    return roundTo(ofUnit->get() + term, kF32);
  Accumulator whole = sum;
  whole.add(term);
  return whole.get();
}
