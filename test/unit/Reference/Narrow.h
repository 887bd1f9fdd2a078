// A second source for narrow floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Independent of mp/Numerics: a value is put together with ldexp, and rounding is a search for the nearest among all
// values of the type, by comparing with exact midpoints. long double (64 bits of significand) holds every f64, every
// i64 and every midpoint of two f32, f16 or bf16 values.

#ifndef MP_TEST_REFERENCE_NARROW_H
#define MP_TEST_REFERENCE_NARROW_H

#include "mp/Executable/Executable.h"

#include <cstdint>

namespace mp::narrow {

static_assert(__LDBL_MANT_DIG__ >= 64, "the second source needs a long double of 64 bits");

/// f16: 5 and 10. bf16: 8 and 7. f32: 8 and 23.
struct Format {
  int exponentBits, fractionBits;

  uint32_t sign() const { return uint32_t(1) << (exponentBits + fractionBits); }
  uint32_t infinity() const { return ((uint32_t(1) << exponentBits) - 1) << fractionBits; }
};

Format formatOf(ElementType element);

/// The value of these bits.
long double valueOf(uint32_t bits, Format format);

/// The bits of the value nearest to `value`, of two equally near the one whose last bit is 0. NaN gives a NaN.
uint32_t nearest(long double value, Format format);

/// Whether two bit patterns are the same value: the same bits, or both NaN.
bool same(uint32_t a, uint32_t b, Format format);

} // namespace mp::narrow

#endif // MP_TEST_REFERENCE_NARROW_H
