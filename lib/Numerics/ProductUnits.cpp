// How units of processors add up products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Numerics/ProductUnits.h"

#include <cmath>
#include <limits>

using namespace mp;

bool mp::hasProductsOf(ProductUnit unit, FloatFormat format) {
  return format == kBF16 || (unit == ProductUnit::AMX && format == kF16);
}

static float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

/// The product has at most 22 bits and the sum no subnormal one, so that f64 has all of them that decide what is tiny:
/// what is nearer to 2^-126 than half a place of 24 bits is not.
static float addFlushed(float a, float b, float sum) {
  constexpr double kTiny = std::numeric_limits<float>::min() * (1 - 0x1p-25);
  const float next = std::fma(a, b, sum);
  const double exact = std::fma(double(a), double(b), double(sum));
  return std::fabs(exact) < kTiny ? std::copysign(0.0f, next) : next;
}

void UnitSum::addProduct(float a, float b) {
  factors[count++] = {flushed(a), flushed(b)};
  if (count == (unit == ProductUnit::Dot ? 2 : kMostFactors))
    addGranule();
}

void UnitSum::addGranule() {
  auto add = [&](int k, float to) { return addFlushed(factors[k][0], factors[k][1], to); };
  if (unit == ProductUnit::Dot) {
    sum = add(0, add(1, sum));
  } else {
    float parts[2] = {};
    for (int k = 0; k < kMostFactors; ++k)
      parts[k % 2] = add(k, parts[k % 2]);
    sum = flushed(sum + flushed(parts[0] + parts[1]));
  }
  count = 0;
  factors = {};
}

float UnitSum::get() const {
  if (count == 0)
    return sum;
  UnitSum whole = *this;
  whole.addGranule();
  return whole.sum;
}
