// A second source for narrow floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Narrow.h"

#include <cmath>

using namespace mp;

narrow::Format narrow::formatOf(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return {5, 10};
  case ElementType::BF16:
    return {8, 7};
  default:
    return {8, 23};
  }
}

long double narrow::valueOf(uint32_t bits, Format format) {
  const uint32_t magnitude = bits & (format.sign() - 1);
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const int field = magnitude >> format.fractionBits;
  const uint32_t fraction = magnitude & ((uint32_t(1) << format.fractionBits) - 1);
  long double value;
  if (magnitude > format.infinity())
    value = NAN;
  else if (magnitude == format.infinity())
    value = INFINITY;
  else if (field == 0)
    value = std::ldexp(static_cast<long double>(fraction), 1 - bias - format.fractionBits);
  else
    value = std::ldexp(static_cast<long double>(fraction + (uint32_t(1) << format.fractionBits)),
                       field - bias - format.fractionBits);
  return bits & format.sign() ? -value : value;
}

uint32_t narrow::nearest(long double value, Format format) {
  if (std::isnan(value))
    return format.infinity() + 1;
  const uint32_t sign = std::signbit(value) ? format.sign() : 0;
  const long double magnitude = std::fabs(value);
  // The bits of positive values are in their order. Beyond the largest finite value the exponent range goes on, so that
  // its upper midpoint is that with the value which infinity's bits would have.
  auto extended = [&](uint32_t bits) {
    return bits == format.infinity() ? std::ldexp(1.0L, 1 << (format.exponentBits - 1)) : valueOf(bits, format);
  };
  uint32_t below = 0, above = format.infinity();
  if (magnitude >= extended(above))
    return sign | above;
  while (above - below > 1) {
    const uint32_t middle = below + (above - below) / 2;
    (extended(middle) <= magnitude ? below : above) = middle;
  }
  const long double midpoint = (extended(below) + extended(above)) / 2;
  if (magnitude != midpoint)
    return sign | (magnitude < midpoint ? below : above);
  return sign | (below & 1 ? above : below);
}

bool narrow::same(uint32_t a, uint32_t b, Format format) {
  auto isNaN = [&](uint32_t bits) { return (bits & (format.sign() - 1)) > format.infinity(); };
  return a == b || (isNaN(a) && isNaN(b));
}
